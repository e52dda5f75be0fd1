"""Asks the four agents: each is a prompt and a parser; none remembers anything.

An answer that cannot be read goes back once with the reason, then counts as unread.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from ....prompts import ReplyError, render
from ...models import Message, ModelError, ModelGateway, ModelReply, ModelRequest
from ...models.errors import BlankAnswer, EmptyAnswer, RecordedFailure, RequestRefused

GENERATION = "generation"
JUDGMENT = "judgment"
REVISION = "revision"
ERROR_ANALYSIS = "error_analysis"

_ONE_QUESTION = (RequestRefused, BlankAnswer, EmptyAnswer, RecordedFailure)
"""What concerns one question only: the next one may be answered."""

Parsed = TypeVar("Parsed")


@dataclass
class Agents:
    """The four agents over one or two models.

    Args:
        gateway: who generates, revises and analyses errors.
        judge: who judges.
        temperature: sampling temperature; the model's own where None.
    """

    gateway: ModelGateway
    judge: ModelGateway
    temperature: float | None = None
    unread: int = 0
    last_reason: str = field(default="", init=False)

    def ask(
        self,
        role: str,
        key: str,
        prompt: str,
        parse: Callable[[ModelReply], Parsed],
    ) -> Parsed | None:
        """Return what the answer says, or None where two answers could not be read.

        Raises:
            BudgetExhausted, ModelError: the model cannot be asked.
        """
        messages: tuple[Message, ...] = (Message("user", prompt),)
        for tried, name in enumerate((key, f"{key}/again")):
            answer, reason = self._once(role, name, messages, parse)
            if reason == "":
                return answer
            self.last_reason = reason
            if tried == 0:
                said = self._said or "(no answer)"
                again = render("routing/again", reason=reason.rstrip("."))
                messages = (*messages, Message("assistant", said), Message("user", again))
        self.unread += 1
        return None

    _said: str = ""

    def _once(
        self,
        role: str,
        key: str,
        messages: tuple[Message, ...],
        parse: Callable[[ModelReply], Parsed],
    ) -> tuple[Parsed | None, str]:
        gateway = self.judge if role == JUDGMENT else self.gateway
        request = ModelRequest(
            key=key, role=role, messages=messages, temperature=self.temperature, max_tokens=12_000
        )
        self._said = ""
        try:
            reply = gateway.ask(request)
        except _ONE_QUESTION as error:
            return None, str(error)
        self._said = reply.text[:20_000]
        try:
            return parse(reply), ""
        except ReplyError as error:
            return None, str(error)


__all__ = ["ERROR_ANALYSIS", "GENERATION", "JUDGMENT", "REVISION", "Agents", "ModelError"]
