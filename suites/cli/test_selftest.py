"""`narrowgate selftest` as a user runs it: the committed matrix holds, and one that was tampered with does not."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("NARROWGATE_BIN", ROOT / "build" / "narrowgate"))
SECONDS_ALLOWED = 30
ACCEPT = "narrowgate selftest --accept --why 'the reason'"


def selftest(folder: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, "selftest", *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A working folder with the committed matrix."""
    (tmp_path / "baselines").mkdir()
    shutil.copy(ROOT / "baselines" / "selftest.json", tmp_path / "baselines")
    return tmp_path


def doctor(folder: pathlib.Path, change) -> None:
    path = folder / "baselines" / "selftest.json"
    matrix = json.loads(path.read_text())
    change(matrix["mutants"])
    path.write_text(json.dumps(matrix))


def some(folder: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A part that takes no time."""
    return selftest(folder, "--filter", "bias_*", "--cases", "1", *arguments)


def test_the_committed_matrix_holds_within_half_a_minute(folder: pathlib.Path) -> None:
    start = time.monotonic()
    ran = selftest(folder, "--out", "found.json", "--markdown", "mutants.md")
    assert ran.returncode == 0, ran.stderr
    assert time.monotonic() - start < SECONDS_ALLOWED
    assert (folder / "mutants.md").read_text() == (ROOT / "docs" / "mutants.md").read_text(), (
        "write it anew: narrowgate selftest --markdown docs/mutants.md")
    found = json.loads((folder / "found.json").read_text())
    assert len(found["mutants"]) >= 46
    assert {gate["name"] for gate in found["gates"] if gate["decides"]} == {"guards", "Q", "I", "E", "day98", "drift"}
    assert all(gate["false_alarms"] == 0 for gate in found["gates"] if gate["decides"])
    ours = {gate["name"] for gate in found["gates"] if gate["decides"]}
    assert all(ours & set(gates) for mutant in found["mutants"] for gates in mutant["kills"].values())


def test_a_gate_that_went_blind_is_named_with_its_mutant(folder: pathlib.Path) -> None:
    doctor(folder, lambda mutants: mutants["bias_before_scale"]["int8.column.bias"].append("guards"))
    ran = some(folder)
    assert ran.returncode == 1
    assert "the gate guards no longer kills the mutant bias_before_scale on int8.column.bias" in ran.stderr


def test_a_stored_mutant_that_is_gone_fails(folder: pathlib.Path) -> None:
    doctor(folder, lambda mutants: mutants.update(bias_thrice={"int8.column.bias": ["I"]}))
    ran = some(folder)
    assert ran.returncode == 1
    assert "the mutant bias_thrice is stored for int8.column.bias and was not tried on it" in ran.stderr


def test_a_mutant_that_is_not_stored_is_no_verdict(folder: pathlib.Path) -> None:
    doctor(folder, lambda mutants: mutants.pop("bias_twice"))
    ran = some(folder)
    assert ran.returncode == 3
    assert "the mutant bias_twice is not stored for fp32.chain.bias" in ran.stderr and ACCEPT in ran.stderr


def test_a_kill_that_is_not_stored_is_said(folder: pathlib.Path) -> None:
    doctor(folder, lambda mutants: mutants["bias_twice"]["fp32.chain.bias"].remove("I"))
    ran = some(folder)
    assert ran.returncode == 0
    assert "the gate I now kills the mutant bias_twice on fp32.chain.bias" in ran.stdout


def test_without_a_matrix_there_is_no_verdict(tmp_path: pathlib.Path) -> None:
    ran = some(tmp_path)
    assert ran.returncode == 3
    assert ACCEPT in ran.stderr


def test_accept_stores_the_same_bytes_and_says_why(folder: pathlib.Path) -> None:
    (folder / "baselines" / "selftest.json").unlink()
    ran = selftest(folder, "--accept", "--why", "first of the tests", "--cases", "1")
    assert ran.returncode == 0, ran.stderr
    assert (folder / "baselines" / "selftest.json").read_bytes() == (ROOT / "baselines" / "selftest.json").read_bytes()
    assert "first of the tests" in (folder / "baselines" / "WHY.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--accept", "--why", " "], 2, "--why is empty"),
        (["--accept"], 2, "--why is empty"),
        (["--accept", "--why", "one\ntwo"], 2, "--why"),
        (["--out", "a", "--markdown", "./a"], 2, "both name a"),
        (["--why", "x"], 2, "requires --accept"),
        (["--accept", "--why", "x", "--filter", "bias_*"], 2, "leave --filter out"),
        (["--filter", "no_such"], 3, "nothing was tried"),
        (["--cases", "0"], 2, "--cases"),
        (["--acept"], 2, "--accept"),
    ],
)
def test_usage(folder: pathlib.Path, arguments: list[str], code: int, message: str) -> None:
    before = (folder / "baselines" / "selftest.json").read_bytes()
    ran = selftest(folder, *arguments)
    assert ran.returncode == code, ran.stderr
    assert message in ran.stderr
    assert (folder / "baselines" / "selftest.json").read_bytes() == before


@pytest.mark.parametrize("accept", [[], ["--accept", "--why", "over a damaged file"]])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"schema": "narrowgate.kills/1"}', "mutants"),
        ('{"schema": "narrowgate.kills/1", "mutants": {"bias_twice": {"fp32.chain.bias": ["gaurds"]}}}',
         'there is no gate "gaurds". Did you mean "guards"?'),
        ('{"schema": "narrowgate.kills/1", "mutants": {', "line 1"),
        ("", "empty"),
    ],
)
def test_a_broken_matrix_is_bad_input_and_is_not_written_over(
    folder: pathlib.Path, text: str, message: str, accept: list[str]
) -> None:
    stored = folder / "baselines" / "selftest.json"
    stored.write_text(text)
    ran = selftest(folder, "--cases", "1", *(accept or ["--filter", "bias_*"]))
    assert ran.returncode == 2
    assert "selftest.json" in ran.stderr and message in ran.stderr
    assert stored.read_text() == text and not (folder / "baselines" / "WHY.md").exists()


@pytest.mark.parametrize("option", ["--out", "--markdown"])
def test_no_other_output_lands_on_the_stored_matrix(folder: pathlib.Path, option: str) -> None:
    stored = folder / "baselines" / "selftest.json"
    before = stored.read_bytes()
    ran = some(folder, option, "baselines/../baselines/selftest.json")
    assert ran.returncode == 2
    assert "only --accept writes" in ran.stderr
    assert stored.read_bytes() == before


def test_an_out_that_cannot_be_written_leaves_nothing(folder: pathlib.Path) -> None:
    ran = some(folder, "--out", "no/such/folder/selftest.json")
    assert ran.returncode == 2
    assert "no/such/folder" in ran.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["baselines"]


def test_json_alone_is_on_standard_output(folder: pathlib.Path) -> None:
    ran = some(folder, "--json", "--markdown", "table.md")
    assert ran.returncode == 0, ran.stderr
    assert [mutant["name"] for mutant in json.loads(ran.stdout)["mutants"]] == [
        "bias_before_scale", "bias_dropped", "bias_one_column_on", "bias_twice"]
    assert (folder / "table.md").read_text().count("| mutant | guards | Q | I | E |") == 1
