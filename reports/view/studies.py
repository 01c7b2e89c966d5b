"""studies.json → what studies.html shows: a sentence, a chart and a table for each study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..numbers import ABSENT, count, significant

_SHORT_COMMIT = 12


@dataclass(frozen=True)
class Series:
    name: str
    ys: list[float | None]
    marked: int | None


@dataclass(frozen=True)
class Axis:
    label: str  # with its unit
    scale: str  # linear, log, categories


@dataclass(frozen=True)
class Study:
    id: str
    title: str
    is_measured: bool
    finding: str
    x: Axis
    y: Axis
    xs: list[float]  # of categories: 0, 1, 2, …
    names: list[str]  # of the places on x, as the table shows them
    series: list[Series]
    notes: list[str]
    source: str

    @property
    def anchor_text(self) -> str:
        return self.id.replace("_", " ")

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        return [(name, [_shown(series.ys[place], series.marked == place) for series in self.series])
                for place, name in enumerate(self.names)]


@dataclass(frozen=True)
class Studies:
    facts: str
    studies: list[Study]


def build(file: dict[str, Any]) -> Studies:
    studies = [_study(entry) for entry in file["studies"]]
    commit = file["git_commit"]
    made_by = f"narrowgate {file['version']}" + (f", commit {commit[:_SHORT_COMMIT]}" if commit else "")
    unmeasured = sum(not study.is_measured for study in studies)
    return Studies(
        facts=f"{count(len(studies), 'study').replace('studys', 'studies')}, computed by {made_by}"
              + (f"; {unmeasured} not measured" if unmeasured else ""),
        studies=studies,
    )


def _study(entry: dict[str, Any]) -> Study:
    x = entry["x"]
    has_categories = x["scale"] == "categories"
    xs = list(range(len(x["names"]))) if has_categories else x["numbers"]
    return Study(
        id=entry["id"],
        title=entry["title"],
        is_measured=entry["state"] == "measured",
        finding=entry["finding"],
        x=Axis(_labelled(x), x["scale"]),
        y=Axis(_labelled(entry["y"]), entry["y"]["scale"]),
        xs=[float(number) for number in xs],
        names=x["names"] if has_categories else _numbered(x),
        series=[Series(series["name"], series["y"], series["marked"]) for series in entry["series"]],
        notes=entry["notes"],
        source=entry["source"],
    )


def _labelled(axis: dict[str, Any]) -> str:
    return f"{axis['label']}, {axis['unit']}" if axis["unit"] else axis["label"]


def _numbered(x: dict[str, Any]) -> list[str]:
    numbers = [f"{number:,.0f}" if number == int(number) else f"{number:.6g}" for number in x["numbers"]]
    return [f"{number} ({name})" for number, name in zip(numbers, x["names"])] if x["names"] else numbers


def _shown(value: float | None, is_marked: bool) -> str:
    return (ABSENT if value is None else significant(value)) + (" ○" if is_marked else "")
