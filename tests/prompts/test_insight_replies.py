"""Replies to a request for insights, as models really write them."""

import pytest

from eurisko.prompts import ReplyError, Statement, parse_insights

DO = "Weigh the distance to the start by the share of visited nodes."
AVOID = "Raising distances to a power above two makes far nodes win too late."


def pairs(text: str, prompt: str = "") -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in parse_insights(text, prompt)]


@pytest.mark.parametrize(
    "reply",
    [
        f"DO: {DO}\nAVOID: {AVOID}",
        f"- DO: {DO}\n- AVOID: {AVOID}\n",
        f"1. **DO**: {DO}\n2. **AVOID**: {AVOID}",
        f"**DO:** {DO}\n\n**AVOID:** {AVOID}",
        f"* Do: {DO}\r\n* Avoid: {AVOID}",
        f"Here is what I learnt.\n\nDO: {DO}\nDON'T: {AVOID}\n\nHope this helps!",
        f"DO:\n- {DO}\n\nAVOID:\n- {AVOID}\n",
        f"### DO:\n1. {DO}\n### AVOID:\n1. {AVOID}",
        f"<think>DO: something that I then reject entirely</think>\nDO: {DO}\nAVOID: {AVOID}",
        f"Do not: {AVOID}\nDo – {DO}",
        f"DO: {DO} Avoid: {AVOID}",  # a 1.5B model wrote so
        f"- **DO:** {DO} **AVOID:** {AVOID}",
    ],
)
def test_the_usual_forms_are_read(reply: str) -> None:
    """Labels in bold, bullets, numbers, headings; reasoning and talk are left out."""
    assert sorted(pairs(reply)) == [("avoid", AVOID), ("do", DO)]


def test_the_scope_is_read() -> None:
    """A lesson said to be general is; without a word it is about the problem."""
    found = parse_insights(f"DO (general): {DO}\n**AVOID (family):** {AVOID}\nDO: {DO}")
    assert found == (
        Statement("do", "general", DO),
        Statement("avoid", "family", AVOID),
        Statement("do", "problem", DO),
    )


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot tell.",
        "DO: <lesson>",
        "DO: ...",
        "AVOID: [what to avoid]",
        "DO: be better",
        "```\nDO: print the whole thing here\n```",
        "Do you want more? Avoiding this is hard.",
        "- undo: this and that and more of it",
    ],
)
def test_what_states_no_lesson_is_refused_with_the_reason(reply: str) -> None:
    """Empty, evasive and placeholder answers give an error that says what is missing."""
    with pytest.raises(ReplyError, match=r"DO: or AVOID:"):
        parse_insights(reply)


def test_an_echo_of_the_prompt_is_no_insight() -> None:
    """What was shown and comes back is left out, whatever its case and punctuation."""
    prompt = f"Idea: {DO.upper()} And more."
    assert pairs(f"DO: {DO}\nAVOID: {AVOID}", prompt) == [("avoid", AVOID)]
    with pytest.raises(ReplyError, match="repeats"):
        parse_insights(f"DO: {DO}", prompt)


def test_floods_are_cut() -> None:
    """At most four lessons of at most 300 characters, the same one once."""
    flood = "\n".join(f"DO: take lesson number {n} into account" for n in range(1000))
    assert len(parse_insights(flood)) == 4
    assert len(parse_insights(f"DO: {'very ' * 1000}long")[0].text) <= 300
    assert len(parse_insights(f"DO: {DO}\nDO: {DO}")) == 1
