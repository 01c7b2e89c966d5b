"""Accuracy against speed: to the right is faster, down is more accurate."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..view.speed import Point, Speed
from .log_axis import Range, enclosing, whole_powers
from .style import BLUE, INK, MUTED, PAPER, SMALL, label, new_figure, quiet

_WIDTH, _HEIGHT = 520, 330
_MOST_LABELS = 14
_LABEL_GAP = 0.055  # of the height of the axes
# A backend is told by its shape; filled and hollow keep them apart where they overlap.
_MARKERS = {"cpu": ("o", PAPER), "cuda": ("D", BLUE)}


def pareto(speed: Speed) -> Figure:
    figure = new_figure(_WIDTH, _HEIGHT)
    axes = figure.add_axes((0.09, 0.14, 0.64, 0.78))
    quiet(axes)
    speeds = enclosing([point.gflops for point in speed.points])
    errors = enclosing([point.rms_error for point in speed.points])
    axes.set_xlim(speeds.low, speeds.high)
    axes.set_ylim(errors.low, errors.high)
    whole_powers(axes.xaxis, speeds)
    whole_powers(axes.yaxis, errors)
    for backend in sorted({point.backend for point in speed.points}):
        _draw(axes, [point for point in speed.points if point.backend == backend], backend, speeds, errors)
    _label_schemes(axes, speed.points, errors)
    axes.set_xlabel("GFLOP/s, logarithmic: faster to the right")
    axes.set_title("Rms error, logarithmic: more accurate below", loc="left", x=-0.14, fontsize=SMALL, color=MUTED)
    axes.legend(loc="lower left", bbox_to_anchor=(1.02, -0.18), frameon=False, handletextpad=0.2, labelcolor=MUTED)
    return figure


def _draw(axes: Axes, points: list[Point], backend: str, speeds: Range, errors: Range) -> None:
    marker, filling = _MARKERS.get(backend, ("s", BLUE))
    front = sorted((point for point in points if point.on_front), key=lambda point: (point.gflops, point.rms_error))
    axes.plot([speeds.position(point.gflops) for point in front], [errors.position(point.rms_error) for point in front],
              color=MUTED, linewidth=0.8, linestyle=(0, (2, 2)), drawstyle="steps-pre", zorder=1.5)
    axes.plot([speeds.position(point.gflops) for point in points], [errors.position(point.rms_error) for point in points],
              linestyle="none", marker=marker, markersize=6, markerfacecolor=filling, markeredgecolor=BLUE,
              label=backend)


def _label_schemes(axes: Axes, points: list[Point], errors: Range) -> None:
    """A scheme is one height in the chart, so its name stands once, at the right, moved apart from its neighbours."""
    heights = {point.scheme: errors.position(point.rms_error) for point in points}
    ordered = sorted(heights.items(), key=lambda item: item[1])[:_MOST_LABELS]
    span = errors.high - errors.low
    previous = -1.0
    for scheme, height in ordered:
        natural = (height - errors.low) / span
        placed = max(natural, previous + _LABEL_GAP)
        previous = placed
        axes.annotate(label(scheme, 24), xy=(1.0, natural), xytext=(1.06, placed), xycoords="axes fraction",
                      textcoords="axes fraction", va="center", color=INK, annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0})
