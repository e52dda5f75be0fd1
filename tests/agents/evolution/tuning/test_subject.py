"""Candidates as functions of their constants: genome and code agree, and thoughts say what moved."""

from typing import Any

import pytest

from eurisko.agents.evolution.offline import OfflineProposer, describe, render
from eurisko.agents.evolution.proposal import Parent, Task
from eurisko.agents.evolution.survival import Member
from eurisko.agents.evolution.tuning import find_constants, subject_of
from eurisko.evaluators import get_problem

GENOME = "add(step, add(fade(near, 0.75, -0.5), scale(spread, -0.25)))"


def member(code: str, genome: str | None = None, thought: str = "Near cities first.") -> Member:
    return Member(1, "hash", 10.0, thought, code, genome)


@pytest.mark.parametrize("interface", ["batched", "scalar"])
def test_a_genome_is_tuned_with_its_code(interface: str) -> None:
    """New constants stand in the genome, and the code is what the language writes for it."""
    grammar = get_problem("tsp_construct").grammar
    assert grammar is not None
    subject = subject_of(member(render(grammar, interface, GENOME), GENOME), grammar, interface)
    assert subject is not None
    assert [axis.start for axis in subject.axes] == [0.75, -0.5, -0.25]
    same = subject.write([0.75, -0.5, -0.25])
    assert (same.genome, same.code) == (GENOME, render(grammar, interface, GENOME))
    moved = subject.write([0.875, 0.5, -0.25])
    assert moved.genome == "add(step, add(fade(near, 0.875, 0.5), scale(spread, -0.25)))"
    assert moved.code == render(grammar, interface, moved.genome)
    assert subject.thought(moved, [0.875, 0.5, -0.25]) == (
        describe(grammar, moved.genome) + " Tuned: 0.75 → 0.875, -0.5 → 0.5."
    )


def test_what_was_tuned_breeds_on() -> None:
    """Every operator takes a tuned genome for a parent, and its children are readable genomes."""
    problem = get_problem("bin_packing_online")
    grammar = problem.grammar
    assert grammar is not None
    genome = "add(rest, scale(size, 0.25))"
    subject = subject_of(member("", genome), grammar, "batched")
    assert subject is not None
    tuned = subject.write([0.1235])
    parent = Parent("", tuned.code, 1.0, tuned.genome)
    for operator, count in {"e1": 2, "e2": 2, "m1": 1, "m2": 1, "m3": 1}.items():
        spec: Any = problem.spec
        task = Task(spec, "batched", operator, (parent,) * count, f"g1/{operator}/0/0", 3)
        child = OfflineProposer(grammar).propose(task)
        assert child.genome is not None and grammar.parse(child.genome)
        assert child.code == render(grammar, "batched", child.genome) != tuned.code


def test_a_model_s_program_is_tuned_in_its_text() -> None:
    """Without a genome the literals of the source move; the idea stays, and is not piled upon."""
    code = "import torch\n\ndef f(x):\n    return 0.5 * x - x ** 2\n"
    subject = subject_of(member(code, thought="Halve it. Tuned: 0.4 → 0.5."), None, "batched")
    assert subject is not None and [one.value for one in find_constants(code)] == [0.5, 2]
    variant = subject.write([0.75, 3])
    assert (variant.code, variant.genome) == (
        "import torch\n\ndef f(x):\n    return 0.75 * x - x ** 3\n",
        None,
    )
    assert subject.thought(variant, [0.75, 3]) == "Halve it. Tuned: 0.5 → 0.75, 2 → 3."
    many = subject_of(member("y = " + " + ".join(["0.5 * x"] * 9)), None, "batched")
    assert many is not None
    assert many.thought(variant, [0.25] * 9).endswith("0.5 → 0.25, 3 more.")


@pytest.mark.parametrize("code", ["def f(x):\n    return -x[0]\n", "def f(x:\n"])
def test_nothing_to_tune(code: str) -> None:
    """A program without parameters, or one that cannot be read, is left alone."""
    assert subject_of(member(code), None, "batched") is None
    assert subject_of(member(code, "step"), get_problem("tsp_construct").grammar, "batched") is None
