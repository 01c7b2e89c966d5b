"""Error by column against its bound, and the census of codes: where a dead channel becomes visible."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..numbers import ABSENT, NOT_FINITE, significant
from ..words import codes_available, is_dead_channel
from .index import Cell, Run, has_plain_layout, shape_of, volume

LARGEST_NUMBER_OF_CHARTS = 5
_SPARK_POINTS = 16
_SPARK_HEIGHT = 12
_SPARK_DECADES = 3  # the bottom is 1/1,000 of the bound, the top is the bound


@dataclass(frozen=True)
class Failure:
    """Where a gate saw kernels fail, in the chart of their case. Kernels that fail alike are one."""

    column: int
    error: float
    gate: str
    kernels: tuple[str, ...]


@dataclass(frozen=True)
class ColumnLine:
    first: int
    error: str
    bound: str
    codes: int | None
    dead: bool


@dataclass(frozen=True)
class Curve:
    case_id: str
    scheme: str
    shape: str
    title: str
    k: int
    first_columns: list[int]
    last_column: int
    errors: list[float | None]
    bounds: list[float | None]
    codes: list[int]
    dead: list[bool]
    failures: list[Failure]
    census: str

    @property
    def summary(self) -> str:
        return f"{worst_fraction_sentence(self.first_columns, self.errors, self.bounds)} {self.dead_sentence}".strip()

    @property
    def lines(self) -> list[ColumnLine]:
        codes: list[int | None] = [*self.codes] or [None] * len(self.errors)
        dead = self.dead or [False] * len(self.errors)
        return [
            ColumnLine(first, significant(error), significant(bound), number, is_dead)
            for first, error, bound, number, is_dead in zip(self.first_columns, self.errors, self.bounds, codes, dead)
        ]

    @property
    def dead_sentence(self) -> str:
        if not any(self.dead):
            return ""
        if len(self.dead) == self.last_column + 1:
            return f"Dead channels: {sum(self.dead)} of {len(self.dead)} columns."
        # A bin shows its worst column: it can be said to hold a dead channel, not to be one.
        return f"Dead channels: in {sum(self.dead)} of {len(self.dead)} bins of columns."


@dataclass(frozen=True)
class Sparkline:
    """SVG path data, small enough to stand in every row."""

    path: str
    dead_path: str


@dataclass(frozen=True)
class CaseLine:
    """One line of the table of all cases."""

    case_id: str
    title: str
    closest: str
    codes_worst: str
    codes_all: str
    dead: str
    sparkline: Sparkline | None


def charted(run: Run) -> list[Curve]:
    """One case of a scheme: the first whose error needs attention, else the largest of day98."""
    chosen: dict[str, dict[str, Any]] = {}
    for cell in run.attention:
        if cell.case and cell.state.tone == "alert":
            chosen.setdefault(cell.case["scheme"], cell.case)
    for case in largest_by_scheme(run, "day98"):
        chosen.setdefault(case["scheme"], case)
    drawable = [case for case in chosen.values() if case["column_first"]]
    return [curve(run, case) for case in drawable[:LARGEST_NUMBER_OF_CHARTS]]


def largest_by_scheme(run: Run, distribution: str) -> list[dict[str, Any]]:
    largest: dict[str, dict[str, Any]] = {}
    for case in run.cases.values():
        if case["distribution"] == distribution and has_plain_layout(case):
            best = largest.get(case["scheme"])
            if best is None or volume(case) > volume(best):
                largest[case["scheme"]] = case
    return list(largest.values())


def curve(run: Run, case: dict[str, Any]) -> Curve:
    cells = run.cells_of(case["id"])
    return Curve(
        case_id=case["id"],
        scheme=case["scheme"],
        shape=shape_of(case),
        title=case.get("title", ""),
        k=case["k"],
        first_columns=case["column_first"],
        last_column=max(case["n"] - 1, 0),
        errors=case["column_max_abs_err"],
        bounds=case["column_bound"],
        codes=case.get("column_codes_used", []),
        dead=dead_channels(case),
        failures=_failures(cells),
        census=census(case, cells),
    )


def dead_channels(case: dict[str, Any]) -> list[bool]:
    available = codes_available(_family(case))
    return [is_dead_channel(codes, available, case["k"]) for codes in case.get("column_codes_used", [])]


def census(case: dict[str, Any], cells: list[Cell]) -> str:
    """3 of 255 codes used in the worst column (column 6); 201 in the whole of B."""
    codes = case.get("column_codes_used", [])
    if not codes:
        return "B is not coded."
    available = codes_available(_family(case))
    fewest = min(codes)
    column = case["column_first"][codes.index(fewest)]
    of_all = f" of {available}" if available else ""
    text = f"{fewest}{of_all} codes used in the worst column (column {column})"
    whole = next((cell.row["codes_used"] for cell in cells if "codes_used" in cell.row), None)
    return f"{text}; {whole}{of_all} in the whole of B." if whole is not None else f"{text}."


def worst_fraction_sentence(first: list[int], errors: list[float | None], bounds: list[float | None]) -> str:
    if any(error is None for error in errors):
        return f"The error of column {first[errors.index(None)]} is {NOT_FINITE}."
    fractions = _fractions(errors, bounds)
    if not fractions:
        return ""
    worst = max(range(len(fractions)), key=fractions.__getitem__)
    return f"Column {first[worst]} comes closest to its bound: {significant(fractions[worst], 3)} of it."


def _failures(cells: list[Cell]) -> list[Failure]:
    kernels: dict[tuple[int, float, str], list[str]] = {}
    for cell in cells:
        place = _failing_place(cell)
        if place:
            kernels.setdefault(place, []).append(cell.kernel)
    return [Failure(*place, tuple(names)) for place, names in kernels.items()]


def _failing_place(cell: Cell) -> tuple[int, float, str] | None:
    """Only gates that measure the error against the original data share the axis of the chart."""
    for gate in cell.row.get("gates", []):
        points = [gate.get(name) for name in ("column", "value", "reference")]
        if gate["state"] == "fail" and gate["gate"] in ("E", "day98") and None not in points:
            column, value, reference = points
            return column, abs(value - reference), gate["gate"]
    return None


def case_lines(run: Run) -> list[CaseLine]:
    return [_case_line(run, case) for case in run.cases.values()]


def _case_line(run: Run, case: dict[str, Any]) -> CaseLine:
    codes = case.get("column_codes_used", [])
    dead = dead_channels(case)
    fractions = _fractions(case["column_max_abs_err"], case["column_bound"])
    whole = next((cell.row["codes_used"] for cell in run.cells_of(case["id"]) if "codes_used" in cell.row), None)
    return CaseLine(
        case_id=case["id"],
        title=case.get("title", ""),
        closest=significant(max(fractions), 3) if fractions else ABSENT,
        codes_worst=str(min(codes)) if codes else ABSENT,
        codes_all=str(whole) if codes and whole is not None else ABSENT,
        dead=f"{sum(dead)} of {len(dead)}" if dead else ABSENT,
        sparkline=sparkline(case),
    )


def sparkline(case: dict[str, Any], row: dict[str, Any] | None = None) -> Sparkline | None:
    """64 by 14: the fraction of the bound by column, logarithmic, over a mark for each dead channel.

    Of the kernel's own output where the row carries it (it failed a gate), else of the scheme's answer.
    """
    fractions = (row or {}).get("column_bound_fraction") or _fractions(
        case.get("column_max_abs_err", []), case.get("column_bound", [])
    )
    if len(fractions) < 2:
        return None
    points = min(_SPARK_POINTS, len(fractions))
    edges = [index * len(fractions) // points for index in range(points + 1)]
    places = [round(64 * index / (points - 1)) for index in range(points)]
    heights = [_spark_height(max(fractions[start:end])) for start, end in zip(edges, edges[1:])]
    dead = dead_channels(case)
    marks = [place for place, start, end in zip(places, edges, edges[1:]) if any(dead[start:end])]
    return Sparkline(
        path="M" + "L".join(f"{place} {height}" for place, height in zip(places, heights)),
        dead_path="".join(f"M{place - 1} 14h2" for place in marks),
    )


def _spark_height(fraction: float) -> int:
    decades = math.log10(fraction) if fraction > 0 else -_SPARK_DECADES
    return round(_SPARK_HEIGHT * min(max(-decades / _SPARK_DECADES, 0), 1))


def _fractions(errors: list[float | None], bounds: list[float | None]) -> list[float]:
    """A column that cannot be divided stands at the bound, where it is seen, unless its error is exactly zero."""
    return [
        0.0 if error == 0 else error / bound if error is not None and bound is not None and bound > 0 else 1.0
        for error, bound in zip(errors, bounds)
    ]


def _family(case: dict[str, Any]) -> str:
    return case.get("family") or case["scheme"].split(".")[0]
