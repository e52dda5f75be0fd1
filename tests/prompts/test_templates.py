"""The prompt templates, rendered with real problems where there are some."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import eurisko.prompts
from eurisko.prompts import ReplyError, parse_heuristic, render

OPERATORS = ("i1", "e1", "e2", "m1", "m2", "m3", "refine")
PARENTS = {"i1": 0, "e1": 2, "e2": 2, "m1": 1, "m2": 1, "m3": 1, "refine": 1}


@dataclass(frozen=True)
class Problem:
    """What the templates read of a problem."""

    title: str = "Travelling salesman, step by step"
    description: str = "Build a short round trip by choosing the next city again and again."


@dataclass(frozen=True)
class Interface:
    """What the templates read of an interface."""

    function: str = "pick"
    parameters: tuple[str, ...] = ("current", "distances")
    signature: str = "def pick(current, distances):"
    inputs: str = (
        "`current`: int, the city; `distances`: float array [N, N], unit lengths <km> & more."
    )
    outputs: str = "int, the next city."
    notes: str = "Cities are numbered from 0."


@dataclass(frozen=True)
class Parent:
    """What the templates read of a parent."""

    thought: str
    code: str
    objective: float


FIRST = Parent(
    "Take the nearest <one>.", "def pick(current, distances):\n    return {1: 'a<b'}", 24.5
)
SECOND = Parent("Take the farthest.", "def pick(current, distances):\n    return 2", 99.0)


@dataclass(frozen=True)
class Advice:
    """What the templates read of an insight."""

    text: str
    kind: str


@dataclass(frozen=True)
class Guidance:
    """What the templates read of the search's guidance."""

    regime: str = ""
    directive: str = ""
    insights: tuple[Advice, ...] = ()


@dataclass(frozen=True)
class Feedback:
    """What the templates read of the last attempt."""

    thought: str
    code: str
    outcome: str


@dataclass(frozen=True)
class Failure:
    """What the templates read of a failure."""

    kind: str
    error_type: str | None
    message: str
    line: int | None
    source: str = ""


def prompt(operator, interface=Interface(), guidance=None, **more):
    """Render an operator's template with as many parents as it takes."""
    parents = (FIRST, SECOND)[: PARENTS[operator]]
    if operator == "refine":
        more = {"feedback": None, **more}
    return render(
        f"evolution/{operator}",
        problem=Problem(), interface=interface, parents=parents, guidance=guidance, **more,
    )  # fmt: skip


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_prompt_says_all_that_is_needed(operator):
    """Task, signature, shapes, units, the form of the answer and every parent are there."""
    text = prompt(operator)
    told = [Problem.title, Problem.description, Interface.signature, Interface.inputs]
    told += [Interface.outputs, Interface.notes, "braces", "numpy", "torch", "math", "pure"]
    for parent in (FIRST, SECOND)[: PARENTS[operator]]:
        told += [parent.thought, parent.code, f"{parent.objective:.4f}"]
    for part in told:
        assert part in text, part
    assert "&lt;" not in text, "plain text is not escaped"
    assert not re.search(r"\n{4,}|\{%|\{\{", text)
    assert text.endswith("\n") and not text.endswith("\n\n")


def test_prompts_differ_by_operator():
    """No two operators ask the same."""
    texts = {operator: prompt(operator) for operator in OPERATORS}
    assert len(set(texts.values())) == len(OPERATORS)
    one_parent = {prompt(o).replace("#", "") for o in ("m1", "m2", "m3", "refine")}
    assert len(one_parent) == 4


REGIMES = ("explore", "exploit", "balanced")
ADVICE = (Advice("Weigh <near> nodes.", "do"), Advice("Square far distances.", "avoid"))


@pytest.mark.parametrize("operator", OPERATORS)
def test_guidance_is_said_in_its_own_words_for_each_operator_and_regime(operator):
    """Insights with what they did, the directive and the regime's sentence; without them nothing."""
    plain = prompt(operator)
    texts = {}
    for regime in REGIMES:
        text = prompt(operator, guidance=Guidance(regime, "mind the long way", ADVICE))
        assert "- Do: Weigh <near> nodes.\n- Avoid: Square far distances.\n" in text
        assert "Give special attention to this: mind the long way." in text
        assert text.index("# Emphasis") < text.index("# How to answer")
        assert not re.search(r"\n{4,}|\{%|\{\{", text)
        texts[regime] = text
    assert len(set(texts.values())) == 3
    assert "Emphasis" not in plain and "learnt" not in plain
    assert prompt(operator, guidance=Guidance()) == plain
    only = prompt(operator, guidance=Guidance("explore", "x"))
    assert "learnt" not in only and "Emphasis" in only
    assert "Emphasis" not in prompt(operator, guidance=Guidance(insights=ADVICE))


def test_every_operator_has_its_own_sentence_for_each_regime():
    """Seven operators in three regimes give twenty-one different sentences."""
    sentences = {
        line
        for operator in OPERATORS
        for regime in REGIMES
        for line in prompt(operator, guidance=Guidance(regime, "x")).splitlines()
        if line.endswith("Give special attention to this: x.")
    }
    assert len(sentences) == len(OPERATORS) * len(REGIMES)


def test_refine_shows_the_last_attempt():
    """The outcome of the last attempt and its code are there; without one nothing is said of it."""
    text = prompt(
        "refine", feedback=Feedback("Go far.", "def pick(): return 9", "it is worse: 9.5")
    )
    for part in ("Go far.", "def pick(): return 9", "it is worse: 9.5", "last attempt"):
        assert part in text
    assert "attempt" not in prompt("refine")


@pytest.mark.parametrize(
    ("failure", "said", "unsaid"),
    [
        (
            Failure("candidate_error", "ZeroDivisionError", "division by zero", 3, "    x = 1 / 0"),
            [
                "Outcome: candidate_error",
                "Error: ZeroDivisionError",
                "division by zero",
                "Line 3",
                "`x = 1 / 0`",
            ],
            ["less work", "memory"],
        ),
        (
            Failure("timeout", None, "10 s are used up", None),
            ["less work"],
            ["Error:", "Line", "memory"],
        ),
        (Failure("memory", None, "2 GiB are used up", None), ["less in memory"], ["less work"]),
    ],
)
def test_the_repair_says_exactly_what_went_wrong(failure, said, unsaid):
    """Kind, type, message and line with its text, and what a time-out or lack of memory asks for."""
    text = render(
        "evolution/repair",
        problem=Problem(),
        interface=Interface(),
        thought="Go near.",
        code="def pick(): x",
        failure=failure,
    )
    for part in (*said, "Go near.", "def pick(): x", Interface.signature, "braces"):
        assert part in text, part
    body = text[text.index("# What went wrong") : text.index("# How to answer")]
    assert not [part for part in unsaid if part in body]


def test_an_empty_note_leaves_no_heading():
    """An interface without notes gives a prompt without that line."""
    assert "Notes:" not in prompt("i1", Interface(notes=""))


def test_the_retry_says_why():
    """A reason that the parser gives goes into the retry, with the form of the answer."""
    with pytest.raises(ReplyError) as caught:
        parse_heuristic("no idea", "pick", ("current", "distances"))
    text = render(
        "evolution/retry",
        problem=Problem(), interface=Interface(), parents=(), reason=caught.value.reason,
    )  # fmt: skip
    assert caught.value.reason in text
    assert Interface.signature in text


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_missing_variable_is_an_error(operator):
    """Nothing is rendered as an empty string by mistake."""
    from jinja2 import UndefinedError

    with pytest.raises(UndefinedError):
        render(f"evolution/{operator}", problem=Problem(), parents=(), guidance=None)
    with pytest.raises(UndefinedError):
        render("evolution/retry", problem=Problem(), interface=Interface(), parents=())


def test_a_prompt_sent_back_as_the_answer_is_refused():
    """A model that only repeats its prompt has not answered."""
    with pytest.raises(ReplyError):
        parse_heuristic(prompt("i1"), "pick", ("current", "distances"))


def test_every_template_is_tested():
    """The folder holds just the templates that these tests render."""
    folder = Path(eurisko.prompts.__file__).parent / "evolution"
    assert {path.stem for path in folder.glob("*.j2")} == {
        *OPERATORS,
        "retry",
        "repair",
        "insights",
        "_parts",
        "_guidance",
    }


def test_real_problems_render():
    """Every operator renders for every interface of the built-in travelling salesman problem."""
    registry = pytest.importorskip("eurisko.evaluators.registry", reason="no problems in this tree")
    problem = registry.get_problem("tsp_construct").spec
    for interface in problem.interfaces.values():
        seed = Parent(interface.seed_thought, interface.seed, 24.0)
        for operator in OPERATORS:
            text = render(
                f"evolution/{operator}",
                problem=problem, interface=interface, parents=(seed,) * PARENTS[operator],
                guidance=None, feedback=None,
            )  # fmt: skip
            assert interface.signature in text
            assert interface.inputs.strip() in text
