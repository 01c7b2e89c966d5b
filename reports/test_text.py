"""Names cannot hide or reorder text."""

from .text import shorten, visible


def test_visible_leaves_plain_text():
    assert visible("int8.column/cpu.simd/256x256x256/day98/s1") == "int8.column/cpu.simd/256x256x256/day98/s1"
    assert visible("Grüße, √K × 3 ▲") == "Grüße, √K × 3 ▲"


def test_visible_escapes_what_hides_or_reorders():
    assert visible("a\u202eb") == "a\\u202eb"
    assert visible("a\u2066b\u200bc") == "a\\u2066b\\u200bc"
    assert visible("a\nb\x00\x1b[31m") == "a\\u000ab\\u0000\\u001b[31m"


def test_shorten_keeps_both_ends():
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("scheme" + "x" * 10_000 + "/s1", 40) == "scheme" + "x" * 23 + "…" + "x" * 7 + "/s1"
    assert len(shorten("x" * 10_000, 40)) == 40
