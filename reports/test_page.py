"""The page as text: deterministic, small, inert. What only a browser can say is in test_browser.py."""

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest

from . import load, page, testing, view

HERE = Path(__file__).parent
RESULTS = json.loads((load.SCHEMA_FOLDER / "results.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["nightly", "hostile", "empty"])
def test_same_input_same_bytes(made, rendered, name):
    assert page.render(view.build(made(name))) == rendered(name)


@pytest.mark.parametrize("name", ["nightly", "planted"])
def test_every_optional_field_may_be_absent(made, name):
    """The schema is the contract: what it does not require, the page does not need."""
    verdict = made(name)
    row_keys = _required("row")
    case_keys = _required("case")
    for cell in verdict["cells"]:
        cell["row"] = {key: value for key, value in cell["row"].items() if key in row_keys}
        for key in ("baseline", "baseline_time_ns", "time_ratio"):
            del cell[key]
    verdict["cases"] = [{key: value for key, value in case.items() if key in case_keys} for case in verdict["cases"]]
    del verdict["reasons"], verdict["baseline"]["published"], verdict["baseline"]["timing_keys"]
    load.check(verdict)
    assert "No time was measured." in page.render(view.build(verdict))["index.html"]


def test_every_metric_may_be_null(made):
    verdict = made("planted")
    metrics = {key for key, schema in RESULTS["definitions"]["row"]["properties"].items()
               if schema.get("$ref") == "#/definitions/metric"}
    for cell in verdict["cells"]:
        cell["row"].update({key: None for key in cell["row"] if key in metrics})
        for gate in cell["row"]["gates"]:
            gate.update({key: None for key in ("value", "reference", "bound") if key in gate})
    for case in verdict["cases"]:
        case["column_max_abs_err"] = [None] * len(case["column_first"])
        case["column_bound"] = [None] * len(case["column_first"])
    load.check(verdict)
    assert "not finite" in page.render(view.build(verdict))["index.html"]


def _required(definition):
    return set(RESULTS["definitions"][definition]["required"])


def test_200_cells_fit_a_megabyte(made, rendered):
    assert len(made("large")["cells"]) == 200
    assert len(rendered("large")["index.html"].encode()) <= 1_000_000


def test_sparklines_are_at_most_400_bytes(rendered):
    sparks = re.findall(r'<svg class="spark".*?</svg>', rendered("large")["index.html"])
    assert len(sparks) == 50
    assert max(map(len, sparks)) <= 400


def test_number_of_charts(rendered):
    for name in testing.MADE:
        assert rendered(name)["index.html"].count('class="chart"') <= 8


def test_the_script_is_short_and_templates_never_mark_safe():
    assert len((HERE / "static/page.js").read_text().splitlines()) <= 150
    for template in (HERE / "templates").iterdir():
        text = template.read_text()
        assert "safe" not in text and "style=" not in text and not re.search(r"\son\w+=", text), template.name
    users = [path.name for path in HERE.rglob("*.py") if "Markup(" in path.read_text() and not path.name.startswith("test_")]
    assert users == ["svg.py"]


def test_policy_names_what_the_page_holds(rendered):
    html = rendered("nightly")["index.html"]
    for tag in ("style", "script"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'".replace("'", "&#39;") in html
    assert "default-src &#39;none&#39;" in html


class _Outline(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.ids, self.links = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        self.links += [value for name, value in attributes if name in ("href", "src")]
        assert not any(name == "style" or name.startswith("on") for name, _ in attributes)


@pytest.mark.parametrize("name", sorted(testing.MADE))
def test_outline(made, rendered, name):
    outline = _Outline()
    outline.feed(rendered(name)["index.html"])
    assert len(outline.ids) == len(set(outline.ids))
    assert outline.tags.count("script") == 1 and "img" not in outline.tags and "b" not in outline.tags
    assert all(link.startswith("#") or link == "data:," for link in outline.links)
    assert {cell["id"] for cell in made(name)["cells"]} <= set(outline.ids)


def test_hidden_characters_do_not_reach_the_page(rendered):
    html = rendered("hostile")["index.html"]
    text = re.sub(r'\b(?:id|href)="[^"]*"', "", html)
    assert "\u202e" not in text and "\x00" not in html and "\x1b" not in html
    assert "{{ 7*7 }}" in text and "49 " not in re.findall(r"Planted bug: ([^<]*)", text)[0]


def test_planted_bug_is_said_loudly(rendered):
    assert "Planted bug: scales_shifted_one_column." in rendered("planted")["index.html"]
    assert "Planted bug" not in rendered("nightly")["index.html"]


def test_nothing_measured_is_never_success(rendered):
    html = rendered("empty")["index.html"]
    assert "No cell was measured: there is nothing to look at, and nothing has passed." in html
    assert "Nothing needs attention" not in html


@pytest.mark.parametrize(("name", "word"), [("nightly", "= pass"), ("planted", "▲ error-gate regression"), ("empty", "? no verdict")])
def test_badge(rendered, name, word):
    root = ElementTree.fromstring(rendered(name)["badge.svg"])
    assert [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")] == ["narrowgate", word]
