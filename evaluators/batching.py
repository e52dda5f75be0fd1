"""How a solver's batch is divided where all instances at once would not fit into memory."""

from collections.abc import Mapping

from ..sandbox import ArraySpec, Rows
from .problem import Dataset, Problem


def rows_of(problem: Problem, data: Dataset, expects: Mapping[str, ArraySpec]) -> Rows | None:
    """Return the instances of a data set as rows; None where results are not one row for each.

    What an instance takes is guessed from its arrays and its result, times the problem's
    ``memory_factor``. The guess chooses the first batch and what is reserved on a device; too small
    a guess costs an attempt, and too large a one room for other programs.
    """
    specs = expects.values()
    if not all(spec.shape and spec.shape[0] == data.instances for spec in specs):
        return None
    size = sum(array.nbytes for array in data.arrays.values()) + sum(one.nbytes for one in specs)
    each = problem.spec.memory_factor * size / data.instances
    return Rows(data.instances, max(1, round(each)))
