"""The self-test's page: what is refused, what it holds, and that it is inert. The browser's part is in test_browser.py."""

import copy
import json

import pytest

from . import __main__ as command_line
from . import load, page, testing, view
from .charts.mutants import mutants_chart
from .svg import inline
from .view import selftest as selftest_view


def complaint(change) -> str:
    file = copy.deepcopy(testing.selftest())
    change(file)
    with pytest.raises(load.InvalidFile) as caught:
        load.check_selftest(file)
    return str(caught.value)


def test_made_selftests_pass():
    for made in testing.MADE_SELFTESTS.values():
        load.check_selftest(load.parse(json.dumps(made())))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file["gates"][0].pop("rule"), "/gates/0: expected the key 'rule'"),
        (lambda file: file["mutants"][0].update(kind="magic"), "/mutants/0/kind: expected one of operands or quantizer or kernel or output, got \"magic\""),
        (lambda file: file["mutants"][1].update(name="dead_column"), '/mutants/0/name: expected each mutant once, got "dead_column" 2 times'),
        (lambda file: file["mutants"][0]["kills"].update({"int8.column": ["F"]}), '/mutants/0/kills/"int8.column": expected gates of /gates, got "F"'),
        (lambda file: file["gates"][1].update(killed=7), "/gates/1: expected 8 killed of 8 pairs as in /mutants, got 7 of 8"),
        (lambda file: file["gates"][3].update(false_alarms=1001), "/gates/3/false_alarms: expected at most 1000, the cases judged, got 1001"),
    ],
)
def test_misfits_name_the_place(change, message):
    assert complaint(change).startswith(message)


def test_a_matrix_that_does_not_add_up_is_refused():
    assert complaint(lambda file: file["mutants"].pop()).startswith("/gates/0: expected")


def test_the_sentence_counts():
    finding = selftest_view.build(testing.selftest()).finding
    assert finding == ("Every mutant is killed by a gate that decides. Of the gates that people use, nmse kills most, 1 of 4, "
                       "and fails 65.20 % of the correct kernels.")


def test_survivors_are_named():
    file = testing.selftest()
    for gates in file["mutants"][2]["kills"].values():
        gates.clear()
    assert selftest_view.build(file).finding.startswith("1 mutant of 4 killed by no gate that decides: one_ulp.")


def test_scores_are_ranges_of_powers():
    gates = {gate.name: gate for gate in selftest_view.build(testing.selftest()).gates}
    assert gates["I"].smallest == ["2^-24", "2^-20", "1"]
    assert gates["E"].smallest == ["2^-14", "1", "2^12"]
    assert gates["nmse"].smallest == ["–", "–", "–"]
    assert (gates["I"].mutants_caught, gates["I"].pairs, gates["I"].false_alarms) == (4, "100.0 %", "0.00 %")


def test_the_page_holds_matrix_and_scores(rendered_selftest):
    files = rendered_selftest("selftest")
    html = files["selftest.html"]
    assert 'href="selftest.html"' in files["index.html"]
    assert '<td class="number strong">2/2</td>' in html and '<td class="number">1/2</td>' in html
    assert '<td class="number quiet">·</td>' in html
    assert "65.20 %" in html and html.count('class="chart"') == 1
    assert "4 mutants and 1,000 correct random cases, by narrowgate 0.1.0, commit f77fc84a1c3e" in html


def test_index_links_only_where_it_is(rendered):
    assert "selftest.html" not in rendered("nightly")["index.html"]


@pytest.mark.parametrize("name", sorted(testing.MADE_SELFTESTS))
def test_same_input_same_bytes_and_nothing_runs(rendered_selftest, name):
    again = page.render(view.build(testing.nightly()), selftest=selftest_view.build(testing.MADE_SELFTESTS[name]()))
    assert again == rendered_selftest(name)
    html = again["selftest.html"]
    assert "<script" not in html and "script-src" not in html and "<img" not in html
    assert "\u202e" not in html and "\x00" not in html


def test_the_chart_knows_both_themes():
    test = selftest_view.build(testing.selftest())
    assert "#0072b2" not in inline(mutants_chart(test), "m", "t", "d")


def test_the_page_is_written_beside_the_verdict(tmp_path):
    verdict, selftest, out = tmp_path / "verdict.json", tmp_path / "selftest.json", tmp_path / "report"
    verdict.write_text(json.dumps(testing.nightly()))
    selftest.write_text(json.dumps(testing.selftest()))
    assert command_line.main([str(verdict), "--out", str(out), "--selftest", str(selftest)]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["badge.svg", "index.html", "selftest.html"]


def test_a_bad_selftest_is_exit_2_and_leaves_no_page(tmp_path, capsys):
    verdict, selftest, out = tmp_path / "verdict.json", tmp_path / "selftest.json", tmp_path / "report"
    verdict.write_text(json.dumps(testing.nightly()))
    selftest.write_text("{}")
    assert command_line.main([str(verdict), "--out", str(out), "--selftest", str(selftest)]) == 2
    assert "/: expected the key 'schema'" in capsys.readouterr().err
    assert not out.exists()
