"""Operators that most grammars share: sums, products, extremes, written once for all interfaces."""

import operator
from collections.abc import Mapping
from dataclasses import dataclass

from .grammar import Operator


@dataclass(frozen=True)
class Arithmetic:
    """Makes operators for a grammar whose interfaces work on torch tensors or on numpy arrays.

    Methods take the names of the grammar's types. Where a type has constants, ``plus``, ``product``
    and (with ``constants``) ``square`` and ``root`` compute with them already in the genome.

    Args:
        torch: interfaces whose sources may use ``torch``.
        numpy: interfaces whose sources may use ``np``.
    """

    torch: tuple[str, ...] = ("batched",)
    numpy: tuple[str, ...] = ("scalar",)

    def both(self, torch: str, numpy: str) -> Mapping[str, str]:
        """Return a source for the one kind of interface and another for the other."""
        return dict.fromkeys(self.torch, torch) | dict.fromkeys(self.numpy, numpy)

    def same(self, source: str) -> Mapping[str, str]:
        """Return a source that means the same to tensors and arrays."""
        return self.both(source, source)

    def add(self, type_: str) -> Operator:
        """Return the sum of two values without constants."""
        sources = self.same("{0} + {1}")
        return Operator("add", (type_, type_), type_, "{0} plus {1}", sources, commutative=True)

    def scale(self, type_: str, number: str) -> Operator:
        """Return a value times a number."""
        sources = self.same("{1} * {0}")
        return Operator(
            "scale", (type_, number), type_, "{1} times {0}", sources, neutral=((1, 1.0),)
        )

    def times(self, type_: str, name: str) -> Operator:
        """Return the product of two values without constants."""
        sources = self.same("{0} * {1}")
        return Operator(name, (type_, type_), type_, "{0} times {1}", sources, commutative=True)

    def lower(self, type_: str) -> Operator:
        """Return the smaller of two values."""
        return self._extreme("lower", "smaller", "minimum", type_)

    def upper(self, type_: str) -> Operator:
        """Return the larger of two values."""
        return self._extreme("upper", "larger", "maximum", type_)

    def part(self, type_: str, number: str, name: str) -> Operator:
        """Return a value's share in its sum with another one; 0 where both vanish."""
        sources = self.same("{0} / (abs({0}) + abs({1}) + 1e-12)")
        phrase = "the share of {0} in its sum with {1}"
        return Operator(name, (type_, type_), number, phrase, sources)

    def size(self, type_: str) -> Operator:
        """Return the absolute value."""
        return Operator("size", (type_,), type_, "the size of {0}", self.same("abs({0})"))

    def square(self, type_: str, *, constants: bool = False) -> Operator:
        """Return the square."""
        sources, fold = self.same("{0} ** 2"), _square if constants else None
        return Operator("square", (type_,), type_, "the square of {0}", sources, fold=fold)

    def root(self, type_: str, *, constants: bool = False) -> Operator:
        """Return the square root of the absolute value."""
        sources, fold = self.same("abs({0}) ** 0.5"), _root if constants else None
        return Operator("root", (type_,), type_, "the square root of {0}", sources, fold=fold)

    def plus(self, number: str, name: str) -> Operator:
        """Return the sum of two numbers."""
        return Operator(
            name,
            (number, number),
            number,
            "{0} plus {1}",
            self.same("{0} + {1}"),
            commutative=True,
            neutral=((0, 0.0), (1, 0.0)),
            fold=operator.add,
        )

    def product(self, number: str, name: str) -> Operator:
        """Return the product of two numbers."""
        return Operator(
            name,
            (number, number),
            number,
            "{0} times {1}",
            self.same("{0} * {1}"),
            commutative=True,
            neutral=((0, 1.0), (1, 1.0)),
            fold=operator.mul,
        )

    def _extreme(self, name: str, word: str, function: str, type_: str) -> Operator:
        return Operator(
            name,
            (type_, type_),
            type_,
            f"the {word} of {{0}} and {{1}}",
            self.both(f"torch.{function}({{0}}, {{1}})", f"np.{function}({{0}}, {{1}})"),
            commutative=True,
            idempotent=True,
        )


def _square(value: float) -> float:
    return value * value


def _root(value: float) -> float:
    root: float = abs(value) ** 0.5
    return root
