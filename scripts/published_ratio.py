#!/usr/bin/env python3
"""Mean rms error of a `day98_seeds` run beside the published day 98 table, for every INT8 and 2:4 row.

    build/narrowgate run day98_seeds --no-timing --out results.json && scripts/published_ratio.py results.json

Exits 1 when a row lies beyond 25 % of the published figure, 3 when a row was not measured, 2 on bad input.
"""

from __future__ import annotations

import collections
import json
import pathlib
import statistics
import sys

PUBLISHED = pathlib.Path(__file__).resolve().parent.parent / "baselines" / "published" / "day98_t4.json"
SCHEMES = {
    "int8 one scale": "int8.tensor",
    "int8 per-column": "int8.column",
    "int8 per-col + zp": "int8.column_zp",
    "int8 2:4 pruned": "int8.column_24",
}
ALLOWED = 0.25


def rms_by_case(rows: list[dict]) -> dict[tuple[str, int], dict[int, float]]:
    """(scheme, size) → seed → rms error, one kernel's row for each case."""
    found: dict[tuple[str, int], dict[int, float]] = collections.defaultdict(dict)
    for row in rows:
        scheme, shape, distribution, seed = row["case"].split("/")
        if distribution == "day98" and row["state"] == "measured" and row["rms_err"] is not None:
            found[scheme, int(shape.split("x")[0])][int(seed[1:])] = row["rms_err"]
    return found


def main(path: str) -> int:
    measured = rms_by_case(json.loads(pathlib.Path(path).read_text())["benchmarks"])
    published = json.loads(PUBLISHED.read_text())
    column = published["columns"].index("rms_err")
    worst = 0
    print(f"{'size':>5} {'scheme':<16} {'seeds':>5} {'mean rms':>10} {'published':>10} {'ratio':>6}")
    for row in published["rows"]:
        scheme = SCHEMES.get(row[1])
        if scheme is None:
            continue
        values = measured.get((scheme, row[0]))
        if not values:
            print(f"{row[0]:>5} {scheme:<16} not measured")
            worst = 3
            continue
        mean = statistics.fmean(values.values())
        ratio = mean / row[column]
        inside = abs(ratio - 1) <= ALLOWED
        print(f"{row[0]:>5} {scheme:<16} {len(values):>5} {mean:>10.4g} {row[column]:>10.4g} {ratio:>6.3f}"
              f"{'' if inside else '  beyond 25 %'}")
        if not inside and worst == 0:
            worst = 1
    return worst


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1]))
