"""The final choice: best on the validation split, and confirmed in lockstep."""

import math
from collections.abc import Sequence

from .scoring import Scoring
from .survival import Member


def choose_champion(scoring: Scoring, members: Sequence[Member]) -> tuple[int | None, list[str]]:
    """Return the id of the best member that is to be believed, and what speaks against better ones.

    Members are ranked by the validation split, those that fail there behind all others. One that
    decides otherwise when it is played in lockstep is passed over.
    """
    results = scoring.on_split({one.hash: one.code for one in members}, "validation")
    ranked = sorted(
        members, key=lambda one: (results.get(one.hash, math.inf), one.objective, one.id)
    )
    doubts: list[str] = []
    for one in ranked:
        splits = ("search", "validation") if one.hash in results else ("search",)
        doubt = doubt_about(scoring, one.hash, one.code, splits)
        if not doubt:
            return one.id, doubts
        doubts.append(doubt)
        scoring.telling.failed("unconfirmed")
    return None, doubts


def doubt_about(scoring: Scoring, name: str, code: str, splits: Sequence[str]) -> str:
    """Return why a program is not to be believed on these splits, or an empty string."""
    for split in splits:
        for dataset in scoring.problem.spec.splits[split]:
            data = scoring.problem.dataset(dataset)
            doubt = scoring.evaluator.confirm(name, code, data)
            if doubt:
                return f"{name[:12]}: {doubt}"
    return ""
