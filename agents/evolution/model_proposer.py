"""Proposals from a language model."""

from dataclasses import dataclass

from ...evaluators import Interface
from ...prompts import ReplyError, parse_heuristic, render
from ..models import Message, ModelGateway, ModelReply, ModelRequest
from ..models.errors import EmptyAnswer, RecordedFailure, RequestRefused
from .errors import UnusableReply
from .proposal import Proposal, Task

ROLE = "heuristic"


@dataclass(frozen=True)
class ModelProposer:
    """Asks a model for a heuristic; an answer that cannot be read goes back once with the reason."""

    gateway: ModelGateway
    name: str
    temperature: float | None = None

    def propose(self, task: Task) -> Proposal:
        """Return the model's proposal.

        Raises:
            UnusableReply: two answers held no program.
            BudgetExhausted, ModelError: from the gateway.
        """
        interface = task.problem.interfaces[task.interface]
        prompt = render(
            f"evolution/{task.operator}",
            problem=task.problem,
            interface=interface,
            parents=task.parents,
        )
        messages: tuple[Message, ...] = (Message("user", prompt),)
        first = self._ask(task.key, messages)
        try:
            return _read(first, interface)
        except ReplyError as error:
            again = render("evolution/retry", reason=str(error), interface=interface)
        messages = (*messages, Message("assistant", first.text), Message("user", again))
        second = self._ask(f"{task.key}/again", messages)
        try:
            return _read(second, interface)
        except ReplyError as error:
            raise UnusableReply(f"Two answers held no usable program: {error}") from error

    def _ask(self, key: str, messages: tuple[Message, ...]) -> ModelReply:
        request = ModelRequest(key=key, role=ROLE, messages=messages, temperature=self.temperature)
        try:
            return self.gateway.ask(request)
        except (RequestRefused, EmptyAnswer, RecordedFailure) as error:
            # It is this question that got no answer; the next one may.
            raise UnusableReply(str(error)) from error


def _read(reply: ModelReply, interface: Interface) -> Proposal:
    truncated = reply.finish_reason == "length"
    function, parameters = interface.function, interface.parameters
    parsed = parse_heuristic(reply.text, function, parameters, truncated=truncated)
    return Proposal(thought=parsed.thought, code=parsed.code)
