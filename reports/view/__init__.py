"""verdict → Page: every word and number that the templates and charts show. No markup, no matplotlib."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import words
from . import cells, columns, day98, speed, summary
from .index import index


@dataclass(frozen=True)
class Page:
    title: str
    verdict: words.State
    exit_code: int
    sentence: str
    reasons: list[str]
    planted: str | None
    compared: list[summary.Fact]
    attention: list[summary.Attention]
    attention_left_off: int
    day98: day98.Day98 | None
    speed: speed.Speed | None
    curves: list[columns.Curve]
    cases: list[columns.CaseLine]
    families: list[cells.Family]
    cell_count: int
    error_counts: list[cells.StateCount]
    time_counts: list[cells.StateCount]
    time_changes: list[cells.Cell]
    baseline: cells.Baseline
    not_run: list[cells.NotRun]
    environment: list[summary.Fact]


def build(verdict: dict[str, Any]) -> Page:
    run = index(verdict)
    state = words.VERDICTS[verdict["exit_code"]]
    return Page(
        title=f"{state.word}: {run.narrowgate['suite']}",
        verdict=state,
        exit_code=verdict["exit_code"],
        sentence=verdict["sentence"],
        reasons=[reason.rstrip(".") for reason in verdict.get("reasons", [])],
        planted=run.narrowgate["planted"],
        compared=summary.compared(run),
        attention=summary.attention(run),
        attention_left_off=max(len(run.attention) - summary.LONGEST_ATTENTION, 0),
        day98=day98.day98(run),
        speed=speed.speed(run),
        curves=columns.charted(run),
        cases=columns.case_lines(run),
        families=cells.families(run),
        cell_count=len(run.cells),
        error_counts=cells.error_counts(run),
        time_counts=cells.time_counts(run),
        time_changes=cells.time_changes(run),
        baseline=cells.baseline(run),
        not_run=cells.not_run(run),
        environment=summary.environment(run, verdict["results"]),
    )
