"""Which literals are parameters, and how they are replaced."""

import ast
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eurisko.agents.evolution.offline import OfflineProposer
from eurisko.agents.evolution.proposal import Task
from eurisko.agents.evolution.tuning import find_constants, rewrite
from eurisko.evaluators import get_problem, problem_names, program_hash

MODEL_LIKE = '''
import numpy as np
import torch
from math import inf

ALPHA, BETA = 0.7, 3  # two weights

def score_next(current, start, unvisited, distances, gamma=2.5, *, power: int = 2, dim=2):
    """Weights 0.5 and 12 in a docstring are words."""
    eps = 1e-9
    B, N = distances.shape[0], distances.size(1)
    rows = torch.arange(B)
    k = min(5, N - 2)
    near = distances.topk(7, dim=2, largest=False).values[:, :, 1:3].mean(-1)
    tail = torch.zeros(B, 4).expand(2 * B, 4)[:B, 2]
    left = unvisited.sum(1, keepdim=True) / N
    lam = 1.0
    cost = distances[rows, current] ** power + 0.25 * near - 1.0 * left * (1 - left) / (1.0 + eps)
    if N > 100 and unvisited.sum() >= 12:
        cost = torch.where(left < 0.3, 1.5 * cost, cost.clamp(min=0.05, max=1e9))
    for _ in range(3):
        cost = torch.softmax(4 * cost, 1) * cost.pow(2).sum(1)
    if cost.ndim == 3:
        cost = cost.reshape(-1, 6).roll(2, 1)
    torch.manual_seed(42)
    print(f"{cost.mean():.3f} of {17}")
    values = np.array([0.1, 0.9]), [2, 4]
    half = N // 2 + k % 3
    return -cost + inf if np.isclose(lam, 0.4, rtol=0.01) else torch.full_like(cost, -2.0)
'''


def values(code: str) -> list[float | int]:
    """The constants found, in the order of the text."""
    return [one.value for one in find_constants(code)]


def test_a_program_as_models_write_it() -> None:
    """Weights, thresholds, exponents and scales are found; indices, sizes, guards, seeds are not."""
    assert values(MODEL_LIKE) == [
        0.7, 2.5, 2, 5, 1.0, 0.25, 1.0, 12, 0.3, 1.5, 0.05, 4, 2, 0.1, 0.9, 0.4, 2.0
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("x.sum(1) + x.unsqueeze(-1) + x.mean(dim=2) + x.amax((2, 3))", []),
        ("x[2:3, 4] + x[..., -2] + x[2 * k]", []),
        ("np.zeros((3, 4)) + np.ones(5) + x.reshape(2, -3)", []),
        ("len(x) - 3 + x.shape[0] * 2 + x.numel() / 4", []),
        ("x % 3 + x // 4 + (x << 2) + (x & 7)", []),
        ("x == 3 or x != 4 or x in (5, 6)", []),
        ("1 - x + 1 / x + 0 * x + True * x + 1.0 - x + 2j", []),
        ("x / (y + 1e-8) + 1e9 * z", []),
        ("lambda x, a=3, dim=4: a * x", [3]),
        ("2 * x - 3 + x ** 4 / 5", [2, 3, 4, 5]),
        ("-0.5 * x + (-2) * y", [0.5, 2]),
        ("1.0 * x", [1.0]),
        ("max(2, x) + x.max(3) + torch.maximum(x, 4) + np.where(x > 5, 6, x)", [2, 4, 5, 6]),
        ("torch.clamp(x, 2, max=3) + x.clip(0, 4)", [2, 3, 4]),
        ("torch.quantile(x, 0.25) + F.softplus(x, beta=2)", [0.25, 2]),
        ("torch.softmax(3 * x, 1) + x.sum(2)", [3]),
        ("np.exp(-3 * x / (2 * s ** 2))", [3, 2, 2]),
        ("2 if x > 3 else 4", [2, 3, 4]),
        ("{'a': 2, 3: 4.5}", [2, 4.5]),
        ("[0.5, 2, 3]", [0.5]),
        ("np.isclose(x, y, atol=0.5) + np.random.default_rng(7).random(3)", []),
        ("f'{x:.3f} {0.5}'", []),
    ],
)
def test_the_rule_case_by_case(expression: str, found: list[float | int]) -> None:
    """Each sentence of the rule, in a returned expression."""
    assert values(f"def f(x, y):\n    return ({expression})\n") == found


def test_constants_of_names() -> None:
    """A name's whole value counts, if the name is no dimension, size, seed or tolerance."""
    code = "k = 4\nseed = 3\neps = 0.001\na: float = 1.0\nb = 1\nx *= 1.5\nx += 1\nshape = (3, 4)\n"
    assert values(code) == [4, 1.0, 1.5]


def test_other_values_in_their_places() -> None:
    """Only the literals change: text, comments, letters of several bytes and line ends stay."""
    code = 'def f(x):\r\n    t = "é" ; a = 0.5 * x # é 0.5\r\n    return (-2 * a\r\n    + 3.0)\n'
    constants = find_constants(code)
    assert [one.value for one in constants] == [0.5, 2, 3.0]
    assert rewrite(code, constants, [0.25, 17, 1e-5]) == code.replace(
        "a = 0.5", "a = 0.25"
    ).replace("-2", "-17").replace("3.0)", "1e-05)")


@pytest.mark.parametrize("wrong", [[-0.5, 2], [0.5, 2.0], [0.5, 0], [1, 2]])
def test_signs_and_types_are_kept(wrong: list[float | int]) -> None:
    """A value of another sign or type is refused."""
    code = "y = 0.5 * x - 2 * z\n"
    with pytest.raises(ValueError, match="cannot stand"):
        rewrite(code, find_constants(code), wrong)


@pytest.mark.parametrize("problem", problem_names())
def test_seed_heuristics_and_grammars_are_read(problem: str) -> None:
    """What problems and grammars write is found again after new values, with its structure intact."""
    chosen = get_problem(problem)
    sources = [interface.seed for interface in chosen.spec.interfaces.values()]
    if chosen.grammar is not None:
        proposer, name = OfflineProposer(chosen.grammar), chosen.spec.default_interface
        tasks = [Task(chosen.spec, name, "i1", (), f"g0/i1/{n}/0", n) for n in range(30)]
        sources += [proposer.propose(task).code for task in tasks]
    draw = random.Random(1)
    for code in sources:
        constants = find_constants(code)
        new = [
            one.value + draw.randint(1, 9) if one.integer else one.value * draw.uniform(1.5, 3.0)
            for one in constants
        ]
        changed = rewrite(code, constants, new)
        assert [one.value for one in find_constants(changed)] == new
        assert (program_hash(changed) != program_hash(code)) == bool(constants)
        assert _shape(changed) == _shape(code)


def test_the_language_of_tours_is_read_as_meant() -> None:
    """Weights and exponents of a grammar's program are found; its dimensions and walls are not."""
    from eurisko.agents.evolution.offline import render

    grammar = get_problem("tsp_construct").grammar
    assert grammar is not None
    genome = "add(step, add(fade(near, 0.75, -0.5), scale(spread, square(root(0.3)))))"
    code = render(grammar, "batched", genome)
    assert ".sum(1" in code and "1e9" in code and "max(" not in code
    assert sorted(values(code)) == [0.3, 0.5, 0.5, 0.75, 2]


def _shape(code: str) -> str:
    """The syntax tree of a program, all numbers alike."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            node.value = 1
    return ast.dump(tree)


@given(st.lists(st.floats(1e-4, 1e4) | st.integers(2, 10_000), min_size=1, max_size=6))
def test_any_numbers_are_found_and_replaced(numbers: list[float | int]) -> None:
    """Whatever the values: each is found once, and the program computes with the new ones."""
    body = " + ".join(f"{number!r} * x" for number in numbers)
    code = f"def f(x):\n    return {body}\n"
    constants = find_constants(code)
    assert [one.value for one in constants] == numbers
    new = [2 * one if isinstance(one, int) else 3.0 * one for one in numbers]
    space: dict = {}
    exec(rewrite(code, constants, new), space)
    assert space["f"](1.0) == pytest.approx(sum(new))
