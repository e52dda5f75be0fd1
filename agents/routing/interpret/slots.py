"""A sentence in canonical words, with its nodes, vehicles, amounts and times as slots.

``No driver over 9 hours`` becomes ``no driver over <q0>``; what a slot holds stands beside it.
Rules then match whole sentences, so that no word is ever passed over.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .amounts import Quantity, find_times

_NOUN = r"(?:customers?|clients?|nodes?|stops?|sites?|shops?|orders?|jobs?|deliver(?:y|ies) to)"
_VEHICLE = r"(?:vehicles?|trucks?|vans?|drivers?|cars?|lorr(?:y|ies)|cars)"
# "or" joins vehicles ("by vehicle 1 or 2") but not customers, of whom it may mean any one.
_AND = r"(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+|\s*&\s*)"
_LINK = r"(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+|\s+or\s+|\s*&\s*)"
_CANONICAL = (
    (r"[’`]", "'"),
    (r"[–—−]", "-"),
    (r"\b(?:please|kindly|also|now|actually|simply|just|ok|okay)\b,?", ""),
    (r"\b(?:could|can|would) you\b", ""),
    (r"\bwhat if(?: (?:we|there) (?:had|were|was))?\b", ""),
    (r"\b(?:make sure|ensure|assume|suppose|note|remember)(?: that)?\b", ""),
    (r"\b(?:i|we)(?:'d| would)? (?:want|like|wish)(?: that)?(?: to)?\b", ""),
    (r"\b(?:not|no) (?:more|longer|later) than\b|\b(?:maximum|max\.?) of\b", "at most"),
    (r"\b(?:at the most|up to)\b|<=|≤", "at most"),
    (r"\bisn't\b", "is not"),
    (r"\baren't\b", "are not"),
    (
        r"\b(?:don't|doesn't|do not|does not) (?:need|have) to\b|\bneedn't\b"
        r"|\b(?:is|are) not (?:required|obliged|forced) to\b|\bneed not to\b",
        "need not",
    ),
    (
        r"\b(?:must|may|can|should|shall|do|does|will) not\b|\bcannot\b|\b(?:is|are) not "
        r"allowed to\b"
        r"|\b(?:can't|mustn't|shouldn't|shan't|don't|doesn't|won't)\b|\b(?:must )?never\b",
        "must not",
    ),
    (r"\b(?:has|have|needs?|ought) to\b|\bshould\b|\bshall\b", "must"),
    (r"\b(?:are|is) allowed to\b|\bcan\b", "may"),
    (r"\b(?:the|a|an)\b", ""),
)


@dataclass
class Slots:
    """Canonical text and what its slots hold, by kind: ``n`` nodes, ``v`` vehicles, ``q``, ``c``."""

    text: str
    nodes: list[tuple[str, ...]] = field(default_factory=list)
    vehicles: list[tuple[int, ...]] = field(default_factory=list)
    quantities: list[Quantity] = field(default_factory=list)

    def value(self, slot: str) -> tuple[str, ...] | tuple[int, ...] | Quantity:
        """Return what ``<n0>``, ``<v0>`` or ``<q0>`` holds."""
        kind, index = slot[1], int(slot[2:-1])
        if kind == "n":
            return self.nodes[index]
        return self.vehicles[index] if kind == "v" else self.quantities[index]


def find_slots(text: str, names: Sequence[str]) -> Slots:
    """Return the canonical text of a sentence.

    Args:
        text: what the user wrote.
        names: names of the customers in the file.
    """
    slots = Slots(" ".join(text.replace("’", "'").split()).strip(" .!"))
    _take_names(slots, names)
    _take_numbered(slots, names)
    slots.text = slots.text.lower()
    _take_vehicles(slots)
    find_times(slots)
    for pattern, word in _CANONICAL:
        slots.text = re.sub(pattern, word, slots.text)
    _merge(slots, "n", slots.nodes)
    _merge(slots, "v", slots.vehicles)
    slots.text = re.sub(r"\s+([,?])", r"\1", " ".join(slots.text.split())).strip(" ,;:")
    return slots


def _take_names(slots: Slots, names: Sequence[str]) -> None:
    """Replace names with letters (two at least; shorter ones need a noun before them)."""
    known = {name.lower(): name for name in names if re.search(r"[^\W\d_]", name)}
    words = sorted((name for name in known if len(name) > 1), key=len, reverse=True)
    if not words:
        return
    pattern = "|".join(re.escape(word) for word in words)

    def slot(found: re.Match[str]) -> str:
        slots.nodes.append((known[found.group(1).lower()],))
        return f"<n{len(slots.nodes) - 1}>"

    slots.text = re.sub(
        rf"(?:\b{_NOUN}\s+)?(?<![\w<])[\"']?({pattern})[\"']?(?![\w>])",
        slot,
        slots.text,
        flags=re.I,
    )


def _take_numbered(slots: Slots, names: Sequence[str]) -> None:
    """Replace ``customers 7, 8 and 12``, and names of one letter, by a slot."""
    short = [re.escape(name) for name in names if len(name) == 1 and not name.isdigit()]
    one = rf"(?:\#?(?:{'|'.join([*short, r'[A-Za-z]?[0-9]+'])})\b)"
    listed = rf"{one}(?:{_AND}{one}(?!\s*(?:{_VEHICLE}|:|%|h\b|min)))*"
    pattern = (
        rf"\b{_NOUN}\s+(?:no\.?\s*|numbers?\s+)?({listed})(?:\s*(?:-|\bto\b)\s*(\d+)(?![\d:]))?"
    )

    def slot(found: re.Match[str]) -> str:
        parts = [part.lstrip("#") for part in re.split(_AND, found.group(1))]
        last = found.group(2)
        plural = bool(re.match(r"\w+s\b", found.group(0)))
        rest = ""
        if last is not None and plural and parts[-1].isdigit() and int(last) > int(parts[-1]):
            parts += [str(number) for number in range(int(parts[-1]) + 1, int(last) + 1)]
        elif last is not None:
            rest = found.group(0)[found.end(1) - found.start(0) :]
        slots.nodes.append(tuple(parts))
        return f"<n{len(slots.nodes) - 1}>{rest}"

    slots.text = re.sub(pattern, slot, slots.text, flags=re.I)
    bare = rf"^(\d+(?:{_AND}\d+)+)()(?=\s+(?:must|may|can|are|not|cannot|never|need|should)\b)"
    slots.text = re.sub(bare, slot, slots.text, flags=re.I)


def _take_vehicles(slots: Slots) -> None:
    listed = rf"\d+(?:{_LINK}\d+(?!\s*(?:{_VEHICLE}|:|%|h\b|min)))*"
    pattern = (
        rf"\b{_VEHICLE}\s+(?:of\s+)?(?:types?\s+|numbers?\s+|no\.?\s*|\#)?({listed})\b(?!\s*:)"
    )

    def slot(found: re.Match[str]) -> str:
        parts = re.split(_LINK, found.group(1))
        slots.vehicles.append(tuple(int(part) for part in parts))
        return f"<v{len(slots.vehicles) - 1}>"

    slots.text = re.sub(pattern, slot, slots.text)


def _merge(slots: Slots, kind: str, values: list) -> None:  # type: ignore[type-arg]  # either list
    """Join slots that are listed together."""
    link = _AND if kind == "n" else _LINK
    pattern = re.compile(rf"<{kind}(\d+)>{link}<{kind}(\d+)>")
    while (found := pattern.search(slots.text)) is not None:
        first, second = int(found.group(1)), int(found.group(2))
        values[first] = (*values[first], *values[second])
        slots.text = f"{slots.text[: found.start()]}<{kind}{first}>{slots.text[found.end() :]}"
