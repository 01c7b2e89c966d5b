"""Logarithmic axes for values some of which are zero or not finite: those are drawn at the edges, never left out."""

from __future__ import annotations

import math
from dataclasses import dataclass

from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_TICKS = 6


@dataclass(frozen=True)
class Range:
    """In powers of ten: charts plot log10 on a linear axis, so that no extreme input can upset the scale."""

    low: float
    high: float

    def position(self, value: float | None) -> float:
        if value is None or not math.isfinite(value):
            return self.high
        if value <= 0:
            return self.low
        return min(max(math.log10(value), self.low), self.high)


def enclosing(values: list[float | None], margin: float = 0.25) -> Range:
    logs = [math.log10(value) for value in values if value is not None and math.isfinite(value) and value > 0]
    if not logs:
        return Range(-1.0, 1.0)
    return Range(min(logs) - margin, max(logs) + margin)


def whole_powers(axis: Axis, extent: Range) -> None:
    """Ticks at whole powers of ten, written 10⁻³; with fewer than two of them, at 2 and 5 as well."""
    first, last = math.ceil(extent.low), math.floor(extent.high)
    step = max(1, math.ceil((last - first + 1) / _MOST_TICKS))
    ticks: list[float] = list(range(first, last + 1, step))
    if len(ticks) < 2:
        decades = range(math.floor(extent.low), last + 1)
        ticks = [decade + math.log10(digit) for decade in decades for digit in (1, 2, 5)]
    axis.set_major_locator(FixedLocator([tick for tick in ticks if extent.low <= tick <= extent.high]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda tick, _: power_of_ten(tick)))


def power_of_ten(exponent: float) -> str:
    whole = math.floor(exponent + 1e-9)
    digit = round(10 ** (exponent - whole))
    if -2 <= whole <= 3:
        return f"{digit * 10**whole:,}" if whole >= 0 else f"{digit * 10.0**whole:.{-whole}f}"
    power = "10" + str(whole).translate(_SUPERSCRIPTS)
    return power if digit == 1 else f"{digit}·{power}"
