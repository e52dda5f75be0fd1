"""Data sets of any size and seed, by names that say how to make them: ``uniform-50-64-s7``."""

import hashlib
import re
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from .errors import InputError
from .problem import Dataset

MOST_NUMBERS = 100_000_000
"""How many numbers the arrays of a generated data set may hold: 0.8 GB in float64."""


@runtime_checkable
class GeneratingProblem(Protocol):
    """A problem that makes data sets of any size; its ``dataset`` finds them again by name."""

    def generate(self, size: int | str, instances: int, seed: int) -> Dataset:
        """Return a data set, the same on every machine.

        Args:
            size: of each instance, for example 50 or ``50x10``; the problem says of what.
            instances: how many.
            seed: which ones; two seeds share no instance.

        Raises:
            InputError: there are no instances of this size, or not so many.
        """
        ...


@dataclass(frozen=True)
class Recipe:
    """What a generated name says; ``stream`` seeds NumPy's frozen legacy generator.

    The stream depends on family, size and seed but not on the number of instances: generators that
    draw instance by instance begin a larger data set with the smaller one.
    """

    name: str
    size: tuple[int, ...]
    instances: int
    stream: int


@dataclass(frozen=True)
class Family:
    """The data sets that a problem can generate.

    Args:
        prefix: how their names begin.
        units: of each part of a size, for example ``("jobs", "machines")``.
        least: smallest value of each part.
        most: largest product of the parts.
        power: numbers that an instance holds: the product of the parts to this power.
    """

    prefix: str
    units: tuple[str, ...]
    least: tuple[int, ...]
    most: int
    power: int = 1

    def name(self, size: int | str, instances: int, seed: int) -> str:
        """Return the name of a data set.

        Raises:
            InputError: it cannot be made.
        """
        name = f"{self.prefix}-{size}-{instances}-s{seed}"
        if self.read(name) is None:
            raise InputError(f"There are no instances of size {size!r}: {self._wanted()}.")
        return name

    def read(self, name: str) -> Recipe | None:
        """Return what a name says, or None where it is no name of this family.

        Raises:
            InputError: it is one, and such a data set cannot be made.
        """
        number = r"(0|[1-9]\d{0,17})"
        sizes = "x".join([number] * len(self.units))
        found = re.fullmatch(rf"{self.prefix}-{sizes}-{number}-s{number}", name)
        if found is None:
            return None
        *size, instances, seed = (int(one) for one in found.groups())
        product = 1
        for one in size:
            product *= one
        if product > self.most or any(one < low for one, low in zip(size, self.least, strict=True)):
            text = "x".join(str(one) for one in size)
            raise InputError(f"There are no instances of size {text}: {self._wanted()}.")
        if not 1 <= instances <= MOST_NUMBERS // product**self.power:
            raise InputError(
                f"{name} cannot be made: from 1 to {MOST_NUMBERS // product**self.power} instances "
                "of this size fit into memory."
            )
        key = f"{self.prefix}/{'x'.join(map(str, size))}/{seed}"
        stream = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "little")
        return Recipe(name, tuple(size), instances, stream)

    def _wanted(self) -> str:
        parts = "x".join(unit.upper() for unit in self.units)
        least = " and ".join(
            f"{low} {unit}" for low, unit in zip(self.least, self.units, strict=True)
        )
        return f"a size is {parts}, at least {least}, {self.most} at most"
