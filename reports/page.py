"""View model → the bytes of index.html, badge.svg, studies.html and selftest.html. Everything that is not template text is escaped."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from . import words
from .charts.columns import columns
from .charts.mutants import mutants_chart
from .charts.pareto import pareto
from .charts.study import study_chart
from .charts.timing import timing
from .svg import inline
from .text import Verbatim, shorten, visible
from .view import Page, cells
from .view.columns import Curve
from .view.selftest import SelfTest
from .view.speed import Speed
from .view.studies import Studies

_HERE = Path(__file__).resolve().parent
_BADGE_COLOURS = {"good": "#0072b2", "alert": "#a34700", "quiet": "#5b6168"}


@dataclass(frozen=True)
class Charts:
    pareto: Markup | None
    timing: Markup | None
    columns: list[tuple[Curve, Markup]]


def render(page: Page, studies: Studies | None = None, selftest: SelfTest | None = None) -> dict[str, str]:
    """File name → text."""
    environment = _environment()
    files = {} if studies is None else {"studies.html": render_studies(studies, environment)}
    if selftest is not None:
        files["selftest.html"] = render_selftest(selftest, environment)
    html = environment.get_template("page.html.jinja").render(
        page=page,
        charts=charts(page),
        words=words,
        cell_columns=cells.COLUMNS,
        time_line=cells.time_line,
        policy=_policy(environment, "page.css", "page.js"),
        studies=studies,
        selftest=selftest,
    )
    badge = environment.get_template("badge.svg.jinja").render(
        verdict=page.verdict, colour=_BADGE_COLOURS[page.verdict.tone], label_width=80,
        word_width=24 + round(6.6 * len(page.verdict.word)),
    )
    return files | {"badge.svg": badge, "index.html": html}


def render_studies(studies: Studies, environment: Environment) -> str:
    drawn = {study.id: inline(study_chart(study), f"study-{study.id}", study.title, study.finding)
             for study in studies.studies if study.is_measured}
    return environment.get_template("studies.html.jinja").render(
        studies=studies, charts=drawn, policy=_policy(environment, "page.css"))


def render_selftest(test: SelfTest, environment: Environment) -> str:
    return environment.get_template("selftest.html.jinja").render(
        test=test, chart=inline(mutants_chart(test), "mutants", "Mutants and gates", test.finding),
        policy=_policy(environment, "page.css"))


def charts(page: Page) -> Charts:
    speed = page.speed
    return Charts(
        pareto=_pareto(speed) if speed and speed.points else None,
        timing=_timing(speed) if speed else None,
        columns=[(curve, _columns(curve, number)) for number, curve in enumerate(page.curves)],
    )


def _pareto(speed: Speed) -> Markup:
    return inline(pareto(speed), "pareto", "Accuracy against speed",
                  f"Rms error and GFLOP/s of {len(speed.points)} kernels, {speed.inputs}. The table beside has the numbers.")


def _timing(speed: Speed) -> Markup:
    return inline(timing(speed), "timing", "Timing samples",
                  f"Samples and medians of {len(speed.samples)} kernels, {speed.inputs}. The table beside has the numbers.")


def _columns(curve: Curve, number: int) -> Markup:
    return inline(columns(curve), f"columns{number}", f"Error by column, {curve.scheme}, {curve.shape}", curve.summary)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader([_HERE / "templates", _HERE / "static"]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["shorten"] = shorten
    return environment


def _finalize(value: Any) -> Any:
    """Runs on every expression of every template, so that no name can be written without it."""
    if isinstance(value, (Markup, Verbatim)) or not isinstance(value, str):
        return value
    return visible(value)


def _policy(environment: Environment, *names: str) -> Verbatim:
    """Style and script are included as templates, so what is hashed is what the page will hold."""
    directives = ["default-src 'none'"]
    for name in names:
        text = environment.get_template(name).render()
        digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
        directives.append(f"{'style' if name.endswith('.css') else 'script'}-src 'sha256-{digest}'")
    return Verbatim("; ".join([*directives, "img-src data:", "base-uri 'none'", "form-action 'none'"]))
