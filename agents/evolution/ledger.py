"""What the navigator decided and what became of the insights of a run, read from the knowledge base."""

from collections import defaultdict
from typing import Any

from ...knowledge_base import KnowledgeBase, Run
from ...knowledge_base.models import InsightEvent, InsightUse
from .strategies import STRATEGIES

STARTED = ("seed", "inherited")


def strategy_of(run: Run) -> str:
    """Return the run's strategy; runs of an older Eurisko used neither mechanism."""
    return str(run.config.get("strategy", "eoh"))


def regime_timeline(base: KnowledgeBase, run: Run) -> list[dict[str, Any]]:
    """Return for each generation what it was told to do, by which rule and why."""
    return [
        {
            "generation": one.generation,
            "regime": one.regime,
            "directive": one.directive,
            "rule": one.rule,
            "reason": one.reason,
            "numbers": one.numbers,
        }
        for one in base.decisions(run.id)
    ]


def insight_ledger(base: KnowledgeBase, run: Run) -> dict[str, Any]:
    """Return the insights of a run: with which it began, what was stated, and each one's credit.

    ``note`` says in a sentence where the insights came from, or why there are none.
    """
    events, uses = base.insights.events(run.id), base.insights.uses(run.id)
    inherited = sum(one.verdict == "inherited" for one in events)
    stated = {one.insight_id for one in events if one.insight_id is not None}
    shown: dict[int, list[InsightUse]] = defaultdict(list)
    for use in uses:
        shown[use.insight_id].append(use)
    rows = base.insights.get(stated | {one.insight_id for one in uses})
    members = [
        {
            "id": row.id,
            "text": row.text,
            "kind": row.kind,
            "scope": row.scope,
            "origin": row.origin,
            "learnt_on": row.problem,
            **_in_run(row.id, list(events), shown[row.id]),
        }
        for row in sorted(rows.values(), key=lambda one: one.id)
    ]
    return {
        "note": _note(run, inherited),
        "seeds": sum(one.verdict == "seed" for one in events),
        "inherited": inherited,
        "members": members,
        "events": [_event(one) for one in events if one.verdict not in STARTED],
    }


def _in_run(insight_id: int, events: list[InsightEvent], mine: list[InsightUse]) -> dict[str, Any]:
    """Return how one insight entered, how it did, and whether it was evicted."""
    entered = next((one for one in events if one.insight_id == insight_id), None)
    evicted = next((one for one in events if one.evicted_id == insight_id), None)
    credited = [one for one in mine if one.credit is not None]
    start = 0.0 if entered is None else entered.effectiveness
    return {
        "entered": None if entered is None else entered.verdict,
        "generation": None if entered is None else entered.generation,
        "evicted": None if evicted is None else evicted.generation,
        "uses": len(mine),
        "effectiveness": credited[-1].effectiveness if credited else start,
        "credits": [
            {
                "step": one.step,
                "regime": one.regime,
                "credit": one.credit,
                "tier": one.tier,
                "effectiveness": one.effectiveness,
            }
            for one in credited
        ],
    }


def _event(event: InsightEvent) -> dict[str, Any]:
    names = ("generation", "verdict", "insight_id", "evicted_id", "similarity", "text")
    return {name: getattr(event, name) for name in names}


def _note(run: Run, inherited: int) -> str:
    name = strategy_of(run)
    strategy = next((one for key, one in STRATEGIES.items() if key == name), None)
    if strategy is None or not strategy.hindsight:
        return f"The strategy {name} uses no insights."
    if run.config.get("model") is None:
        return (
            "Insights are texts, which typed genetic programming does not read: none were used or "
            "credited."
        )
    if not inherited:
        return "The run began with no insights of earlier runs."
    many = "1 insight" if inherited == 1 else f"{inherited} insights"
    return f"The run began with {many} of earlier runs."
