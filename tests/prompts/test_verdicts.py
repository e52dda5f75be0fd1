"""Verdicts, diagnoses and descriptions are read in any dress, and never guessed."""

import json

import pytest

from eurisko.prompts import ReplyError, parse_description, parse_diagnosis, parse_verdict

NAMES = ("read_instance", "cost", "insert", "validate", "solve")


@pytest.mark.parametrize(
    "text",
    [
        "ACCEPT",
        "accept.",
        "**ACCEPT**",
        "Verdict: ACCEPT",
        "- Accepted: all is well",
        "True\nEverything is right.",
        '{"verdict": "ACCEPT", "reason": ""}',
        '```json\n{"accepted": true}\n```',
        "<think>REJECT? no.</think>ACCEPT",
        "Here is my review.\n\nACCEPT",
    ],
)
def test_acceptance_is_read(text: str) -> None:
    """All these say yes."""
    assert parse_verdict(text).accepted


@pytest.mark.parametrize(
    "text",
    [
        "REJECT: the way back is forgotten",
        "**REJECT**: the way back is forgotten",
        "False\nthe way back is forgotten",
        "Final verdict - REJECTED: the way back is forgotten",
        '{"verdict": "REJECT", "reason": "the way back is forgotten"}',
        "REJECT because the way back is forgotten",
    ],
)
def test_rejection_is_read_with_its_reason(text: str) -> None:
    """All these say no, and why."""
    found = parse_verdict(text)
    assert not found.accepted
    assert "the way back is forgotten" in found.reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It looks fine to me.",
        "No problem was found",
        "REJECT",
        "ACCEPT\nREJECT: no",
        "Yes and no",
        "I would accept it if it were correct",
        '{"verdict": "maybe"}',
    ],
)
def test_what_is_no_verdict_is_refused(text: str) -> None:
    """Nothing is guessed from prose, contradictions or empty answers."""
    with pytest.raises(ReplyError):
        parse_verdict(text)


@pytest.mark.parametrize(
    ("text", "functions"),
    [
        ("FUNCTION: insert\nIt forgets the windows.", ("insert",)),
        ("**Functions**: solve, validate\n...", ("validate", "solve")),
        ("- FUNCTION: `cost`", ("cost",)),
        ('{"functions": ["insert"], "cause": "x"}', ("insert",)),
        ("The loop in `insert` never ends.", ("insert",)),
        ("insert() and cost() disagree", ("cost", "insert")),
    ],
)
def test_a_diagnosis_names_functions(text: str, functions: tuple[str, ...]) -> None:
    """The functions come in the program's order."""
    assert parse_diagnosis(text, NAMES).functions == functions


@pytest.mark.parametrize(
    "text",
    ["", "Something is wrong.", "FUNCTION: main", "FUNCTION: cost, insert, validate, solve"],
)
def test_a_diagnosis_without_functions_is_refused(text: str) -> None:
    """Neither none, nor strange ones, nor nearly all of them."""
    with pytest.raises(ReplyError):
        parse_diagnosis(text, NAMES)


GOOD = {
    "type": "CVRP",
    "summary": "Deliveries from one depot.",
    "constraints": [{"name": "capacity", "explanation": "what fits"}],
    "fields": ["CAPACITY"],
    "output": "routes",
    "objective": "distance",
}


def test_a_description_is_read_from_a_fence_and_from_prose() -> None:
    """JSON in a fence, after prose, with line breaks in its texts, or rules as a mapping."""
    for text in (
        json.dumps(GOOD),
        f"Here it is:\n```json\n{json.dumps(GOOD, indent=2)}\n```",
        json.dumps({**GOOD, "constraints": {"capacity": "what fits"}}),
    ):
        found = parse_description(text)
        assert found.type == "CVRP"
        assert found.constraints == (("capacity", "what fits"),)


@pytest.mark.parametrize(
    "change",
    [
        {"type": "a long sentence about it"},
        {"type": 3},
        {"summary": ""},
        {"constraints": []},
        {"constraints": ["capacity"]},
        {"fields": "CAPACITY"},
        {"objective": None},
    ],
)
def test_a_description_with_a_wrong_part_is_refused(change: dict[str, object]) -> None:
    """Each part is checked."""
    with pytest.raises(ReplyError):
        parse_description(json.dumps({**GOOD, **change}))
    with pytest.raises(ReplyError):
        parse_description("CVRP: " + str(list(change)))
