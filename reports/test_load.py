"""A verdict that is not whole is refused with file, place and expectation; never rendered as an empty success."""

import json

import pytest

from . import load, testing


@pytest.mark.parametrize("name", sorted(testing.MADE))
def test_made_verdicts_pass(made, name):
    load.check(load.parse(json.dumps(made(name))))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1 column 1: Expecting value: expected JSON"),
        ('{"a": }', "line 1 column 7: Expecting value: expected JSON"),
        ('{"a": 1, "a": 2}', 'key "a": given twice in one object: expected once'),
        ('{"a": NaN}', "the number NaN: expected strict JSON, where a metric that is not finite is null"),
        ('{"a": -Infinity}', "the number -Infinity: expected strict JSON, where a metric that is not finite is null"),
        ('{"a": 1e999}', 'the number "1e999": expected one that a double can hold'),
        ('{"a": 123456789012345678901}', 'the number "123456789012345678901": expected an integer of at most 64 bits'),
        ('{"a": "\\ud800"}', "/: a string holds half a surrogate pair: expected Unicode text"),
        ("[" * 100_000, "/: nested too deeply: expected a file of narrowgate"),
    ],
)
def test_strict_json(text, message):
    with pytest.raises(load.InvalidFile) as caught:
        load.parse(text)
    assert str(caught.value) == message


def test_schema_errors_name_the_place(made, complaint):
    assert complaint([]) == "/: expected object, got []"
    assert complaint({}) == "/: expected the key 'schema'"

    verdict = made("pull_request")
    verdict["cells"][3]["state"] = "FINE"
    assert complaint(verdict).startswith("/cells/3/state: expected one of PASS or REGRESSED or")

    verdict = made("pull_request")
    verdict["cells"][0]["row"]["max_abs_err"] = "0.5"
    assert complaint(verdict) == '/cells/0/row/max_abs_err: expected number or null, got "0.5"'

    verdict = made("pull_request")
    verdict["cases"][1]["columns"] = []
    assert complaint(verdict).startswith("/cases/1: expected no other keys than the schema's")

    verdict = made("pull_request")
    verdict["cells"][0]["baseline"]["max_abs_err"] = 0.5
    assert complaint(verdict) == "/cells/0/baseline/max_abs_err: expected array, got 0.5"

    verdict = made("pull_request")
    del verdict["context"]["narrowgate"]["suite"]
    assert complaint(verdict) == "/context/narrowgate: expected the key 'suite'"


def test_long_values_are_not_quoted_whole(made, complaint):
    verdict = made("pull_request")
    verdict["cells"][0]["state"] = "x" * 100_000
    assert len(complaint(verdict)) < 300


def test_sums_are_checked(made, complaint):
    verdict = made("planted")
    verdict["counts"]["REGRESSED"] = 0
    assert complaint(verdict) == "/counts/REGRESSED: expected 9, the number of such cells listed, got 0"

    verdict = made("planted")
    verdict["time_counts"]["total"] = 61
    assert complaint(verdict) == "/time_counts/total: expected 60, the number of such cells listed, got 61"

    verdict = made("planted")
    verdict["cells"].pop()
    assert complaint(verdict).startswith("/counts/")


def test_contradictions(made, complaint):
    verdict = made("planted")
    verdict["attention"].append("int8.none/cpu.scalar/1x1x1/day98/s1")
    assert complaint(verdict).startswith("/attention/9: expected the id of a cell listed")

    verdict = made("planted")
    verdict["cells"][1]["id"] = verdict["cells"][0]["id"]
    assert complaint(verdict).startswith("/cells/0/id: expected each cell once")

    verdict = made("planted")
    verdict["cases"][0]["column_bound"].pop()
    assert complaint(verdict) == "/cases/0/column_bound: expected 256 entries, one for each of column_first"

    verdict = made("planted")
    verdict["baseline"]["published"] = {"columns": ["size"], "rows": [[1, 2]]}
    assert complaint(verdict).startswith("/baseline/published: expected")
