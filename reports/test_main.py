"""The command line: exit codes, messages, and files that are whole or not there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from . import __main__ as command_line

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "reports", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True,
                          timeout=120, check=False)


def test_writes_both_files_and_names_the_page(made, tmp_path):
    verdict = tmp_path / "verdict.json"
    verdict.write_text(json.dumps(made("pull_request")))
    done = run(verdict, "--out", tmp_path / "deep" / "report")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path}/deep/report/index.html\n"
    assert sorted(os.listdir(tmp_path / "deep" / "report")) == ["badge.svg", "index.html"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file: expected a verdict written by `narrowgate compare --out`"),
        (b"", "line 1 column 1: Expecting value: expected JSON"),
        (b"{}", "/: expected the key 'schema'"),
        (b"\xff\xfe", "byte 0: expected UTF-8 text"),
    ],
)
def test_a_bad_verdict_is_exit_2_and_leaves_no_file(tmp_path, content, message, capsys):
    verdict, out = tmp_path / "verdict.json", tmp_path / "report"
    if content is not None:
        verdict.write_bytes(content)
    assert command_line.main([str(verdict), "--out", str(out)]) == 2
    assert capsys.readouterr().err == f"reports: {verdict}: {message}\n"
    assert not out.exists()


def test_a_bad_verdict_leaves_the_old_page(tmp_path):
    (tmp_path / "index.html").write_text("old")
    (tmp_path / "verdict.json").write_text("{")
    assert command_line.main([str(tmp_path / "verdict.json"), "--out", str(tmp_path)]) == 2
    assert (tmp_path / "index.html").read_text() == "old"


def test_a_folder_that_cannot_be_made_is_exit_5(made, tmp_path, capsys):
    (tmp_path / "verdict.json").write_text(json.dumps(made("empty")))
    (tmp_path / "file").write_text("")
    assert command_line.main([str(tmp_path / "verdict.json"), "--out", str(tmp_path / "file" / "report")]) == 5
    assert "cannot be written" in capsys.readouterr().err


def test_a_missing_package_is_exit_5_with_the_mending_command():
    program = "import sys; sys.modules['matplotlib'] = None; from reports.__main__ import main; sys.exit(main(['v', '--out', 'o']))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 5
    assert done.stderr.endswith("pip install --require-hashes -r scripts/requirements.txt\n")


def test_bad_usage_is_exit_2():
    assert run().returncode == 2
    assert run("verdict.json").returncode == 2
    assert run("--help").returncode == 0


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    target = tmp_path / "index.html"
    target.write_text("old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        command_line.write_atomically(target, "new")
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["index.html"]
