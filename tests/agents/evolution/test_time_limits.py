"""How long a program may take on a data set."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from eurisko.agents.evolution import Evaluator
from eurisko.evaluators import get_problem, problem_names
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Limits


def evaluator(base: KnowledgeBase, problem: Any, cpu_s: float, per_instance: bool) -> Evaluator:
    """An evaluator that is asked for its limits only."""
    limits, nothing = Limits(cpu_s=cpu_s, memory_mib=512), cast(Any, None)
    return Evaluator(base, nothing, problem, "batched", limits, per_instance=per_instance)


@pytest.mark.parametrize(("seconds", "allowed"), [(0.01, 10.0), (0.5, 32.0)])
def test_the_limit_grows_with_the_instances(
    base: KnowledgeBase, seconds: float, allowed: float
) -> None:
    """64 instances get 64 times the limit of one, but never less than ten seconds; the rest stays."""
    problem = get_problem("tsp_construct")
    data = problem.dataset("uniform-50-search")
    stated = SimpleNamespace(spec=replace(problem.spec, seconds_per_instance=seconds))
    tool = evaluator(base, stated, 3.0, per_instance=True)
    limits = tool.limits_on(data)
    assert replace(limits, wall_s=None) == Limits(cpu_s=allowed, memory_mib=512)
    assert limits.wall_limit_s == 3 * allowed + 5  # a busy machine is no fault of the program
    assert tool.key("x", data).limits == f"cpu={allowed:g}s,memory=512MiB"


def test_a_limit_of_one_s_own_wins(base: KnowledgeBase) -> None:
    """A limit that the user gives holds for every data set."""
    problem = get_problem("tsp_construct")
    tool = evaluator(base, problem, 3.0, per_instance=False)
    assert tool.limits_on(problem.dataset("uniform-200-test")).cpu_s == 3.0


@pytest.mark.parametrize("name", problem_names())
def test_every_problem_states_a_limit_that_is_long_enough(name: str) -> None:
    """All instances of the search split together get about what a data set gets at least."""
    spec = get_problem(name).spec
    instances = sum(get_problem(name).dataset(one).instances for one in spec.splits["search"])
    assert spec.seconds_per_instance * instances >= 9
