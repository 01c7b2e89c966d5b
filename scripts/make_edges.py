#!/usr/bin/env python3
"""Writes suites/edges.json: a pairwise-covering set of awkward shapes.

Every pair (M, N), (M, K), (N, K) of the listed sizes occurs in at least one shape; the full product would be ten
times as many. Greedy and without randomness, so the file is reproducible: `scripts/make_edges.py --check` compares.
"""

from __future__ import annotations

import itertools
import json
import pathlib
import sys

M = [1, 2, 7, 16, 17, 33, 64, 127]
N = [1, 3, 8, 31, 33, 64, 65, 255]
K = [1, 3, 4, 15, 16, 31, 32, 33, 48, 127, 128, 129, 255, 509, 513, 1024, 1025, 4096]
LAYOUTS = ["", "+ld7", "+off3", "+ld7+off3", "+ld1+off1"]
DISTRIBUTIONS = ["day98", "normal", "integers", "constant", "one_hot", "relu", "one_signed", "heavy", "outlier_channel",
                 "outlier_row", "ties", "below_pow2", "max_pairs", "cancel", "subnormal", "zero_rows", "zero_blocks",
                 "minus_zero"]
# One step up to and one beyond each accumulator limit of the int8 family (kernels/int8/int8.h).
LIMITS = ["2x3x66311", "2x3x66312", "2x3x133144", "2x3x133145"]
TARGET = pathlib.Path(__file__).resolve().parent.parent / "suites" / "edges.json"


def pairs(shape: tuple[int, int, int]) -> set[tuple[str, int, int]]:
    m, n, k = shape
    return {("mn", m, n), ("mk", m, k), ("nk", n, k)}


def covering_shapes() -> list[tuple[int, int, int]]:
    """One shape for each pair (M, K), with the N that covers most; then whatever is still missing."""
    missing = set().union(*(pairs(shape) for shape in itertools.product(M, N, K)))
    chosen = []
    for k, m in itertools.product(K, M):
        candidates = [(m, n, k) for n in N]
        best = max(candidates, key=lambda shape: (len(pairs(shape) & missing), -shape[1]))
        chosen.append(best)
        missing -= pairs(best)
    for shape in itertools.product(M, N, K):
        if pairs(shape) & missing:
            chosen.append(shape)
            missing -= pairs(shape)
    return chosen


def suite() -> dict:
    shapes = ["{}x{}x{}".format(*shape) for shape in covering_shapes()]
    by_kind: dict[tuple[str, str], list[str]] = {}
    for index, shape in enumerate(shapes):
        layout = LAYOUTS[index % len(LAYOUTS)]
        distribution = DISTRIBUTIONS[index // len(LAYOUTS) % len(DISTRIBUTIONS)]
        by_kind.setdefault((distribution, layout), []).append(shape + layout)
    entries = [
        {"comment": f"{distribution}, layout {layout or 'dense'}", "schemes": ["*"], "shapes": chosen,
         "distributions": [distribution], "seeds": [1]}
        for (distribution, layout), chosen in sorted(by_kind.items())
    ]
    entries.append({"comment": "each accumulator limit, and one past it (refused with a reason)", "schemes": ["*"],
                    "shapes": LIMITS, "distributions": ["day98", "integers"], "seeds": [1]})
    return {
        "schema": "narrowgate.suite/1",
        "name": "edges",
        "description": "Awkward shapes: every pair of tail sizes in M, N and K, padded leading dimensions, offset "
                       "pointers, each accumulator limit. Written by scripts/make_edges.py.",
        "cases": entries,
    }


def main() -> int:
    text = json.dumps(suite(), indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        if TARGET.read_text() == text:
            return 0
        print(f"{TARGET.name} is not what scripts/make_edges.py writes; run it again", file=sys.stderr)
        return 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
