"""Evolved acquisition functions in studies: named, chosen, resumed, and harmless when they fail."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.acquisition_states import make_state

from eurisko.agents.acquisition import (
    EvolvedFunction,
    Interrupted,
    OptimisationSettings,
    Target,
    ask,
    find_evolved,
    open_named,
    optimize,
    tell,
)
from eurisko.agents.acquisition.naming import arms_of, make_strategist
from eurisko.agents.acquisition.report import Report
from eurisko.evaluators import get_problem
from eurisko.evaluators.bayesopt import Real, Space
from eurisko.evaluators.errors import InputError
from eurisko.evaluators.problems.acquisition import arm as arm_module
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox

SPACE = Space([Real("x", -1.0, 2.0), Real("y", -1.0, 2.0)])
QUICK = {"restarts": 2, "samples": 64, "iterations": 20}
FACE = get_problem("acquisition").spec.interface("batched")
HEAD = FACE.signature + "\n"
THOUGHT = "Lower bounds:\n evaluate where the value may be least."
CODE = f"{HEAD}    return 0.5 * remaining * std - mean\n"


def bowl(x: float, y: float) -> float:
    return (x - 0.3) ** 2 + 2.0 * (y - 0.7) ** 2 + 0.1 * x * y


@pytest.fixture
def base(tmp_path: Path):
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as opened:
        yield opened


@pytest.fixture(scope="module")
def sandbox():
    """One for all tests."""
    with Sandbox(workers=1) as opened:
        yield opened


def evolution(base: KnowledgeBase, problem: str = "acquisition", **result: Any) -> str:
    """Store a finished evolution with one candidate and return its run's id."""
    run = base.create_run(
        workflow="evolve",
        problem=problem,
        problem_version="1",
        interface="batched",
        proposer="offline",
        seed=0,
        config={},
        folder="",
        version="0",
    )
    fields = {"run_id": run.id, "key": "g0", "generation": 0, "operator": "i1", "slot": 0}
    (candidate,) = base.add_candidates([{**fields, "thought": THOUGHT, "code": CODE, "hash": "h"}])
    base.update_run(run.id, status="finished", result={"best": candidate.id, **result})
    return run.id


def settings_of(function: EvolvedFunction, **options: Any) -> OptimisationSettings:
    target = Target(kind="callable", name="bowl", space=SPACE.to_dict())
    return OptimisationSettings(
        **{"target": target, "budget": 8, "effort": QUICK, "evolved": (function,), **options}
    )


def mine(code: str = CODE, name: str = "Mine") -> EvolvedFunction:
    return EvolvedFunction(name=name, help="Lower bounds.", code=code, interface="batched")


def go(
    base: KnowledgeBase, sandbox: Sandbox, tmp_path: Path, code: str = CODE, **options: Any
) -> Report:
    function = options.pop("function", bowl)
    more = {"space": SPACE, "budget": 9, "effort": QUICK, "runs_folder": tmp_path, **options}
    return optimize(function, base, sandbox=sandbox, evolved=(mine(code),), **more)


def table(report: Report) -> list[tuple[Any, ...]]:
    return [(t.number, t.point, t.value, t.arm, t.reason, t.state) for t in report.trials]


def test_the_best_of_a_run_becomes_an_arm(base: KnowledgeBase) -> None:
    """A run is found by the beginning of its id, named or not; its thought becomes one sentence."""
    run = evolution(base)
    found = find_evolved(base, f"Low-1={run[:13]}")
    assert (found.name, found.code, found.interface, found.run) == ("Low-1", CODE, "batched", run)
    assert found.help == "Lower bounds: evaluate where the value may be least."
    assert find_evolved(base, run).name == run
    for text, words in {
        f"UCB={run}": "portfolio",
        f"a b={run}": "called 'a b'",
        f"={run}": "called ''",
        evolution(base, "tsp_gls"): "about 'tsp_gls'",
        evolution(base, best=None): "no best heuristic",
    }.items():
        with pytest.raises(InputError, match=words):
            find_evolved(base, text)
    with pytest.raises(ValueError, match="NAME=RUN"):
        settings_of(found, evolved=(found, found))


def test_every_strategist_may_choose_it(base: KnowledgeBase) -> None:
    """It comes beside the given or usual arms, alone for static, and first after a failure of rules."""
    assert arms_of(settings_of(mine(), strategist="hedge"))[-1] == "Mine"
    assert arms_of(settings_of(mine(), arms=("UCB", "Mine"))) == ("UCB", "Mine")
    assert arms_of(settings_of(mine(), arms=("UCB",))) == ("UCB", "Mine")
    assert arms_of(settings_of(mine(), strategist="static:Mine")) == ("Mine",)
    with pytest.raises(InputError, match="did you mean static:Mine"):
        make_strategist(settings_of(mine(), strategist="static-Mine"))
    rules = make_strategist(settings_of(mine()))
    state = make_state([("LogEI", False)], arms=("LogEI", "TS", "UCB", "Mine"))
    assert rules.choose(state, None, {}, None).arm == "Mine"


def test_a_model_reads_its_sentence(base, sandbox, tmp_path, scripted_endpoint: Any) -> None:
    """The prompt of lmabo names it with its description, and its answer is understood."""
    endpoint = scripted_endpoint(lambda messages, index: "Mine: it is new")
    report = go(
        base,
        sandbox,
        tmp_path,
        strategist="lmabo",
        model="openai/scripted",
        base_url=endpoint.base_url,
        budget=6,
    )
    prompt = json.dumps(endpoint.requests[0].body)
    assert "Lower bounds." in prompt and "Mine" in prompt
    assert (report.trials[-1].arm, report.trials[-1].source) == ("Mine", "model")


def test_a_study_resumes_as_if_nothing_had_been(base, sandbox, tmp_path) -> None:
    """The program is part of the settings: a run cut in two, without its evolution, ends alike."""
    whole = go(base, sandbox, tmp_path, strategist="static:Mine")
    assert [t.arm for t in whole.trials] == [""] * 5 + ["Mine"] * 4
    assert whole.value < min(t.value for t in whole.trials[:5])
    calls = 0

    def cut(x: float, y: float) -> float:
        nonlocal calls
        calls += 1
        if calls == 7:
            raise KeyboardInterrupt
        return bowl(x, y)

    with pytest.raises((Interrupted, KeyboardInterrupt)):
        go(base, sandbox, tmp_path, strategist="static:Mine", function=cut)
    run = base.get_run("last")
    assert OptimisationSettings.model_validate(run.config).evolved[0].code == CODE
    again = optimize(bowl, base, resume=run.id, sandbox=sandbox)
    assert again.run.id == run.id and table(again) == table(whole)


@pytest.mark.parametrize(
    ("body", "words"),
    [("    return mean.sum()\n", "returned shape"), ("    while True:\n        pass\n", "time")],
)
def test_a_hostile_arm_never_ends_the_run(
    body: str, words: str, base, sandbox, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of its steps is LogEI's, stored as such with the reason; the run is finished."""
    monkeypatch.setattr(arm_module, "CPU_S", 0.4)
    report = go(base, sandbox, tmp_path, HEAD + body, strategist="static:Mine", budget=7)
    plain = go(base, sandbox, tmp_path, strategist="static:LogEI", budget=7)
    assert report.run.status == "finished"
    assert [t.point for t in report.trials] == [t.point for t in plain.trials]
    for trial in report.trials[5:]:
        assert trial.arm == "LogEI" and trial.notes["fallback"] == "LogEI"
        assert "Mine failed: " in trial.reason and "LogEI instead" in trial.reason
        assert words in trial.reason


def test_bandits_nominate_it_and_ask_and_tell_opens_it(base, tmp_path) -> None:
    """A study of another program asks it too, through a sandbox of its own."""
    target = Target(kind="told", name="wing", space=SPACE.to_dict())
    settings = settings_of(
        mine(), target=target, initial=2, strategist="hedge", arms=("LogEI",), runs_folder=tmp_path
    )
    run = open_named(base, "wing", settings)
    for trial in ask(base, run, 2):
        tell(base, run, trial.number, bowl(**trial.point))
    (trial,) = ask(base, run)
    assert trial.arm in ("LogEI", "Mine")
    assert set(base.studies.get(run.id).memory["nominated"]) == {"LogEI", "Mine"}
