"""Creations under a rule outside the vocabulary: described, checked, stored and labelled."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from afl_instance import SMALL
from afl_script import Modeller, parts
from scripted_endpoint import ScriptedEndpoint

from eurisko.agents.routing.creation import CreateBudgets, CreateSettings, create_solver
from eurisko.agents.routing.creation.ruled import RuledVerifier
from eurisko.agents.routing.creation.task import Task, stored_task
from eurisko.agents.routing.creation.verifying import Verified
from eurisko.evaluators.routing import parse_routing
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.generated import GeneratedRule
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox

SOLVER = (Path(__file__).parents[4] / "examples" / "solvers" / "cvrp.py").read_text()
APART = """def check(routes, vehicles, times, instance):
    for number, route in enumerate(routes, 1):
        if 1 in route and 2 in route:
            return False, f"route {number} visits 2 and 3"
    return True, ""
"""
RULE = GeneratedRule(
    name="apart",
    request="keep 2 and 3 apart, please",
    meaning="Customers 2 and 3 are never in the same route.",
    code=APART,
    accepted=((0, 1, 0), (0, 2, 0)),
    rejected=((0, 1, 2, 0),),
)
HEAD = "def validate(routes: list, instance: dict, D: np.ndarray) -> tuple:\n"
KNOWING = SOLVER.replace(
    HEAD,
    HEAD + "    for route in routes:\n        if 1 in route and 2 in route:\n"
    "            return False, 'apart'\n",
)


def task() -> Task:
    reading = parse_routing(SMALL, "small.vrp")
    return Task(SMALL, reading, analyse(reading), rules=(RULE,))


class Passes:
    """Finds everything right, with the routes that it is given."""

    def __init__(self, *routes: tuple[int, ...]) -> None:
        self.routes = routes

    def verify(self, code: str) -> Verified:
        """Pass."""
        return Verified(True, 1, routes=self.routes, feasible=True, names=("run",))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as opened:
        yield opened


def test_plan_and_validate_are_held_to_a_generated_rule(sandbox: Sandbox) -> None:
    """A program that does not know the rule fails on its plan and on its validate, and is told why."""
    verifier = RuledVerifier(Passes((0, 1, 2, 0), (0, 3, 0)), sandbox, task())
    found = verifier.verify(SOLVER)
    assert not found.passed and not found.feasible
    assert len(found.failures) == 2 and found.checks == 3
    assert "generated:apart: route 1 visits 2 and 3" in found.failures[0]
    assert "validate accepts [[0, 1, 2, 0], [0, 3, 0]]" in found.failures[1]


def test_a_program_that_knows_the_rule_passes(sandbox: Sandbox) -> None:
    """Its validate rejects the completed probe and accepts the other."""
    assert KNOWING != SOLVER
    found = RuledVerifier(Passes((0, 1, 3, 0), (0, 2, 0)), sandbox, task()).verify(KNOWING)
    assert found.passed and found.feasible and not found.failures
    assert found.names == ("run", "feasible:generated:apart", "validate:generated:apart")


def test_what_cannot_be_probed_is_said(sandbox: Sandbox) -> None:
    """A rejected plan that completion mends cannot be put to validate."""
    first = APART.replace("if 1 in route and 2 in route", "if len(routes) < 2")
    rule = RULE.model_copy(update={"code": first})
    asked = task()
    asked = Task(asked.text, asked.reading, asked.analysis, rules=(rule,))
    found = RuledVerifier(Passes((0, 1, 0), (0, 2, 3, 0)), sandbox, asked).verify(SOLVER)
    assert found.unprobed == ("generated:apart",) and "validate:generated:apart" not in found.names


def test_answers_say_what_checked_them(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scripted_endpoint: Callable[[Any], ScriptedEndpoint],
) -> None:
    """Prompts show the rule, the report is labelled, the run keeps the rule, and one budget is kept."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    prompts: list[str] = []
    model = Modeller(parts(SOLVER))

    def answer(messages: list[dict[str, str]], number: int) -> Any:
        prompts.append(messages[0]["content"])
        return model(messages, number)

    settings = CreateSettings(
        model="openai/writer",
        judge_model="openai/judge",
        base_url=scripted_endpoint(answer).base_url,
        budgets=CreateBudgets(calls=12),
        runs_folder=tmp_path,
    )
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as base:
        created = create_solver(task(), settings, base, verifier=Passes((0, 1, 0)))
        assert created.calls == len(model.seen) == 12 and "12 calls" in created.stop
        assert created.checked_by == created.to_json()["checked_by"] == "generated rules"
        assert stored_task(base.get_run(created.run)).rules == (RULE,)
    assert all(RULE.meaning in one for one in prompts if "judge the description" not in one)
    assert not any("generated" in note for note in created.description.notes)
