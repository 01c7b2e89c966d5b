"""Every word that the page explains, in one place: marks and words of states, what a gate asks, what a term means.

The four marks mean the same everywhere: ▲ worse, or in need of a person; ▼ better; = the same; ? nothing can be said.
Colour repeats the mark and never replaces it: `tone` is "alert", "good" or "quiet".
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class State:
    word: str
    mark: str
    tone: str
    meaning: str


def _states(*states: State) -> dict[str, State]:
    return {state.word: state for state in states}


ERROR_STATES = _states(
    State("PASS", "=", "good", "every gate that decides passed and the answer is the stored one"),
    State("REGRESSED", "▲", "alert", "a gate that decides failed, or a bounded kernel uses more of its bound than before"),
    State("CHANGED", "▲", "alert", "an exact kernel no longer gives the stored bits"),
    State("IMPROVED", "▼", "good", "a bounded kernel uses less of its bound than before"),
    State("NEW", "?", "quiet", "no stored line for this case yet"),
    State("MISSING", "?", "alert", "planned, but no result arrived"),
    State("SKIPPED", "?", "quiet", "not run on this machine, for the reason given"),
    State("INVALID", "▲", "alert", "crashed, wrote outside its buffers, or gave numbers that are not finite"),
    State("NO_VERDICT", "?", "alert", "measured, but the measurement cannot be judged"),
    State("WAIVED", "?", "quiet", "fails, and a dated waiver says why that is accepted for now"),
)

TIME_STATES = _states(
    State("SLOWER", "▲", "alert", "slower than the stored time by more than the noise"),
    State("SUSPICIOUS_FAST", "?", "alert", "faster than the machine can be: the measurement is wrong"),
    State("INVALID", "?", "alert", "the samples cannot be used"),
    State("AMBIGUOUS", "?", "quiet", "the samples do not settle it"),
    State("FASTER", "▼", "good", "faster than the stored time by more than the noise"),
    State("SAME", "=", "good", "within the noise of the stored time"),
    State("INCOMPARABLE", "?", "quiet", "no times of this device are stored"),
    State("UNMEASURED", "?", "quiet", "no time was taken"),
)

# The words of the exit codes are those of `narrowgate compare`.
VERDICTS = {
    0: State("pass", "=", "good", "every cell passed"),
    1: State("error-gate regression", "▲", "alert", "at least one answer is wrong or changed"),
    2: State("bad input", "?", "alert", "the run could not be read"),
    3: State("no verdict", "?", "alert", "nothing, or too little, was measured"),
    4: State("confirmed slowdown", "▲", "alert", "answers are right, time is worse"),
    5: State("environment", "?", "alert", "the machine could not run what was asked"),
}

GATES = {
    "guards": "Are the outputs finite where the reference is, not all zero, the same twice, and nothing written outside the buffers?",
    "Q": "Are the codes and scales bit for bit those of the oracle, and is every value rebuilt within half a step?",
    "I": "Does the kernel give the scheme's answer: bit for bit if exact, inside the rounding bound if bounded?",
    "E": "Is every element within the worst-case bound of the product of the original data, computed in double?",
    "day98": "The gate of the day 98 page: 4·K·max|A|·max|B column|/127. About a hundred times loose, so it never judges alone.",
}

TERMS = {
    "scheme": "What is computed: how A and B are quantized, what is accumulated in which order, and the epilogue. It has one right answer.",
    "kernel": "One way of computing a scheme: plain CPU code, SIMD, CUDA, or the CUDA source executed on the host (simt).",
    "contract": "Exact: the kernel's bits equal the scheme's answer on every machine. Bounded: it must stay inside a bound known beforehand.",
    "case": "Scheme, shape, distribution and seed. Its answer, and so its error, is the same on every machine.",
    "cell": "A case run by one kernel. Its id is its permanent link on this page.",
    "distribution": "How the inputs are drawn. day98: A uniform in [0, 1); columns of B with gains from 1 down to 1/64, every 37th element 8 times larger.",
    "max error, rms error": "The largest and the root-mean-square difference from the product of the original data in double.",
    "fraction of the bound": "The largest error of an element divided by what arithmetic allows there. Above 1 is a bug.",
    "K gate, √K gate": "The error as a fraction of the day 98 gate, and of its narrower form with √K for K, which is a diagnostic.",
    "dead channel": "A column of B whose values fall on at most 1 in 32 of the codes that it could use: little of it is left after quantizing.",
    "digest": "128 bits that stand for every bit of the output. Equal digests: equal answers.",
    "baseline": "The stored answer of a case, or the stored time of a cell on one device.",
    "device key": "Names a machine and its settings. Times are compared only where it is equal.",
    "GFLOP/s": "2·m·n·k operations divided by the median time, in thousand millions a second.",
}

MARKS = {
    "▲": "worse, or in need of a person",
    "▼": "better",
    "=": "the same",
    "?": "nothing can be said",
}

NO_SIMT_TIME = "simt executes device code on the host: no time"

# Codes a symmetric INT8 operand can take: −127 … 127.
CODES_AVAILABLE = {"int8": 255}
DEAD_CHANNEL_FRACTION = 32


def codes_available(family: str) -> int | None:
    """How many codes an element of B can take, or None where the page does not know."""
    return CODES_AVAILABLE.get(family)


def is_dead_channel(codes_used: int, available: int | None, k: int) -> bool:
    """A column of k elements can use at most k codes, so short columns are held to less."""
    reachable = min(available or k, k)
    return codes_used * DEAD_CHANNEL_FRACTION <= reachable
