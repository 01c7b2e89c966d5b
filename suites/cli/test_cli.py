"""The program as a user runs it: exit codes, messages, files. Uses the real binary and real runs of tiny suites."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("NARROWGATE_BIN", ROOT / "build" / "narrowgate"))

TINY = {
    "schema": "narrowgate.suite/1",
    "name": "tiny",
    "description": "one small case of five schemes by three kernels each",
    "cases": [{"schemes": ["fp32.chain", "int8.tensor", "int8.column", "int8.column_zp", "int8.column_24"],
               "kernels": ["cpu.*", "simt.tiled"], "shapes": ["17x14x33"], "distributions": ["day98"], "seeds": [1]}],
}


def narrowgate(folder: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A working folder with a tiny suite and empty baselines."""
    (tmp_path / "tiny.json").write_text(json.dumps(TINY))
    (tmp_path / "baselines" / "accuracy").mkdir(parents=True)
    return tmp_path


def run_tiny(folder: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return narrowgate(folder, "run", "./tiny.json", "--no-timing", "--backend", "cpu,simt", *arguments)


@pytest.fixture
def accepted(folder: pathlib.Path) -> pathlib.Path:
    """The tiny suite run once and accepted."""
    assert run_tiny(folder).returncode == 0
    accept = narrowgate(folder, "accept", "results.json", "--why", "first baselines of the tests", "--allow-dirty")
    assert accept.returncode == 0, accept.stderr
    (folder / "results.json").unlink()
    return folder


def test_the_whole_path_passes(accepted: pathlib.Path) -> None:
    assert run_tiny(accepted).returncode == 0
    compared = narrowgate(accepted, "compare", "results.json", "--markdown", "summary.md")
    assert compared.returncode == 0, compared.stdout
    assert "Error gate PASS, 15 cells." in compared.stdout
    verdict = json.loads((accepted / "verdict.json").read_text())
    assert verdict["counts"]["PASS"] == verdict["counts"]["total"] == 15
    assert (accepted / "summary.md").read_text().count("Error gate PASS, 15 cells.") == 1
    assert "first baselines of the tests" in (accepted / "baselines" / "WHY.md").read_text()
    assert not (accepted / "results.json.journal").exists()


def test_kernels_of_a_case_share_one_digest(folder: pathlib.Path) -> None:
    assert run_tiny(folder).returncode == 0
    digests: dict[str, set[str]] = {}
    for row in json.loads((folder / "results.json").read_text())["benchmarks"]:
        digests.setdefault(row["case"], set()).add(row["digest"])
    assert len(digests) == 5
    assert all(len(of_case) == 1 for of_case in digests.values())


@pytest.mark.parametrize("plant, scheme", [("zero_point_dropped", "int8.column_zp"), ("stale_scale", "int8.column")])
def test_a_planted_bug_regresses_and_names_everything(accepted: pathlib.Path, plant: str, scheme: str) -> None:
    assert run_tiny(accepted, "--plant", plant).returncode == 0
    compared = narrowgate(accepted, "compare", "results.json")
    assert compared.returncode == 1
    assert "Error gate FAIL" in compared.stdout
    for word in (f"scheme {scheme}", "kernel cpu.simd", "row ", "column ", "value ", "reference ", "bound "):
        assert word in compared.stdout, word
    assert f"narrowgate run ./tiny.json --filter '{scheme}/cpu.simd/17x14x33/day98/s1'" in compared.stdout
    refused = narrowgate(accepted, "accept", "results.json", "--why", "no", "--allow-dirty")
    assert refused.returncode == 2
    assert "plant" in refused.stderr


def test_a_nan_fails(accepted: pathlib.Path) -> None:
    assert run_tiny(accepted, "--plant", "one_nan").returncode == 0
    compared = narrowgate(accepted, "compare", "results.json")
    assert compared.returncode == 1
    assert "15 invalid" in compared.stdout


def test_without_a_baseline_there_is_no_verdict(folder: pathlib.Path) -> None:
    assert run_tiny(folder).returncode == 0
    compared = narrowgate(folder, "compare", "results.json")
    assert compared.returncode == 3
    assert "narrowgate accept" in compared.stdout


def test_no_overlap_with_the_baseline_is_no_verdict_and_lists_both(accepted: pathlib.Path) -> None:
    other = dict(TINY, name="other", cases=[dict(TINY["cases"][0], shapes=["5x6x7"])])
    (accepted / "other.json").write_text(json.dumps(other))
    assert narrowgate(accepted, "run", "./other.json", "--no-timing", "--backend", "cpu").returncode == 0
    compared = narrowgate(accepted, "compare", "results.json")
    assert compared.returncode == 3
    assert "5x6x7" in compared.stdout and "17x14x33" in compared.stdout


def test_a_filter_that_matches_nothing_measures_nothing(folder: pathlib.Path) -> None:
    ran = run_tiny(folder, "--filter", "no/such/*")
    assert ran.returncode == 3
    assert "nothing was measured" in ran.stderr
    assert not (folder / "results.json").exists()


@pytest.mark.parametrize(
    "arguments, expected",
    [
        (["run", "smok"], 'Did you mean "smoke"'),
        (["run", "smoke", "--filtr", "x"], 'Did you mean "--filter"'),
        (["runn"], 'Did you mean "run"'),
        (["study", "cliping"], 'Did you mean "clipping"'),
        (["study", "roofline", "--results", "none.json"], "none.json"),
        (["study", "roofline", "--out", "no/such/folder/studies.json"], "no/such/folder"),
        (["run", "smoke", "--backend", "gpu"], 'no backend "gpu"'),
        (["run", "smoke", "--plant", "stale_scal"], 'Did you mean "stale_scale"'),
        (["run", "./missing.json"], "missing.json"),
        (["compare", "missing.json"], "missing.json"),
        (["compare"], "results is required"),
        ([], "subcommand is required"),
    ],
)
def test_bad_usage_exits_2_and_helps(folder: pathlib.Path, arguments: list[str], expected: str) -> None:
    result = narrowgate(folder, *arguments)
    assert result.returncode == 2
    assert expected in result.stderr


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", "empty"),
        ('{"schema": "narrowgate.results/1"', "line 1"),
        ('{"schema": "narrowgate.results/9"}', "narrowgate.results/1"),
        ('{"schema": "narrowgate.results/1", "schema": "narrowgate.results/1"}', "schema"),
        ('{"schema": NaN}', "line 1"),
        ("[1, 2]", "expected"),
    ],
)
def test_a_damaged_results_file_is_refused_and_left_alone(folder: pathlib.Path, text: str, expected: str) -> None:
    (folder / "results.json").write_text(text)
    compared = narrowgate(folder, "compare", "results.json")
    assert compared.returncode == 2
    assert "results.json" in compared.stderr and expected in compared.stderr
    assert (folder / "results.json").read_text() == text
    assert not (folder / "verdict.json").exists()


def test_a_suite_with_an_unknown_key_is_refused(folder: pathlib.Path) -> None:
    (folder / "tiny.json").write_text(json.dumps(dict(TINY, limit=[])))
    ran = run_tiny(folder)
    assert ran.returncode == 2
    assert "tiny.json" in ran.stderr and '"limits"' in ran.stderr


def test_a_killed_run_resumes_with_the_same_results(folder: pathlib.Path) -> None:
    assert run_tiny(folder, "--out", "whole.json").returncode == 0
    whole = json.loads((folder / "whole.json").read_text())
    # What a killed run leaves: a journal of some rows, the last one torn. Its header comes from a real start.
    with subprocess.Popen([PROGRAM, "run", "smoke", "--no-timing", "--out", "killed.json"], cwd=folder,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        journal = folder / "killed.json.journal"
        while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") > 3):
            pass
        process.kill()
    assert not (folder / "killed.json").exists()
    refused = narrowgate(folder, "run", "smoke", "--no-timing", "--out", "killed.json")
    assert refused.returncode == 2 and "--resume" in refused.stderr
    with journal.open("ab") as torn:
        torn.write(b'{"name": "torn')
    resumed = narrowgate(folder, "run", "smoke", "--no-timing", "--out", "killed.json", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert not journal.exists()
    rows = json.loads((folder / "killed.json").read_text())["benchmarks"]
    fresh = narrowgate(folder, "run", "smoke", "--no-timing", "--out", "fresh.json")
    assert fresh.returncode == 0
    expected = json.loads((folder / "fresh.json").read_text())["benchmarks"]
    assert [(row["id"], row["digest"]) for row in rows] == [(row["id"], row["digest"]) for row in expected]
    assert len(whole["benchmarks"]) == 15


def test_list_names_every_scheme_and_cell(folder: pathlib.Path) -> None:
    listed = json.loads(narrowgate(folder, "list", "--json").stdout)
    schemes = {scheme["id"] for scheme in listed["schemes"]}
    assert {"fp32.chain", "int8.tensor", "int8.column", "int8.column_zp", "int8.column_24"} <= schemes
    cells = json.loads(narrowgate(folder, "list", "./tiny.json", "--backend", "cpu", "--json").stdout)["cells"]
    assert cells[0]["id"] == "fp32.chain/cpu.scalar/17x14x33/day98/s1"
    assert cells[0]["case"] == "fp32.chain/17x14x33/day98/s1"


def test_requiring_a_device_that_is_not_there_is_an_environment_error(folder: pathlib.Path) -> None:
    if shutil.which("nvidia-smi") is not None:
        pytest.skip("this machine may have a CUDA device")
    ran = run_tiny(folder, "--require", "cuda")
    assert ran.returncode == 5
    assert "no CUDA device" in ran.stderr


def test_the_report_is_one_page_and_a_missing_python_is_named(accepted: pathlib.Path) -> None:
    assert run_tiny(accepted).returncode == 0
    assert narrowgate(accepted, "compare", "results.json").returncode == 0
    missing = subprocess.run([PROGRAM, "report", "verdict.json"], cwd=accepted, capture_output=True, text=True, check=False,
                             env=dict(os.environ, NARROWGATE_PYTHON=str(accepted / "nowhere")))
    assert missing.returncode == 5
    assert "scripts/bootstrap" in missing.stderr
    reported = narrowgate(accepted, "report", "verdict.json", "--out", "page")
    assert reported.returncode == 0, reported.stderr
    assert "Error gate PASS, 15 cells." in (accepted / "page" / "index.html").read_text()
    broken = narrowgate(accepted, "report", "tiny.json", "--out", "page2")
    assert broken.returncode == 2
    assert not (accepted / "page2").exists()


def test_help_has_examples_and_doctor_speaks(folder: pathlib.Path) -> None:
    assert "Examples:" in narrowgate(folder, "run", "--help").stdout
    doctor = narrowgate(folder, "doctor")
    assert doctor.returncode == 0
    assert "host kernels run with" in doctor.stdout


def test_a_study_says_its_finding_and_writes_it(folder: pathlib.Path) -> None:
    done = narrowgate(folder, "study", "swamping", "roofline")
    assert (done.returncode, done.stderr) == (0, "")
    assert "In E5M2 32 + 3.5 gives 32." in done.stdout
    file = json.loads((folder / "studies.json").read_text())
    assert [study["id"] for study in file["studies"]] == ["swamping", "roofline"]
    assert all(study["finding"] in done.stdout for study in file["studies"])


def test_studies_are_the_same_bytes_each_time(folder: pathlib.Path) -> None:
    printed = [narrowgate(folder, "study", "pruning", "summation_order", "--json").stdout for _ in range(2)]
    assert printed[0] == printed[1] == (folder / "studies.json").read_text()


def test_broken_studies_are_named_by_report(accepted: pathlib.Path) -> None:
    assert run_tiny(accepted).returncode == 0
    assert narrowgate(accepted, "compare", "results.json").returncode == 0
    (accepted / "studies.json").write_text('{"schema": "narrowgate.studies/1"}')
    report = narrowgate(accepted, "report", "verdict.json", "--out", "report", "--studies", "studies.json")
    assert report.returncode == 2
    assert 'studies.json: /: the member "version" is missing' in report.stderr
    assert not (accepted / "report").exists()
