"""The declaration of languages for the offline proposer, and the one of tsp_construct."""

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eurisko.evaluators.grammar import (
    BadGenome,
    Constant,
    Feature,
    Grammar,
    GrammarError,
    Helper,
    Literal,
    Mixture,
    Operator,
    Rendering,
    Routine,
)
from eurisko.evaluators.problems.tsp_construct.grammar import grammar as tsp

SAME = {"plain": "{0} + {1}"}


def small(**changes: Any) -> Grammar:
    """A language with one type, one feature and one operator, changed as wanted."""
    parts: dict[str, Any] = {
        "name": "small",
        "root": "number",
        "sentence": "Take the lowest {0}.",
        "renderings": {"plain": Rendering("def score(x):", "cost", ("return cost",))},
        "features": (Feature("size", "number", "the size", {"plain": "x * 2"}),),
        "operators": (
            Operator("add", ("number", "number"), "number", "{0} plus {1}", SAME, commutative=True),
        ),
        "constants": (Constant("number", -1.0, 1.0),),
        "seed": "add(size, 0.5)",
    }
    return Grammar(**(parts | changes))


def test_a_small_language_can_be_declared() -> None:
    """A language needs no more than a feature, an operator, a rendering and a seed."""
    assert small().types == ("number",)


BAD: list[tuple[str, Callable[[], Grammar], str]] = [
    (
        "no terminal",
        lambda: small(
            operators=(
                *small().operators,
                Operator("f", ("other",), "number", "{0}", {"plain": "{0}"}),
                Operator("g", ("number",), "other", "{0}", {"plain": "{0}"}),
            )
        ),
        "'other' has no feature and no constant",
    ),
    (
        "no operator",
        lambda: small(
            constants=(*small().constants, Constant("other", 0.0, 1.0)),
            operators=(
                *small().operators,
                Operator("f", ("other",), "number", "{0}", {"plain": "{0}"}),
            ),
        ),
        "'other' has no operator that gives it",
    ),
    (
        "unused type",
        lambda: small(
            constants=(*small().constants, Constant("other", 0.0, 1.0)),
            operators=(
                *small().operators,
                Operator("f", ("number",), "other", "{0}", {"plain": "{0}"}),
            ),
        ),
        "no operator takes the type 'other'",
    ),
    ("no features at all", lambda: small(features=(), constants=()), "no feature and no constant"),
    ("name twice", lambda: small(features=small().features * 2), "declared twice"),
    (
        "keyword",
        lambda: small(features=(Feature("if", "number", "x", {"plain": "x"}),)),
        "cannot be used as a name",
    ),
    (
        "shadowed parameter",
        lambda: small(features=(Feature("x", "number", "x", {"plain": "1"}),)),
        "names a symbol and a parameter",
    ),
    (
        "source does not parse",
        lambda: small(features=(Feature("size", "number", "s", {"plain": "x +"}),)),
        "is no expression",
    ),
    (
        "unknown name",
        lambda: small(features=(Feature("size", "number", "s", {"plain": "y"}),)),
        "uses 'y'",
    ),
    (
        "helper after its user",
        lambda: small(
            helpers=(Helper("a", {"plain": "b"}), Helper("b", {"plain": "x"})),
        ),
        "uses 'b'",
    ),
    (
        "routine of another name",
        lambda: small(routines=(Routine("plan", {"plain": "def other(x):\n    return x\n"}),)),
        "is not one function of that name",
    ),
    (
        "source missing",
        lambda: small(features=(Feature("size", "number", "s", {}),)),
        "has no plain source",
    ),
    (
        "argument unused",
        lambda: small(operators=(replace(small().operators[0], sources={"plain": "{0}"}),)),
        "does not use each argument",
    ),
    (
        "phrase without argument",
        lambda: small(operators=(replace(small().operators[0], phrase="{0}"),)),
        "does not name each argument",
    ),
    ("empty range", lambda: small(constants=(Constant("number", 1.0, 1.0),)), "two finite bounds"),
    ("bad seed", lambda: small(seed="add(size)"), "the seed is unusable"),
    ("bad mixture", lambda: small(mixture=Mixture("add", "add2")), "cannot weigh"),
    ("no rendering", lambda: small(renderings={}), "has no rendering"),
]


@pytest.mark.parametrize(("make", "message"), [(b[1], b[2]) for b in BAD], ids=[b[0] for b in BAD])
def test_an_unusable_declaration_is_refused_in_one_sentence(
    make: Callable[[], Grammar], message: str
) -> None:
    """What `deap.gp` or a generated program would trip over is refused where it is declared."""
    with pytest.raises(GrammarError) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_genome_parses_into_typed_symbols() -> None:
    """Prefix order is kept, and numbers become literals of the wanted type."""
    symbols = tsp.parse("add( step, scale(home,-2.5e-1) )")
    names = [s.value if isinstance(s, Literal) else s.name for s in symbols]
    assert names == ["add", "step", "scale", "home", -0.25]


@pytest.mark.parametrize(
    "genome",
    [
        "",
        "add(step)",
        "add(step, home",
        "add(step, home))",
        "add(step, left)",
        "step home",
        "0.5",
        "nothing",
        "scale(step, nan)",
        "scale(step, 1e999)",
        "scale(step, __import__)",
        "step(home)",
    ],
)
def test_a_bad_genome_is_refused(genome: str) -> None:
    """Truncated, ill-typed, unknown and non-finite genomes are refused, none evaluated."""
    with pytest.raises(BadGenome):
        tsp.parse(genome)


def test_the_laws_of_the_tsp_operators_hold_in_their_sources() -> None:
    """Folding, neutral constants, idempotence and commutativity agree with what the source does."""
    values = np.array([-1.5, -0.25, 0.0, 0.5, 2.0])
    for op in tsp.operators:
        source = "lambda a, b=0, c=0, left=0.5: " + op.sources["scalar"].format("a", "b", "c")
        function = eval(source, {"np": np})
        if op.commutative:
            np.testing.assert_allclose(function(values, 0.3), function(0.3, values))
        if op.idempotent:
            np.testing.assert_array_equal(function(values, values), values)
        for position, neutral in op.neutral:
            given_ = [neutral, values] if position == 0 else [values, neutral]
            np.testing.assert_array_equal(function(*given_), values)
        if op.fold is not None:
            for value in values.tolist():
                arguments = [value, 0.7][: len(op.arguments)]
                assert op.fold(*arguments) == pytest.approx(float(function(*arguments)))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e9, 1e9, width=32), min_size=3, max_size=3))
def test_tsp_operators_are_finite_for_finite_arguments(values: list[float]) -> None:
    """No protected operator turns finite arguments into NaN or infinity."""
    for op in tsp.operators:
        source = op.sources["scalar"].format("a", "b", "c")
        a, b, c = (np.float64(value) for value in values)
        assert np.isfinite(eval(source, {"np": np, "a": a, "b": b, "c": c, "left": 0.5}))


def test_the_small_language_folds_as_declared() -> None:
    """A declared fold is the caller's own function."""
    adder = replace(small().operators[0], fold=operator.add)
    fold = small(operators=(adder,)).operators[0].fold
    assert fold is not None
    assert fold(1.0, 2.0) == 3.0
