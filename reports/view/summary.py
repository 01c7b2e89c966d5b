"""The first screen: verdict, what was compared, what needs a person; and the environment at the end of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..numbers import ABSENT, count, duration, metric
from ..words import State
from .columns import Sparkline, sparkline
from .index import Cell, Run

LONGEST_ATTENTION = 10
_SHORT_COMMIT = 12


@dataclass(frozen=True)
class Fact:
    term: str
    detail: str


@dataclass(frozen=True)
class Attention:
    cell: Cell
    state: State
    gate: str
    place: str
    value: str
    reference: str
    bound: str
    reason: str
    sparkline: Sparkline | None


def compared(run: Run) -> list[Fact]:
    about = run.narrowgate
    facts = [
        Fact("Suite", about["suite"]),
        Fact("Commit", commit(about)),
        Fact("Date", _text(run.context["date"])),
        Fact("Compiler", about["compiler"]),
        Fact("SIMD target", about["simd_target"]),
        Fact("Threads", str(about["threads"])),
        Fact("Baseline", count(run.baseline["cases"], "stored case")),
    ]
    return facts + devices(about["devices"])


def devices(entries: dict[str, dict[str, Any]]) -> list[Fact]:
    """Backends that share a device share a line: simt runs where cpu runs."""
    backends: dict[str, list[str]] = {}
    for backend, entry in sorted(entries.items()):
        backends.setdefault(device(entry), []).append(backend)
    return [Fact(f"Device, {' and '.join(names)}", model) for model, names in backends.items()]


def commit(about: dict[str, Any]) -> str:
    if about["git_commit"] is None:
        return "unknown"
    state = {True: " with uncommitted changes", False: "", None: ", changes unknown"}[about["git_dirty"]]
    return about["git_commit"][:_SHORT_COMMIT] + state


def device(entry: dict[str, Any]) -> str:
    driver = entry.get("driver")
    return entry["model"] + (f", driver {driver}" if driver else "")


def attention(run: Run) -> list[Attention]:
    return [_attention(cell) for cell in run.attention[:LONGEST_ATTENTION]]


def _attention(cell: Cell) -> Attention:
    if cell.state.tone != "alert" and cell.time_state.tone == "alert":
        return _time_attention(cell)
    gate = failing_gate(cell)
    places = [f"{name} {gate[name]}" for name in ("row", "column") if name in gate]
    return Attention(
        cell=cell,
        state=cell.state,
        gate=gate.get("gate", ABSENT),
        place=", ".join(places) or ABSENT,
        value=metric(gate, "value"),
        reference=metric(gate, "reference"),
        bound=metric(gate, "bound"),
        reason=cell.reason or gate.get("detail", ""),
        sparkline=sparkline(cell.case, cell.row),
    )


def _time_attention(cell: Cell) -> Attention:
    return Attention(
        cell=cell,
        state=cell.time_state,
        gate="time",
        place=ABSENT,
        value=duration(cell.median_ns),
        reference=duration(cell.baseline_time_ns),
        bound=ABSENT,
        reason=cell.time_reason,
        sparkline=None,
    )


def failing_gate(cell: Cell) -> dict[str, Any]:
    """The first failing gate that decides, else the first failing one, else nothing."""
    failing = [gate for gate in cell.row.get("gates", []) if gate["state"] == "fail"]
    deciding = [gate for gate in failing if gate.get("decides", True)]
    return (deciding + failing + [{}])[0]


def environment(run: Run, results: list[dict[str, Any]]) -> list[Fact]:
    about = run.narrowgate
    facts = [
        Fact("narrowgate", about["version"]),
        Fact("Command", about["command"]),
        Fact("Flags", about["flags"]),
        Fact("Host", f"{run.context['host_name']}, {run.context['num_cpus']} CPUs, {run.context['mhz_per_cpu']} MHz"),
        Fact("CPU frequency scaling", _yes_no(run.context["cpu_scaling_enabled"])),
        Fact("Load average", _text(run.context["load_avg"])),
        Fact("Time measured", _yes_no(about["timing"])),
    ]
    for backend, entry in sorted(about["devices"].items()):
        details = ", ".join(f"{name} {_text(entry[name])}" for name in sorted(entry) if entry[name] is not None)
        facts.append(Fact(f"Device, {backend}", details))
    facts += [Fact(name, _text(value)) for name, value in sorted(about.get("environment", {}).items())]
    facts += [Fact("Results", f"{_text(entry['path'])}, XXH3 {_text(entry['xxh3'])}") for entry in results]
    facts.append(Fact("Baseline", f"{_text(run.baseline['path'])}, {count(run.baseline['cases'], 'case')}"))
    facts += [Fact("Stored times for", _text(key)) for key in run.baseline.get("timing_keys", [])]
    return facts


def _yes_no(value: Any) -> str:
    return {True: "yes", False: "no"}.get(value, "unknown") if isinstance(value, bool) else _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "unknown"}[value]
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value) or ABSENT
    return str(value)
