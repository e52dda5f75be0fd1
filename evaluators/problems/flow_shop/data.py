"""Data sets of flow_shop: seeded random ones, Taillard's, and files in his format."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...generated import Family, Recipe
from ...problem import Array, Dataset
from .taillard import GROUPS, taillard_times

MAX_OPERATIONS = 200_000


@dataclass(frozen=True)
class Random:
    """Recipe of a data set of Taillard's distribution: instance i has the seed ``seed + i``."""

    instances: int
    jobs: int
    machines: int
    seed: int


RANDOM = {
    "random-50x10-search": Random(instances=16, jobs=50, machines=10, seed=1_102_024),
    "random-100x10-validation": Random(instances=8, jobs=100, machines=10, seed=1_202_024),
}
TAILLARD = {f"taillard-{size}": group for size, group in GROUPS.items()}

FAMILY = Family("random", ("jobs", "machines"), least=(2, 1), most=MAX_OPERATIONS)


def lower_bound(times: Array) -> Array:
    """Return Taillard's lower bound of the makespans ``[B]`` for times ``[B, N, M]``.

    A machine works for all its jobs, after the shortest way of a job to it and before the shortest
    way of a job to the end; and no job is faster than the sum of its times.
    """
    done = np.cumsum(times, axis=2)
    total = done[:, :, -1]
    heads = (done - times).min(axis=1)
    tails = (total[:, :, None] - done).min(axis=1)
    bound: Array = np.maximum((heads + times.sum(axis=1) + tails).max(axis=1), total.max(axis=1))
    return bound


def random_dataset(name: str, recipe: Random) -> Dataset:
    """Generate a data set; its references are lower bounds."""
    seeds = range(recipe.seed, recipe.seed + recipe.instances)
    sizes = recipe.jobs, recipe.machines
    return _bounded(name, sizes, seeds, f"the seeds from {recipe.seed}")


def generated_dataset(recipe: Recipe) -> Dataset:
    """Generate a data set of any size; each instance has a random seed of Taillard's generator."""
    random = np.random.RandomState(recipe.stream)
    seeds = random.randint(1, 2**31 - 1, recipe.instances, dtype=np.int64).tolist()
    jobs, machines = recipe.size
    return _bounded(recipe.name, (jobs, machines), seeds, f"seeds of RandomState({recipe.stream})")


def _bounded(name: str, sizes: tuple[int, int], seeds: Sequence[int], said: str) -> Dataset:
    times = np.stack([taillard_times(seed, *sizes) for seed in seeds])
    origin = (
        f"{len(seeds)} instances of {sizes[0]} jobs and {sizes[1]} machines, "
        f"Taillard's generator with {said}; references: Taillard's lower "
        "bound of the makespan, which may be out of reach"
    )
    return Dataset(name, {"times": times}, lower_bound(times).astype(np.float64), origin)


def taillard_dataset(name: str) -> Dataset:
    """Generate a group of Taillard's instances, with his published upper bounds."""
    group = TAILLARD[name]
    times = np.stack([taillard_times(seed, group.jobs, group.machines) for seed in group.seeds])
    origin = (
        f"Taillard's 10 instances of {group.jobs} jobs and {group.machines} machines (EJOR 64, "
        "1993); references: the upper bounds of the summary on his web page"
    )
    return Dataset(name, {"times": times}, np.array(group.bounds, dtype=np.float64), origin)


def load_taillard(path: str | Path) -> Dataset:
    """Read the first instance of a file in Taillard's format: sizes, then a row per machine.

    The line of sizes may go on with seed, upper and lower bound; the upper bound is the reference.

    Raises:
        InputError: the file is missing or broken.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read {path}: {error}.") from error
    rows = [words for line in text.splitlines() if (words := _numbers(line))]
    if not rows or len(rows[0]) not in (2, 5):
        raise InputError(
            f"{path} must begin with numbers of jobs and machines (and 3 more or none)."
        )
    jobs, machines = rows[0][:2]
    rest = [number for row in rows[1:] for number in row]
    count = jobs * machines
    if min(jobs, machines) < 1 or not 2 <= count <= MAX_OPERATIONS or len(rest) < count:
        raise InputError(
            f"{path} announces {jobs} jobs on {machines} machines and holds {len(rest)} times; "
            f"2 to {MAX_OPERATIONS} are read."
        )
    times = np.array(rest[:count], dtype=np.int64).reshape(machines, jobs).T[None]
    if times.min() < 0 or times.max() >= 2**31 or times.sum() == 0:
        raise InputError(f"{path}: every time must be an integer from 0 to 2147483647, not all 0.")
    bound = rows[0][3] if len(rows[0]) == 5 else 0
    reference = np.array([float(bound)]) if bound > 0 else None
    origin = f"file {path.name} ({jobs} jobs, {machines} machines)"
    origin += (
        "; reference: its upper bound" if bound > 0 else "; no reference: it names no upper bound"
    )
    return Dataset(path.name, {"times": np.ascontiguousarray(times)}, reference, origin)


def _numbers(line: str) -> list[int]:
    """Return the integers of a line, or nothing for a line of words."""
    try:
        return [int(word) for word in line.split()]
    except ValueError:
        return []
