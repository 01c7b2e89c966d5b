"""The cells and cases of a verdict, joined: everything else in the view starts from a Run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from ..text import Verbatim
from ..words import ERROR_STATES, TIME_STATES, State

_PLAIN_SHAPE = re.compile(r"\d+x\d+x\d+")


@dataclass(frozen=True)
class Cell:
    id: str
    state: State
    reason: str
    time_state: State
    time_reason: str
    rerun: str
    row: dict[str, Any]  # empty where the cell is MISSING
    case: dict[str, Any]  # empty where the results hold no such case
    baseline: dict[str, Any] = field(default_factory=dict)
    baseline_time_ns: float | None = None
    time_ratio: float | None = None

    @property
    def anchor(self) -> Verbatim:
        return Verbatim(self.id)

    @property
    def link(self) -> Verbatim:
        return Verbatim("#" + quote(self.id, safe="/", errors="replace"))

    @property
    def id_parts(self) -> list[str]:
        """scheme, kernel, shape, distribution, seed; an id of another form is all scheme."""
        parts = self.id.split("/")
        return parts if len(parts) == 5 else [self.id, "", "", "", ""]

    @property
    def scheme(self) -> str:
        return self.row.get("scheme") or self.id_parts[0]

    @property
    def kernel(self) -> str:
        return self.row.get("kernel") or self.id_parts[1]

    @property
    def shape(self) -> str:
        return self.id_parts[2]

    @property
    def inputs(self) -> str:
        return " ".join(self.id_parts[3:]).strip()

    @property
    def family(self) -> str:
        return self.row.get("family") or self.case.get("family") or self.scheme.split(".")[0]

    @property
    def backend(self) -> str:
        return self.row.get("backend") or self.kernel.split(".")[0]

    @property
    def median_ns(self) -> float | None:
        measured = self.row.get("time_state") == "measured" and self.row.get("real_time", 0) > 0
        return self.row["real_time"] if measured else None

    @property
    def gflops(self) -> float | None:
        """Operations in a nanosecond are thousand millions in a second."""
        operations = self.row.get("operations", 0)
        return operations / self.median_ns if self.median_ns and operations > 0 else None


@dataclass(frozen=True)
class Run:
    cells: list[Cell]
    cases: dict[str, dict[str, Any]]
    context: dict[str, Any]
    attention: list[Cell]
    baseline: dict[str, Any]

    @property
    def narrowgate(self) -> dict[str, Any]:
        return self.context["narrowgate"]

    def cells_of(self, case_id: str) -> list[Cell]:
        return [cell for cell in self.cells if cell.case.get("id") == case_id]

    def device_model(self, backend: str) -> str:
        return self.narrowgate["devices"].get(backend, {}).get("model", "unknown device")


def index(verdict: dict[str, Any]) -> Run:
    cases = {case["id"]: case for case in verdict["cases"]}
    cells = [_cell(cell, cases) for cell in verdict["cells"]]
    by_id = {cell.id: cell for cell in cells}
    return Run(
        cells=cells,
        cases=cases,
        context=verdict["context"],
        attention=[by_id[cell_id] for cell_id in verdict["attention"]],
        baseline=verdict["baseline"],
    )


def _cell(cell: dict[str, Any], cases: dict[str, dict[str, Any]]) -> Cell:
    row = cell.get("row") or {}
    return Cell(
        id=cell["id"],
        state=ERROR_STATES[cell["state"]],
        reason=cell["reason"],
        time_state=TIME_STATES[cell["time_state"]],
        time_reason=cell["time_reason"],
        rerun=cell["rerun"],
        row=row,
        case=cases.get(row.get("case", ""), {}),
        baseline=cell.get("baseline") or {},
        baseline_time_ns=cell.get("baseline_time_ns"),
        time_ratio=cell.get("time_ratio"),
    )


def shape_of(case: dict[str, Any]) -> str:
    return f"{case['m']}x{case['n']}x{case['k']}"


def has_plain_layout(case: dict[str, Any]) -> bool:
    """False for cases with a layout suffix (33x65x129+ld7): they repeat the answer of their plain case."""
    return any(_PLAIN_SHAPE.fullmatch(part) for part in case["id"].split("/"))


def volume(case: dict[str, Any]) -> int:
    return case["m"] * case["n"] * case["k"]
