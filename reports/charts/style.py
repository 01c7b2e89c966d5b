"""What all charts share. Colours are stand-ins here: svg.py turns each into a variable of the page, for both themes."""

from __future__ import annotations

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from ..text import shorten, visible

# Okabe–Ito blue and vermilion; blue is what was measured, orange is what to look at.
BLUE = "#0072b2"
ORANGE = "#d55e00"
INK = "#1c1e21"
MUTED = "#5b6168"
RULE = "#d9dbde"
PAPER = "#fdfdfb"
# For charts of more than one series; shape and dashes tell them apart as well.
GREEN = "#00795a"
PURPLE = "#8a3f86"

COLOURS = {
    BLUE: "var(--blue)",
    ORANGE: "var(--orange)",
    GREEN: "var(--green)",
    PURPLE: "var(--purple)",
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    RULE: "var(--rule)",
    PAPER: "var(--paper)",
}

SMALL = 11
_POINTS_PER_PIXEL = 72


def new_figure(width: float, height: float) -> Figure:
    """Size in pixels of the page at scale 1. Defaults, not the reader's matplotlibrc, so that bytes repeat."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(
        {
            "font.size": SMALL,
            # Names are not formulas, and text is never simplified away.
            "text.parse_math": False,
            "path.simplify": False,
            "axes.edgecolor": RULE,
            "axes.labelcolor": MUTED,
            "axes.unicode_minus": True,
            "xtick.color": RULE,
            "ytick.color": RULE,
            "xtick.labelcolor": MUTED,
            "ytick.labelcolor": MUTED,
            "text.color": INK,
        }
    )
    return Figure(figsize=(width / _POINTS_PER_PIXEL, height / _POINTS_PER_PIXEL))


def quiet(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(True, which="major", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(which="minor", length=0)
    axes.tick_params(which="major", length=3)


def dots(axes: Axes, xs: list[float], ys: list[float], colour: str, width: float) -> None:
    """Round dots as one path of strokes without length: 20 bytes each, where a marker takes 70."""
    if not xs:
        return
    vertices = [point for x, y in zip(xs, ys) for point in ((x, y), (x, y))]
    path = Path(vertices, [Path.MOVETO, Path.LINETO] * len(xs))
    axes.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=width, capstyle="round"))


def label(text: str, limit: int = 28) -> str:
    return shorten(visible(text), limit)
