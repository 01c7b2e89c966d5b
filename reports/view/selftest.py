"""selftest.json → what selftest.html shows: which gate kills which mutant, and the scores of the gates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..numbers import ABSENT, count

_SHORT_COMMIT = 12
ERROR_KINDS = ("scale", "bias", "ulp")


@dataclass(frozen=True)
class Kills:
    """Of the schemes that a mutant was tried on, those on which a gate kills it."""

    killed: int
    tried: int

    @property
    def is_whole(self) -> bool:
        return self.killed == self.tried

    @property
    def text(self) -> str:
        return f"{self.killed}/{self.tried}" if self.killed else "·"


@dataclass(frozen=True)
class Mutant:
    name: str
    kind: str
    what: str
    kills: list[Kills]  # one for each gate


@dataclass(frozen=True)
class Gate:
    name: str
    rule: str
    is_ours: bool
    decides: bool
    mutants_caught: int
    pairs: str
    false_alarms: str
    smallest: list[str]  # one for each of ERROR_KINDS


@dataclass(frozen=True)
class SelfTest:
    facts: str
    finding: str
    gates: list[Gate]
    mutants: list[Mutant]


def build(file: dict[str, Any]) -> SelfTest:
    mutants = [_mutant(entry, [gate["name"] for gate in file["gates"]]) for entry in file["mutants"]]
    gates = [_gate(entry, [mutant.kills[place] for mutant in mutants]) for place, entry in enumerate(file["gates"])]
    commit = file["git_commit"]
    judged = max(entry["judged"] for entry in file["gates"])
    return SelfTest(
        facts=f"{count(len(mutants), 'mutant')} and {count(judged, 'correct random case')}, by narrowgate {file['version']}"
              + (f", commit {commit[:_SHORT_COMMIT]}" if commit else ""),
        finding=_finding(gates, mutants),
        gates=gates,
        mutants=mutants,
    )


def _mutant(entry: dict[str, Any], gates: list[str]) -> Mutant:
    schemes = entry["kills"].values()
    kills = [Kills(sum(gate in by_scheme for by_scheme in schemes), len(schemes)) for gate in gates]
    return Mutant(entry["name"], entry["kind"], entry["what"], kills)


def _gate(entry: dict[str, Any], kills: list[Kills]) -> Gate:
    return Gate(
        name=entry["name"], rule=entry["rule"], is_ours=entry["ours"], decides=entry["decides"],
        mutants_caught=sum(of_mutant.killed > 0 for of_mutant in kills),
        pairs=_percent(entry["killed"], entry["pairs"], 1),
        false_alarms=_percent(entry["false_alarms"], entry["judged"], 2),
        smallest=[_range(entry["smallest"][kind]) for kind in ERROR_KINDS],
    )


def _finding(gates: list[Gate], mutants: list[Mutant]) -> str:
    deciding = [place for place, gate in enumerate(gates) if gate.decides]
    survivors = [mutant.name for mutant in mutants if not any(mutant.kills[place].killed for place in deciding)]
    others = [gate for gate in gates if not gate.is_ours]
    caught = ("Every mutant is killed by a gate that decides" if not survivors
              else f"{count(len(survivors), 'mutant')} of {len(mutants)} killed by no gate that decides: {', '.join(survivors)}")
    if not others:
        return f"{caught}."
    best = max(others, key=lambda gate: gate.mutants_caught)
    return (f"{caught}. Of the gates that people use, {best.name} kills most, {best.mutants_caught} of {len(mutants)}, "
            f"and fails {best.false_alarms} of the correct kernels.")


def _percent(part: int, whole: int, digits: int) -> str:
    return f"{100 * part / whole:.{digits}f} %" if whole else ABSENT


def _range(by_scheme: dict[str, float | None]) -> str:
    """Over the schemes; errors are powers of two."""
    caught = [x for x in by_scheme.values() if x is not None]
    if not caught:
        return ABSENT
    low, high = _power(min(caught)), _power(max(caught))
    return low if low == high else f"{low} to {high}"


def _power(x: float) -> str:
    if x <= 0:
        return f"{x:g}"
    exponent = math.log2(x)
    return f"{x:g}" if 0 <= exponent <= 6 else f"2^{round(exponent)}"
