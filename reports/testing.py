"""Realistic verdicts made from nothing, for the tests and for looking at the page.

    python -m reports.testing nightly > verdict.json

Errors and times follow the published T4 table, scattered by a fixed generator; the same name always gives the same text.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from .words import ERROR_STATES, NO_SIMT_TIME, TIME_STATES

_PUBLISHED = Path(__file__).resolve().parent.parent / "baselines" / "published" / "day98_t4.json"

# scheme: title, max and rms error at 1024, codes in the worst column and in all of B, T4 milliseconds at 1024
SCHEMES: dict[str, tuple[str, float, float, int, int, float]] = {
    "fp32.chain": ("FP32, one FMA chain over ascending k", 8.4e-5, 4.2e-6, 0, 0, 5.8),
    "int8.tensor": ("INT8, one scale for each tensor", 1.9, 0.331, 3, 241, 3.1),
    "int8.column": ("INT8, one scale for each column of B", 0.61, 0.127, 189, 255, 3.1),
    "int8.column_zp": ("INT8, one scale a column, A asymmetric", 0.6, 0.125, 189, 255, 3.2),
    "int8.column_24": ("INT8, one scale a column, B pruned 2:4", 17.2, 2.11, 131, 255, 3.1),
}
# kernel: arithmetic, how much slower than the T4's figure
KERNELS: dict[str, tuple[str, float]] = {
    "cpu.scalar": ("scalar, portable C++", 210.0),
    "cpu.simd": ("AVX-512 VNNI (vpdpbusd)", 9.0),
    "simt.tiled": ("host, device code run by the SIMT executor", 0.0),
    "cuda.tiled": ("CUDA cores, 32-bit integer and float", 1.0),
}
_MORE_SCHEMES = ("int8.token", "int8.smooth", "w8a16.row.chain", "w4a16.g128.rtn.chain", "fp8.e4m3.column")


def nightly() -> dict[str, Any]:
    """Five schemes, four kernels, three sizes: everything right, two times to look at."""
    cells, cases = _grid(tuple(SCHEMES), tuple(KERNELS), (256, 1024, 2048))
    by_id = {cell["id"]: cell for cell in cells}
    _set_time(by_id["int8.column/cuda.tiled/1024x1024x1024/day98/s1"], "SLOWER", 1.13)
    _set_time(by_id["fp32.chain/cpu.simd/2048x2048x2048/day98/s1"], "FASTER", 0.91)
    return _verdict(cells, cases)


def planted() -> dict[str, Any]:
    """The scales of one kernel shifted by a column, on purpose."""
    cells, cases = _grid(tuple(SCHEMES), tuple(KERNELS), (256, 1024, 2048))
    for cell in cells:
        if cell["id"].startswith("int8.column") and "/cuda.tiled/" in cell["id"] and cell["state"] == "PASS":
            _break(cell, cases)
    return _verdict(cells, cases, planted="scales_shifted_one_column")


def pull_request() -> dict[str, Any]:
    """A machine without a GPU and without stored times; one case has no baseline yet."""
    cells, cases = _grid(tuple(SCHEMES), tuple(KERNELS), (256,))
    for cell in cells:
        if "/cuda." in cell["id"]:
            _skip(cell, "no CUDA device on this machine")
        elif cell["time_state"] != "UNMEASURED":
            cell.update(time_state="INCOMPARABLE", time_reason="stored times are of other devices", time_ratio=None,
                        baseline_time_ns=None)
        if cell["id"].startswith("int8.column_24") and cell["state"] == "PASS":
            cell.update(state="NEW", reason="no stored line for this case", baseline=None)
    return _verdict(cells, cases)


def large() -> dict[str, Any]:
    """200 cells: ten schemes, four kernels, five sizes."""
    cells, cases = _grid(tuple(SCHEMES) + _MORE_SCHEMES, tuple(KERNELS), (128, 256, 512, 1024, 2048))
    return _verdict(cells, cases)


def hostile() -> dict[str, Any]:
    """Names that try to leave their place: markup, template and math syntax, bidi controls, 10 kB."""
    verdict = planted()
    names = ["</script><script>alert(1)</script>", "<!--", "a|b\"c'd`e", "\u202ereversed\u2066", "{{ 7*7 }}", "$\\frac{", "<b>&amp;",
             "javascript:alert(1)", "x" * 10_000, "two words\nand a line", "'\" onload=alert(1) x='", "\u0000\u001b[31m"]
    text = json.dumps(verdict)
    for kernel, name in zip(KERNELS, ("</script><img src=x onerror=alert(1)>", "\u202e$x_1$", "k" * 5_000, "a|b\"'&")):
        text = text.replace(kernel, json.dumps(name)[1:-1])
    verdict = json.loads(text)
    verdict["sentence"] = " ".join(names)
    verdict["reasons"] = names
    verdict["context"]["narrowgate"].update(suite=names[0], compiler=names[3], planted=names[4], command=names[8])
    for cell, name in zip(verdict["cells"], names * 5):
        cell["reason"] = cell["time_reason"] = cell["rerun"] = name
    for case, name in zip(verdict["cases"], names * 5):
        case["title"] = name
        case["distribution"] = case["distribution"] if case["n"] > 256 else name
    return verdict


def empty() -> dict[str, Any]:
    """Nothing was run: exit code 3, and the page still says so."""
    return _verdict([], [])


def studies() -> dict[str, Any]:
    """Each kind of axis, a missing value, a zero on a logarithmic axis, something marked, and one not measured."""
    curve = [0.5, 0.1, 0.02, 0.2, None]
    return {
        "schema": "narrowgate.studies/1", "version": "0.1.0", "git_commit": "f77fc84a1c3e5d7b9f0123456789abcdef012345",
        "studies": [
            _study("over_numbers", _axis("range", "σ", "linear", [1, 1.5, 2, 2.5, 3]), "log", {"4 bits": curve, "8 bits": curve[::-1]}),
            _study("over_powers", _axis("tokens", "", "log", [1, 10, 100], ["one", "ten", "hundred"]), "linear", {"time": [3.0, 2.0, 1.0]}),
            _study("over_categories", _axis("input", "", "categories", [], ["plain", "zero", "a long name of an input distribution"]), "log",
                   {f"series {number}": [0.1 * number, 0.0, 2.0] for number in range(1, 8)}),
            _study("without_times", _axis("tokens", "", "log", []), "log", {}),
        ],
    }


def _axis(label: str, unit: str, scale: str, numbers: list[float], names: list[str] | None = None) -> dict[str, Any]:
    return {"label": label, "unit": unit, "scale": scale, "numbers": numbers, "names": names or []}


def _study(name: str, x: dict[str, Any], y_scale: str, series: dict[str, list[float | None]]) -> dict[str, Any]:
    return {
        "id": name, "title": f"What is {name.replace('_', ' ')}?", "state": "measured" if series else "not_measured",
        "finding": "It is least at 2σ." if series else "Not measured: no times were given.", "x": x,
        "y": {"label": "error", "unit": "", "scale": y_scale},
        "series": [{"name": key, "y": values, "marked": 2 if number == 0 else None}
                   for number, (key, values) in enumerate(series.items())],
        "notes": ["made for the tests"], "source": "nowhere",
    }


def selftest() -> dict[str, Any]:
    """Four mutants and four gates: one that sees all, one that sees some, one that sees nothing, one that is not ours."""
    seen = {"dead_column": ["I", "E", "nmse"], "one_nan": ["guards", "I", "E"], "one_ulp": ["I"], "shifted_scales": ["I", "E"]}
    schemes = ("int8.column", "mx.mxfp4.rceil.chain")
    mutants = [
        {"name": name, "kind": "output", "what": f"the bug {name.replace('_', ' ')}",
         "kills": {schemes[0]: gates, schemes[1]: [gate for gate in gates if gate != "E"]}}
        for name, gates in seen.items()
    ]
    tries = [gates for mutant in mutants for gates in mutant["kills"].values()]
    smallest = {"I": (2**-24, 2**-20, 1), "E": (2**-14, 1, 4096)}
    return {
        "schema": "narrowgate.selftest/1", "version": "0.1.0", "git_commit": "f77fc84a1c3e5d7b9f0123456789abcdef012345",
        "gates": [
            {"name": name, "rule": f"the rule of {name}", "ours": name != "nmse", "decides": name != "nmse",
             "pairs": len(tries), "killed": sum(name in gates for gates in tries), "judged": 1000,
             "false_alarms": 652 if name == "nmse" else 0,
             "smallest": {kind: {schemes[0]: smallest[name][place] if name in smallest else None, schemes[1]: None}
                          for place, kind in enumerate(("scale", "bias", "ulp"))}}
            for name in ("guards", "I", "E", "nmse")
        ],
        "mutants": mutants,
    }


def hostile_selftest() -> dict[str, Any]:
    """Text that tries to leave its place, where the schema lets text through."""
    file = selftest()
    for gate in file["gates"]:
        gate["rule"] = "</td><script>alert(1)</script>\u202e$\\frac{ {{ 7*7 }}" + "x" * 100
    for mutant in file["mutants"]:
        mutant["what"] = "<!-- \" onload=alert(1) \u0000\u001b[31m" + "y" * 100
        mutant["kills"] = {f"<img src=x>{scheme}": gates for scheme, gates in mutant["kills"].items()}
    return file


def hostile_studies() -> dict[str, Any]:
    """Text that tries to leave its place, in every member that takes text."""
    file = studies()
    for study in file["studies"]:
        study["title"] = study["finding"] = study["source"] = study["id"] + "</text><script>alert(1)</script>\u202e$\\frac{ {{ 7*7 }}"
        study["notes"] = ["<!--", "\" onload=alert(1) x=", "\u0000\u001b[31m", "x" * 900]
        study["x"]["label"] = study["y"]["label"] = "a|b\"c'd`e<b>" + "y" * 80
        study["x"]["names"] = [f"<img src=x onerror=alert({number})>" for number in range(len(study["x"]["names"]))]
        for number, series in enumerate(study["series"]):
            series["name"] = f"<b>&amp;$x_{number}$\u2066" + "z" * 40
    return file


MADE = {made.__name__: made for made in (nightly, planted, pull_request, large, hostile, empty)}


MADE_SELFTESTS = {made.__name__: made for made in (selftest, hostile_selftest)}
MADE_STUDIES = {made.__name__: made for made in (studies, hostile_studies)}


def _random(*names: object) -> random.Random:
    return random.Random("/".join(map(str, names)))


def _grid(schemes: tuple[str, ...], kernels: tuple[str, ...], sizes: tuple[int, ...]) -> tuple[list[Any], list[Any]]:
    cases = [_case(scheme, size) for scheme in schemes for size in sizes]
    return [_cell(case, kernel) for case in cases for kernel in kernels], cases


def _facts(scheme: str) -> tuple[str, float, float, int, int, float]:
    return SCHEMES.get(scheme) or (f"A stand-in for {scheme}", 0.7, 0.14, 180, 255, 3.5)


def _case(scheme: str, size: int) -> dict[str, Any]:
    title, max_error, _, worst_codes, _, _ = _facts(scheme)
    bins = min(size, 256)
    noise = _random(scheme, size)
    scale = math.sqrt(size / 1024)
    # Per-column schemes follow the gain of the column, 2^-(column mod 7); one scale for all does not.
    gains = [1.0 if scheme == "int8.tensor" else 2.0 ** -((index * size // bins) % 7) for index in range(bins)]
    errors = [scale * max_error * gain * noise.uniform(0.55, 0.95) for gain in gains]
    errors[noise.randrange(0, bins, 7)] = scale * max_error
    bound = 40 if scheme.startswith("fp32") else 6
    case = {
        "id": f"{scheme}/{size}x{size}x{size}/day98/s1", "scheme": scheme, "title": title,
        "family": scheme.split(".")[0], "m": size, "n": size, "k": size, "distribution": "day98", "seed": 1,
        "column_first": [index * size // bins for index in range(bins)],
        "column_max_abs_err": errors,
        "column_bound": [scale * max_error * gain * bound * noise.uniform(0.97, 1.03) for gain in gains],
        "column_codes_used": [],
    }
    if worst_codes:
        case["column_codes_used"] = [_codes(scheme, worst_codes, index * size // bins % 7, noise) for index in range(bins)]
    return case


def _codes(scheme: str, worst: int, gain: int, noise: random.Random) -> int:
    if scheme != "int8.tensor":
        return noise.randrange(worst, 240)
    return max(worst, int(220 / 2.3**gain) + noise.randrange(0, 4)) if gain < 6 else worst


def _cell(case: dict[str, Any], kernel: str) -> dict[str, Any]:
    row = _row(case, kernel)
    cell = {
        "id": row["id"], "state": "PASS", "reason": "", "time_state": "SAME", "time_reason": "",
        "rerun": f"narrowgate run nightly --filter '{row['id']}'", "row": row, "baseline": _baseline(row),
        "baseline_time_ns": None, "time_ratio": None,
    }
    if kernel == "simt.tiled" and case["m"] > 1024:
        _skip(cell, "above 1024 the SIMT executor would need more than a minute")
    elif row["time_state"] == "unmeasured":
        cell.update(time_state="UNMEASURED", time_reason=NO_SIMT_TIME)
    else:
        _set_time(cell, "SAME", _random(row["id"], "ratio").uniform(0.99, 1.01))
    return cell


def _row(case: dict[str, Any], kernel: str) -> dict[str, Any]:
    _, _, rms, _, all_codes, _ = _facts(case["scheme"])
    scheme, _, rest = case["id"].partition("/")
    cell_id = f"{scheme}/{kernel}/{rest}"
    errors, bounds = case["column_max_abs_err"], case["column_bound"]
    worst = errors.index(max(errors))
    row = {
        "name": cell_id, "run_name": cell_id, "run_type": "iteration", "id": cell_id, "case": case["id"],
        "scheme": scheme, "family": case["family"], "kernel": kernel, "backend": kernel.split(".")[0],
        "contract": "exact", "arithmetic": KERNELS[kernel][0], "source": f"kernels/{case['family']}/{kernel}",
        "state": "measured", "digest": hashlib.md5(case["id"].encode()).hexdigest(),
        "max_abs_err": errors[worst], "mean_abs_err": rms * 0.8, "rms_err": rms * math.sqrt(case["m"] / 1024),
        "worst_row": 17, "worst_col": case["column_first"][worst],
        "bound_fraction": max(error / bound for error, bound in zip(errors, bounds)),
        "implementation_max_abs_err": 0.0, "implementation_mismatches": 0,
        "implementation_rows": min(case["m"], 64) if case["m"] > 512 else case["m"],
        "nonfinite": 0, "zeros": 0, "operations": 2.0 * case["m"] * case["n"] * case["k"],
        "gates": [{"gate": name, "state": "pass", "decides": True} for name in ("guards", "Q", "I", "E")],
    }
    row["gates"].append(_day98_gate(scheme))
    if scheme != "int8.column_24":
        row.update(k_gate_fraction=rms / 9 if scheme != "fp32.chain" else 4e-7,
                   sqrtk_gate_fraction=rms * 3.5 if scheme != "fp32.chain" else 1.2e-5)
    if all_codes:
        row.update(codes_used=all_codes, codes_used_worst_column=min(case["column_codes_used"]), bits_per_weight=8.0)
    return row | _times(case, kernel, cell_id)


def _day98_gate(scheme: str) -> dict[str, Any]:
    if scheme == "int8.column_24":
        return {"gate": "day98", "state": "not_applicable", "detail": "pruning changes the product"}
    return {"gate": "day98", "state": "pass", "decides": scheme.startswith("int8.column")}


def _times(case: dict[str, Any], kernel: str, cell_id: str) -> dict[str, Any]:
    slower = KERNELS[kernel][1]
    if not slower:
        return {"time_state": "unmeasured", "time_reason": NO_SIMT_TIME, "error_occurred": True,
                "error_message": NO_SIMT_TIME}
    noise = _random(cell_id, "time")
    median = _facts(case["scheme"])[5] * 1e6 * slower * (case["m"] / 1024) ** 3
    samples = [median * (0.985 + noise.expovariate(1 / 0.018)) for _ in range(5 if kernel == "cpu.scalar" else 31)]
    middle = sorted(samples)[len(samples) // 2]
    return {
        "time_state": "measured", "time_reason": "the median settled", "samples_ns": samples, "real_time": middle,
        "cpu_time": middle, "time_unit": "ns", "iterations": len(samples), "time_min_ns": min(samples),
        "time_rse": 0.004, "device_key": "t4-sm75-585" if kernel.startswith("cuda") else "epyc-7b13-avx512",
    }


def _baseline(row: dict[str, Any]) -> dict[str, Any]:
    names = ("max_abs_err", "mean_abs_err", "rms_err", "bound_fraction")
    exact = {name: [float.hex(row[name]), float(f"{row[name]:.6g}")] for name in names}
    return {"digest": row["digest"], "worst_row": row["worst_row"], "worst_col": row["worst_col"], **exact}


def _set_time(cell: dict[str, Any], state: str, ratio: float) -> None:
    reason = "" if state == "SAME" else f"median {ratio:.2f} of the stored one, beyond the 5 % band of this device"
    cell.update(time_state=state, time_reason=reason, time_ratio=ratio, baseline_time_ns=cell["row"]["real_time"] / ratio)


def _skip(cell: dict[str, Any], reason: str) -> None:
    kept = ("name", "run_name", "run_type", "id", "case", "scheme", "family", "kernel", "backend", "contract", "arithmetic")
    row = {name: cell["row"][name] for name in kept}
    row.update(state="skipped", reason=reason, gates=[], error_occurred=True, error_message=reason)
    cell.update(state="SKIPPED", reason=reason, time_state="UNMEASURED", time_reason=reason, row=row,
                baseline_time_ns=None, time_ratio=None)


def _break(cell: dict[str, Any], cases: list[Any]) -> None:
    row = cell["row"]
    case = next(case for case in cases if case["id"] == row["case"])
    position = len(case["column_first"]) // 3
    bound, column = case["column_bound"][position], case["column_first"][position]
    gates = {gate["gate"]: gate for gate in row["gates"]}
    gates["I"].update(state="fail", row=0, column=column, value=9.5, reference=4.75, bound=0.0,
                      detail="bits differ from the scheme's answer")
    gates["E"].update(state="fail", row=3, column=column, value=9.5 + bound * 3, reference=9.5, bound=bound,
                      detail="further from the original product than arithmetic allows")
    row.update(digest=hashlib.md5(row["id"].encode()).hexdigest(), implementation_mismatches=case["m"] * 61,
               bound_fraction=3.0, max_abs_err=bound * 3)
    cell.update(state="REGRESSED", reason="gate I: bits differ from the scheme's answer; gate E: outside the bound",
                baseline=_baseline(_row(case, row["kernel"])))


def _verdict(cells: list[Any], cases: list[Any], planted: str | None = None) -> dict[str, Any]:
    states = Counter(cell["state"] for cell in cells)
    times = Counter(cell["time_state"] for cell in cells)
    bad = states["REGRESSED"]
    code, word = (1, "FAIL") if bad else (0, "PASS") if cells else (3, "NO VERDICT")
    attention = [cell["id"] for cell in cells if cell["state"] == "REGRESSED"]
    attention += [cell["id"] for cell in cells if cell["time_state"] == "SLOWER"]
    return {
        "schema": "narrowgate.verdict/1", "exit_code": code,
        "sentence": f"Error gate {word}, {len(cells)} cells{f', {bad} regressed' if bad else ''}. "
                    f"Time: {times['SLOWER']} slower, {times['FASTER']} faster, {times['SAME']} same.",
        "reasons": [f"{bad} cells regressed"] if bad else [] if cells else ["nothing was measured"],
        "counts": {word: states[word] for word in ERROR_STATES} | {"total": len(cells)},
        "time_counts": {word: times[word] for word in TIME_STATES} | {"total": len(cells)},
        "results": [{"path": "results.json", "xxh3": "6d0c8a0b8f7b3a3f5a54c3d1be62f7a1"}],
        "baseline": {"path": "baselines", "cases": len(cases), "timing_keys": ["t4-sm75-585", "epyc-7b13-avx512"],
                     "published": json.loads(_PUBLISHED.read_text(encoding="utf-8"))},
        "context": _context(planted), "cells": cells, "cases": cases, "attention": attention,
    }


def _context(planted: str | None) -> dict[str, Any]:
    return {
        "date": "2026-11-30T03:17:42+00:00", "host_name": "gate-01", "executable": "narrowgate", "num_cpus": 16,
        "mhz_per_cpu": 2450, "cpu_scaling_enabled": False, "caches": [], "load_avg": [0.42, 0.38, 0.31],
        "library_build_type": "release",
        "narrowgate": {
            "version": "0.1.0", "suite": "nightly", "suite_description": "every scheme on every kernel",
            "command": "narrowgate run nightly --out results.json", "git_commit": "f77fc84a1c3e5d7b9f0123456789abcdef012345",
            "git_dirty": False, "compiler": "GNU 12.2.0", "flags": "-O3 -march=x86-64-v3 -maes -mpclmul -ffp-contract=off",
            "simd_target": "AVX3_ZEN4", "threads": 16, "timing": True, "planted": planted, "filter": None,
            "environment": {"governor": "performance", "kernel": "6.1.0"},
            "devices": {
                "cpu": {"key": "epyc-7b13-avx512", "model": "AMD EPYC 7B13", "units": 16, "isa": "x86-64-v4"},
                "simt": {"key": "epyc-7b13-avx512", "model": "AMD EPYC 7B13", "units": 16},
                "cuda": {"key": "t4-sm75-585", "model": "Tesla T4", "units": 40, "isa": "sm_75",
                         "driver": "580.173.02", "runtime": "13.0"},
            },
        },
    }


if __name__ == "__main__":
    json.dump((MADE | MADE_STUDIES | MADE_SELFTESTS)[sys.argv[1]](), sys.stdout, indent=1)
