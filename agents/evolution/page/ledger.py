"""The insights of a run as the page shows them: credit by step, and how often each tier was met."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

MOST_DRAWN = 30
"""Insights whose credit is drawn: as many as the pool holds, the most used ones."""
MOST_LISTED = 200


def insights(ledger: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the most used insights, the best first and those never used last.

    ``points`` holds, for each step with credit, the step, how many prompts were credited, the mean
    credit and the effectiveness after the step.
    """
    members = sorted(ledger["members"], key=lambda one: -one["uses"])[:MOST_LISTED]
    drawn = {one["id"] for one in members[:MOST_DRAWN]}
    shown = []
    for one in members:
        tiers = Counter(credit["tier"] for credit in one["credits"])
        points = _points(one["credits"])
        kept = {name: value for name, value in one.items() if name != "credits"}
        extra = {"tiers": dict(tiers.most_common()), "credited": bool(points)}
        shown.append(kept | extra | {"points": points if one["id"] in drawn else []})
    return sorted(shown, key=lambda one: (one["uses"] == 0, -one["effectiveness"], one["id"]))


def _points(credits: Sequence[Mapping[str, Any]]) -> list[list[float]]:
    steps: dict[int, list[Mapping[str, Any]]] = {}
    for one in credits:
        steps.setdefault(one["step"], []).append(one)
    return [
        [
            step,
            len(rows),
            round(sum(one["credit"] for one in rows) / len(rows), 4),
            round(rows[-1]["effectiveness"], 4),
        ]
        for step, rows in sorted(steps.items())
    ]
