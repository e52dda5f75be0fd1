"""Write a run's model calls to a file that ``replay:FILE`` answers from."""

from pathlib import Path

from ...knowledge_base import KnowledgeBase
from ..models import RecordedCall, write_recording


def write_run_recording(knowledge_base: KnowledgeBase, run_id: str, path: Path) -> int:
    """Write all model calls of a run, answered and failed; return their number."""
    return write_recording(
        (
            RecordedCall(
                key=call.key,
                role=call.role,
                prompt_hash=call.prompt_hash,
                text=call.text,
                error=call.error,
                model=call.model,
                prompt_tokens=call.prompt_tokens,
                completion_tokens=call.completion_tokens,
                tokens_estimated=call.tokens_estimated,
                usd=call.usd,
                latency_s=call.latency_s,
                attempts=call.attempts,
                finish_reason=call.finish_reason,
            )
            for call in knowledge_base.calls(run_id)
        ),
        path,
    )
