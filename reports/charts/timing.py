"""Every timing sample as a dot, against the median of its kernel: spread and outliers are seen, not summed up.

Relative, because kernels differ a thousandfold and their noise by a percent: one absolute axis would show neither.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from ..view.speed import Samples, Speed
from .style import BLUE, INK, MUTED, ORANGE, dots, label, new_figure, quiet

_WIDTH = 520
_LINE_HEIGHT = 20
_TOP, _BOTTOM = 10, 42
_LEFT, _RIGHT = 100, 74
_LANES = 5
# Percent of the median. Samples beyond stand at the edge as triangles, so that one outlier does not flatten the rest.
_WIDEST = (-30.0, 60.0)
_NARROWEST = (-2.0, 4.0)


def timing(speed: Speed) -> Figure:
    lines = _lines(speed.samples)
    height = _LINE_HEIGHT * len(lines) + _TOP + _BOTTOM
    figure = new_figure(_WIDTH, height)
    axes = figure.add_axes(
        (_LEFT / _WIDTH, _BOTTOM / height, (_WIDTH - _LEFT - _RIGHT) / _WIDTH, (height - _TOP - _BOTTOM) / height))
    quiet(axes)
    axes.grid(False, axis="y")
    low, high = _extent(speed.samples)
    axes.set_xlim(low - 0.02 * (high - low), high + 0.02 * (high - low))
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_yticks([])
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(FuncFormatter(_percent))
    for place, line in enumerate(lines):
        if isinstance(line, str):
            _text(axes, -_LEFT / (_WIDTH - _LEFT - _RIGHT), place, label(line), INK, "left", "bold")
        else:
            _draw(axes, place, line, low, high)
    axes.set_xlabel("against the kernel’s own median: the axis does not start at zero")
    return figure


def _lines(samples: list[Samples]) -> list[str | Samples]:
    """The name of a scheme, then its kernels."""
    lines: list[str | Samples] = []
    previous = None
    for line in samples:
        if line.scheme != previous:
            lines.append(line.scheme)
        previous = line.scheme
        lines.append(line)
    return lines


def _extent(samples: list[Samples]) -> tuple[float, float]:
    percents = [percent for line in samples for percent in _percents(line)] or [0.0]
    low = max(min(*percents, _NARROWEST[0]), _WIDEST[0])
    high = min(max(*percents, _NARROWEST[1]), _WIDEST[1])
    return low, high


def _percents(samples: Samples) -> list[float]:
    return [100 * (time / samples.median_ns - 1) for time in samples.samples_ns]


def _percent(percent: float, _: int) -> str:
    return f"{percent:+g} %".replace("-", "−") if percent else "median"


def _draw(axes: Axes, place: int, samples: Samples, low: float, high: float) -> None:
    # Lanes by rank: dots that would cover each other stand apart, the same way every time.
    points = [(percent, place + (rank % _LANES - _LANES // 2) * 0.12) for rank, percent in enumerate(_percents(samples))]
    inside = [(percent, lane) for percent, lane in points if low <= percent <= high]
    dots(axes, [percent for percent, _ in inside], [lane for _, lane in inside], BLUE, 2.6)
    for beyond, marker, edge in ((lambda percent: percent > high, ">", high), (lambda percent: percent < low, "<", low)):
        if any(beyond(percent) for percent, _ in points):
            axes.plot([edge], [place], linestyle="none", marker=marker, markersize=6, color=ORANGE, clip_on=False)
    axes.plot([0, 0], [place - 0.38, place + 0.38], color=INK, linewidth=1.4)
    _text(axes, -0.02, place, label(samples.kernel, 16), MUTED, "right")
    _text(axes, 1.03, place, samples.median, INK, "left")


def _text(axes: Axes, x: float, y: float, text: str, colour: str, alignment: str, weight: str = "normal") -> None:
    axes.text(x, y, text, color=colour, ha=alignment, va="center", weight=weight,
              transform=axes.get_yaxis_transform(), clip_on=False)
