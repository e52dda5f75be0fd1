"""Write a run's model calls to a file that ``replay:FILE`` answers from."""

from collections.abc import Iterator
from pathlib import Path

from ...knowledge_base import KnowledgeBase
from ...knowledge_base.prune import PRUNED
from ..models import RecordedCall, write_recording
from .beginnings import as_call, beginnings
from .errors import EvolutionError


def write_run_recording(knowledge_base: KnowledgeBase, run_id: str, path: Path) -> int:
    """Write all model calls of a run, answered and failed; return their number.

    A run that began with more than fresh seeds has that written too, so that a replay begins alike in
    any knowledge base.

    Raises:
        EvolutionError: retention has emptied calls of the run.
    """
    insights = beginnings(knowledge_base, run_id)
    learnt = any(not one.seed or one.effectiveness for one in insights)
    first = [as_call(insights)] if learnt else []
    return write_recording([*first, *_calls(knowledge_base, run_id)], path) - len(first)


def _calls(knowledge_base: KnowledgeBase, run_id: str) -> Iterator[RecordedCall]:
    for call in knowledge_base.calls(run_id):
        if call.request == PRUNED:
            raise EvolutionError(
                f"The model calls of run {run_id} were pruned: it cannot be replayed any more."
            )
        yield RecordedCall(
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
