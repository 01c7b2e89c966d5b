"""Accuracy against speed, and every timing sample: both on one shape, so that the points compare."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..numbers import ABSENT, duration, significant
from ..words import NO_SIMT_TIME
from .index import Cell, Run, has_plain_layout, shape_of, volume

LARGEST_NUMBER_OF_LINES = 30
LARGEST_NUMBER_OF_SAMPLES = 200


@dataclass(frozen=True)
class Point:
    scheme: str
    kernel: str
    backend: str
    rms_error: float
    gflops: float
    on_front: bool = False  # nothing on its backend is as good in both and better in one

    @property
    def rms_text(self) -> str:
        return significant(self.rms_error)

    @property
    def gflops_text(self) -> str:
        return significant(self.gflops, 3)


@dataclass(frozen=True)
class Samples:
    scheme: str
    kernel: str
    backend: str
    arithmetic: str
    samples_ns: list[float]
    taken: int
    median_ns: float
    median: str
    smallest: str
    relative_error: str


@dataclass(frozen=True)
class Speed:
    inputs: str
    points: list[Point]
    samples: list[Samples]
    devices: list[str]
    left_off: int
    untimed: list[tuple[str, str]]  # kernel, why it has no time


def speed(run: Run) -> Speed | None:
    """None where no time was measured."""
    groups: dict[tuple[str, str, int], list[Cell]] = {}
    for cell in run.cells:
        if cell.median_ns and cell.case and has_plain_layout(cell.case):
            case = cell.case
            groups.setdefault((shape_of(case), case["distribution"], case["seed"]), []).append(cell)
    if not groups:
        return None
    key, cells = max(groups.items(), key=lambda item: _weight(item[1]))
    shape, distribution, seed = key
    samples = [_samples(cell, cell.median_ns) for cell in cells[:LARGEST_NUMBER_OF_LINES] if cell.median_ns]
    return Speed(
        inputs=f"{shape}, {distribution}, seed {seed}",
        points=_points(cells),
        samples=samples,
        devices=[f"{backend}: {run.device_model(backend)}" for backend in sorted({cell.backend for cell in cells})],
        left_off=len(cells) - len(samples),
        untimed=_untimed(run),
    )


def _weight(cells: list[Cell]) -> tuple[int, int, int]:
    """Most schemes first, then most kernels, then the largest product."""
    return len({cell.scheme for cell in cells}), len({cell.kernel for cell in cells}), volume(cells[0].case)


def _points(cells: list[Cell]) -> list[Point]:
    points = [
        Point(cell.scheme, cell.kernel, cell.backend, cell.row["rms_err"], gflops)
        for cell in cells
        if (gflops := cell.gflops) and cell.row.get("rms_err") is not None
    ]
    return [replace(point, on_front=not any(_dominates(other, point) for other in points)) for point in points]


def _dominates(other: Point, point: Point) -> bool:
    """At least as accurate and as fast on the same backend, and better in one."""
    if other.backend != point.backend:
        return False
    no_worse = other.rms_error <= point.rms_error and other.gflops >= point.gflops
    return no_worse and (other.rms_error < point.rms_error or other.gflops > point.gflops)


def _samples(cell: Cell, median_ns: float) -> Samples:
    taken = sorted(cell.row.get("samples_ns", []))
    rse = cell.row.get("time_rse")
    return Samples(
        scheme=cell.scheme,
        kernel=cell.kernel,
        backend=cell.backend,
        arithmetic=cell.row.get("arithmetic", ABSENT),
        samples_ns=_thin(taken),
        taken=len(taken),
        median_ns=median_ns,
        median=duration(median_ns),
        smallest=duration(cell.row.get("time_min_ns")),
        relative_error=f"{significant(100 * rse, 2)} %" if rse is not None else ABSENT,
    )


def _thin(ordered: list[float]) -> list[float]:
    """Evenly by rank, both ends kept."""
    if len(ordered) <= LARGEST_NUMBER_OF_SAMPLES:
        return ordered
    last = LARGEST_NUMBER_OF_SAMPLES - 1
    return [ordered[rank * (len(ordered) - 1) // last] for rank in range(LARGEST_NUMBER_OF_SAMPLES)]


def _untimed(run: Run) -> list[tuple[str, str]]:
    """Kernels without any time in the whole run, so that none is missing from the chart in silence."""
    timed = {cell.kernel for cell in run.cells if cell.median_ns}
    reasons: dict[str, str] = {}
    for cell in run.cells:
        if cell.kernel not in timed:
            reasons.setdefault(cell.kernel, NO_SIMT_TIME if cell.backend == "simt" else _why_untimed(cell))
    return sorted(reasons.items())


def _why_untimed(cell: Cell) -> str:
    reason = cell.row.get("time_reason") or cell.row.get("reason") or cell.time_reason or cell.reason
    return reason.rstrip(".")
