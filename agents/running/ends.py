"""How a run opens its knowledge base, and how its end is stored."""

from collections.abc import Iterator
from contextlib import contextmanager

from ...knowledge_base import KnowledgeBase, KnowledgeBaseError, Run


@contextmanager
def opened_base(knowledge_base: KnowledgeBase | None) -> Iterator[KnowledgeBase]:
    """Yield the caller's knowledge base, which stays open, or the default one, which is closed."""
    if knowledge_base is not None:
        yield knowledge_base
        return
    with KnowledgeBase() as base:
        yield base


def store_failure(base: KnowledgeBase, run: Run, status: str, error: BaseException) -> None:
    """Store why a run ended early; if even that fails, the first error is the one to tell."""
    try:
        base.update_run(run.id, status=status, status_reason=str(error) or type(error).__name__)
    except KnowledgeBaseError as second:
        error.add_note(f"The run's status could not be stored either: {second}")
