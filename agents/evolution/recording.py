"""Write a run's model calls to a file that ``replay:FILE`` answers from."""

from pathlib import Path

from ...knowledge_base import KnowledgeBase
from ..models import Message, ModelReply, ModelRequest, write_recording


def write_run_recording(knowledge_base: KnowledgeBase, run_id: str, path: Path) -> None:
    """Write all answered model calls of a run."""
    calls = [call for call in knowledge_base.calls(run_id) if call.text is not None]
    write_recording(
        [
            (
                ModelRequest(
                    key=call.key,
                    role=call.role,
                    messages=tuple(Message(**one) for one in call.request["messages"]),
                    temperature=call.request["temperature"],
                ),
                ModelReply(
                    text=call.text or "",
                    model=call.model,
                    prompt_tokens=call.prompt_tokens,
                    completion_tokens=call.completion_tokens,
                    usd=call.usd,
                    latency_s=call.latency_s,
                    cached=False,
                    attempts=call.attempts,
                    finish_reason=call.finish_reason,
                ),
            )
            for call in calls
        ],
        path,
    )
