"""A candidate as a function of its constants."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ....evaluators.grammar import Feature, Grammar, Literal, Operator
from ..survival import Member
from .constants import find_constants, rewrite
from .space import Axis, axis_of, signed_axis

_TOKEN = re.compile(r"[^\s(),]+")
_TUNED = re.compile(r" Tuned: [^:]*\.\Z")
SHOWN = 6
"""So many moved constants are named in a thought."""


@dataclass(frozen=True)
class Variant:
    """A program with certain values of its constants, and its genome where it has one."""

    code: str
    genome: str | None


@dataclass(frozen=True)
class Subject:
    """A candidate whose constants are to be tuned.

    Args:
        member: the candidate.
        axes: one for each constant, in the order of its text.
        write: returns the program with other values.
        say: returns the idea of such a program.

    """

    member: Member
    axes: tuple[Axis, ...]
    write: Callable[[Sequence[float | int]], Variant]
    say: Callable[[Variant], str]

    def thought(self, variant: Variant, values: Sequence[float | int]) -> str:
        """Return the idea of a variant and which constants moved."""
        moved = [
            f"{axis.start:g} → {value:g}"
            for axis, value in zip(self.axes, values, strict=True)
            if value != axis.start
        ]
        more = [] if len(moved) <= SHOWN else [f"{len(moved) - SHOWN} more"]
        return f"{self.say(variant)} Tuned: {', '.join([*moved[:SHOWN], *more])}."


def subject_of(member: Member, grammar: Grammar | None, interface: str) -> Subject | None:
    """Return a candidate with its constants; None where it has none.

    A candidate with a genome is tuned by the constants of its genome, from which its code is written
    anew, so that both agree; any other by the literals of its source (:mod:`.constants`).
    """
    if member.genome is not None and grammar is not None:
        return _of_genome(member, grammar, interface)
    return _of_source(member)


def _of_source(member: Member) -> Subject | None:
    try:
        constants = find_constants(member.code)
    except (SyntaxError, ValueError, RecursionError):  # it ran, but is not to be read twice
        return None
    if not constants:
        return None
    idea = _TUNED.sub("", member.thought).rstrip()
    return Subject(
        member,
        tuple(axis_of(one.value) for one in constants),
        lambda values: Variant(rewrite(member.code, constants, values), None),
        lambda variant: idea,
    )


def _of_genome(member: Member, grammar: Grammar, interface: str) -> Subject | None:
    from ..offline import describe, render

    genome = member.genome or ""
    symbols: list[Operator | Feature | Literal] = grammar.parse(genome)
    literals = {at: one for at, one in enumerate(symbols) if isinstance(one, Literal)}
    if not literals:
        return None
    axes = []
    for one in literals.values():
        range_ = grammar.constant(one.type)
        axes.append(signed_axis(one.value, 1.0 if range_ is None else range_.high - range_.low))

    def write(values: Sequence[float | int]) -> Variant:
        new = dict(zip(literals, values, strict=True))
        at = iter(range(len(symbols)))
        text = _TOKEN.sub(
            lambda token: repr(float(new[i])) if (i := next(at)) in new else token[0], genome
        )
        return Variant(render(grammar, interface, text), text)

    return Subject(
        member, tuple(axes), write, lambda variant: describe(grammar, variant.genome or "")
    )


__all__ = ["Subject", "Variant", "subject_of"]
