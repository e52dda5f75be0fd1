"""How databases would answer the questions that the knowledge base is asked."""

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import event

from eurisko.knowledge_base import KnowledgeBase

LARGE = ("candidate", "candidate_parent", "evaluation", "model_call", "job_item", "insight_use")
"""Tables with a row for each candidate or more."""


def asked(base: KnowledgeBase, ask: Callable[[KnowledgeBase], object]) -> list[tuple[str, Any]]:
    """Return the statements of a question that look for rows, with their values."""
    statements: list[tuple[str, Any]] = []

    def note(_c: object, _k: object, statement: str, values: object, *_: object) -> None:
        statements.append((statement, values))

    event.listen(base.engine, "before_cursor_execute", note)
    try:
        ask(base)
    finally:
        event.remove(base.engine, "before_cursor_execute", note)
    found = [one for one in statements if one[0].lstrip().startswith(("SELECT", "WITH", "UPDATE"))]
    assert found
    return found


def read_whole(step: dict[str, Any]) -> Iterator[str]:
    """Yield the tables that a step of PostgreSQL's plan, or one below it, reads from end to end."""
    conditions = ("Index Cond", "Recheck Cond")
    scans = "Relation Name" in step and str(step["Node Type"]).endswith("Scan")
    if scans and not any(name in step for name in conditions):
        yield step["Relation Name"]
    for below in step.get("Plans", ()):
        yield from read_whole(below)
