"""The search space: parameters, linear constraints, and the unit cube that the model sees."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, did_you_mean
from .parameters import Category, Columns, Fixed, Integer, Parameter, Real

Point = dict[str, Any]
SLACK = 1e-9  # of a constraint, in units of its scaled rows


@dataclass(frozen=True)
class LinearConstraint:
    """The sum of coefficient times value over the named parameters is at most ``upper``.

    Values are in the user's units. Write ``>=`` by negating both sides.
    """

    coefficients: Mapping[str, float]
    upper: float


@dataclass(frozen=True)
class Space:
    """A box of parameters with linear constraints.

    Args:
        parameters: kinds and bounds; names are unique, at least one is not `Fixed`.
        constraints: over numeric parameters without log scale.

    Raises:
        InputError: the space contradicts itself.
    """

    parameters: tuple[Parameter, ...]
    constraints: tuple[LinearConstraint, ...] = ()

    def __init__(
        self, parameters: Sequence[Parameter], constraints: Sequence[LinearConstraint] = ()
    ) -> None:
        object.__setattr__(self, "parameters", tuple(parameters))
        object.__setattr__(self, "constraints", tuple(constraints))
        names = [one.name for one in self.parameters]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"Two parameters have the name {name!r}.")
        if not self.free:
            raise InputError("The space has no free parameter: give at least one that isn't fixed.")
        matrix, upper = self._rows()
        object.__setattr__(self, "_matrix", matrix)
        object.__setattr__(self, "_upper", upper)

    @property
    def free(self) -> tuple[Real | Integer | Category, ...]:
        """The parameters that vary."""
        return tuple(one for one in self.parameters if not isinstance(one, Fixed))

    @property
    def columns(self) -> int:
        """The number of columns of the unit cube."""
        return sum(one.width for one in self.parameters)

    @property
    def slices(self) -> tuple[tuple[Real | Integer | Category, slice], ...]:
        """Every free parameter with its columns."""
        ends = list(itertools.accumulate(one.width for one in self.free))
        return tuple(
            (one, slice(end - one.width, end)) for one, end in zip(self.free, ends, strict=True)
        )

    @property
    def size(self) -> int | None:
        """The number of points of the lattice before constraints; None with a real parameter."""
        if any(isinstance(one, Real) for one in self.free):
            return None
        return math.prod(one.size for one in self.free if not isinstance(one, Real))

    @property
    def discrete_columns(self) -> tuple[int, ...]:
        """The columns of integers and categories."""
        return tuple(
            index
            for one, part in self.slices
            if not isinstance(one, Real)
            for index in range(part.start, part.stop)
        )

    def check(self, point: Mapping[str, Any]) -> Point:
        """Return the point in the space's order, fixed values filled in.

        Raises:
            InputError: an unknown or missing name, a value outside, or a violated constraint.
        """
        names = [one.name for one in self.parameters]
        for name in point:
            if name not in names:
                raise InputError(
                    f"The space has no parameter {name!r}; {did_you_mean(name, names)}"
                )
        checked = {}
        for one in self.parameters:
            if one.name not in point and not isinstance(one, Fixed):
                raise InputError(f"The point lacks a value for parameter {one.name!r}.")
            checked[one.name] = one.check(point.get(one.name, getattr(one, "value", None)))
        if not self.feasible(self.encode([checked]))[0]:
            raise InputError(f"The point {checked} violates a linear constraint of the space.")
        return checked

    def encode(self, points: Sequence[Mapping[str, Any]]) -> Columns:
        """Return the points [n, columns] in the unit cube of the bounds."""
        rows = [
            list(itertools.chain.from_iterable(one.encode(point[one.name]) for one in self.free))
            for point in points
        ]
        return np.array(rows, dtype=np.float64).reshape(len(points), self.columns)

    def decode(self, cube: Columns) -> list[Point]:
        """Return the points nearest to rows [n, columns]."""
        return [
            {one.name: one.decode(row[part]) for one, part in self._all_slices()}
            for row in np.asarray(cube, dtype=np.float64)
        ]

    def snap(self, cube: Columns) -> Columns:
        """Return the rows [n, columns] moved to the lattice of integers and categories."""
        snapped = np.clip(np.array(cube, dtype=np.float64), 0.0, 1.0)
        for one, part in self.slices:
            if not isinstance(one, Real):
                snapped[:, part] = [one.encode(one.decode(row)) for row in snapped[:, part]]
        return snapped

    def spread(self, uniform: Columns) -> Columns:
        """Turn uniform numbers [n, free parameters] in [0, 1) into encoded rows [n, columns]."""
        cube = np.empty((len(uniform), self.columns))
        for index, (one, part) in enumerate(self.slices):
            if isinstance(one, Real):
                cube[:, part.start] = uniform[:, index]
            else:
                cube[:, part] = [one.encode(one.spread(value)) for value in uniform[:, index]]
        return cube

    def feasible(self, cube: Columns) -> NDArray[np.bool_]:
        """Return which rows [n, columns] satisfy every linear constraint."""
        matrix, upper = self.linear
        result: NDArray[np.bool_] = np.all(cube @ matrix.T <= upper + SLACK, axis=1)
        return result

    @property
    def linear(self) -> tuple[Columns, Columns]:
        """The constraints as matrix [constraints, columns] and upper [constraints] on the cube."""
        return self._matrix, self._upper  # type: ignore[attr-defined]

    def lattice(self) -> Iterator[tuple[float, ...]]:
        """Yield every feasible encoded point of a finite space. Raises ValueError with reals."""
        if self.size is None:
            raise ValueError("a space with real parameters has no finite lattice")
        parts = [
            [one.encode(value) for value in one.values]
            for one in self.free
            if not isinstance(one, Real)
        ]
        for combination in itertools.product(*parts):
            row = tuple(itertools.chain.from_iterable(combination))
            if not self.constraints or self.feasible(np.array([row]))[0]:
                yield row

    def neighbours(self, row: Columns) -> Columns:
        """Return the feasible points [k, columns] that differ from a row in one discrete parameter.

        Integers move to the next value on either side, categories to every other choice.
        """
        moved = []
        for one, part in self.slices:
            if isinstance(one, Real):
                continue
            here = one.values.index(one.decode(row[part]))  # type: ignore[arg-type]
            steps = range(one.size) if isinstance(one, Category) else (here - 1, here + 1)
            for index in steps:
                if index != here and 0 <= index < one.size:
                    other = row.copy()
                    other[part] = one.encode(one.values[index])
                    moved.append(other)
        rows = np.array(moved, dtype=np.float64).reshape(len(moved), self.columns)
        return rows[self.feasible(rows)]

    def to_dict(self) -> dict[str, Any]:
        """Return the space as plain data, as `from_dict` and space files read it."""
        from .space_file import dump_space

        return dump_space(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Space":
        """Return the space of plain data. Raises InputError naming the entry that is wrong."""
        from .space_file import load_space

        return load_space(data)

    def _all_slices(self) -> list[tuple[Parameter, slice]]:
        ends = list(itertools.accumulate(one.width for one in self.parameters))
        return [
            (one, slice(end - one.width, end))
            for one, end in zip(self.parameters, ends, strict=True)
        ]

    def _rows(self) -> tuple[Columns, Columns]:
        """Move the constraints to the unit cube: sum c (low + u (high - low)) <= upper."""
        known = {one.name: one for one in self.parameters}
        starts = {one.name: part.start for one, part in self.slices}
        matrix = np.zeros((len(self.constraints), self.columns))
        upper = np.array([one.upper for one in self.constraints], dtype=np.float64)
        for row, constraint in enumerate(self.constraints):
            for name, coefficient in constraint.coefficients.items():
                if name not in known:
                    raise InputError(
                        f"A linear constraint names {name!r}; {did_you_mean(name, known)}"
                    )
                one = known[name]
                if isinstance(one, Fixed) and isinstance(one.value, int | float):
                    upper[row] -= coefficient * one.value
                elif isinstance(one, Real | Integer) and not one.log:
                    upper[row] -= coefficient * one.low
                    matrix[row, starts[name]] += coefficient * (one.high - one.low)
                else:
                    raise InputError(
                        f"A linear constraint names {name!r}, which has a log scale or is no number."
                    )
            scale = max(float(np.abs(matrix[row]).max()), 1e-300)
            matrix[row] /= scale
            upper[row] /= scale
        return matrix, upper
