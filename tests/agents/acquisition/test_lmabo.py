"""The strategist that asks a model, through a real endpoint on loopback."""

import random
from collections.abc import Callable, Sequence

import pytest
from acquisition_states import ARMS, Told, make_state
from scripted_endpoint import Script, ScriptedEndpoint, Stall, Status, Text

from eurisko.agents.acquisition.choice import Choice, Source
from eurisko.agents.acquisition.strategists.lmabo import Lmabo
from eurisko.agents.models import Budget, BudgetExhausted, ModelError, open_gateway

HELP = dict.fromkeys(ARMS, "it does what its name says")
Endpoint = Callable[[Script], ScriptedEndpoint]


def ask(
    endpoint: ScriptedEndpoint, history: Sequence[tuple[str, bool]] = (), **fields: object
) -> Choice:
    """Return one choice for a state with this history."""
    budget = fields.pop("budget", Budget())
    memory = fields.pop("memory", {})
    gateway = open_gateway(
        "openai/scripted", base_url=endpoint.base_url, budget=budget, timeout_s=5, retries=0
    )
    try:
        strategist = Lmabo(gateway, HELP, **fields)
        return strategist.choose(make_state(history), Told(), memory, random.Random(0))
    finally:
        gateway.close()


@pytest.mark.parametrize(
    "text",
    ["UCB: stagnation", "**UCB**: stagnation", "ucb", "`qUCB`", '{"choice": "UCB", "reason": "x"}'],
)
def test_one_good_answer_decides(scripted_endpoint: Endpoint, text: str) -> None:
    """A readable answer is taken at the first question, whatever its dress."""
    endpoint = scripted_endpoint([text])
    choice = ask(endpoint)
    assert (choice.arm, choice.source, choice.memory["unread"]) == ("UCB", Source.MODEL, 0)
    assert len(endpoint.requests) == 1


def test_an_unreadable_answer_goes_back_once_with_the_reason(scripted_endpoint: Endpoint) -> None:
    """The second question holds the first answer and why it could not be used."""
    endpoint = scripted_endpoint(["ABC: my own invention", "LogEI: fine"])
    choice = ask(endpoint)
    assert (choice.arm, choice.source, choice.memory["unread"]) == ("LogEI", Source.MODEL, 1)
    roles = [one["role"] for one in endpoint.requests[1].messages]
    assert roles == ["user", "assistant", "user"]
    assert "ABC: my own invention" in endpoint.requests[1].messages[1]["content"]
    assert "names none of" in endpoint.requests[1].messages[2]["content"]


@pytest.mark.parametrize(
    "answers",
    [
        ["nonsense", "still nonsense"],
        ["", ""],
        ["EI or UCB or TS", "LogEI or UCB"],
        [Status(400), Status(400)],
        [Text("lots of thought " * 4000, finish_reason="length")] * 2,
    ],
    ids=["unknown", "empty", "ambiguous", "refused", "endless"],
)
def test_two_unusable_answers_leave_it_to_the_rules(scripted_endpoint: Endpoint, answers) -> None:
    """After two useless answers the rules decide, and the choice says so and is counted."""
    endpoint = scripted_endpoint(answers)
    choice = ask(endpoint, [("LogEI", False)])
    assert choice.source is Source.FALLBACK
    assert choice.arm == "UCB"  # by the rules: not LogEI again
    assert choice.memory["unread"] == 2
    assert "two answers could not be used" in choice.reason
    assert len(endpoint.requests) == 2


def test_a_model_out_of_reach_is_not_papered_over(scripted_endpoint: Endpoint) -> None:
    """A server that fails or hangs ends the run, to be resumed; the rules do not step in."""
    with pytest.raises(ModelError):
        ask(scripted_endpoint([Status(500)]))
    with pytest.raises(ModelError):
        ask(scripted_endpoint([Stall(30)]))


def test_the_budget_counts_every_question(scripted_endpoint: Endpoint) -> None:
    """A second question that the budget does not allow is not asked."""
    endpoint = scripted_endpoint(["nonsense"])
    with pytest.raises(BudgetExhausted):
        ask(endpoint, budget=Budget(calls=1))
    assert len(endpoint.requests) == 1


def test_the_question_shows_state_arms_and_the_last_steps(scripted_endpoint: Endpoint) -> None:
    """Every arm with its sentence, the figures in full precision, ten steps at most, and no more."""
    endpoint = scripted_endpoint(["UCB: x"])
    ask(endpoint, [("LogEI", True)] + [("UCB", False)] * 10)
    (message,) = endpoint.requests[0].messages
    text = message["content"]
    for arm in ARMS:
        assert f"- {arm}: it does what its name says" in text
    assert text.count("- UCB: no improvement") == 10
    assert "- LogEI: improved" not in text
    assert "lowest -1," in text and "0.0123457" in text


def test_the_growing_conversation_is_an_option(scripted_endpoint: Endpoint) -> None:
    """With recall "full" each question carries all earlier ones and the answers to them."""
    endpoint = scripted_endpoint(["UCB: one", "LogEI: two", "UCB: three"])
    memory, history = {}, []
    for _ in range(3):
        choice = ask(endpoint, history, recall="full", memory=memory)
        memory, history = choice.memory, [*history, (choice.arm, False)]
    roles = [[one["role"] for one in seen.messages] for seen in endpoint.requests]
    assert [len(one) for one in roles] == [1, 3, 5]
    assert roles[2] == ["user", "assistant"] * 2 + ["user"]
    last = endpoint.requests[2].messages
    assert last[1]["content"] == "UCB: one" and last[3]["content"] == "LogEI: two"
    assert "# Acquisition functions" in last[0]["content"]
    assert "# Acquisition functions" not in last[2]["content"]
