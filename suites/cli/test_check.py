"""`narrowgate check` as a user runs it, on outputs that NumPy computed: right ones pass, broken ones fail, bad files are named."""

from __future__ import annotations

import json
import os
import pathlib
import random
import struct
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("NARROWGATE_BIN", ROOT / "build" / "narrowgate"))
FUZZED = int(os.environ.get("NARROWGATE_FUZZ", "300"))  # files; 20,000 for a long night

M, K, N = 24, 40, 16
F32 = np.float32


def check(folder: pathlib.Path, scheme: str, *arguments: str, c: str = "c.npy") -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, "check", "--scheme", scheme, "--a", "a.npy", "--b", "b.npy", "--c", c, *arguments],
                          cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def symmetric(x: np.ndarray, axis: int | None) -> tuple[np.ndarray, np.ndarray]:
    """INT8 codes and scales by the definition, in FP32 throughout."""
    scale = np.maximum(np.abs(x).max(axis=axis, keepdims=True) / F32(127), F32(2.0**-126)).astype(F32)
    return np.clip(np.rint(x / scale), -127, 127).astype(np.int64), scale


def product(qa: np.ndarray, sa: np.ndarray, qb: np.ndarray, sb: np.ndarray) -> np.ndarray:
    return (qa @ qb).astype(F32) * (sa * sb)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    generator = np.random.default_rng(7)
    np.save(tmp_path / "a.npy", generator.uniform(0, 1, (M, K)).astype(F32))
    np.save(tmp_path / "b.npy", (generator.normal(size=(K, N)) * 2.0 ** -(np.arange(N) % 5)).astype(F32))
    return tmp_path


def operands(folder: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    return np.load(folder / "a.npy"), np.load(folder / "b.npy")


def save(folder: pathlib.Path, c: np.ndarray, name: str = "c.npy") -> None:
    np.save(folder / name, np.ascontiguousarray(c))


def int8_column(folder: pathlib.Path) -> tuple[np.ndarray, ...]:
    a, b = operands(folder)
    qa, sa = symmetric(a, None)
    qb, sb = symmetric(b, 0)
    return qa, sa, qb, sb


def test_a_product_by_numpy_is_within_the_bound(folder: pathlib.Path) -> None:
    a, b = operands(folder)
    save(folder, a @ b)
    ran = check(folder, "fp32.chain")
    assert ran.returncode == 0, ran.stdout
    assert ran.stdout.startswith(f"PASS fp32.chain {M}x{N}x{K} c.npy\n")
    np.save(folder / "b.npy", np.ascontiguousarray(b.T))
    assert check(folder, "fp32.chain", "--b-transposed").returncode == 0


def test_int8_from_scratch_is_exact(folder: pathlib.Path) -> None:
    c = product(*int8_column(folder))
    save(folder, c)
    ran = check(folder, "int8.column", "--exact")
    assert ran.returncode == 0, ran.stdout
    assert "every bit is the scheme's" in ran.stdout
    c[3, 5] = np.nextafter(c[3, 5], F32(np.inf))
    save(folder, c)
    assert check(folder, "int8.column").returncode == 0
    exact = check(folder, "int8.column", "--exact")
    assert exact.returncode == 1
    assert "row 3, column 5" in exact.stdout and "1 of 384 elements differ" in exact.stdout


def test_a_half_is_compared_with_the_answer_rounded(folder: pathlib.Path) -> None:
    save(folder, product(*int8_column(folder)).astype(np.float16))
    assert check(folder, "int8.column", "--exact").returncode == 0


def test_codes_decide(folder: pathlib.Path) -> None:
    qa, sa, qb, sb = int8_column(folder)
    np.save(folder / "qb.npy", qb.astype(np.int8))
    np.save(folder / "sb.npy", sb)
    save(folder, product(qa, sa, qb, sb))
    given = ["--b-codes", "qb.npy", "--b-scales", "sb.npy"]
    assert check(folder, "int8.column", *given).returncode == 0
    qb[2, 3] -= 1
    np.save(folder / "qb.npy", qb.astype(np.int8))
    save(folder, product(qa, sa, qb, sb))
    ran = check(folder, "int8.column", *given)
    assert ran.returncode == 1
    assert "gate Q" in ran.stdout and "row 2, column 3" in ran.stdout
    assert "\n  I       pass       decides\n" in ran.stdout


def four_bits(b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes, FP16 scales and zero points of groups of 32 along k, asymmetric."""
    codes, scales, zeros = np.zeros(b.shape, np.int64), [], []
    for first in range(0, len(b), 32):
        group = b[first:first + 32].astype(np.float64)
        low, high = np.minimum(group.min(0), 0), np.maximum(group.max(0), 0)
        scale = np.maximum(((high.astype(F32) - low.astype(F32)).astype(np.float64) / 15).astype(np.float16), np.float16(2.0**-14)).astype(F32)
        zero = np.clip(np.rint(-low.astype(F32) / scale), 0, 15)
        codes[first:first + 32] = np.clip(np.rint(group.astype(F32) / scale) + zero, 0, 15)
        scales.append(scale)
        zeros.append(zero.astype(np.int64))
    return codes, np.array(scales), np.array(zeros)


def packed(codes: np.ndarray, axis: int, order: list[int]) -> np.ndarray:
    """Eight codes a word along an axis; bits 4·i hold the code of place order[i]."""
    codes = np.moveaxis(codes, axis, -1)
    padded = np.pad(codes, [(0, 0), (0, -codes.shape[-1] % 8)]).reshape(codes.shape[0], -1, 8)
    words = sum(padded[:, :, place].astype(np.uint64) << np.uint64(4 * i) for i, place in enumerate(order))
    return np.ascontiguousarray(np.moveaxis(words.astype(np.uint32).view(np.int32), -1, axis))


@pytest.mark.parametrize("packing", ["gptq", "awq", "k-words", "bytes"])
def test_packed_weights_in_the_common_layouts(folder: pathlib.Path, packing: str) -> None:
    a, b = operands(folder)
    codes, scales, zeros = four_bits(b)
    along, awq = list(range(8)), [0, 2, 4, 6, 1, 3, 5, 7]
    words, stored_zeros = {
        "gptq": (packed(codes, 0, along), packed(zeros - 1 & 15, 1, along)),
        "awq": (packed(codes, 1, awq), packed(zeros, 1, awq)),
        "k-words": (packed(codes, 0, along), zeros.astype(np.int32)),
        "bytes": ((codes[0::2] | codes[1::2] << 4).astype(np.uint8), zeros.astype(np.uint8)),
    }[packing]
    np.save(folder / "q.npy", words)
    np.save(folder / "s.npy", scales.astype(np.float16))
    np.save(folder / "z.npy", stored_zeros)
    x = a.astype(np.float16).astype(np.float64)
    weights = (codes - np.repeat(zeros, 32, 0)[:K]) * np.repeat(scales, 32, 0)[:K].astype(np.float64)
    acc = np.zeros((M, N), F32)
    for k in range(K):  # a double holds product and sum well enough to round as a fused multiply-add does, nearly always
        acc = (x[:, k:k + 1] * weights[k] + acc).astype(F32)
    save(folder, acc)
    ran = check(folder, SCHEME_W4, "--b-codes", "q.npy", "--b-scales", "s.npy", "--b-zeros", "z.npy",
                "--b-packing", packing)
    assert "\n  Q       pass       decides\n" in ran.stdout, ran.stdout + ran.stderr
    assert ran.returncode == 0, ran.stdout


SCHEME_W4 = "w4a16.g32_zp.rtn.chain"

# Bugs that the self-test does not plant, written with NumPy alone: what each does to an int8.column output.
BROKEN = {
    "columns reversed": lambda c, p: c[:, ::-1],
    "the transpose of C": lambda c, p: c.T.reshape(M, N),
    "half of k counted twice": lambda c, p: c + product(p[0][:, K // 2:], p[1], p[2][K // 2:], p[3]),
    "absolute values": lambda c, p: np.abs(c),
    "every other row of A": lambda c, p: np.repeat(c[::2], 2, axis=0),
    "a wraparound at 16 bits": lambda c, p: ((p[0] @ p[2] + 2**15) % 2**16 - 2**15).astype(F32) * (p[1] * p[3]),
    "the largest column saturated": lambda c, p: np.clip(c, -np.abs(c).max() / 2, np.abs(c).max() / 2),
    "scales squared": lambda c, p: c * (p[1] * p[3]),
    "a block of 8x8 left over from before": lambda c, p: np.block([[c[8:16, :8], c[:8, 8:]], [c[8:, :8], c[8:, 8:]]]),
    "one infinity": lambda c, p: np.where(np.arange(M * N).reshape(M, N) == 77, F32(np.inf), c),
    "one dead channel, the quietest": lambda c, p: c * (np.arange(N) != 4),
    "k in the order of a tensor core's fragment": lambda c, p: product(p[0], p[1], p[2].reshape(-1, 4, 2, N).swapaxes(1, 2).reshape(K, N), p[3]),
}


@pytest.mark.parametrize("bug", BROKEN)
def test_broken_outputs_fail(folder: pathlib.Path, bug: str) -> None:
    parts = int8_column(folder)
    with np.errstate(all="ignore"):
        save(folder, BROKEN[bug](product(*parts), parts).astype(F32))
    ran = check(folder, "int8.column")
    assert ran.returncode == 1, ran.stdout
    assert ran.stdout.startswith("FAIL") and ("gate E" in ran.stdout or "gate guards" in ran.stdout)


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (lambda qa, sa, qb, sb: product(qa[:, :-8], sa, qb[:-8], sb), "the last 8 of k"),
        (lambda qa, sa, qb, sb: product(qa, sa, qb, np.roll(sb, -1)), "the scales of B one column on"),
        (lambda qa, sa, qb, sb: product(qa, sa, qb.reshape(-1, 2, N)[:, ::-1].reshape(K, N), sb), "a period of 2"),
        (lambda qa, sa, qb, sb: product(qa, sa, qb, sb) * np.linspace(0.5, 2, N).astype(F32), "a ratio for each column"),
        (lambda qa, sa, qb, sb: product(qa, sa, qb, sb).T.reshape(M, N), "C written transposed"),
    ],
)
def test_a_likely_cause_is_named(folder: pathlib.Path, spoil, cause: str) -> None:
    save(folder, spoil(*int8_column(folder)))
    ran = check(folder, "int8.column")
    assert ran.returncode == 1
    assert cause in ran.stdout and "explains" in ran.stdout


def test_a_dropped_zero_point_is_named(folder: pathlib.Path) -> None:
    a, b = operands(folder)
    scale = F32(a.max() / F32(255))
    codes = np.clip(np.rint(a / scale), 0, 255).astype(np.int64) - 128  # zero point −128 of the stored codes
    qb, sb = symmetric(b, 0)
    save(folder, product(codes + 128, scale, qb, sb))
    assert check(folder, "int8.column_zp", "--exact").returncode == 0
    save(folder, product(codes, scale, qb, sb))
    ran = check(folder, "int8.column_zp")
    assert ran.returncode == 1
    assert "zero points of A not corrected" in ran.stdout


def test_dead_channels_are_counted(folder: pathlib.Path) -> None:
    c = product(*int8_column(folder))
    c[:, [3, 7, 11]] = 0
    save(folder, c)
    ran = check(folder, "int8.column")
    assert ran.returncode == 1
    assert "3 dead channels: 3, 7, 11" in ran.stdout


def test_noise_has_no_cause(folder: pathlib.Path) -> None:
    save(folder, np.random.default_rng(3).normal(size=(M, N)).astype(F32) * 50)
    ran = check(folder, "int8.column")
    assert ran.returncode == 1
    assert "likely cause" not in ran.stdout


def test_a_vacuous_bound_is_no_verdict(folder: pathlib.Path) -> None:
    generator = np.random.default_rng(5)
    np.save(folder / "a.npy", generator.normal(size=(4, 1024)).astype(F32))
    np.save(folder / "b.npy", generator.normal(size=(1024, 8)).astype(F32))
    save(folder, generator.normal(size=(4, 8)).astype(F32))
    ran = check(folder, "mx.mxfp4.floor.chain")
    assert ran.returncode == 3
    assert ran.stdout.startswith("NO_VERDICT") and "vacuous" in ran.stdout


def test_json_is_strict_and_quiet_is_one_line(folder: pathlib.Path) -> None:
    c = product(*int8_column(folder))
    c[0, 0] = np.nan
    save(folder, c)
    ran = check(folder, "int8.column", "--json")
    assert ran.returncode == 1
    found = json.loads(ran.stdout, parse_constant=lambda word: pytest.fail(word))
    assert found["verdict"] == "FAIL" and found["error"]["nonfinite"] == 1
    assert check(folder, "int8.column", "--quiet").stdout.count("\n") == 1


def test_npz_and_safetensors(folder: pathlib.Path) -> None:
    a, b = operands(folder)
    np.savez(folder / "all.npz", a=a, b=b)
    # bfloat16 is the upper half of a float32.
    c = (a @ b).view(np.uint32) + 0x8000 >> 16
    data = c.astype("<u2").tobytes()
    header = json.dumps({"y": {"dtype": "BF16", "shape": [M, N], "data_offsets": [0, len(data)]}}).encode()
    (folder / "c.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + data)
    ran = subprocess.run([PROGRAM, "check", "--scheme", "fp32.chain", "--a", "all.npz:a", "--b", "all.npz:b", "--c", "c.safetensors:y"],
                         cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("change", "arguments", "words"),
    [
        (lambda f: (f / "b.npy").unlink(), [], ["b.npy", "open"]),
        (lambda f: (f / "b.npy").write_bytes(b"not numpy"), [], ["b.npy", "byte 0"]),
        (lambda f: (f / "b.npy").write_bytes((f / "b.npy").read_bytes()[:-3]), [], ["b.npy", "found"]),
        (lambda f: np.save(f / "b.npy", np.zeros((K + 1, N), F32)), [], ["a.npy", "b.npy", f"{K + 1}×{N}"]),
        (lambda f: np.save(f / "b.npy", np.zeros((N, K), F32)), [], ["--b-transposed"]),
        (lambda f: np.save(f / "c.npy", np.zeros((N, M), F32)), [], ["c.npy", f"{N}×{M}", f"{M}×{N}"]),
        (lambda f: np.save(f / "c.npy", np.zeros((M, N))), [], ["c.npy", "float64"]),
        (lambda f: np.save(f / "a.npy", np.zeros((0, K), F32)), [], ["a.npy", "at least one element"]),
        (lambda f: np.save(f / "a.npy", np.full((M, K), np.nan, F32)), [], ["a.npy", "row 0, column 0", "finite"]),
        (lambda f: None, ["--bias", "a.npy"], ["--bias", "int8.column"]),
        (lambda f: None, ["--calibration", "a.npy"], ["--calibration"]),
        (lambda f: None, ["--b-codes", "b.npy"], ["b.npy", "int8 or uint8"]),
        (lambda f: None, ["--b-scales", "a.npy"], ["a.npy", "shape"]),
        (lambda f: np.save(f / "q.npy", np.zeros((K // 8, N), np.int32)), ["--b-codes", "q.npy", "--b-packing", "gptq"], ["q.npy", "4-bit"]),
        (lambda f: None, ["--b-packing", "zip"], ["--b-packing"]),
        (lambda f: None, ["--a", ".npy"], [".npy"]),
    ],
)
def test_bad_input_exits_2_and_says_where(folder: pathlib.Path, change, arguments: list[str], words: list[str]) -> None:
    save(folder, product(*int8_column(folder)))
    change(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ran = check(folder, "int8.column", *arguments) if "--a" not in arguments else subprocess.run(
        [PROGRAM, "check", "--scheme", "int8.column", "--a", ".", "--b", "b.npy", "--c", "c.npy"], cwd=folder, capture_output=True,
        text=True, timeout=60, check=False)
    assert ran.returncode == 2, ran.stdout + ran.stderr
    assert all(word in ran.stderr for word in words), ran.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(("scheme", "words"), [("int8.colum", 'Did you mean "int8.column"'), ("int8.smooth", "--calibration"),
                                               ("int8.column.bias", "--bias")])
def test_what_a_scheme_needs_is_asked_for(folder: pathlib.Path, scheme: str, words: str) -> None:
    save(folder, product(*int8_column(folder)))
    ran = check(folder, scheme)
    assert ran.returncode == 2
    assert words in ran.stderr


def mutated(data: bytes, draw: random.Random) -> bytes:
    result = bytearray(data)
    kind = draw.randrange(5)
    if kind == 0:
        return bytes(result[:draw.randrange(len(result))])
    if kind == 1:
        return bytes(result) + draw.randbytes(draw.randrange(1, 40))
    span = len(result) if kind == 2 else min(len(result), 128)  # most of what can go wrong is in the header
    for _ in range(draw.choice([1, 1, 2, 8])):
        at = draw.randrange(span)
        result[at] = draw.choice([0, 0x7F, 0xFF, ord("9"), ord("-"), draw.randrange(256)])
    return bytes(result)


def test_mutated_files_never_crash(folder: pathlib.Path) -> None:
    """Seeded; NARROWGATE_FUZZ files in all."""
    qa, sa, qb, sb = int8_column(folder)
    a, b = operands(folder)
    save(folder, product(qa, sa, qb, sb))
    np.savez(folder / "all.npz", a=a, b=b, c=product(qa, sa, qb, sb))
    np.save(folder / "qb.npy", qb.astype(np.int8))
    np.save(folder / "sb.npy", sb)
    header = json.dumps({"b": {"dtype": "F32", "shape": [K, N], "data_offsets": [0, b.nbytes]}}).encode()
    (folder / "b.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + b.tobytes())
    command = {
        "a.npy": ["--a", "x.npy", "--b", "b.npy", "--c", "c.npy"], "b.npy": ["--a", "a.npy", "--b", "x.npy", "--c", "c.npy"],
        "c.npy": ["--a", "a.npy", "--b", "b.npy", "--c", "x.npy"],
        "all.npz": ["--a", "x.npz:a", "--b", "x.npz:b", "--c", "x.npz:c"],
        "b.safetensors": ["--a", "a.npy", "--b", "x.safetensors:b", "--c", "c.npy"],
        "qb.npy": ["--a", "a.npy", "--b", "b.npy", "--c", "c.npy", "--b-codes", "x.npy"],
        "sb.npy": ["--a", "a.npy", "--b", "b.npy", "--c", "c.npy", "--b-scales", "x.npy"],
    }
    originals = {name: (folder / name).read_bytes() for name in command}
    draw = random.Random(98)
    for turn in range(FUZZED):
        name = draw.choice(list(command))
        target = folder / ("x" + pathlib.Path(name).suffix)
        target.write_bytes(mutated(originals[name], draw))
        ran = subprocess.run([PROGRAM, "check", "--scheme", "int8.column", *command[name], "--json"], cwd=folder, capture_output=True,
                             text=True, timeout=60, check=False)
        assert ran.returncode in {0, 1, 2, 3}, (turn, name, ran.returncode, ran.stderr)
        if ran.returncode == 2:
            assert target.name in ran.stderr or "npy" in ran.stderr, (turn, ran.stderr)
