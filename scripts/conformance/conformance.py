#!/usr/bin/env python3
"""Conformance table: this project's number formats beside other implementations, on the same floats.

    conformance.py BUILD/conformance_codes [--write docs/formats.md] [--json out.json]
    conformance.py BUILD/conformance_codes --exhaustive [--chunks 256] [--jobs N]

Every float exponent, every code and every tie neighbourhood of each format is encoded by all implementations that are
installed (ml_dtypes, gfloat, CUDA's host headers through the C++ program). A row of the table is one implementation
and one item; a difference names the first input where it differs. Exit code: 0 when all differences are known defects
or policies of others, listed in KNOWN; 1 when one is not, which is a defect of ours or news about theirs.

--exhaustive compares the codes of all 2^32 floats with ml_dtypes instead, a line for each format, by the same exit code.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import gfloat
import ml_dtypes
import numpy as np
from gfloat import formats as gfloat_formats

ML_DTYPES = {
    "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2, "e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "e5m2fnuz": ml_dtypes.float8_e5m2fnuz, "e2m3": ml_dtypes.float6_e2m3fn, "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn, "e8m0": ml_dtypes.float8_e8m0fnu, "bf16": ml_dtypes.bfloat16, "fp16": np.float16,
}
GFLOAT = {
    "e4m3": gfloat_formats.format_info_ocp_e4m3, "e5m2": gfloat_formats.format_info_ocp_e5m2,
    "e2m3": gfloat_formats.format_info_ocp_e2m3, "e3m2": gfloat_formats.format_info_ocp_e3m2,
    "e2m1": gfloat_formats.format_info_ocp_e2m1, "e8m0": gfloat_formats.format_info_ocp_e8m0,
    "mxint8": gfloat_formats.format_info_ocp_int8, "bf16": gfloat_formats.format_info_bfloat16,
    "fp16": gfloat_formats.format_info_binary16,
}
REFUSED = 0xFFFF  # written by conformance_codes where a format has no code for NaN
NAN_MARK = np.float32(12345.0)  # no format here has this number
UNEXPLAINED = "UNEXPLAINED"
KINDS = ("nan", "infinity", "zero", "negative", "below", "subnormal", "finite")
CHUNKS, CHUNK_FLOATS = 256, 1 << 24  # of all floats: one for each top byte
MARK_BEGIN, MARK_END = "<!-- conformance: begin -->", "<!-- conformance: end -->"
WITHOUT_NAN = ("e2m3", "e3m2", "e2m1")  # formats of ML_DTYPES and CUDA's headers

# (implementation, format, item, kind of input) → why it differs. Defects are theirs; policies are other people's
# choices, of which those of kernels/quantize/alternative_policies.h stand at the end.
KNOWN = {
    ("ml_dtypes", "e8m0", "nearest even", "finite"): "defect: ties of even powers of two go up (3.0 → 4; the even code is 2)",
    ("ml_dtypes", "e8m0", "nearest even", "subnormal"): "defect: FP32 subnormals from 2⁻¹²⁷ to 1.5·2⁻¹²⁷ go up to 2⁻¹²⁶",
    ("ml_dtypes", "e8m0", "nearest even", "zero"): "policy: zero becomes NaN; here the smallest number",
    **{(implementation, name, item, "nan"): "policy: NaN into a format without one; refused here"
       for implementation, item in (("ml_dtypes", "nearest even"), ("cuda", "saturate")) for name in WITHOUT_NAN},
    ("cuda", "e8m0", "toward_zero", "negative"): "policy: what becomes of numbers E8M0 does not have",
    ("cuda", "e8m0", "toward_zero", "infinity"): "policy: what becomes of numbers E8M0 does not have",
    ("fp32_bf16_e8m0", "e8m0", "saturate", "negative"): "policy: what becomes of numbers E8M0 does not have",
    ("gfloat", "e8m0", "saturate", "below"): "defect: rounds to powers of two below the format",
    ("gfloat", "e8m0", "no_saturate", "below"): "defect: rounds to powers of two below the format",
    ("gfloat", "e8m0", "toward_zero", "below"): "defect: rounds to powers of two below the format",
    ("fp32_bf16_e8m0", "e8m0", "saturate", "finite"): "defect of the formula: rounding twice",
    ("fp32_bf16_e8m0", "e8m0", "saturate", "subnormal"): "defect of the formula: rounding twice",
    ("floor_log2f", "e8m0", "toward_zero", "finite"): "defect of the formula: log2f rounds up just below powers of two",
    ("half_away", "e2m1", "saturate", "finite"): "defect of the formula (microxcaling's \"nearest\"): ties away from zero",
    ("reciprocal", "int8", "half_of_amax", "finite"): "policy: multiply by a rounded reciprocal; here a true division",
    ("wrapping", "int8", "saturate", "finite"): "policy: overflow wraps, and −128 exists; here codes are clamped",
    ("wrapping", "int8", "saturate", "infinity"): "policy: overflow wraps, and infinity has no low bits",
    ("no_saturation", "e4m3", "saturate", "finite"): "policy: overflow becomes NaN; here the maximum",
    ("no_saturation", "e4m3", "saturate", "infinity"): "policy: infinity becomes NaN; here the maximum",
    ("no_saturation", "e5m2", "saturate", "finite"): "policy: overflow becomes infinity; here the maximum",
    ("no_saturation", "e5m2", "saturate", "infinity"): "policy: infinity stays; here the maximum",
    ("one_for_zeros", "e8m0", "mx_floor", "zero"): "policy: the scale of a block of zeros is 1; here the smallest",
    ("nan_scale", "e8m0", "mx_floor", "nan"): "policy: a block with NaN gets the scale NaN; here it is refused",
    ("nan_scale", "e8m0", "mx_floor", "infinity"): "policy: a block with Inf gets the scale NaN; here it is refused",
    ("propagating", "e5m2", "mx_floor", "nan"): "policy: NaN passes through; here the block is refused",
    ("propagating", "e5m2", "mx_floor", "infinity"): "policy: infinity passes through; here the block is refused",
}


def distinct(values):
    """Each value once, ascending. np.unique hashes, which takes many times as long on millions of them."""
    values = np.sort(values)
    return values[np.append(True, values[1:] != values[:-1])]


def sample_floats(decode_tables):
    """2^22 floats over all exponents and both signs, then each number and midpoint of each format and its neighbours;
    all distinct, ascending by bits. Also which of them are of the second kind."""
    rng = np.random.default_rng(2022)
    mantissa = rng.integers(0, 1 << 23, size=(512, 1 << 13), dtype=np.uint32)
    mantissa[:, :8] = [0, 1, 0x400000, 0x3FFFFF, 0x400001, 0x7FFFFF, 0x7FFFFE, 0x600000]
    bits = ((np.arange(512, dtype=np.uint32) << 23)[:, None] | mantissa).ravel()
    centers = []
    for table in decode_tables.values():
        values = distinct(table[np.isfinite(table)].astype(np.float64))
        top = values[-1] + (values[-1] - values[-2]) / 2 if len(values) > 1 else values[-1]
        centers.append(np.concatenate([values, (values[1:] + values[:-1]) / 2, [0.0, -0.0, top, -top]]))
    with np.errstate(over="ignore"):
        centers = np.concatenate(centers).astype(np.float32).view(np.uint32)
    near = (centers[:, None] + np.arange(-3, 4).astype(np.uint32)).ravel()
    every = distinct(np.concatenate([bits, near]))
    return every.view(np.float32), np.isin(every, near)


def kinds_of(name, inputs):
    """What kind of input each is to the format, as an index into KINDS: policies differ by kind."""
    x = np.asarray(inputs, np.float32)
    e8m0 = name == "e8m0"
    of_kind = [np.isnan(x), np.isinf(x)]
    of_kind += [e8m0 & which for which in (x == 0, x < 0, x < 2.0**-127, x < 2.0**-126)]
    return np.select(of_kind, range(len(of_kind)), len(of_kind))


def with_nan_merged(codes, table):
    """Codes of NaN compare as one."""
    codes = codes.astype(np.int64)
    inside = codes < len(table)
    merged = codes.copy()
    merged[inside & np.isnan(table[np.minimum(codes, len(table) - 1)])] = -1
    return merged


class Table:
    def __init__(self):
        self.rows, self.unknown = [], 0

    def compare(self, implementation, name, item, inputs, ours, theirs, describe):
        """One row for agreement, or one for each kind of input that differs."""
        differs = np.flatnonzero(ours != theirs)
        if len(differs) == 0:
            self.rows.append((implementation, name, item, len(inputs), 0, "", ""))
            return
        kinds = kinds_of(name, inputs[differs])
        counts = np.bincount(kinds)
        first_of = sorted((differs[np.argmax(kinds == kind)], kind) for kind in np.flatnonzero(counts))
        for first, kind in first_of:
            why = self.why(implementation, name, item, KINDS[kind])
            text = f"{describe(inputs[first])}: {describe(theirs[first])}, here {describe(ours[first])}"
            self.rows.append((implementation, name, item, len(inputs), int(counts[kind]), text, why))

    def why(self, implementation, name, item, kind):
        why = KNOWN.get((implementation, name, item, kind), UNEXPLAINED)
        self.unknown += why == UNEXPLAINED
        return why


def merge(values):
    """Values of which every NaN is the same number, for comparing bits."""
    return np.where(np.isnan(values), NAN_MARK, values).astype(np.float32)


def describe(x):
    if isinstance(x, (int, np.integer)):
        return "NaN" if x == -1 else ("refused" if x == REFUSED else f"0x{int(x):02X}")
    return f"{float(x):.9g}"


def compare_ml_dtypes(table, codes, inputs):
    for name, dtype in ML_DTYPES.items():
        decode = codes[f"ours/{name}/decode"]
        raw = np.arange(len(decode), dtype=np.uint16 if len(decode) > 256 else np.uint8)
        theirs = raw.view(dtype).astype(np.float32)
        table.compare("ml_dtypes", name, "decode", raw, merge(decode).view(np.uint32), merge(theirs).view(np.uint32), describe)
        with np.errstate(all="ignore"):
            encoded = inputs.astype(dtype).view(raw.dtype)
        ours = codes[f"ours/{name}/no_saturate"]
        table.compare("ml_dtypes", name, "nearest even", inputs, with_nan_merged(ours, decode),
                      with_nan_merged(encoded, decode), describe)


def compare_gfloat(table, codes, inputs, is_near, stride):
    """gfloat works in double and its vector form is slow, so the sample is thinned; neighbourhoods stay whole."""
    index = np.flatnonzero(is_near | (np.arange(len(inputs)) % stride == 0))
    some = inputs[index]
    for name, info in GFLOAT.items():
        decode = codes[f"ours/{name}/decode"]
        raw = np.arange(len(decode))
        theirs = np.array(gfloat.decode_ndarray(info, raw), dtype=np.float32)
        table.compare("gfloat", name, "decode", raw, merge(decode).view(np.uint32), merge(theirs).view(np.uint32), describe)
        for item, rounding, saturate in (
            ("saturate", gfloat.RoundMode.TiesToEven, True),
            ("no_saturate", gfloat.RoundMode.TiesToEven, False),
            ("toward_zero", gfloat.RoundMode.TowardZero, True),
        ):
            ours = codes[f"ours/{name}/{item}"][index]
            try:
                with np.errstate(all="ignore"):
                    # Formats without NaN raise on it; they are compared on numbers.
                    numbers = ~np.isnan(some) if not info.num_nans else np.ones(len(some), bool)
                    if name == "e8m0":
                        numbers &= some > 0
                    rounded = gfloat.round_ndarray(info, some[numbers].astype(np.float64), rounding, saturate)
            except ValueError as error:
                table.rows.append(("gfloat", name, item, 0, 0, "", f"not run: {error}"))
                continue
            values = np.where(ours[numbers] < len(decode), decode[np.minimum(ours[numbers], len(decode) - 1)], np.nan)
            mine, other = merge(values), merge(np.asarray(rounded, dtype=np.float32))
            if name == "mxint8":
                lowest = other == -2.0
                table.rows.append(("gfloat", name, item, len(other), int(lowest.sum()), "−2 and below: -2, here -1.984375",
                                   "policy: −2 exists; here the format is symmetric"))
                other = np.where(lowest, np.float32(-127 / 64), other)
            table.compare("gfloat", name, item, some[numbers], mine.view(np.uint32), other.view(np.uint32), bits_as_float)


def bits_as_float(x):
    if isinstance(x, np.uint32):
        value = np.array([x], np.uint32).view(np.float32)[0]
        return "NaN" if value == NAN_MARK else f"{value:.9g}"
    return describe(x)


def compare_program(table, codes, inputs):
    """CUDA's headers, the formulas and the policies, from the same program."""
    for key in sorted(codes):
        implementation, name, item = key.split("/")
        if implementation == "ours":
            continue
        decode = codes[f"ours/{name}/decode"]
        if item == "decode":
            raw = np.arange(len(decode))
            table.compare(implementation, name, item, raw, merge(decode).view(np.uint32), merge(codes[key]).view(np.uint32), describe)
            continue
        table.compare(implementation, name, item, inputs, with_nan_merged(codes[f"ours/{name}/{item}"], decode),
                      with_nan_merged(codes[key], decode), describe)


def markdown(table, versions):
    lines = [f"Generated by `scripts/conformance/conformance.py` with {versions}.", "",
             "| implementation | format | item | inputs | differ | first difference (input: theirs, here) | whose |",
             "|---|---|---|---:|---:|---|---|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in table.rows]
    return "\n".join(lines) + "\n"


def write_between_marks(path, text):
    page = Path(path).read_text(encoding="utf-8")
    before, rest = page.split(MARK_BEGIN)
    after = rest.split(MARK_END)[1]
    Path(path).write_text(f"{before}{MARK_BEGIN}\n{text}{MARK_END}{after}", encoding="utf-8")


def run_program(program, inputs):
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/sample.npy", inputs)
        subprocess.run([program, f"{folder}/sample.npy", f"{folder}/codes.npz"], check=True)
        with np.load(f"{folder}/codes.npz") as archive:
            return {key: archive[key] for key in archive}


def known_differences(name, bits, ours, theirs):
    """(why, which) for what is known of ml_dtypes, by exactly the inputs that it is known for."""
    magnitude = bits & 0x7FFFFFFF
    if name in WITHOUT_NAN:
        yield KNOWN["ml_dtypes", name, "nearest even", "nan"], (ours == REFUSED) & (magnitude > 0x7F800000)
    if name == "e8m0":
        why = {kind: KNOWN["ml_dtypes", name, "nearest even", kind] for kind in ("zero", "subnormal", "finite")}
        to_odd = (ours % 2 == 0) & (theirs == ours + 1)
        normal = (bits >= 0x800000) & (bits < 0x7F800000)
        yield why["zero"], magnitude == 0
        yield why["subnormal"], to_odd & (bits > 0x400000) & (bits <= 0x600000)
        yield why["finite"], to_odd & normal & (bits & 0x7FFFFF == 0x400000)


def codes_of_chunk(program, name, chunk):
    """The floats with this top byte, as bits, and their codes here and by ml_dtypes, where these differ and are not
    both NaN."""
    dtype = np.dtype(ML_DTYPES[name])
    raw = np.arange(1 << 8 * dtype.itemsize, dtype=f"u{dtype.itemsize}")
    is_nan = np.zeros(1 << 16, bool)
    bits = np.arange(chunk * CHUNK_FLOATS, (chunk + 1) * CHUNK_FLOATS, dtype=np.uint32)
    with np.errstate(all="ignore"):
        is_nan[: len(raw)] = np.isnan(raw.view(dtype).astype(np.float32))
        theirs = bits.view(np.float32).astype(dtype).view(raw.dtype).astype(np.uint16)
    written = subprocess.run([program, name, str(bits[0]), str(len(bits))], check=True, stdout=subprocess.PIPE).stdout
    ours = np.frombuffer(written, np.uint16)
    if len(ours) != len(bits):
        raise RuntimeError(f"{program} wrote {len(ours)} codes of {name}; expected {len(bits)}")
    where = np.flatnonzero(ours != theirs)
    where = where[~(is_nan[ours[where]] & is_nan[theirs[where]])]
    return bits[where], ours[where], theirs[where]


def differences_in_chunk(program, name, chunk):
    """{why: (how many, "first input: theirs, here ours")}."""
    bits, ours, theirs = codes_of_chunk(program, name, chunk)
    found, left = {}, np.ones(len(bits), bool)
    for why, which in [*known_differences(name, bits, ours, theirs), (UNEXPLAINED, left.copy())]:
        which = which & left
        left &= ~which
        if which.any():
            i = np.argmax(which)
            first = bits[i : i + 1].view(np.float32)[0]
            found[why] = (int(which.sum()), f"{describe(first)}: {describe(theirs[i])}, here {describe(ours[i])}")
    return found


def compare_all_floats(program, chunk_count, jobs):
    """Prints a line for each format and returns the number of unexplained differences. Memory does not grow."""
    chunks = [i * CHUNKS // chunk_count for i in range(chunk_count)]
    unexplained = 0
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for name in ML_DTYPES:
            start, total = time.monotonic(), {}
            for found in pool.map(functools.partial(differences_in_chunk, program, name), chunks):
                for why, (count, first) in found.items():
                    total[why] = (total.get(why, (0,))[0] + count, total.get(why, (0, first))[1])
            seconds = time.monotonic() - start
            differ = "".join(f"; {count} differ, first {first} ({why})" for why, (count, first) in total.items())
            print(f"{name}: {len(chunks) * CHUNK_FLOATS} floats, {seconds:.0f} s{differ}", flush=True)
            unexplained += total.get(UNEXPLAINED, (0,))[0]
    return unexplained


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built conformance_codes")
    parser.add_argument("--write", help="page whose marked section to replace")
    parser.add_argument("--json", help="file for the rows as JSON")
    parser.add_argument("--gfloat-stride", type=int, default=16, help="take every n-th float of the large sample for gfloat")
    parser.add_argument("--exhaustive", action="store_true", help="all floats against ml_dtypes, instead of the table")
    parser.add_argument("--chunks", type=int, choices=range(1, CHUNKS + 1), default=CHUNKS, metavar=f"1…{CHUNKS}",
                        help=f"with --exhaustive: take so many of the {CHUNKS} top bytes, evenly spread")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="with --exhaustive: processes")
    arguments = parser.parse_args()
    if arguments.exhaustive:
        return 1 if compare_all_floats(arguments.program, arguments.chunks, arguments.jobs) else 0

    tables = {key: value for key, value in run_program(arguments.program, np.ones(1, np.float32)).items() if key.endswith("/decode")}
    inputs, is_near = sample_floats({key: value for key, value in tables.items() if key.startswith("ours/")})
    codes = run_program(arguments.program, inputs)
    table = Table()
    compare_ml_dtypes(table, codes, inputs)
    compare_gfloat(table, codes, inputs, is_near, arguments.gfloat_stride)
    compare_program(table, codes, inputs)

    text = markdown(table, ", ".join(f"{package} {version(package)}" for package in ("ml_dtypes", "gfloat", "numpy")))
    if arguments.write:
        write_between_marks(arguments.write, text)
    else:
        sys.stdout.write(text)
    if arguments.json:
        columns = ("implementation", "format", "item", "inputs", "differ", "first", "whose")
        Path(arguments.json).write_text(json.dumps([dict(zip(columns, row)) for row in table.rows], indent=1), encoding="utf-8")
    return 1 if table.unknown else 0


if __name__ == "__main__":
    sys.exit(main())
