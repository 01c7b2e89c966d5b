"""The conformance table: what it covers, what the page shows of it, and that it fails when a code is wrong."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import conformance

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "conformance" / "conformance.py"
PROGRAM = ROOT / "build" / "scripts" / "conformance" / "conformance_codes"
PAGE = ROOT / "docs" / "formats.md"

# implementation → the formats and items that it must be compared on. gfloat has no answer at all, so a row without
# inputs, where a format has neither Inf nor NaN and nothing saturates.
ML_DTYPES = ("e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "e2m3", "e3m2", "e2m1", "e8m0", "bf16", "fp16")
GFLOAT = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "e8m0", "mxint8", "bf16", "fp16")
GFLOAT_NOT_RUN = {("gfloat", name, "no_saturate") for name in ("e2m3", "e3m2", "e2m1", "mxint8")}
EXPECTED = {
    *(("ml_dtypes", name, item) for name in ML_DTYPES for item in ("decode", "nearest even")),
    *(("gfloat", name, item) for name in GFLOAT for item in ("decode", "saturate", "no_saturate", "toward_zero")),
    ("floor_log2f", "e8m0", "toward_zero"), ("fp32_bf16_e8m0", "e8m0", "saturate"), ("half_away", "e2m1", "saturate"),
    ("nan_scale", "e8m0", "mx_floor"), ("no_saturation", "e4m3", "saturate"), ("no_saturation", "e5m2", "saturate"),
    ("one_for_zeros", "e8m0", "mx_floor"), ("propagating", "e5m2", "mx_floor"), ("reciprocal", "int8", "half_of_amax"),
    ("wrapping", "int8", "saturate"),
}
EXPECTED_OF_CUDA = {
    *(("cuda", name, item) for name in ("e4m3", "e5m2") for item in ("decode", "saturate", "no_saturate")),
    *(("cuda", name, item) for name in ("e2m3", "e3m2", "e2m1") for item in ("decode", "saturate")),
    ("cuda", "e8m0", "decode"), ("cuda", "e8m0", "toward_zero"),
}


def has_cuda_headers() -> bool:
    """Whether the program was built with CUDA's headers, by the build's own record."""
    cache = (ROOT / "build" / "CMakeCache.txt").read_text()
    found = [line.partition("=")[2] for line in cache.splitlines() if line.startswith("NARROWGATE_CUDA_HEADERS:")]
    assert len(found) == 1
    return not found[0].endswith("-NOTFOUND")


def rows_of(page: pathlib.Path) -> list[list[str]]:
    """The cells of the table between the page's marks, without its heading."""
    marked = page.read_text().split(conformance.MARK_BEGIN)[1].split(conformance.MARK_END)[0]
    rows = [line.strip("|").split("|") for line in marked.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows[1:]]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, pathlib.Path]:
    """The whole sample through everything, once: the exit code, and a copy of the page with the table written anew."""
    page = tmp_path_factory.mktemp("conformance") / "formats.md"
    shutil.copy(PAGE, page)
    return subprocess.run([sys.executable, SCRIPT, PROGRAM, "--write", page], check=False).returncode, page


def test_no_difference_is_unexplained(finished: tuple[int, pathlib.Path]) -> None:
    assert finished[0] == 0
    assert all(row[6] != "UNEXPLAINED" for row in rows_of(finished[1]))


def test_every_implementation_is_compared_on_every_format(finished: tuple[int, pathlib.Path]) -> None:
    rows = rows_of(finished[1])
    assert {tuple(row[:3]) for row in rows} == EXPECTED | (EXPECTED_OF_CUDA if has_cuda_headers() else set())
    for row in rows:
        assert (int(row[3]) > 0) == (tuple(row[:3]) not in GFLOAT_NOT_RUN), row
        if row[0] != "gfloat" and row[2] != "decode":
            assert int(row[3]) > 1 << 22, row


def test_the_page_shows_what_the_script_writes(finished: tuple[int, pathlib.Path]) -> None:
    # The count of floor_log2f is that of the C library's log2f; CUDA's headers may not be here.
    elsewhere = ("| floor_log2f |",) if has_cuda_headers() else ("| floor_log2f |", "| cuda |")
    ours, written = ([line for line in page.read_text().splitlines() if not line.startswith(elsewhere)]
                     for page in (PAGE, finished[1]))
    assert ours == written


def few_floats(_tables: dict) -> tuple[np.ndarray, np.ndarray]:
    """65 552 floats, evenly over all bits, all of them for gfloat too."""
    bits = np.arange(0, 1 << 32, 65521, dtype=np.uint64).astype(np.uint32)
    return bits.view(np.float32), np.ones(len(bits), bool)


def run_on_few(monkeypatch: pytest.MonkeyPatch, program: pathlib.Path) -> int:
    monkeypatch.setattr(conformance, "sample_floats", few_floats)
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), str(program)])
    return conformance.main()


def program_with_a_wrong_code(folder: pathlib.Path, key: str, where: float) -> pathlib.Path:
    """The program, but one code of `key`, so far into the sample or the table, has its lowest bit flipped."""
    program = folder / "wrong_codes"
    program.write_text(f"""#!{sys.executable}
import subprocess, sys
import numpy as np
subprocess.run([{str(PROGRAM)!r}, *sys.argv[1:]], check=True)
with np.load(sys.argv[2]) as archive:
    codes = dict(archive)
bits = codes[{key!r}].view("u" + str(codes[{key!r}].itemsize))
bits[int(len(bits) * {where})] ^= 1
np.savez(sys.argv[2], **codes)
""")
    program.chmod(0o755)
    return program


def test_the_few_floats_of_the_tests_below_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_on_few(monkeypatch, PROGRAM) == 0


@pytest.mark.parametrize(
    "key, where, found_by",
    [
        ("ours/e4m3/no_saturate", 0.25, ("ml_dtypes", "e4m3", "nearest even")),
        ("ours/e4m3/no_saturate", 0.4985, ("ml_dtypes", "e4m3", "nearest even")),  # a NaN, becoming 0x7E
        ("ours/fp16/no_saturate", 0.75, ("ml_dtypes", "fp16", "nearest even")),
        ("ours/e8m0/decode", 0.5, ("ml_dtypes", "e8m0", "decode")),
        ("ours/bf16/saturate", 0.25, ("gfloat", "bf16", "saturate")),
        ("ours/mxint8/toward_zero", 0.24, ("gfloat", "mxint8", "toward_zero")),
        ("ours/e8m0/saturate", 0.25, ("gfloat", "e8m0", "saturate")),
        ("ours/mxint8/decode", 0.25, ("gfloat", "mxint8", "decode")),
    ],
)
def test_one_wrong_code_fails(tmp_path, monkeypatch, capsys, key, where, found_by) -> None:
    assert run_on_few(monkeypatch, program_with_a_wrong_code(tmp_path, key, where)) == 1
    unexplained = [line for line in capsys.readouterr().out.splitlines() if line.endswith("| UNEXPLAINED |")]
    assert "| " + " | ".join(found_by) + " |" in "".join(unexplained)


@pytest.mark.parametrize("implementation, name, item, kind", [("ml_dtypes", "e8m0", "nearest even", "subnormal"),
                                                               ("wrapping", "int8", "saturate", "finite")])
def test_a_difference_that_is_not_listed_fails(monkeypatch, implementation, name, item, kind) -> None:
    monkeypatch.delitem(conformance.KNOWN, (implementation, name, item, kind))
    assert run_on_few(monkeypatch, PROGRAM) == 1


def test_an_implementation_without_codes_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    run_program = conformance.run_program
    monkeypatch.setattr(conformance, "run_program", lambda *arguments: {
        key: codes for key, codes in run_program(*arguments).items() if not key.startswith("ours/e5m2/")})
    with pytest.raises(KeyError, match="e5m2"):
        run_on_few(monkeypatch, PROGRAM)
