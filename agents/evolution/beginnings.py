"""With which insights a run began: kept with the run, and in its recording for a replay elsewhere."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...knowledge_base import KnowledgeBase
from ..models import RecordedCall
from ..models.errors import BadRecording
from ..models.recording import read_recording
from .hindsight import Kind, Scope

KEY = "start/insights"
"""Under this key, which is no call's, a recording holds the insights that its run began with."""

REPLAY = "replay:"


@dataclass(frozen=True)
class Beginning:
    """An insight at the start of a run; ``seed`` says that it is one of the five."""

    text: str
    kind: str
    scope: str
    problem: str
    effectiveness: float
    pinned: bool
    seed: bool


def is_replay(model: str | None) -> bool:
    """Return whether a recording answers: its run begins as the recorded one did."""
    return model is not None and model.startswith(REPLAY)


def beginnings(knowledge_base: KnowledgeBase, run_id: str) -> list[Beginning]:
    """Return the insights that a run began with, in their order in its pool."""
    events = [
        one
        for one in knowledge_base.insights.events(run_id)
        if one.verdict in ("seed", "inherited") and one.insight_id is not None
    ]
    rows = knowledge_base.insights.get(one.insight_id for one in events if one.insight_id)
    return [
        Beginning(
            text=row.text,
            kind=row.kind,
            scope=row.scope,
            problem=row.problem,
            effectiveness=event.effectiveness,
            pinned=row.pinned,
            seed=event.verdict == "seed",
        )
        for event in events
        if (row := rows.get(event.insight_id or 0)) is not None
    ]


def as_call(insights: Sequence[Beginning]) -> RecordedCall:
    """Return the line of a recording that holds them; it cost nothing."""
    text = json.dumps([asdict(one) for one in insights])
    return RecordedCall(key=KEY, role="start", prompt_hash="", text=text, usd=0.0)


def recorded(model: str | None) -> list[Beginning] | None:
    """Return what the recorded run began with; None where it began with fresh seeds, or at all.

    Raises:
        BadRecording: the line cannot be read.
    """
    if model is None or not is_replay(model):
        return None
    path = Path(model.removeprefix(REPLAY))
    line = next((call.text for call in read_recording(path) if call.key == KEY), None)
    if line is None:
        return None
    try:
        plain: list[dict[str, Any]] = json.loads(line)
        insights = [Beginning(**one) for one in plain]
    except (ValueError, TypeError) as error:
        raise BadRecording(f"line {KEY} of {path} cannot be read ({error})") from None
    for one in insights:
        if one.kind not in tuple(Kind) or one.scope not in tuple(Scope):
            raise BadRecording(f"line {KEY} of {path} has an insight of no known kind or scope")
    return insights
