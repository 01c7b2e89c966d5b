"""Error by column against its bound. A dead channel is a cross, a failing gate a triangle: shape and word, not colour."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..view.columns import Curve
from .log_axis import Range, enclosing, whole_powers
from .style import BLUE, MUTED, ORANGE, dots, label, new_figure, quiet

_WIDTH, _HEIGHT = 360, 240


def columns(curve: Curve) -> Figure:
    figure = new_figure(_WIDTH, _HEIGHT)
    axes = figure.add_axes((0.14, 0.16, 0.84, 0.7))
    quiet(axes)
    extent = enclosing([*curve.errors, *curve.bounds, *(failure.error for failure in curve.failures)])
    axes.set_xlim(-0.02 * max(curve.last_column, 1), 1.02 * max(curve.last_column, 1))
    axes.set_ylim(extent.low, extent.high)
    whole_powers(axes.yaxis, extent)
    # Bounds of neighbouring columns differ up to 64 times: ticks at each column, no line between them.
    _bounds(axes, curve, extent)
    _errors(axes, curve, extent)
    _failures(axes, curve, extent)
    axes.set_xlabel("column", labelpad=1)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.17, 1.0), ncols=3, frameon=False, handletextpad=0.3,
                columnspacing=0.9, borderpad=0, labelcolor=MUTED)
    return figure


def _bounds(axes: Axes, curve: Curve, extent: Range) -> None:
    half = max(1.2 * (curve.last_column + 1) / len(curve.first_columns), 0.45)
    heights = [extent.position(bound) for bound in curve.bounds]
    axes.hlines(heights, [column - half for column in curve.first_columns],
                [column + half for column in curve.first_columns], color=MUTED, linewidth=1.2, label="bound")


def _errors(axes: Axes, curve: Curve, extent: Range) -> None:
    dead = curve.dead or [False] * len(curve.errors)
    heights = [extent.position(error) for error in curve.errors]
    alive = [index for index, is_dead in enumerate(dead) if not is_dead]
    dots(axes, [curve.first_columns[index] for index in alive], [heights[index] for index in alive], BLUE, 2.6)
    if alive:
        axes.plot([], [], linestyle="none", marker="o", markersize=3, color=BLUE, label="largest error")
    crossed = [index for index, is_dead in enumerate(dead) if is_dead]
    if crossed:
        axes.plot([curve.first_columns[index] for index in crossed], [heights[index] for index in crossed],
                  linestyle="none", marker="x", markersize=4, markeredgewidth=1, color=ORANGE, label="dead channel")


def _failures(axes: Axes, curve: Curve, extent: Range) -> None:
    for failure in curve.failures[:3]:
        who = failure.kernels[0] if len(failure.kernels) == 1 else f"{len(failure.kernels)} kernels"
        axes.plot([failure.column], [extent.position(failure.error)], linestyle="none", marker="^", markersize=8,
                  color=ORANGE, label=label(f"gate {failure.gate}, {who}"))
