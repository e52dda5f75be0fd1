"""Proposals from a language model."""

from dataclasses import dataclass

from ...prompts import ReplyError, parse_heuristic, render
from ..models import Message, ModelGateway, ModelRequest
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
        text = self._ask(task.key, messages)
        try:
            reply = parse_heuristic(text, interface.function, interface.parameters)
        except ReplyError as first:
            again = render("evolution/retry", reason=str(first), interface=interface)
            messages = (*messages, Message("assistant", text), Message("user", again))
            text = self._ask(f"{task.key}/again", messages)
            try:
                reply = parse_heuristic(text, interface.function, interface.parameters)
            except ReplyError as second:
                raise UnusableReply(f"Two answers held no usable program: {second}") from second
        return Proposal(thought=reply.thought, code=reply.code)

    def _ask(self, key: str, messages: tuple[Message, ...]) -> str:
        request = ModelRequest(key=key, role=ROLE, messages=messages, temperature=self.temperature)
        try:
            return self.gateway.ask(request).text
        except (RequestRefused, EmptyAnswer, RecordedFailure) as error:
            # It is this question that got no answer; the next one may.
            raise UnusableReply(str(error)) from error
