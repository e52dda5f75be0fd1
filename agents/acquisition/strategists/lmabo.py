"""LMABO (ICLR 2026): a language model reads the whole state and picks the acquisition function.

The question is stateless: the state and the last steps, anew each time, which costs a sixth of the
growing conversation that the paper sends (``memory`` "full" keeps that). An answer that cannot be read
goes back once with the reason; a second one leaves the step to the rules, and is counted as a fallback.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ....prompts import ArmChoice, ReplyError, parse_choice, render
from ...models import Message, ModelGateway, ModelReply, ModelRequest
from ...models.errors import BlankAnswer, EmptyAnswer, RecordedFailure, RequestRefused
from ..choice import Choice, Posterior, Source, Strategist
from ..state import State
from .rules import Rules

ROLE = "acquisition"
_ONE_QUESTION = (RequestRefused, BlankAnswer, EmptyAnswer, RecordedFailure)
"""What concerns one question only: the next one may be answered."""


@dataclass(frozen=True)
class ArmHelp:
    """What a prompt says of an acquisition function."""

    name: str
    help: str


@dataclass(frozen=True)
class Lmabo:
    """Asks a model at each step.

    Args:
        gateway: where the model is asked; its errors and an exhausted budget end the run.
        help: one sentence on each acquisition function.
        recall: ``recent`` asks anew with the last ``steps`` decisions; ``full`` sends the growing
            conversation.
        steps: how many decisions a stateless question shows.
        temperature: sampling temperature.
        fallback: who decides when two answers could not be read.
    """

    gateway: ModelGateway
    help: Mapping[str, str]
    recall: Literal["recent", "full"] = "recent"
    steps: int = 10
    temperature: float | None = 0.0
    fallback: Strategist = field(default_factory=Rules)
    name: str = "lmabo"

    def choose(
        self,
        state: State,
        posterior: Posterior,
        memory: Mapping[str, Any],
        draw: random.Random,
    ) -> Choice:
        """Ask, ask again with the reason if the answer cannot be read, else leave it to the rules.

        Raises:
            BudgetExhausted, ModelError: the model cannot be asked.
        """
        said: Sequence[Sequence[str]] = memory.get("said", ())
        messages = self._messages(state, said)
        key = f"s{state.evaluations}-{len(state.history)}"
        unread = int(memory.get("unread", 0))
        first, why = self._ask(key, messages, state.arms)
        if isinstance(first, ArmChoice):
            return self._chosen(first, messages, said, unread)
        again = render("acquisition/again", reason=why, names=state.arms)
        messages = (*messages, Message("assistant", first or "(no answer)"), Message("user", again))
        second, why = self._ask(f"{key}/again", messages, state.arms)
        if isinstance(second, ArmChoice):
            return self._chosen(second, messages, said, unread + 1)
        choice = self.fallback.choose(state, posterior, {}, draw)
        reason = f"two answers could not be used ({why}); by the rules: {choice.reason}"
        kept = {"said": [list(one) for one in said], "unread": unread + 2}
        return Choice(choice.arm, reason, Source.FALLBACK, kept)

    def _chosen(
        self,
        found: ArmChoice,
        messages: tuple[Message, ...],
        said: Sequence[Sequence[str]],
        unread: int,
    ) -> Choice:
        kept: dict[str, Any] = {"unread": unread}
        if self.recall == "full":
            turn = [messages[2 * len(said)].content, f"{found.arm}: {found.reason}"]
            kept["said"] = [*(list(one) for one in said), turn]
        return Choice(found.arm, found.reason, Source.MODEL, kept)

    def _messages(self, state: State, said: Sequence[Sequence[str]]) -> tuple[Message, ...]:
        arms = [ArmHelp(arm, self.help.get(arm, "(no description)")) for arm in state.arms]
        if self.recall == "recent":
            recent = state.history[-self.steps :]
            text = render("acquisition/choose", state=state, arms=arms, recent=recent)
            return (Message("user", text),)
        turns = [
            Message(role, text) for one in said for role, text in zip(_ROLES, one, strict=True)
        ]
        text = render("acquisition/turn", state=state, last=state.last if said else None)
        if not said:
            text = f"{render('acquisition/opening', arms=arms)}\n{text}"
        return (*turns, Message("user", text))

    def _ask(
        self, key: str, messages: tuple[Message, ...], arms: Sequence[str]
    ) -> tuple[ArmChoice | str, str]:
        """Return the choice, or the text of the answer and why it cannot be used."""
        request = ModelRequest(
            key=key, role=ROLE, messages=messages, temperature=self.temperature, max_tokens=2000
        )
        try:
            reply: ModelReply = self.gateway.ask(request)
        except _ONE_QUESTION as error:
            return "", str(error)
        try:
            return parse_choice(reply.text, arms), ""
        except ReplyError as error:
            return reply.text[:2000], str(error)


_ROLES = ("user", "assistant")
