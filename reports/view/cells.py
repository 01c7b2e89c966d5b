"""The table of all cells, and what follows from it: times, baselines, cells that were not run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ..numbers import ABSENT, NOT_FINITE, duration, metric, ratio, significant
from ..words import ERROR_STATES, TIME_STATES, State
from .index import Cell, Run

_METRICS = (("max error", "max_abs_err"), ("rms error", "rms_err"), ("fraction of the bound", "bound_fraction"))


@dataclass(frozen=True)
class CellLine:
    cell: Cell
    values: list[tuple[str, float | None]]  # text and the number to sort by


@dataclass(frozen=True)
class Family:
    name: str
    lines: list[CellLine]


@dataclass(frozen=True)
class StateCount:
    state: State
    number: int
    reasons: list[tuple[str, int]] = field(default_factory=list)


@dataclass(frozen=True)
class Change:
    cell: Cell
    digest: tuple[str, str]
    metrics: list[tuple[str, str, str]]  # name, baseline, now


@dataclass(frozen=True)
class Baseline:
    equal: int
    without: int
    changes: list[Change]


@dataclass(frozen=True)
class NotRun:
    state: State
    reason: str
    cells: list[Cell]


COLUMNS = ("Differ", "Max error", "Rms error", "Of bound", "Time", "GFLOP/s")


def families(run: Run) -> list[Family]:
    grouped: dict[str, list[CellLine]] = {}
    for cell in run.cells:
        grouped.setdefault(cell.family, []).append(_line(cell))
    return [Family(name, lines) for name, lines in grouped.items()]


def _line(cell: Cell) -> CellLine:
    row = cell.row
    values = [(_mismatches(row), row.get("implementation_mismatches"))]
    values += [(metric(row, name), row.get(name)) for name in ("max_abs_err", "rms_err", "bound_fraction")]
    values.append((duration(cell.median_ns), cell.median_ns))
    values.append((significant(cell.gflops, 3) if cell.gflops else ABSENT, cell.gflops))
    return CellLine(cell, values)


def _mismatches(row: dict[str, Any]) -> str:
    """What gate I counted; a bounded kernel is not held to bits."""
    if row.get("contract") == "bounded":
        return "bounded"
    return f"{row['implementation_mismatches']:,}" if "implementation_mismatches" in row else ABSENT


def error_counts(run: Run) -> list[StateCount]:
    seen = Counter(cell.state.word for cell in run.cells)
    return [StateCount(state, seen[word]) for word, state in ERROR_STATES.items() if seen[word]]


def time_counts(run: Run) -> list[StateCount]:
    counts = []
    for word, state in TIME_STATES.items():
        reasons = Counter(cell.time_reason for cell in run.cells if cell.time_state.word == word)
        if reasons:
            named = [(reason, number) for reason, number in reasons.most_common(4) if reason]
            counts.append(StateCount(state, sum(reasons.values()), named))
    return counts


def time_changes(run: Run) -> list[Cell]:
    """Cells with a stored time that are not simply the same, worst ratio first."""
    compared = [cell for cell in run.cells if cell.baseline_time_ns is not None and cell.time_state.word != "SAME"]
    return sorted(compared, key=lambda cell: -(cell.time_ratio or 0))


def time_line(cell: Cell) -> tuple[str, str, str]:
    return duration(cell.baseline_time_ns), duration(cell.median_ns), ratio(cell.time_ratio)


def baseline(run: Run) -> Baseline:
    equal = without = 0
    changes = []
    for cell in run.cells:
        if cell.row.get("state") != "measured":
            continue
        if not cell.baseline:
            without += 1
        elif cell.baseline["digest"] == cell.row.get("digest"):
            equal += 1
        else:
            changes.append(_change(cell))
    return Baseline(equal, without, changes)


def _change(cell: Cell) -> Change:
    metrics = [(name, _stored(cell.baseline.get(key)), metric(cell.row, key)) for name, key in _METRICS]
    return Change(cell, (cell.baseline["digest"], cell.row.get("digest", ABSENT)), metrics)


def _stored(pair: list[Any] | None) -> str:
    """A stored metric is [hex float, decimal]; the decimal is for the reader."""
    return significant(pair[1]) if pair else NOT_FINITE


def not_run(run: Run) -> list[NotRun]:
    grouped: dict[tuple[str, str], list[Cell]] = {}
    for cell in run.cells:
        if cell.row.get("state") != "measured":
            reason = cell.reason or cell.row.get("reason", "")
            grouped.setdefault((cell.state.word, reason), []).append(cell)
    return [NotRun(ERROR_STATES[word], reason, cells) for (word, reason), cells in grouped.items()]
