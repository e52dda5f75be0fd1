"""The harness: what created solvers may return, and every way in which their runs end."""

from collections.abc import Callable

import numpy as np
import pytest

from eurisko.evaluators.routing import Plan, Reading, Route
from eurisko.evaluators.routing.created import call_validate, run_created, validate_answers
from eurisko.evaluators.routing.created.contract import FUNCTIONS, NAMES
from eurisko.sandbox import OutcomeKind, Sandbox

Made = Callable[..., tuple[str, Reading]]
HEAD = "import numpy as np\nimport time\ndef solve(text, seconds, seed):\n    "


@pytest.fixture(scope="module")
def run(sandbox: Sandbox, made: Made) -> Callable[..., object]:
    """Run the body of a ``solve`` on a small instance."""
    text, reading = made("CVRP")
    return lambda body, **more: run_created(
        sandbox, HEAD + body, text, reading.instance, **{"seconds": 0.2, "seed": 5, **more}
    )


def test_plan_and_cost_come_back(run: Callable[..., object]) -> None:
    """Routes, vehicle types and cost arrive as they were returned, numpy integers too."""
    body = (
        "return {'routes': [[0, np.int64(2), 0], np.array([0, 1])], 'cost': 7, 'vehicles': [0, 3]}"
    )
    found = run(body)
    assert found.plan == Plan((Route((0, 2, 0)), Route((0, 1), 3)))
    assert (found.claimed, found.reason) == (7.0, "")


def test_the_program_gets_text_time_and_seed(run: Callable[..., object], made: Made) -> None:
    """It sees the whole text, the seconds and the seed, and nothing else."""
    body = "return {'routes': [], 'cost': len(text) + seconds + 1000 * seed}"
    assert run(body).claimed == pytest.approx(len(made("CVRP")[0]) + 5000.2)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("import os", OutcomeKind.POLICY_VIOLATION, "not allowed"),
        ("return {", OutcomeKind.SYNTAX_ERROR, "cannot be parsed"),
        ("return 1 / 0", OutcomeKind.CANDIDATE_ERROR, "ZeroDivisionError"),
        ("raise SystemExit", OutcomeKind.CRASH, "ended without a result"),
        ("x = np.ones((9000, 9000, 9)); return x", OutcomeKind.MEMORY, "too much memory"),
        ("return [[0, 1, 0]]", OutcomeKind.BAD_RESULT, "wanted a dictionary"),
        ("return {'routes': [[0, 1.5]], 'cost': 1}", OutcomeKind.BAD_RESULT, "wanted integers"),
        ("return {'routes': [[0, True]], 'cost': 1}", OutcomeKind.BAD_RESULT, "wanted integers"),
        ("return {'routes': 3, 'cost': 1}", OutcomeKind.BAD_RESULT, "list of lists"),
        ("return {'routes': [3], 'cost': 1}", OutcomeKind.BAD_RESULT, "route 1 is int"),
        ("return {'routes': [], 'cost': 'x'}", OutcomeKind.BAD_RESULT, "'cost' is str"),
        ("return {'routes': [[0]] * 99, 'cost': 1}", OutcomeKind.BAD_RESULT, "99 routes"),
        ("return {'routes': [[0] * 999], 'cost': 1}", OutcomeKind.BAD_RESULT, "999 stops"),
        ("return {'routes': [[10**30]], 'cost': 1}", OutcomeKind.BAD_RESULT, "no row"),
        (
            "return {'routes': [[0, 1]], 'cost': 1, 'vehicles': []}",
            OutcomeKind.BAD_RESULT,
            "0 vehicles for 1 routes",
        ),
    ],
)
def test_bad_ends(run: Callable[..., object], body: str, kind: OutcomeKind, words: str) -> None:
    """Every bad end has its kind, no plan, and a sentence that says what happened."""
    found = run(body)
    assert found.outcome.kind == kind
    assert found.plan is None
    assert found.claimed is None
    assert words in found.reason
    assert found.reason.endswith(".")


def test_the_parent_keeps_the_time(run: Callable[..., object]) -> None:
    """A program that never stops is ended, whatever it was told."""
    found = run("while True: pass")
    assert found.outcome.kind == OutcomeKind.TIMEOUT
    assert "did not stop in time" in found.reason


VALIDATOR = """
def read_instance(text): return {"n": len(text)}
def distance_matrix(instance): return __import__  if False else MATRIX
import numpy as np
MATRIX = np.zeros((2, 2))
def validate(routes, instance, D):
    if routes == [[0, 9]]: raise KeyError("nine")
    if routes == [[0, 8]]: return True
    instance["n"] = 0
    D[:] = 1
    routes.append([7])
    return (instance.get("route_vehicles", [0]) == [0] and routes[0] == [0, 1]), "why"
"""


def test_validate_case_by_case(sandbox: Sandbox) -> None:
    """One plan that makes validate raise does not spoil the verdicts of the others."""
    code = VALIDATOR.replace("__import__  if False else ", "")
    plans = [Plan((Route(stops, kind),)) for stops, kind in (
        ((0, 1), 0), ((0, 9), 0), ((0, 8), 0), ((0, 2), 0), ((0, 1), 2),
    )]  # fmt: skip
    outcome, verdicts = call_validate(sandbox, code, [("abc", plan) for plan in plans])
    assert outcome.ok
    assert verdicts == [True, None, None, False, True]
    _, answers = validate_answers(sandbox, code, [("abc", p) for p in plans], several_types=True)
    assert [answer.kept for answer in answers] == [True, None, None, False, False]
    assert "KeyError: 'nine' (line" in answers[1].message
    assert "wanted a pair (bool, str)" in answers[2].message
    assert answers[3].message == "why"


def test_contract_names_eight_functions() -> None:
    """The contract has the eight functions in the order of generation, each a parsable signature."""
    assert len(FUNCTIONS) == 8
    assert NAMES[0] == "read_instance"
    assert NAMES[-1] == "solve"
    for function in FUNCTIONS:
        space: dict[str, object] = {"np": np}
        exec(f"{function.signature}: ...", space)
        assert callable(space[function.name])
