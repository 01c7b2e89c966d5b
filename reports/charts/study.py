"""The numbers of a study: lines over numbers, or a row of marks for each category.

Series are told apart by shape and dashes, and by colour besides. Orange rings what the study's sentence speaks of.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from ..view.studies import Series, Study
from .log_axis import Range, enclosing, whole_powers
from .style import BLUE, GREEN, INK, MUTED, ORANGE, PAPER, PURPLE, RULE, label, new_figure, quiet

_WIDTH = 440
_PLOT_HEIGHT = 210
_ROW_HEIGHT, _MARK_HEIGHT = 21, 5
_LEGEND_LINE, _CHARACTER = 17, 5.9  # pixels
_BOTTOM, _RIGHT = 40, 12
_LEFT_OF_LINES = 42
_LONGEST_NAME = 34
_LEGEND_COLUMNS = 2
# colour, marker, filling, dashes
_LOOKS = (
    (BLUE, "o", BLUE, "-"),
    (PURPLE, "s", PAPER, (0, (5, 2))),
    (GREEN, "D", GREEN, (0, (1, 1.5))),
    (INK, "^", PAPER, (0, (7, 2, 1, 2))),
    (MUTED, "v", MUTED, "-"),
    (BLUE, "x", BLUE, (0, (5, 2))),
    (GREEN, "o", PAPER, "-"),
)
_MOST_MARKERS = 12  # of a line, evenly by place


class _Values:
    """Where values stand along the axis of values: as they are, or by their logarithm."""

    def __init__(self, study: Study):
        self._range = enclosing([y for series in study.series for y in series.ys]) if study.y.scale == "log" else None

    def position(self, value: float) -> float:
        return self._range.position(value) if self._range else value

    def prepare(self, axes: Axes, is_horizontal: bool) -> None:
        axis = axes.xaxis if is_horizontal else axes.yaxis
        if self._range is None:
            axis.set_major_locator(MaxNLocator(5))
            return
        (axes.set_xlim if is_horizontal else axes.set_ylim)(self._range.low, self._range.high)
        whole_powers(axis, self._range)


def study_chart(study: Study) -> Figure:
    return _rows(study) if study.x.scale == "categories" else _lines(study)


def _legend_height(study: Study) -> int:
    return _LEGEND_LINE * ((len(study.series) + _LEGEND_COLUMNS - 1) // _LEGEND_COLUMNS) + 8


def _look(number: int) -> tuple:
    return _LOOKS[number % len(_LOOKS)]


def _lines(study: Study) -> Figure:
    top = _legend_height(study) + 20
    height = top + _PLOT_HEIGHT + _BOTTOM
    figure = new_figure(_WIDTH, height)
    width = _WIDTH - _LEFT_OF_LINES - _RIGHT
    axes = figure.add_axes((_LEFT_OF_LINES / _WIDTH, _BOTTOM / height, width / _WIDTH, _PLOT_HEIGHT / height))
    quiet(axes)
    values = _Values(study)
    values.prepare(axes, is_horizontal=False)
    x_range = enclosing(list(study.xs), 0.05) if study.x.scale == "log" else None
    if x_range:
        axes.set_xlim(x_range.low, x_range.high)
        whole_powers(axes.xaxis, x_range)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(7))
    for number, series in enumerate(study.series):
        _line(axes, study, series, number, values, x_range)
    axes.set_xlabel(_axis_label(study.x.label, study.x.scale))
    figure.text(0.0, 1 - (top - 8) / height, _axis_label(study.y.label, study.y.scale), color=MUTED, ha="left", va="center")
    _legend(figure, axes)
    return figure


def _line(axes: Axes, study: Study, series: Series, number: int, values: _Values, x_range: Range | None) -> None:
    colour, marker, filling, dashes = _look(number)
    places = [(x_range.position(x) if x_range else x, values.position(y))
              for x, y in zip(study.xs, series.ys) if y is not None]
    axes.plot([x for x, _ in places], [y for _, y in places], color=colour, linestyle=dashes, linewidth=1.5, marker=marker,
              markersize=4.5, markerfacecolor=filling, markeredgecolor=colour, markevery=-(-len(places) // _MOST_MARKERS),
              label=label(series.name))
    if series.marked is not None:
        x = study.xs[series.marked]
        _ring(axes, x_range.position(x) if x_range else x, values.position(series.ys[series.marked]))


def _rows(study: Study) -> Figure:
    names = [label(name, _LONGEST_NAME) for name in study.names]
    left = min(max(len(name) for name in names) * _CHARACTER + 18, 0.5 * _WIDTH)
    top, plot = _legend_height(study), max(_ROW_HEIGHT, _MARK_HEIGHT * len(study.series)) * len(names)
    height = top + plot + _BOTTOM
    figure = new_figure(_WIDTH, height)
    axes = figure.add_axes((left / _WIDTH, _BOTTOM / height, 1 - (left + _RIGHT) / _WIDTH, plot / height))
    quiet(axes)
    axes.grid(False, axis="y")
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.yaxis.set_major_locator(FixedLocator(range(len(names))))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_yticklabels(names, color=INK)
    axes.tick_params(axis="y", length=0, pad=9)  # a mark at the edge does not touch its name
    axes.hlines(range(len(names)), 0, 1, transform=axes.get_yaxis_transform(), color=RULE, linewidth=0.6)
    values = _Values(study)
    values.prepare(axes, is_horizontal=True)
    for number, series in enumerate(study.series):
        _marks(axes, series, number, len(study.series), values)
    figure.text(1 - _RIGHT / _WIDTH, 10 / height, _axis_label(study.y.label, study.y.scale), color=MUTED, ha="right", va="center")
    _legend(figure, axes)
    return figure


def _marks(axes: Axes, series: Series, number: int, count: int, values: _Values) -> None:
    colour, marker, filling, _ = _look(number)
    # Equal values of two series stand one above the other, not one behind the other.
    offset = (number - (count - 1) / 2) * min(0.6 / count, 0.16)
    places = [(values.position(y), place + offset) for place, y in enumerate(series.ys) if y is not None]
    axes.plot([x for x, _ in places], [y for _, y in places], linestyle="none", marker=marker, markersize=5.5,
              markerfacecolor=filling, markeredgecolor=colour, label=label(series.name), clip_on=False)
    if series.marked is not None:
        _ring(axes, values.position(series.ys[series.marked]), series.marked + offset)


def _ring(axes: Axes, x: float, y: float) -> None:
    axes.plot([x], [y], linestyle="none", marker="o", markersize=11, markerfacecolor="none", markeredgecolor=ORANGE,
              markeredgewidth=1.6, clip_on=False)


def _axis_label(text: str, scale: str) -> str:
    return label(text + (", logarithmic" if scale == "log" else ""), 76)


def _legend(figure: Figure, axes: Axes) -> None:
    figure.legend(*axes.get_legend_handles_labels(), loc="upper left", bbox_to_anchor=(0.0, 1.0), ncols=_LEGEND_COLUMNS,
                  frameon=False, handletextpad=0.5, columnspacing=1.6, borderpad=0, borderaxespad=0, handlelength=2.2,
                  labelcolor=INK)
