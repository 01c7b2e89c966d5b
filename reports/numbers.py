"""Numbers as text. A number that is not there never reads as 0."""

from __future__ import annotations

import math

ABSENT = "–"
NOT_FINITE = "not finite"

_TIME_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def significant(value: float | None, digits: int = 4) -> str:
    """4 significant digits; powers of ten below 1e-3 and from 1e6 on. None is a metric that was not finite."""
    if value is None or not math.isfinite(value):
        return NOT_FINITE
    if value == 0:
        return "0"
    # Rounded first, so that 999999.9 and 0.00099999 choose their form by what will be shown.
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if -3 <= power < 6:
        return f"{value:.{max(digits - 1 - power, 0)}f}"
    return f"{mantissa}e{power}"


def metric(row: dict, name: str) -> str:
    """A metric of a row: absent and not finite are different things and read differently."""
    return significant(row[name]) if name in row else ABSENT


def duration(nanoseconds: float | None) -> str:
    """3 significant digits with the unit that suits: 4.44 ms."""
    if nanoseconds is None:
        return ABSENT
    for size, unit in _TIME_UNITS:
        if nanoseconds >= size * 0.9995:
            return f"{significant(nanoseconds / size, 3)} {unit}"
    return f"{significant(nanoseconds, 3)} ns"


def ratio(value: float | None) -> str:
    return ABSENT if value is None else f"{significant(value, 3)}×"


def count(value: int, noun: str) -> str:
    return f"{value:,} {noun}{'' if value == 1 else 's'}"
