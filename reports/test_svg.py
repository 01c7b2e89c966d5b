"""Charts as they stand in the page: no styles, no foreign ids, both themes, same bytes."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from .charts.columns import columns
from .charts.log_axis import enclosing, power_of_ten
from .charts.pareto import pareto
from .charts.timing import timing
from .svg import inline
from .view.columns import Curve, charted
from .view.index import index
from .view.speed import Point, Samples, Speed, speed


@pytest.fixture(scope="module")
def charts():
    from . import testing

    run = index(testing.planted())
    return {
        "pareto": lambda: inline(pareto(speed(run)), "p", "Title", "Description"),
        "timing": lambda: inline(timing(speed(run)), "t", "Title", "Description"),
        "columns": lambda: inline(columns(charted(run)[0]), "c", "Title", "Description"),
    }


@pytest.mark.parametrize("name", ["pareto", "timing", "columns"])
def test_inline_svg(charts, name):
    svg = charts[name]()
    assert svg == charts[name](), "the same figure must give the same bytes"
    assert "style" not in svg and "xlink" not in svg and "<metadata" not in svg and "<defs/>" not in svg
    assert not re.search(r"#[0-9a-f]{6}", svg), "a colour that knows one theme only"
    ids = re.findall(r'\bid="([^"]*)"', svg)
    assert len(ids) == len(set(ids)) and all(identifier.startswith(f"{name[0]}-") for identifier in ids)
    references = re.findall(r'(?:href="|url\()#([^")]*)', svg)
    assert set(references) <= set(ids)
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-labelledby").split() == [f"{name[0]}-title", f"{name[0]}-description"]


def test_size_of_a_chart(charts):
    for name, draw in charts.items():
        assert len(draw()) < 56_000, name


def _curve(errors, bounds, codes=()):
    return Curve("case", "int8.x", "1x1x1", "", 256, list(range(len(errors))), len(errors) - 1, errors, bounds, list(codes),
                 [False] * len(errors) if codes else [], [], "")


@pytest.mark.parametrize(
    ("errors", "bounds"),
    [([0.0], [0.0]), ([None], [None]), ([0.0, None, 1e-320], [1e308, 0.0, None]), ([-1.0], [1.0]), ([1e-5] * 3, [1e-5] * 3)],
)
def test_extreme_columns_are_drawn(errors, bounds):
    assert "<svg" in inline(columns(_curve(errors, bounds)), "c", "t", "d")


def test_extreme_speeds_and_samples_are_drawn():
    points = [Point("a", "cpu.x", "cpu", 0.0, 1e-300, True), Point("b", "odd.x", "odd", 1e300, 1e300, True)]
    samples = [Samples("a", "cpu.x", "cpu", "", [1e-9, 1e30], 2, 1.0, "1 ns", "–", "–"),
               Samples("a", "cpu.y", "cpu", "", [], 0, 5.0, "5 ns", "–", "–")]
    extreme = Speed("", points, samples, [], 0, [])
    assert "<svg" in inline(pareto(extreme), "p", "t", "d")
    assert "<svg" in inline(timing(extreme), "t", "t", "d")


def test_hostile_labels_stay_text():
    name = "</text><script>$\\frac{\u202e\x00"
    samples = [Samples(name, name, "cpu", "", [1.0], 1, 1.0, "1 ns", "–", "–")]
    svg = inline(timing(Speed("", [], samples, [], 0, [])), "t", name, name)
    assert "<script" not in svg and "\u202e" not in svg and "\x00" not in svg
    assert "&lt;script&gt;" in svg


def test_power_of_ten():
    assert [power_of_ten(exponent) for exponent in (-5, -2, -1, 0, 3, 4)] == ["10⁻⁵", "0.01", "0.1", "1", "1,000", "10⁴"]


def test_range_puts_zero_below_and_not_finite_above():
    extent = enclosing([0.01, 1.0, 0.0, None])
    assert (extent.low, extent.high) == (-2.25, 0.25)
    assert (extent.position(0.0), extent.position(None), extent.position(0.1)) == (-2.25, 0.25, -1.0)
