"""Our day98 cells beside the table that the day 98 page published for its T4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..numbers import ABSENT, duration, ratio, significant
from .index import Cell, Run, has_plain_layout

SIZES = (256, 1024, 2048)

# Our scheme and the name of its row on the published page.
PUBLISHED_NAMES = {
    "fp32.chain": "matmulTiledF32",
    "int8.tensor": "int8 one scale",
    "int8.column": "int8 per-column",
    "int8.column_zp": "int8 per-col + zp",
    "int8.column_24": "int8 2:4 pruned",
}

_METRICS = (("max_abs_err", "max_err"), ("rms_err", "rms_err"), ("k_gate_fraction", "k_gate_frac"),
            ("sqrtk_gate_fraction", "sqrtk_gate_frac"))


@dataclass(frozen=True)
class Pair:
    ours: str
    published: str


@dataclass(frozen=True)
class Line:
    scheme: str
    published_name: str
    max_error: Pair
    rms_error: Pair
    rms_ratio: str
    k_gate: Pair
    sqrtk_gate: Pair
    times: list[str]
    published_time: str
    kernels_differ: bool


@dataclass(frozen=True)
class Day98:
    kernels: list[str]
    devices: list[str]
    published_device: str
    seeds: int
    sizes: list[tuple[int, list[Line]]]


def day98(run: Run) -> Day98 | None:
    """None where the run has no day98 cell of a published size and scheme."""
    cells = [cell for cell in run.cells if _belongs(cell)]
    if not cells:
        return None
    published = _published_rows(run.baseline.get("published"))
    kernels = sorted({cell.kernel for cell in cells if cell.median_ns})
    sizes = []
    for size in SIZES:
        lines = [
            _line(of_scheme, published.get((size, PUBLISHED_NAMES[scheme]), {}), kernels)
            for scheme in PUBLISHED_NAMES
            if (of_scheme := [cell for cell in cells if cell.scheme == scheme and cell.case["m"] == size])
        ]
        if lines:
            sizes.append((size, lines))
    backends = sorted({cell.backend for cell in cells if cell.median_ns})
    return Day98(
        kernels=kernels,
        devices=[f"{backend}: {run.device_model(backend)}" for backend in backends],
        published_device=str((run.baseline.get("published") or {}).get("device", "")),
        seeds=len({cell.case["seed"] for cell in cells}),
        sizes=sizes,
    )


def _belongs(cell: Cell) -> bool:
    case = cell.case
    return (
        cell.row.get("state") == "measured"
        and cell.scheme in PUBLISHED_NAMES
        and case.get("distribution") == "day98"
        and case["m"] == case["n"] == case["k"] in SIZES
        and has_plain_layout(case)
    )


def _published_rows(published: dict[str, Any] | None) -> dict[tuple[Any, Any], dict[str, Any]]:
    if not published:
        return {}
    rows = [dict(zip(published["columns"], row)) for row in published["rows"]]
    return {(row.get("size"), row.get("kernel")): row for row in rows}


def _line(cells: list[Cell], published: dict[str, Any], kernels: list[str]) -> Line:
    by_seed: dict[int, list[Cell]] = {}
    for cell in cells:
        by_seed.setdefault(cell.case["seed"], []).append(cell)
    answers = [_definition(of_seed).row for of_seed in by_seed.values()]
    ours = {name: over_seeds(name, answers) for name, _ in _METRICS}
    pairs = {name: Pair(_shown(answers, name, ours[name]), _figure(published.get(theirs))) for name, theirs in _METRICS}
    return Line(
        scheme=cells[0].scheme,
        published_name=PUBLISHED_NAMES[cells[0].scheme],
        max_error=pairs["max_abs_err"],
        rms_error=pairs["rms_err"],
        rms_ratio=_ratio(ours["rms_err"], published.get("rms_err")),
        k_gate=pairs["k_gate_fraction"],
        sqrtk_gate=pairs["sqrtk_gate_fraction"],
        times=[duration(_fastest(cells, kernel)) for kernel in kernels],
        published_time=duration(published["time_ms"] * 1e6) if _is_number(published.get("time_ms")) else ABSENT,
        kernels_differ=any(len({cell.row.get("digest") for cell in of_seed}) > 1 for of_seed in by_seed.values()),
    )


def _definition(cells: list[Cell]) -> Cell:
    """The scalar kernel is the definition; without it the first kernel stands for the scheme."""
    return next((cell for cell in cells if cell.kernel == "cpu.scalar"), cells[0])


def over_seeds(name: str, answers: list[dict[str, Any]]) -> float | None:
    """The mean of the rms errors and the largest of everything else. One that is not finite makes all so."""
    values = [answer[name] for answer in answers if answer.get(name) is not None]
    if len(values) < len(answers):
        return None
    return sum(values) / len(values) if name == "rms_err" else max(values)


def _shown(answers: list[dict[str, Any]], name: str, value: float | None) -> str:
    return significant(value) if all(name in answer for answer in answers) else ABSENT


def _figure(value: Any) -> str:
    return significant(value) if _is_number(value) else ABSENT


def _ratio(ours: float | None, published: Any) -> str:
    return ratio(ours / published) if ours is not None and _is_number(published) and published > 0 else ABSENT


def _fastest(cells: list[Cell], kernel: str) -> float | None:
    """Seeds do not change the time; the least disturbed one is shown."""
    times = [cell.median_ns for cell in cells if cell.kernel == kernel and cell.median_ns]
    return min(times, default=None)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
