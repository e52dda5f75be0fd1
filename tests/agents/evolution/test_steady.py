"""Steady state: results enter at once, nobody waits for a slow candidate, and nothing is lost.

Sandbox and proposer are stand-ins that cost nothing, but for the last tests.
"""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from scripted_endpoint import ScriptedEndpoint
from support.runs import cli_environment, digest, scripted_answer

from eurisko.agents.evolution import Evaluator, EvolutionSettings, Interrupted, evolve, resume
from eurisko.agents.evolution.proposal import Proposal, Task
from eurisko.agents.evolution.run import walk
from eurisko.agents.evolution.steps import Evolution
from eurisko.agents.running.budget import TimeBudget
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Limits, Outcome, OutcomeKind

PROBLEM = get_problem("tsp_construct")
SEARCH = PROBLEM.dataset(PROBLEM.spec.splits["search"][0]).arrays["distances"].shape[:2]
GENERATIONS, POPULATION = 2, 4
EVERYTHING = 1 + 2 * POPULATION + GENERATIONS * 5 * POPULATION


class Ready:
    """Answers with random tours that depend on the program; ``before`` hears of each program."""

    def __init__(self, before: Callable[[str], None] = lambda code: None) -> None:
        self.before, self.runs = before, Counter[str]()

    def run(self, program: Any, inputs: Any, expects: Mapping[str, Any], *_: Any, **__: Any) -> Any:
        """Return an outcome of the expected shapes; a third of all programs fail."""
        if next(iter(expects.values())).shape == SEARCH:
            self.runs[program.code] += 1
        self.before(program.code)
        number = int(hashlib.sha256(program.code.encode()).hexdigest()[:8], 16)
        rng = np.random.default_rng(number)
        ((name, spec),) = expects.items()
        instances, cities = spec.shape
        tours = np.argsort(rng.random((instances, cities - 1)), axis=1) + 1
        tours = np.concatenate([np.zeros((instances, 1), dtype=np.int64), tours], axis=1)
        failed = number % 3 == 0
        return Outcome(
            kind=OutcomeKind.CANDIDATE_ERROR if failed else OutcomeKind.OK,
            arrays={} if failed else {name: tours.astype(spec.dtype)},
            error_type="ValueError" if failed else None,
            message="made up" if failed else "",
            line=None,
            stdout="",
            cpu_s=0.0,
            wall_s=0.0,
            peak_mib=0.0,
            isolation="none",
        )


class Trusting(Evaluator):
    """Champions are not played again: there is no program behind the ready answers."""

    def confirm(self, name: str, code: str, data: Any) -> str:
        return ""


class Proposer:
    """Proposes a program that depends on what it is asked for and on the parents."""

    name = "stand-in"

    def propose(self, task: Task) -> Proposal:
        parents = [parent.code for parent in task.parents]
        number = hashlib.sha256(repr((task.key, parents)).encode()).hexdigest()[:8]
        return Proposal(
            f"Number {number}.", f"def score_next(a, b, c, d):\n    return 0x{number}\n"
        )


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as opened:
        yield opened


def new_run(base: KnowledgeBase) -> str:
    return base.create_run(
        workflow="evolve",
        problem="tsp_construct",
        problem_version="1",
        interface="batched",
        proposer="stand-in",
        seed=0,
        config={},
        folder="",
        version="0",
    ).id


def evolution(
    base: KnowledgeBase,
    run: str,
    sandbox: Any,
    workers: int,
    listener: Callable[..., None] = lambda kind, progress: None,
    **more: Any,
) -> Evolution:
    settings = EvolutionSettings(
        problem="tsp_construct",
        generations=GENERATIONS,
        population=POPULATION,
        schedule="steady",
        tune=False,
        **more,
    )
    return Evolution(
        run_id=run,
        settings=settings,
        problem=PROBLEM,
        interface="batched",
        knowledge_base=base,
        proposer=Proposer(),
        evaluator=Trusting(base, sandbox, PROBLEM, "batched", Limits(), "cpu", workers),
        budget=TimeBudget(),
        listener=listener,
    )


def keys(base: KnowledgeBase, run: str) -> Counter[str]:
    return Counter(one.key for one in base.run_candidates(run))


def test_one_worker_is_repeatable(base: KnowledgeBase) -> None:
    """The same candidates of the same parents, and the same end; all places are filled once."""
    ends = []
    for _ in range(2):
        run = new_run(base)
        state = walk(base, evolution(base, run, Ready(), 1))
        made = {one.id: one.hash for one in base.run_candidates(run)}
        assert set(keys(base, run).values()) == {1} and len(made) == EVERYTHING
        members = [made[id_] for id_ in state["population"]]
        assert len(set(members)) == len(members) == POPULATION
        ends.append((digest(base, run), members, state["history"], made[state["best"]]))
        assert len(state["history"]) == GENERATIONS + 1 and state["under_way"] == []
    assert ends[0] == ends[1]


def test_the_population_is_the_best_of_all_results(base: KnowledgeBase) -> None:
    """Against every stored evaluation: no failure is a member, and no better program was left out."""
    run = new_run(base)
    state = walk(base, evolution(base, run, Ready(), 3))
    (search,) = PROBLEM.spec.splits["search"]
    data = PROBLEM.dataset(search)
    made = {one.id: one.hash for one in base.run_candidates(run)}
    results = base.evaluations(set(made.values()), data.digest, "batched")
    values = sorted({round(r.objective, 5) for r in results.values() if r.objective is not None})
    objectives = [results[made[id_]].objective for id_ in state["population"]]
    assert [round(one, 5) for one in objectives] == values[:POPULATION]


def test_a_slow_candidate_holds_up_nobody(base: KnowledgeBase) -> None:
    """While one evaluation does not end, the others are bred from and evaluated to the last."""
    entered: list[int] = []
    release, slow = threading.Event(), threading.Lock()

    def before(code: str) -> None:
        if code != PROBLEM.spec.interfaces["batched"].seed and slow.acquire(blocking=False):
            assert release.wait(60)

    def listener(kind: str, progress: Any) -> None:
        if kind == "evaluated":
            entered.append(progress.generation)
            if len(entered) == EVERYTHING - 1:
                release.set()

    run = new_run(base)
    state = walk(base, evolution(base, run, Ready(before), 2, listener))
    assert len(entered) == EVERYTHING  # the last one only after all the others
    assert release.is_set() and state["generation"] == GENERATIONS + 1
    youngest = max(base.run_candidates(run), key=lambda one: one.id)
    assert youngest.generation == GENERATIONS and youngest.parents


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("moment", [3, 11, 20, 30, 44])
def test_a_run_that_ends_anywhere_goes_on(base: KnowledgeBase, moment: int) -> None:
    """Nothing that was evaluated is evaluated again, and no place is filled twice or left empty."""
    run, first, count = new_run(base), Ready(), 0

    def listener(kind: str, progress: Any) -> None:
        nonlocal count
        count += kind == "evaluated"
        if count == moment:
            raise Killed

    broken = evolution(base, run, first, 2, listener)
    with pytest.raises(Killed):
        walk(base, broken)
    broken.close()
    known = {one.code for one in base.run_candidates(run)} & set(first.runs)
    again = Ready()
    state = walk(base, evolution(base, run, again, 2))
    assert set(keys(base, run).values()) == {1} and len(keys(base, run)) == EVERYTHING
    assert state["generation"] == GENERATIONS + 1 and state["under_way"] == []
    assert len(known & set(again.runs)) <= 2 + 2  # what was under way; two on the test split


def test_a_budget_ends_it_and_more_goes_on(
    base: KnowledgeBase, tmp_path: Path, scripted_endpoint: Any
) -> None:
    """With a model: the calls are counted to the last, and a resumed run asks nothing twice."""
    from eurisko.agents.evolution import Budgets

    endpoint: ScriptedEndpoint = scripted_endpoint(
        lambda messages, index: scripted_answer(messages[-1]["content"])
    )
    settings = EvolutionSettings(
        problem="tsp_construct",
        generations=1,
        population=3,
        operators=("e1", "m1"),
        schedule="steady",
        model="openai/scripted",
        base_url=endpoint.base_url,
        concurrency=2,
        workers=2,
        budgets=Budgets(calls=7),
        runs_folder=tmp_path,
    )
    report = evolve(settings, base)
    assert report.run.status == "stopped" and "budget" in report.run.status_reason.lower()
    assert report.spent.calls == len(endpoint.requests) == 7
    report = resume(report.run.id, base, budgets=Budgets(calls=100))
    assert report.run.status == "finished"
    prompts = [str(one.messages) for one in endpoint.requests]
    assert report.spent.calls == len(prompts)
    made = keys(base, report.run.id)
    assert set(made.values()) == {1}
    assert sum("repair" not in one for one in made) == 1 + 2 * 3 + 2 * 3


def test_a_stop_is_heeded_and_the_run_goes_on(base: KnowledgeBase, tmp_path: Path) -> None:
    """Asked to stop in mid-generation, it ends at once and can be resumed."""
    stop = threading.Event()

    def listener(kind: str, progress: Any) -> None:
        if kind == "evaluated" and progress.candidates > 8:
            stop.set()

    settings = EvolutionSettings(
        problem="job_shop",
        generations=1,
        population=3,
        schedule="steady",
        workers=2,
        tune=False,
        runs_folder=tmp_path,
    )
    with pytest.raises(Interrupted):
        evolve(settings, base, listener=listener, stop=stop)
    run = base.get_run("last")
    assert run.status == "interrupted"
    report = resume(run.id, base)
    assert report.run.status == "finished" and report.candidates == 1 + 6 + 15


def test_one_at_a_time_cannot_be_steady() -> None:
    """The strategy that refines one candidate has no use for it, and says so."""
    with pytest.raises(ValidationError, match="one candidate at a time"):
        EvolutionSettings(problem="tsp_construct", strategy="oneplusone", schedule="steady")


@pytest.mark.slow
def test_killed_and_resumed(base: KnowledgeBase, tmp_path: Path) -> None:
    """SIGKILL of the command in mid-run: resumed, every place is filled once."""
    command = [sys.executable, "-m", "eurisko"]
    options = ["--async", "-g", "1", "-p", "3", "--workers", "2", "--no-tune"]
    where: dict[str, Any] = {"cwd": tmp_path, "env": cli_environment(tmp_path)}
    process = subprocess.Popen(
        [*command, "evolve", "job_shop", *options], stdout=subprocess.DEVNULL, **where
    )
    until = time.monotonic() + 200
    while not (runs := base.runs(1)) or base.count_candidates(runs[0].id) < 10:
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    run = base.get_run("last").id
    assert base.get_run(run).status == "running"
    done = subprocess.run([*command, "resume", run], capture_output=True, text=True, **where)
    assert done.returncode == 0, done.stderr
    assert set(keys(base, run).values()) == {1} and len(keys(base, run)) == 1 + 6 + 15
