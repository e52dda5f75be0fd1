"""Optimisation runs: repeatable, resumable, honest about failures, and the same for min and max."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripted_endpoint import ScriptedEndpoint
from support.runs import cli_environment

from eurisko.agents.acquisition import (
    Interrupted,
    OptimisationSettings,
    Target,
    ask,
    open_named,
    optimize,
    resume,
    tell,
)
from eurisko.agents.acquisition.naming import strategist_names
from eurisko.agents.acquisition.report import Report
from eurisko.evaluators.bayesopt import Real, Space
from eurisko.evaluators.bayesopt.arms import arms
from eurisko.knowledge_base import AlreadyTold, KnowledgeBase

SPACE = Space([Real("x", -1.0, 2.0), Real("y", -1.0, 2.0)])
QUICK = {"restarts": 2, "samples": 64, "iterations": 20}


def bowl(x: float, y: float) -> float:
    return (x - 0.3) ** 2 + 2.0 * (y - 0.7) ** 2 + 0.1 * x * y


def table(report: Report) -> list[tuple[Any, ...]]:
    """Return what two equal runs have in common."""
    return [
        (one.number, one.point, one.value, one.arm, one.source, one.reason, one.state)
        for one in report.trials
    ]


@pytest.fixture
def base(tmp_path: Path):
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as opened:
        yield opened


def go(base: KnowledgeBase, tmp_path: Path, function: Any = bowl, **options: Any) -> Report:
    fields = {"budget": 9, "effort": QUICK, "runs_folder": tmp_path / "runs", **options}
    return optimize(function, base, space=SPACE, **fields)


def test_same_seed_same_trials(base: KnowledgeBase, tmp_path: Path) -> None:
    """Two runs of one seed are equal to the last bit, states included; another seed differs."""
    first, second = go(base, tmp_path, seed=3), go(base, tmp_path, seed=3)
    assert table(first) == table(second)
    assert table(first) != table(go(base, tmp_path, seed=4))
    assert first.run.status == "finished"
    assert (Path(first.run.folder) / "convergence.png").read_bytes()[1:4] == b"PNG"


def test_every_strategist_finishes_from_the_same_start(base: KnowledgeBase, tmp_path: Path) -> None:
    """Each strategist that needs no model picks known arms to the end; the starts are paired."""
    starts = set()
    for strategist in (*(name for name in strategist_names() if name != "lmabo"), "static:MES"):
        report = go(base, tmp_path, strategist=strategist, budget=8)
        initial, chosen = report.trials[:5], report.trials[5:]
        assert (report.run.status, len(chosen)) == ("finished", 3), strategist
        assert all(one.arm in arms() and one.reason for one in chosen), strategist
        starts.add(tuple(tuple(one.point.items()) for one in initial))
    assert len(starts) == 1


def test_min_f_is_max_minus_f(base: KnowledgeBase, tmp_path: Path) -> None:
    """Minimising f and maximising -f propose the same points by the same choices, bandits too."""
    for strategist in ("rules", "hedge"):
        options = {"strategist": strategist, "arms": ("LogEI", "UCB", "TS"), "budget": 8}
        low = go(base, tmp_path, **options)
        high = go(base, tmp_path, lambda x, y: -bowl(x, y), minimise=False, **options)
        assert [t.point for t in low.trials] == [t.point for t in high.trials]
        assert [t.arm for t in low.trials] == [t.arm for t in high.trials]
        assert [t.state for t in low.trials] == [t.state for t in high.trials]


def test_state_has_no_lag(base: KnowledgeBase, tmp_path: Path) -> None:
    """Each state counts every value told before it, and its figures are those of the values."""
    report = go(base, tmp_path)
    for trial in report.trials:
        if trial.state is None:
            continue
        before = [t.value for t in report.trials[: trial.number - 1]]
        assert trial.state["evaluations"] == len(before) == trial.number - 1
        assert trial.state["remaining"] == 9 - len(before)
        assert trial.state["lowest"] == min(before)
        assert trial.state["deviation"] == pytest.approx(np.std(before, ddof=1))
        last = np.array(list(report.trials[trial.number - 2].point.values()))
        earlier = [np.array(list(t.point.values())) for t in report.trials[: trial.number - 2]]
        nearest = min(np.linalg.norm(last - one) for one in earlier) / 3 / np.sqrt(2)
        assert trial.state["nearest"] == pytest.approx(nearest)


def test_interrupted_run_goes_on_as_if_nothing_had_been(
    base: KnowledgeBase, tmp_path: Path
) -> None:
    """A run that is stopped, and one whose evaluation was cut short, end like an unbroken one."""
    whole = go(base, tmp_path)
    stop = threading.Event()
    calls = 0

    def stopping(x: float, y: float) -> float:
        nonlocal calls
        calls += 1
        if calls == 6:
            stop.set()
        if calls == 8:
            raise KeyboardInterrupt
        return bowl(x, y)

    with pytest.raises(Interrupted):
        go(base, tmp_path, stopping, stop=stop)
    run = base.get_run("last")
    assert (run.status, len(base.studies.trials(run.id))) == ("interrupted", 6)
    with pytest.raises(KeyboardInterrupt):
        optimize(stopping, base, resume=run.id)
    statuses = [t.status for t in base.studies.trials(run.id)]
    assert statuses == ["done"] * 7 + ["pending"]
    assert table(optimize(bowl, base, resume=run.id)) == table(whole)


def test_failed_evaluations_are_learnt_from_and_not_proposed_again(
    base: KnowledgeBase, tmp_path: Path
) -> None:
    """Exceptions and values that are no numbers fail with a reason; the run goes on elsewhere."""

    def partly(x: float, y: float) -> float:
        if x > 1.0:
            raise ValueError("x is too large")
        return bowl(x, y) if y > -0.5 else float("nan")

    report = go(base, tmp_path, partly, budget=14)
    failed = [t for t in report.trials if t.status == "failed"]
    assert failed
    for trial in failed:
        assert trial.value is None
        assert "too large" in trial.message or "nan" in trial.message
    rows = SPACE.encode([t.point for t in report.trials])
    gaps = [np.abs(a - b).max() for i, a in enumerate(rows) for b in rows[:i]]
    assert min(gaps) > 1e-4
    assert report.result()["failed"] == len(failed)
    assert [t.status for t in report.trials[-3:]].count("failed") < 3


def test_several_programs_ask_and_tell_one_study(base: KnowledgeBase, tmp_path: Path) -> None:
    """Threads that ask at once get different numbers and points; values come in any order."""
    settings = OptimisationSettings(
        target=Target(kind="told", name="shared", space=SPACE.to_dict()),
        budget=10,
        effort=QUICK,
        runs_folder=tmp_path,
    )
    run = open_named(base, "shared", settings)
    assert open_named(base, "shared", None).id == run.id

    def one(_: int) -> Any:
        return ask(base, run)[0]

    with ThreadPoolExecutor(4) as pool:
        first = list(pool.map(one, range(6)))
    assert sorted(t.number for t in first) == [1, 2, 3, 4, 5, 6]
    assert len({str(t.point) for t in first}) == 6
    for trial in reversed(first):
        tell(base, run, trial.number, bowl(**trial.point))
    with pytest.raises(AlreadyTold):
        tell(base, run, 1, 123.0)
    for _ in range(4):
        (trial,) = ask(base, run)
        assert trial.source == "rule"
        tell(base, run, trial.number, bowl(**trial.point))
    assert base.get_run(run.id).status == "finished"
    assert min(t.value or 9 for t in base.studies.trials(run.id)) < 0.2


def test_finite_space_ends_early_and_says_so(base: KnowledgeBase, tmp_path: Path) -> None:
    """When every point was tried the run ends as stopped, with the reason."""
    data = {"parameters": [{"name": "k", "type": "integer", "low": 1, "high": 4}]}
    fields = {"budget": 9, "runs_folder": tmp_path, "effort": QUICK}
    report = optimize(lambda k: float(k), base, space=data, **fields)
    assert report.run.status == "stopped"
    assert "4 points" in report.run.status_reason
    assert sorted(t.point["k"] for t in report.trials) == [1, 2, 3, 4]


REPLIES = ("**EI**: narrow", "LogEI: sure", "NoSuchThing: hm", "EI or UCB, who knows", "ts")


def test_model_chooses_and_what_it_says_is_counted(
    base: KnowledgeBase, tmp_path: Path, scripted_endpoint: Any
) -> None:
    """Choices, a repaired answer, and a fallback are counted; a resumed run asks nothing twice."""

    def reply(messages: list[dict[str, str]], index: int) -> str:
        return REPLIES[index % len(REPLIES)]

    endpoint: ScriptedEndpoint = scripted_endpoint(reply)
    options = {
        "strategist": "lmabo",
        "model": "openai/scripted",
        "base_url": endpoint.base_url,
        "budget": 9,
    }
    report = go(base, tmp_path, **options)
    result = report.result()
    assert result["sources"] == {"model": 3, "fallback": 1}
    assert result["unread"] == 2
    assert [t.arm for t in report.trials[5:7]] == ["EI", "LogEI"]
    assert report.trials[7].source == "fallback"
    assert report.trials[8].arm == "TS"
    asked = len(endpoint.requests)
    assert asked == 5 == report.spent.calls
    stored = {call.key for call in base.calls(report.run.id)}
    assert len(stored) == 5


def test_budget_of_calls_ends_the_run_and_more_goes_on(
    base: KnowledgeBase, tmp_path: Path, scripted_endpoint: Any
) -> None:
    """A used-up budget stops the run with its reason; a larger one finishes it."""
    from eurisko.agents.evolution import Budgets

    endpoint: ScriptedEndpoint = scripted_endpoint(lambda messages, index: "EI: good")
    options = {"strategist": "lmabo", "model": "openai/scripted", "base_url": endpoint.base_url}
    target = Target(kind="function", name="branin")
    settings = OptimisationSettings(
        target=target,
        budget=9,
        effort=QUICK,
        budgets=Budgets(calls=2),
        runs_folder=tmp_path,
        **options,
    )
    report = optimize(settings, base)
    assert (report.run.status, len(report.trials)) == ("stopped", 7)
    assert "budget" in report.run.status_reason.lower()
    report = resume(report.run.id, base, budgets=Budgets(calls=9))
    assert (report.run.status, len(report.trials)) == ("finished", 9)
    assert len(endpoint.requests) == 4


@pytest.mark.slow
def test_kill_in_mid_run_and_resume_is_identical(base: KnowledgeBase, tmp_path: Path) -> None:
    """A process killed while it works loses no evaluated point and changes no later one."""
    settings = OptimisationSettings(
        target=Target(kind="function", name="branin"),
        budget=11,
        effort=QUICK,
        runs_folder=tmp_path,
    )
    whole = optimize(settings, base)
    program = (
        "import sys; from eurisko.agents.acquisition import OptimisationSettings, optimize\n"
        "optimize(OptimisationSettings.model_validate_json(sys.argv[1]))\n"
    )
    environment = cli_environment(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-c", program, settings.model_dump_json()], cwd=tmp_path, env=environment
    )
    deadline = time.monotonic() + 200
    run = whole.run
    while run.id == whole.run.id or len(base.studies.trials(run.id)) < 8:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
        run = base.get_run("last")
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    before = base.studies.trials(run.id)
    assert len(before) < 11
    report = resume(run.id, base)
    assert table(report) == table(whole)
    for old, new in zip(before, report.trials, strict=False):
        assert old.point == new.point
        assert old.status == "pending" or (old.value, old.updated_at) == (new.value, new.updated_at)
