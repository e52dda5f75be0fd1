"""Studies: suggestions are numbered once, results told once, by any number of processes."""

import threading
from typing import Any

import pytest

from eurisko.knowledge_base import (
    AlreadyTold,
    KnowledgeBase,
    KnowledgeBaseError,
    NumberTaken,
    UnknownRun,
)

RUN: dict[str, Any] = {
    "workflow": "optimize",
    "problem": "branin",
    "problem_version": "1",
    "interface": "blackbox",
    "proposer": "rules",
    "seed": 7,
    "config": {"budget": 4},
    "folder": "runs/x",
    "version": "0.1.0",
}


def study(base: KnowledgeBase, name: str | None = None) -> str:
    run = base.create_run(**RUN)
    base.studies.create(run.id, name)
    return run.id


def row(number: int, **fields: Any) -> dict[str, Any]:
    return {"number": number, "point": {"x": 0.5}, "phase": "initial", **fields}


def test_suggestions_come_back_with_their_states(base: KnowledgeBase) -> None:
    """What was suggested is read again, by number, with the optimiser's state and the memory."""
    run = study(base)
    base.studies.suggest(run, [row(1), row(2, arm="LogEI", reason="r")], {"n": 2}, {"gain": 1.5})
    found = base.studies.trials(run)
    assert [(t.number, t.arm, t.status, t.point) for t in found] == [
        (1, "", "pending", {"x": 0.5}),
        (2, "LogEI", "pending", {"x": 0.5}),
    ]
    assert base.studies.get(run).optimizer == {"n": 2}
    assert base.studies.get(run).memory == {"gain": 1.5}


def test_a_number_is_given_once(base: KnowledgeBase) -> None:
    """A second suggestion under a number is refused, and changes neither trials nor state."""
    run = study(base)
    base.studies.suggest(run, [row(1)], {"n": 1}, {})
    with pytest.raises(NumberTaken, match="ask again"):
        base.studies.suggest(run, [row(1, point={"x": 0.9})], {"n": "other"}, {})
    with pytest.raises(NumberTaken):
        base.studies.suggest(run, [row(2), row(4)], {"n": "other"}, {})
    assert [t.point for t in base.studies.trials(run)] == [{"x": 0.5}]
    assert base.studies.get(run).optimizer == {"n": 1}


def test_many_at_once_share_the_numbers(base: KnowledgeBase) -> None:
    """Eight threads that ask at once, again when they were too late, get each number once."""
    run = study(base)

    def ask(who: int) -> None:
        while True:
            number = len(base.studies.trials(run)) + 1
            try:
                base.studies.suggest(run, [row(number, point={"who": who})], {}, {})
                return
            except NumberTaken:
                continue

    threads = [threading.Thread(target=ask, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = base.studies.trials(run)
    assert [t.number for t in found] == list(range(1, 9))
    assert sorted(t.point["who"] for t in found) == list(range(8))


def test_a_result_is_told_once(base: KnowledgeBase) -> None:
    """The same result again is no error; another one is refused; a failure is a result."""
    run = study(base)
    base.studies.suggest(run, [row(1), row(2)], {}, {})
    base.studies.tell(run, 1, 2.5, noise=0.1)
    base.studies.tell(run, 1, 2.5)
    with pytest.raises(AlreadyTold, match=r"2\.5"):
        base.studies.tell(run, 1, 3.0)
    base.studies.tell(run, 2, None, message="it crashed")
    with pytest.raises(AlreadyTold, match="failed"):
        base.studies.tell(run, 2, 0.0)
    with pytest.raises(UnknownRun, match="no trial 3"):
        base.studies.tell(run, 3, 1.0)
    done, failed = base.studies.trials(run)
    assert (done.status, done.value, done.noise) == ("done", 2.5, 0.1)
    assert (failed.status, failed.value, failed.message) == ("failed", None, "it crashed")


def test_studies_have_names(base: KnowledgeBase) -> None:
    """A study is found by its name and by its run; a name is given once."""
    run = study(base, "furnace")
    assert base.studies.find("furnace").id == base.studies.find(run).id == run
    other = base.create_run(**RUN)
    with pytest.raises(KnowledgeBaseError, match="already"):
        base.studies.create(other.id, "furnace")
    with pytest.raises(UnknownRun):
        base.studies.get(other.id)
    with pytest.raises(UnknownRun):
        base.studies.find("nothing")
