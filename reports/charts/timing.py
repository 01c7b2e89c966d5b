"""Every timing sample as a dot, the median as a bar: spread and outliers are seen, not summed up."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..view.speed import Samples, Speed
from .log_axis import enclosing, whole_powers
from .style import BLUE, INK, MUTED, dots, label, new_figure, quiet

_WIDTH = 520
_LINE_HEIGHT = 19
_TOP, _BOTTOM = 14, 40
_LEFT, _RIGHT = 100, 78


def timing(speed: Speed) -> Figure:
    lines = _lines(speed.samples)
    height = _LINE_HEIGHT * len(lines) + _TOP + _BOTTOM
    figure = new_figure(_WIDTH, height)
    axes = figure.add_axes(
        (_LEFT / _WIDTH, _BOTTOM / height, (_WIDTH - _LEFT - _RIGHT) / _WIDTH, (height - _TOP - _BOTTOM) / height))
    quiet(axes)
    axes.grid(False, axis="y")
    extent = enclosing([time / 1e6 for samples in speed.samples for time in (*samples.samples_ns, samples.median_ns)], 0.1)
    axes.set_xlim(extent.low, extent.high)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_yticks([])
    whole_powers(axes.xaxis, extent)
    for height_index, line in enumerate(lines):
        if isinstance(line, str):
            _text(axes, -0.02 - _LEFT / _WIDTH * 1.4, height_index, label(line), INK, "left", "bold")
        else:
            _draw(axes, height_index, line, extent.position)
    axes.set_xlabel("milliseconds, logarithmic: the axis does not start at zero")
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


def _draw(axes: Axes, height: int, samples: Samples, position) -> None:
    xs = [position(time / 1e6) for time in samples.samples_ns]
    # Five lanes, by rank: dots that would cover each other stand apart, the same way every time.
    ys = [height + (index % 5 - 2) * 0.11 for index in range(len(xs))]
    dots(axes, xs, ys, BLUE, 2.4)
    median = position(samples.median_ns / 1e6)
    axes.plot([median, median], [height - 0.38, height + 0.38], color=INK, linewidth=1.6)
    _text(axes, -0.02, height, label(samples.kernel, 16), MUTED, "right")
    _text(axes, 1.02, height, samples.median, INK, "left")


def _text(axes: Axes, x: float, y: float, text: str, colour: str, alignment: str, weight: str = "normal") -> None:
    axes.text(x, y, text, color=colour, ha=alignment, va="center", weight=weight,
              transform=axes.get_yaxis_transform(), clip_on=False)
