"""The helper scripts and the build's own checks."""

from __future__ import annotations

import importlib.util
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
from types import ModuleType

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def load(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_edges_suite_is_what_its_script_writes() -> None:
    check = subprocess.run([sys.executable, ROOT / "scripts" / "make_edges.py", "--check"], check=False)
    assert check.returncode == 0


def test_the_edges_suite_covers_every_pair_of_sizes() -> None:
    make_edges = load("make_edges")
    covered: set = set()
    for entry in json.loads((ROOT / "suites" / "edges.json").read_text())["cases"]:
        for shape in entry["shapes"]:
            m, n, k = (int(size) for size in shape.split("+")[0].split("x"))
            covered |= make_edges.pairs((m, n, k))
    for m, n, k in itertools.product(make_edges.M, make_edges.N, make_edges.K):
        assert make_edges.pairs((m, n, k)) <= covered


def results(path: pathlib.Path, rms_of: float | None) -> pathlib.Path:
    """A run of every published case whose rms error is `rms_of` times the published one."""
    published = json.loads((ROOT / "baselines" / "published" / "day98_t4.json").read_text())
    schemes = load("published_ratio").SCHEMES
    rows = [
        {"case": f"{schemes[row[1]]}/{row[0]}x{row[0]}x{row[0]}/day98/s{seed}", "state": "measured",
         "rms_err": None if rms_of is None else rms_of * row[3]}
        for row in published["rows"] if row[1] in schemes for seed in (1, 2)
    ]
    path.write_text(json.dumps({"benchmarks": rows}))
    return path


@pytest.mark.parametrize("rms_of, code", [(1.0, 0), (1.249, 0), (1.26, 1), (0.74, 1), (None, 3)])
def test_published_ratio_judges_by_a_quarter(tmp_path: pathlib.Path, rms_of: float | None, code: int) -> None:
    assert load("published_ratio").main(str(results(tmp_path / "results.json", rms_of))) == code


def configure(source: pathlib.Path, build: pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DNARROWGATE_CUDA=OFF", "-DNARROWGATE_TESTS=OFF"],
        capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "spoil, expected",
    [
        (lambda tree: (tree / "kernels/int8/cpu_extra.cpp").write_text(""), "cpu_extra.cpp stands in no line of"),
        (lambda tree: (tree / "kernels/int8/tiled.cu").unlink(), "kernels/int8/tiled.cu does not exist"),
        (lambda tree: (tree / "kernels/registry.def").open("a").write("CPU_KERNEL(int8 columns)\n"), "this line is not"),
    ],
)
def test_a_registry_that_does_not_match_the_sources_stops_the_configure_step(tmp_path, spoil, expected) -> None:
    tree = tmp_path / "tree"
    for folder in ("cmake", "kernels", "baselines", "suites"):
        shutil.copytree(ROOT / folder, tree / folder)
    shutil.copy(ROOT / "CMakeLists.txt", tree)
    spoil(tree)
    configured = configure(tree, tmp_path / "build")
    assert configured.returncode != 0
    # CMake wraps its messages.
    assert expected in " ".join(configured.stderr.split())
