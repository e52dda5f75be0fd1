"""Benchmark black boxes by name, and named suites of them."""

from functools import cache

from ..errors import InputError, did_you_mean
from . import bbob, functions, tuning
from .measurement import Blackbox


@cache
def _all() -> dict[str, Blackbox]:
    every: tuple[Blackbox, ...] = (
        *functions.PUBLISHED,
        *functions.LEFT_OUT,
        *functions.MORE,
        *(bbob.Bbob(f, d) for f in range(1, 25) for d in (2, 5, 10)),
        *tuning.TASKS,
    )
    return {one.name: one for one in every}


def blackbox_names() -> list[str]:
    """Return the names of all benchmark functions, sorted."""
    return sorted(_all())


def get_blackbox(name: str) -> Blackbox:
    """Return the benchmark function of this name.

    Raises:
        InputError: there is none.
    """
    found = _all().get(name.lower())
    if found is None:
        raise InputError(f"There is no function {name!r}: {did_you_mean(name, _all())}")
    return found


def _suites() -> dict[str, tuple[Blackbox, ...]]:
    published: tuple[Blackbox, ...] = (*functions.PUBLISHED, *bbob.PUBLISHED, *tuning.TASKS)
    return {
        "lmabo-50": published,
        "lmabo-left-out": (*functions.LEFT_OUT, *bbob.LEFT_OUT),
        "synthetic": functions.PUBLISHED,
        "bbob": bbob.PUBLISHED,
        "hpo": tuning.TASKS,
    }


def suite_names() -> list[str]:
    """Return the names of all suites."""
    return list(_suites())


def suite(name: str) -> tuple[Blackbox, ...]:
    """Return the black boxes of a suite.

    ``lmabo-50`` are the problems of that paper's table, ``lmabo-left-out`` the ten that its authors
    ran and left out; ``synthetic``, ``bbob`` and ``hpo`` are the three parts of the first.

    Raises:
        InputError: there is no such suite.
    """
    if name not in _suites():
        raise InputError(f"There is no suite {name!r}: {did_you_mean(name, _suites())}")
    return _suites()[name]
