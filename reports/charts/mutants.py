"""Which gate kills which mutant: a row for each gate, a place for each mutant.

Full where the gate kills it on every scheme that it was tried on, hollow where on some. Ours stand above the line.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from ..view.selftest import SelfTest
from .style import BLUE, INK, MUTED, PAPER, RULE, label, new_figure

_WIDTH, _LEFT, _RIGHT = 900, 92, 58
_ROW, _TOP, _BOTTOM = 21, 26, 30
_MARK = 5.2


def mutants_chart(test: SelfTest) -> Figure:
    height = _TOP + _ROW * len(test.gates) + _BOTTOM
    figure = new_figure(_WIDTH, height)
    axes = figure.add_axes((_LEFT / _WIDTH, _BOTTOM / height, 1 - (_LEFT + _RIGHT) / _WIDTH, _ROW * len(test.gates) / height))
    _frame(axes, test)
    # Those that most gates see stand on the left; equals keep the order of their names.
    order = sorted(test.mutants, key=lambda mutant: -sum(kills.killed / kills.tried for kills in mutant.kills))
    for is_whole, filling, name in ((True, BLUE, "killed on every scheme tried"), (False, PAPER, "on some")):
        places = [(x, y) for x, mutant in enumerate(order) for y, kills in enumerate(mutant.kills)
                  if kills.killed and kills.is_whole is is_whole]
        axes.plot([x for x, _ in places], [y for _, y in places], linestyle="none", marker="s", markersize=_MARK,
                  markerfacecolor=filling, markeredgecolor=BLUE, markeredgewidth=0.9, label=name, clip_on=False)
    for y, gate in enumerate(test.gates):
        axes.text(1.0, y, f"  {gate.mutants_caught} of {len(order)}", transform=axes.get_yaxis_transform(), color=MUTED, va="center")
    figure.legend(loc="upper left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False, borderaxespad=0, borderpad=0,
                  handletextpad=0.4, labelcolor=INK)
    figure.text(_LEFT / _WIDTH, 10 / height, label(f"{len(order)} mutants, those that most gates see first", 80), color=MUTED, va="center")
    return figure


def _frame(axes: Axes, test: SelfTest) -> None:
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xlim(-0.8, len(test.mutants) - 0.2)
    axes.set_ylim(len(test.gates) - 0.5, -0.5)
    axes.xaxis.set_major_locator(NullLocator())
    axes.yaxis.set_major_locator(FixedLocator(range(len(test.gates))))
    axes.set_yticklabels([label(gate.name) for gate in test.gates], color=INK)
    axes.tick_params(axis="y", length=0, pad=6)
    axes.hlines(range(len(test.gates)), 0, 1, transform=axes.get_yaxis_transform(), color=RULE, linewidth=0.5, zorder=0)
    ours = sum(gate.is_ours for gate in test.gates)
    axes.axhline(ours - 0.5, color=MUTED, linewidth=0.9)
