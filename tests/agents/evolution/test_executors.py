"""Evolution whose programs are evaluated by an executor."""

from collections.abc import Callable
from typing import Any

import pytest
from support.runs import digest

from eurisko.agents.batch import LocalExecutor
from eurisko.agents.evolution import EvolutionSettings, RunReport
from eurisko.evaluators import program_hash
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox


def test_an_executor_gives_what_the_sandbox_gives(
    evolve: Callable[..., RunReport], settings: Callable[..., EvolutionSettings], sandbox: Sandbox
) -> None:
    """Programs, lineage and scores are the same, and every evaluation went through the executor."""
    small = settings(problem="job_shop", population=2, operators=("e1", "m1"), workers=2)
    ends: list[Any] = []
    seen: list[str] = []

    class Counting(LocalExecutor):
        def submit(self, task: Any) -> None:
            seen.append(task.code)
            super().submit(task)

    for executor in (None, Counting(sandbox)):
        with KnowledgeBase("sqlite://") as base:
            report = evolve(small, base, executor=executor)
            ends.append((digest(base, report.run.id), report.objective, report.failures))
            splits = report.splits["test"]
            assert [one.objective for one in splits] and report.run.status == "finished"
            ends[-1] += ([one.objective for one in splits],)
    assert ends[0] == ends[1]
    assert {program_hash(code) for code in seen} >= {one[1] for one in ends[0][0] if not one[3]}


@pytest.mark.parametrize("workers", [None, 1])
def test_a_broken_executor_ends_the_run_with_its_reason(
    evolve: Callable[..., RunReport],
    settings: Callable[..., EvolutionSettings],
    base: KnowledgeBase,
    workers: int | None,
) -> None:
    """The run fails with the executor's own error, is stored as failed, and nobody hangs."""

    class Broken:
        slots = 2

        def slots_on(self, device: str) -> int:
            return self.slots

        def submit(self, task: Any) -> None:
            raise ConnectionError("no cluster")

        def completed(self, timeout_s: float) -> list[Any]:
            return []

        def close(self) -> None:
            pass

    with pytest.raises(ConnectionError, match="no cluster"):
        evolve(settings(problem="job_shop", workers=workers), base, executor=Broken())
    run = base.get_run("last")
    assert (run.status, run.status_reason) == ("failed", "no cluster")
