"""Untrusted text made harmless: cut, and free of characters that deceive a reader or a model."""

import unicodedata

# Control, format (bidirectional marks, zero-width joiners, tag characters), surrogate, private,
# unassigned, line and paragraph separators.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean_text(text: str, limit: int) -> str:
    """Return at most ``limit`` characters of ``text`` with every hidden character spelled out.

    Line feeds and tabs stay. A cut text ends in ``…``.
    """
    cut = len(text) > limit
    shown = "".join(map(_spell, text[:limit]))
    if len(shown) > limit:
        shown, cut = shown[:limit], True
    return shown[:-1] + "…" if cut and shown else shown


def clean_bytes(raw: bytes, limit: int) -> str:
    """Decode UTF-8 with undecodable bytes spelled out, then clean it."""
    return clean_text(raw.decode("utf-8", "backslashreplace"), limit)


def _spell(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in _HIDDEN:
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
