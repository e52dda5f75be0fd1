"""A model's description over the file's facts: words from the model, rules and fields from the file."""

import re

from ....evaluators.routing.constraints import VOCABULARY
from ....prompts import Described
from ..description import Description


def merged(given: Description, said: Described) -> Description:
    """Return the description to work from.

    The model's name of the type and its summary are taken over. Rules, fields and objective are those
    of the file and of the user's answers; where the model says otherwise, a note keeps what it said.
    """
    notes = []
    claimed = {name for one, _ in said.constraints if (name := _known(one)) is not None}
    for name in sorted(claimed - given.names):
        notes.append(f"the model also named {name}; the file gives no evidence of it")
    for name in sorted(given.names - claimed):
        notes.append(f"the model did not name {name}; the file shows it")
    for one, explanation in said.constraints:
        if _known(one) is None:
            notes.append(f"the model named a rule outside the vocabulary, {one}: {explanation}")
    have = {_plain(field) for field in given.fields}
    strange = [field for field in said.fields if _plain(field) not in have]
    if strange:
        notes.append(f"the model named fields that the file has not: {', '.join(strange[:8])}")
    return given.model_copy(
        update={"type": said.type, "summary": said.summary, "notes": (*given.notes, *notes)}
    )


def _known(name: str) -> str | None:
    """Return the vocabulary's name for what a model calls a rule, or None."""
    plain = _plain(name)
    for one, rule in VOCABULARY.items():
        if plain in (_plain(one), _plain(rule.title)):
            return one
    return _OTHER_NAMES.get(plain)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


_OTHER_NAMES = {
    "c": "capacity",
    "l": "distance_limit",
    "tw": "time_windows",
    "o": "open",
    "openroutes": "open",
    "openroute": "open",
    "v": "visit",
    "d": "depot",
    "e": "battery",
    "electricity": "battery",
    "md": "multi_depot",
    "b": "backhaul",
    "mb": "mixed_backhaul",
}
"""What models call the usual rules, beside their names and titles."""
