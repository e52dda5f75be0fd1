"""Data sets of job_shop: classic instances with proven optima, seeded random ones, and files.

``classic.txt`` holds ft06, ft10, ft20 (Fisher and Thompson, 1963) and la01 to la20 (Lawrence, 1984)
as the OR-Library of J. E. Beasley distributes them: per instance a line with name, jobs, machines
and optimal makespan, then a line per job with pairs of machine and time in the job's order.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...generated import Family, Recipe
from ...problem import Array, Dataset

MAX_OPERATIONS = 20_000


@dataclass(frozen=True)
class Random:
    """Recipe of a data set: times from 1 to 99, machines of each job in random order."""

    instances: int
    jobs: int
    machines: int
    seed: int


RANDOM = {
    "random-10x10-search": Random(instances=32, jobs=10, machines=10, seed=931_010),
    "random-15x10-validation": Random(instances=16, jobs=15, machines=10, seed=932_015),
}
CLASSIC = {
    "ft06": ("ft06",),
    "ft10": ("ft10",),
    "ft20": ("ft20",),
    "la01-05": tuple(f"la{number:02}" for number in range(1, 6)),
    "la06-10": tuple(f"la{number:02}" for number in range(6, 11)),
    "la11-15": tuple(f"la{number:02}" for number in range(11, 16)),
    "la16-20": tuple(f"la{number:02}" for number in range(16, 21)),
}

FAMILY = Family("random", ("jobs", "machines"), least=(1, 1), most=MAX_OPERATIONS)


def lower_bound(times: Array, machines: Array) -> Array:
    """Return the larger of the longest job and the busiest machine, per instance ``[B]``."""
    instances, _, count = times.shape
    load = np.zeros((instances, count), dtype=np.int64)
    np.add.at(load, (np.arange(instances)[:, None, None], machines), times)
    bound: Array = np.maximum(times.sum(axis=2).max(axis=1), load.max(axis=1))
    return bound


def random_dataset(name: str, recipe: Random) -> Dataset:
    """Generate a data set with NumPy's frozen legacy generator; references are lower bounds."""
    random = np.random.RandomState(recipe.seed)
    shape = (recipe.instances, recipe.jobs, recipe.machines)
    times = random.randint(1, 100, shape).astype(np.int64)
    orders = random.rand(*shape)
    return _bounded(name, times, orders, f"RandomState({recipe.seed})")


def generated_dataset(recipe: Recipe) -> Dataset:
    """Generate a data set of any size, instance by instance; references are lower bounds."""
    random = np.random.RandomState(recipe.stream)
    drawn = [
        (random.randint(1, 100, recipe.size).astype(np.int64), random.rand(*recipe.size))
        for _ in range(recipe.instances)
    ]
    times, orders = (np.stack(part) for part in zip(*drawn, strict=True))
    return _bounded(recipe.name, times, orders, f"RandomState({recipe.stream})")


def _bounded(name: str, times: Array, orders: Array, source: str) -> Dataset:
    instances, jobs, machines = times.shape
    visits = np.argsort(orders, axis=2, kind="stable").astype(np.int64)
    origin = (
        f"{instances} instances of {jobs} jobs and {machines} machines, times "
        f"uniform from 1 to 99, NumPy {source}; references: the larger of the "
        "longest job and the busiest machine, a lower bound that may be out of reach"
    )
    reference = lower_bound(times, visits).astype(np.float64)
    return Dataset(name, {"times": times, "machines": visits}, reference, origin)


def classic_dataset(name: str) -> Dataset:
    """Return classic instances of one size with their optimal makespans."""
    chosen = [classic()[one] for one in CLASSIC[name]]
    rows = np.stack([rows for rows, _ in chosen])
    arrays = {"times": rows[:, :, 1::2].copy(), "machines": rows[:, :, ::2].copy()}
    origin = f"{', '.join(CLASSIC[name])} of the OR-Library; references: proven optimal makespans"
    return Dataset(name, arrays, np.array([float(optimum) for _, optimum in chosen]), origin)


@cache
def classic() -> dict[str, tuple[Array, int]]:
    """Return rows ``[jobs, 2 * machines]`` and optimum of each stored instance."""
    lines = files(__package__).joinpath("classic.txt").read_text(encoding="utf-8").splitlines()
    found, at = {}, 0
    while at < len(lines):
        name, jobs, _, optimum = lines[at].split()
        rows = [line.split() for line in lines[at + 1 : at + 1 + int(jobs)]]
        found[name] = (np.array(rows, dtype=np.int64), int(optimum))
        at += 1 + int(jobs)
    return found


def load_standard(path: str | Path) -> Dataset:
    """Read a file in the standard format: jobs and machines, then pairs of machine and time.

    Lines that begin with ``#`` are comments. There is no reference.

    Raises:
        InputError: the file is missing or broken, or a job does not visit every machine once.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        numbers = [int(w) for line in lines if not line.startswith("#") for w in line.split()]
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error}.") from error
    except ValueError as error:
        raise InputError(f"{path} is no job-shop file: wanted integers only ({error}).") from None
    jobs, count = numbers[:2] if len(numbers) > 2 else (0, 0)
    if (
        min(jobs, count) < 1
        or jobs * count > MAX_OPERATIONS
        or len(numbers) != 2 + 2 * jobs * count
    ):
        raise InputError(
            f"{path} must hold numbers of jobs and machines (at most {MAX_OPERATIONS} operations), "
            f"then a machine and a time per operation; it holds {len(numbers)} numbers."
        )
    rows = np.array(numbers[2:], dtype=np.int64).reshape(1, jobs, 2 * count)
    times, machines = rows[:, :, 1::2].copy(), rows[:, :, ::2].copy()
    if not (np.sort(machines, axis=2) == np.arange(count)).all():
        raise InputError(f"{path}: every job must visit the machines 0 to {count - 1} once each.")
    if times.min() < 0 or times.max() >= 2**31 or times.max() == 0:
        raise InputError(f"{path}: every time must be an integer from 0 to 2147483647, not all 0.")
    origin = f"file {path.name} ({jobs} jobs, {count} machines); no reference"
    return Dataset(path.name, {"times": times, "machines": machines}, None, origin)
