"""Champions of trace problems are re-run in lockstep: honest ones agree, others are found out."""

import pytest
from support.tsp import small_uniform

from eurisko.evaluators import OnlineProblem, TraceProblem, confirm, evaluate, get_problem
from eurisko.sandbox import Limits, Sandbox

LIMITS = Limits(cpu_s=5)
TWO_FACED = """
import sys, torch

def score_next(current, start, unvisited, distances):
    frame = sys._getframe()
    while frame is not None and "visits" not in frame.f_locals:
        frame = frame.f_back
    near = -distances[torch.arange(len(current)), current]
    return -near if frame is None else near
"""
RANDOM = """
import random

def select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix):
    return random.choice(list(unvisited_nodes[:3]))
"""


@pytest.fixture(scope="module")
def sandbox():
    """A sandbox without the static policy, which would stop frames from being walked."""
    with Sandbox(workers=1, policy=None) as warm:
        yield warm


def test_tsp_construct_is_a_trace_problem_with_a_lockstep_form() -> None:
    """The problem declares how it is played step by step; online problems need no re-run."""
    problem = get_problem("tsp_construct")
    assert isinstance(problem, TraceProblem)
    assert isinstance(problem.lockstep, OnlineProblem)
    assert not isinstance(get_problem("bin_packing_online"), TraceProblem)


@pytest.mark.parametrize("interface", ["batched", "scalar"])
@pytest.mark.parametrize("cities", [3, 4, 12])
def test_an_honest_heuristic_is_confirmed(sandbox: Sandbox, interface: str, cities: int) -> None:
    """The seed decides in lockstep what its trace says, also on the smallest instances."""
    problem, data = get_problem("tsp_construct"), small_uniform(5, cities)
    code = problem.spec.interfaces[interface].seed
    claimed = evaluate(sandbox, problem, interface, code, data, LIMITS)
    assert claimed.kind == "ok", claimed.message
    assert confirm(sandbox, problem, interface, code, data, claimed, LIMITS) == ""


def test_random_numbers_are_confirmed_too(sandbox: Sandbox) -> None:
    """A heuristic that draws from the seeded global generator draws the same in lockstep."""
    problem, data = get_problem("tsp_construct"), small_uniform(4, 15)
    claimed = evaluate(sandbox, problem, "scalar", RANDOM, data, LIMITS, seed=3)
    assert confirm(sandbox, problem, "scalar", RANDOM, data, claimed, LIMITS, seed=3) == ""
    assert "differently" in confirm(
        sandbox, problem, "scalar", RANDOM, data, claimed, LIMITS, seed=4
    )


def test_a_two_faced_program_is_found_out(sandbox: Sandbox) -> None:
    """One that behaves well only while it sees the solver that records its tours is named."""
    problem, data = get_problem("tsp_construct"), small_uniform(4, 15)
    claimed = evaluate(sandbox, problem, "batched", TWO_FACED, data, LIMITS)
    honest = evaluate(
        sandbox, problem, "batched", problem.spec.interfaces["batched"].seed, data, LIMITS
    )
    assert claimed.objective == honest.objective  # the trace alone shows nothing
    message = confirm(sandbox, problem, "batched", TWO_FACED, data, claimed, LIMITS)
    assert "decides differently in 4 of 4 instances" in message


def test_a_program_that_fails_in_lockstep_is_named(sandbox: Sandbox) -> None:
    """An error that shows only in lockstep is reported with its kind."""
    problem, data = get_problem("tsp_construct"), small_uniform(4, 15)
    code = TWO_FACED.replace("return -near if frame is None else near", "assert frame; return near")
    claimed = evaluate(sandbox, problem, "batched", code, data, LIMITS)
    assert claimed.kind == "ok"
    message = confirm(sandbox, problem, "batched", code, data, claimed, LIMITS)
    assert "candidate_error" in message
