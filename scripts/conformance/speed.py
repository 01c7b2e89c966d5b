#!/usr/bin/env python3
"""Speed beside ml_dtypes on the same array and the same number of threads.

    speed.py BUILD/conformance_speed [--elements 67108864]

Prints one line an item: seconds here, as a fraction of memcpy, and how many times as fast as NumPy + ml_dtypes.
Targets: 10 × ml_dtypes; encode and quantization 0.5, decode 0.7 of memcpy at 64 Mi elements.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import ml_dtypes
import numpy as np

ELEMENT = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2, "e2m1": ml_dtypes.float4_e2m1fn}
MX_EMAX = {"mxfp8": 8, "mxfp4": 2}
MX_MAXIMUM = {"mxfp8": 448.0, "mxfp4": 6.0}


def quantize_mx(x, kind, rule, dtype):
    """Vectorized NumPy: exponents by bit field, one pass over a slab of rows."""
    blocks = x.reshape(-1, 32)
    amax = np.abs(blocks).max(axis=1)
    exponent = (amax.view(np.uint32) >> 23).astype(np.int32) - 127 - MX_EMAX[kind]
    if rule == "rceil":
        exponent += amax > np.ldexp(np.float32(MX_MAXIMUM[kind]), exponent)
    scale = np.ldexp(np.float32(1), np.clip(exponent, -126, 127))
    limit = np.float32(MX_MAXIMUM[kind])
    return np.clip(blocks / scale[:, None], -limit, limit).astype(dtype), scale


def quantize_nvfp4(x, tensor_scale):
    blocks = x.reshape(-1, 16)
    amax = np.abs(blocks).max(axis=1)
    scale = np.minimum(amax / np.float32(6) / tensor_scale, np.float32(448)).astype(ml_dtypes.float8_e4m3fn).astype(np.float32)
    scale = np.maximum(scale, np.float32(2.0**-9))
    return np.clip(blocks / (scale * tensor_scale)[:, None], -6, 6).astype(ml_dtypes.float4_e2m1fn), scale


def in_threads(pool, threads, x, work):
    """Applies work to equal slabs; NumPy releases the lock in its loops."""
    return list(pool.map(work, np.array_split(x, threads)))


def numpy_work(item, pool, threads, x, coded):
    kind, _, rest = item.partition(" ")
    if kind == "encode":
        return lambda: in_threads(pool, threads, x, lambda part: part.astype(ELEMENT[rest]))
    if kind == "decode":
        return lambda: in_threads(pool, threads, coded[rest], lambda part: part.astype(np.float32))
    if kind == "nvfp4":
        def nvfp4():
            top = max(in_threads(pool, threads, x, lambda part: np.abs(part).max()))
            in_threads(pool, threads, x, lambda part: quantize_nvfp4(part, np.float32(top / 2688)))
        return nvfp4
    dtype = ELEMENT["e4m3" if kind == "mxfp8" else "e2m1"]
    return lambda: in_threads(pool, threads, x, lambda part: quantize_mx(part, kind, rest, dtype))


def best_of(rounds, work):
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built conformance_speed")
    parser.add_argument("--elements", type=int, default=1 << 26)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))
    x = np.random.default_rng(1).standard_normal(arguments.elements, dtype=np.float32).reshape(-1, 8192)
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x)
        output = subprocess.run([arguments.program, f"{folder}/x.npy"], check=True, capture_output=True, text=True).stdout
    coded = {name: np.random.default_rng(2).integers(0, 126, x.shape, dtype=np.uint8).view(ELEMENT[name]) for name in ("e4m3", "e5m2")}
    coded["e2m1"] = np.random.default_rng(2).integers(0, 16, x.shape, dtype=np.uint8).view(ELEMENT["e2m1"])
    print(f"{x.size} elements, {threads} threads, ml_dtypes {ml_dtypes.__version__}, numpy {np.__version__}")
    print(f"{'item':<14} {'here ms':>9} {'memcpy ms':>10} {'of memcpy':>10} {'numpy ms':>10} {'times':>7}")
    with ThreadPoolExecutor(threads) as pool:
        for line in output.splitlines():
            row = json.loads(line)
            other = best_of(arguments.rounds, numpy_work(row["item"], pool, threads, x, coded))
            print(f"{row['item']:<14} {row['seconds'] * 1e3:9.2f} {row['memcpy_seconds'] * 1e3:10.2f} {row['of_memcpy']:10.2f} "
                  f"{other * 1e3:10.1f} {other / row['seconds']:7.1f}")


if __name__ == "__main__":
    main()
