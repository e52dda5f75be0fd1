"""Replies that choose an acquisition function, as models really write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eurisko.prompts import ReplyError, parse_choice

ARMS = (
    *("PI", "LogPI", "EI", "LogEI", "UCB", "PosMean", "PosSTD", "TS", "KG", "PES", "JES"),
    "MES",
)


@pytest.mark.parametrize(
    ("text", "arm", "reason"),
    [
        ("EI: the fit is good", "EI", "the fit is good"),
        ("**EI**: the fit is good", "EI", "the fit is good"),
        ("**EI: the fit is good**", "EI", "the fit is good"),
        ("`LogEI` - steady progress", "LogEI", "steady progress"),
        ("logei", "LogEI", ""),
        ("UCB.", "UCB", ""),
        ("qKG: look ahead", "KG", "look ahead"),
        ("KG", "KG", ""),
        ("- TS: explore", "TS", "explore"),
        ("1. TS: explore", "TS", "explore"),
        ("> PosMean — last step", "PosMean", "last step"),
        ("Thompson sampling: variety", "TS", "variety"),
        ("Acquisition function: UCB\nReason: stagnation.", "UCB", "Reason: stagnation."),
        ("My choice is MES, because the optimum is uncertain", "MES", None),
        ("I choose the posterior mean because the budget ends.", "PosMean", None),
        ('{"acquisition": "LogPI", "reason": "small steps"}', "LogPI", "small steps"),
        ('```json\n{"choice": "qJES", "why": "w"}\n```', "JES", "w"),
        ("<think>EI or UCB? EI failed.</think>UCB: EI failed", "UCB", "EI failed"),
        ("The state suggests exploring. The best is UCB here.", "UCB", None),
        ("Let me look at the state.\n\n**TS**\n\nIt explores.", "TS", None),
        ("Stagnation for five steps.\nAnswer: PosSTD", "PosSTD", None),
        ("EI (expected improvement): balanced", "EI", None),
        ("PI because EI failed twice", "PI", "because EI failed twice"),
        ("Max-value entropy search: learn the minimum", "MES", "learn the minimum"),
        ("LCB: optimism", "UCB", "optimism"),
    ],
)
def test_a_choice_is_read(text: str, arm: str, reason: str | None) -> None:
    """Each dress of an answer gives the function that it names, with the reason."""
    choice = parse_choice(text, ARMS)
    assert choice.arm == arm
    if reason is not None:
        assert choice.reason == reason


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("   \n ", "empty"),
        ("<think>EI</think>", "empty"),
        ("EI would be too greedy, so TS", "EI and TS"),
        ("EI, PI and TS are all fine.", "EI, PI and TS"),
        ("Use the magic function", "none of"),
        ("ABC: because", "none of"),
        ('{"acquisition": "ABC"}', "'ABC' is not one of"),
        ("EIEIO", "none of"),
        ("fEI: what", "none of"),
    ],
)
def test_what_says_nothing_or_too_much_is_refused(text: str, why: str) -> None:
    """No guess is made; the reason can be sent back to the model."""
    with pytest.raises(ReplyError, match=why):
        parse_choice(text, ARMS)


def test_only_functions_on_offer_are_chosen() -> None:
    """A function that exists but is not on offer is refused; aliases follow what is on offer."""
    with pytest.raises(ReplyError):
        parse_choice("KG: look ahead", ("EI", "UCB"))
    assert parse_choice("my_arm: invented", ("EI", "my_arm")).arm == "my_arm"


def test_a_long_name_is_not_its_part() -> None:
    """LogEI is never read as EI, nor the log of an improvement as the improvement."""
    assert parse_choice("log expected improvement: safe", ARMS).arm == "LogEI"
    assert parse_choice("LogEI", ("EI", "LogEI")).arm == "LogEI"
    with pytest.raises(ReplyError):
        parse_choice("LogEI", ("EI", "UCB"))


def test_an_endless_reply_is_read_in_no_time() -> None:
    """A reply of a million characters is cut before it is read."""
    assert parse_choice("UCB: " + "so " * 400_000, ARMS).arm == "UCB"
    with pytest.raises(ReplyError):
        parse_choice("*" * 1_000_000, ARMS)


@given(st.text(max_size=300))
def test_any_text_gives_a_choice_or_a_reason(text: str) -> None:
    """Nothing but an arm on offer or a ReplyError with a reason comes out."""
    try:
        assert parse_choice(text, ARMS).arm in ARMS
    except ReplyError as error:
        assert str(error)
