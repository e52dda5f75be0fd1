"""What is measured: data sets by problem, size and number of instances, and why one is left out."""

import time
from dataclasses import dataclass
from pathlib import Path

from eurisko.evaluators import Dataset, GeneratingProblem, InputError

MACHINES = 10
"""Sizes of shops are N jobs on so many machines."""

SEED = 1
COPIES = 4
"""Copies of a data set that must fit into memory: ours, the sealed one, a program's, a spare one."""

MAKE_S = 60.0
"""Seconds for making a data set, beside those of a cell."""

PROBE = 8
"""Instances that are made to see how long all of them take."""


class Skipped(Exception):
    """A data set is not made; the text says why, without a final stop."""


@dataclass(frozen=True)
class Cell:
    """So many instances of one size.

    Args:
        problem: its name.
        size: as the problem says it, for example ``50`` or ``50x10``.
        number: N, the first part of the size.
        instances: how many.
    """

    problem: str
    size: str
    number: int
    instances: int

    def covers(self, other: "Cell") -> bool:
        """Whether another cell of the problem is at least as large in both respects."""
        return self.number <= other.number and self.instances <= other.instances


def shape(problem: GeneratingProblem, number: int) -> str:
    """Return how a problem writes the size N: ``N``, or ``Nx10`` where it takes two numbers.

    Raises:
        Skipped: it has no instances of this size.
    """
    refused: InputError | None = None
    for size in (str(number), f"{number}x{MACHINES}"):
        try:
            problem.generate(size, 1, SEED)
            return size
        except InputError as error:
            refused = refused or error
    raise Skipped(str(refused).rstrip("."))


def make(problem: GeneratingProblem, cell: Cell, seconds: float = MAKE_S) -> Dataset:
    """Return the data set of a cell.

    Raises:
        Skipped: there is none, it would not fit into memory or would take more than ``seconds``.
    """
    probe = min(PROBE, cell.instances)
    try:
        problem.generate(cell.size, 1, SEED + 1)  # what is loaded and looked up once
        began = time.perf_counter()
        some = problem.generate(cell.size, probe, SEED + 2)
        expected_s = (time.perf_counter() - began) * cell.instances / probe
        if expected_s > seconds:
            raise Skipped(f"making the data set would take about {expected_s:.0f} s")
        needed = nbytes(some) * cell.instances // probe * COPIES
        if needed > available_bytes():
            raise Skipped(
                f"{COPIES} copies of the data set take {needed / 2**30:.1f} GiB of memory"
            )
        return problem.generate(cell.size, cell.instances, SEED)
    except InputError as error:
        raise Skipped(str(error).rstrip(".")) from error
    except MemoryError as error:
        raise Skipped("the data set does not fit into memory") from error


def nbytes(data: Dataset) -> int:
    """Return the bytes of a data set's arrays."""
    return sum(array.nbytes for array in data.arrays.values())


def available_bytes() -> int:
    """Return how much memory the kernel could give to programs now."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("the kernel does not say how much memory is available")
