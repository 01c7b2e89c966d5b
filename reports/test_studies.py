"""Studies: what is refused, what the page holds, and that its charts are inert. The browser's part is in test_browser.py."""

import base64
import copy
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from . import __main__ as command_line
from . import load, page, testing, view
from .charts.study import study_chart
from .svg import inline
from .view import studies as studies_view


def complaint(change) -> str:
    file = copy.deepcopy(testing.studies())
    change(file["studies"][0])
    with pytest.raises(load.InvalidFile) as caught:
        load.check_studies(file)
    return str(caught.value)


def test_made_studies_pass():
    for made in testing.MADE_STUDIES.values():
        load.check_studies(load.parse(json.dumps(made())))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda study: study.pop("finding"), "/studies/0: expected the key 'finding'"),
        (lambda study: study.update(id="Two words"), '/studies/0/id: expected text that matches ^[a-z0-9_]{1,40}$, got "Two words"'),
        (lambda study: study["series"][0]["y"].pop(), "/studies/0/series/0/y: expected 5 entries, one for each place on x"),
        (lambda study: study["series"][1].update(y=[None] * 5), "/studies/0/series/1/y: expected at least one number"),
        (lambda study: study["series"][0].update(marked=4), "/studies/0/series/0/marked: expected a place on x that has a value"),
        (lambda study: study["x"].update(numbers=[1, 1, 2, 3, 4]), "/studies/0/x/numbers: expected ascending numbers"),
        (lambda study: study["x"].update(names=["one"]), "/studies/0/x/names: expected 5 entries, one for each number, or none"),
        (lambda study: study.update(state="not_measured"), "/studies/0/series: expected some where it is measured, none where not"),
        (lambda study: study.update(id="over_powers"), '/studies/0/id: expected each study once, got "over_powers" 2 times'),
    ],
)
def test_misfits_name_the_place(change, message):
    assert complaint(change) == message


def test_no_studies_are_refused():
    with pytest.raises(load.InvalidFile):
        load.check_studies(testing.studies() | {"studies": []})


@pytest.mark.parametrize("name", sorted(testing.MADE_STUDIES))
def test_same_input_same_bytes(rendered_studies, name):
    again = page.render(view.build(testing.nightly()), studies_view.build(testing.MADE_STUDIES[name]()))
    assert again == rendered_studies(name)


def test_index_links_to_the_studies_only_where_they_are(rendered, rendered_studies):
    assert 'href="studies.html"' in rendered_studies("studies")["index.html"]
    assert 'href="studies.html"' not in rendered("nightly")["index.html"]
    assert sorted(rendered("nightly")) == ["badge.svg", "index.html"]


def test_each_study_has_its_sentence_chart_and_table(rendered_studies):
    html = rendered_studies("studies")["studies.html"]
    assert html.count('class="chart"') == html.count("<details>") == 3
    assert html.count("It is least at 2σ.") == 6, "above the chart, and as its description"
    assert "Not measured: no times were given." in html
    assert "4 studies, computed by narrowgate 0.1.0, commit f77fc84a1c3e; 1 not measured" in html
    assert "<td class=\"number\">0.02000 ○</td>" in html and "<td class=\"number\">–</td>" in html
    assert "10 (ten)" in html


def test_policy_allows_no_script(rendered_studies):
    html = rendered_studies("studies")["studies.html"]
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src &#39;none&#39;; style-src &#39;sha256-{digest}&#39;; img-src" in html
    assert "<script" not in html and "script-src" not in html


class _Outline(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.ids, self.links = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.ids += [value for name, value in attributes if name == "id"]
        self.links += [value for name, value in attributes if name in ("href", "src")]
        assert not any(name == "style" or name.startswith("on") for name, _ in attributes)


@pytest.mark.parametrize("name", sorted(testing.MADE_STUDIES))
def test_outline(rendered_studies, name):
    html = rendered_studies(name)["studies.html"]
    outline = _Outline()
    outline.feed(html)
    assert len(outline.ids) == len(set(outline.ids))
    assert not {"script", "img", "b"} & set(outline.tags)
    assert all(link.startswith("#") or link in ("data:,", "index.html") for link in outline.links)
    assert "\u202e" not in html and "\x00" not in html


@pytest.mark.parametrize("number", range(3))
def test_charts_know_both_themes(number):
    study = studies_view.build(testing.studies()).studies[number]
    svg = inline(study_chart(study), "s", study.title, study.finding)
    assert svg == inline(study_chart(study), "s", study.title, study.finding)
    assert not re.search(r"#[0-9a-f]{6}", svg), "a colour that knows one theme only"
    assert 'var(--orange)' in svg, "what the sentence speaks of is ringed"


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [1e-300, 1.0, 1e300], [None, None, 1.0], [-1.0, 0.0, 1.0]])
def test_extreme_values_are_drawn(scale, values):
    for kind in (0, 2):
        file = testing.studies()
        entry = file["studies"][kind]
        entry["y"]["scale"] = scale
        entry["series"] = [{"name": "a", "y": (values + [None, None])[: 5 if kind == 0 else 3], "marked": None}]
        load.check_studies(file)
        study = studies_view.build(file).studies[kind]
        assert "<svg" in inline(study_chart(study), "s", "t", "d")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file: expected studies written by `narrowgate study --out`"),
        (b"", "line 1 column 1: Expecting value: expected JSON"),
        (b"{}", "/: expected the key 'schema'"),
        (json.dumps(testing.studies() | {"schema": "narrowgate.verdict/1"}).encode(),
         '/schema: expected "narrowgate.studies/1", got "narrowgate.verdict/1"'),
    ],
)
def test_bad_studies_are_exit_2_and_leave_no_page(tmp_path, content, message, capsys):
    verdict, studies, out = tmp_path / "verdict.json", tmp_path / "studies.json", tmp_path / "report"
    verdict.write_text(json.dumps(testing.nightly()))
    if content is not None:
        studies.write_bytes(content)
    assert command_line.main([str(verdict), "--out", str(out), "--studies", str(studies)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_the_page_is_written_beside_the_verdict(tmp_path):
    verdict, studies, out = tmp_path / "verdict.json", tmp_path / "studies.json", tmp_path / "report"
    verdict.write_text(json.dumps(testing.nightly()))
    studies.write_text(json.dumps(testing.studies()))
    assert command_line.main([str(verdict), "--out", str(out), "--studies", str(studies)]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["badge.svg", "index.html", "studies.html"]
