"""Names from a verdict are other people's text: nothing in them may hide, reorder or swamp the page."""

from __future__ import annotations

import unicodedata

# Cc control, Cf format (bidi overrides, zero-width characters), Cs surrogates, Co private use, Zl and Zp line breaks.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


class Verbatim(str):
    """Text that must reach the page character by character: an anchor, a digest in an attribute. Still escaped."""


def visible(text: str) -> str:
    """Writes characters that cannot be seen, or that change how others are seen, as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"\\u{ord(character):04x}" if unicodedata.category(character) in _HIDDEN_CATEGORIES else character
        for character in text
    )


def shorten(text: str, limit: int = 160) -> str:
    """Keeps both ends: the scheme is at the start of an id, the seed at its end."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return f"{text[: limit - tail - 1]}…{text[-tail:]}"
