"""A language model as proposer and analyst: candidates, repairs, insights."""

from dataclasses import dataclass

from ...evaluators import Interface
from ...prompts import ReplyError, Statement, parse_heuristic, parse_insights, render
from ..models import Message, ModelGateway, ModelReply, ModelRequest
from ..models.errors import EmptyAnswer, RecordedFailure, RequestRefused
from .errors import UnusableReply
from .proposal import InsightTask, Proposal, RepairTask, Task


@dataclass(frozen=True)
class ModelProposer:
    """Asks a model; every question goes through one gateway and counts in one budget.

    All methods raise :class:`UnusableReply` for an answer of no use, and what the gateway raises:
    BudgetExhausted and ModelError.
    """

    gateway: ModelGateway
    name: str
    temperature: float | None = None

    def propose(self, task: Task) -> Proposal:
        """Return the model's proposal; an answer that cannot be read goes back once with the reason.

        Raises:
            UnusableReply: two answers held no program.
        """
        interface = task.problem.interfaces[task.interface]
        more = {"feedback": task.feedback} if task.operator == "refine" else {}
        prompt = render(
            f"evolution/{task.operator}",
            problem=task.problem,
            interface=interface,
            parents=task.parents,
            guidance=task.guidance,
            **more,
        )
        messages: tuple[Message, ...] = (Message("user", prompt),)
        first = self._ask(task.key, "heuristic", messages)
        try:
            return _read(first, interface)
        except ReplyError as error:
            again = render("evolution/retry", reason=str(error), interface=interface)
        messages = (*messages, Message("assistant", first.text), Message("user", again))
        second = self._ask(f"{task.key}/again", "heuristic", messages)
        try:
            return _read(second, interface)
        except ReplyError as error:
            raise UnusableReply(f"Two answers held no usable program: {error}") from error

    def repair(self, task: RepairTask) -> Proposal:
        """Return the mended program: one question with the exact outcome.

        Raises:
            UnusableReply: the answer held no program.
        """
        interface = task.problem.interfaces[task.interface]
        prompt = render(
            "evolution/repair",
            problem=task.problem,
            interface=interface,
            thought=task.thought,
            code=task.code,
            failure=task.failure,
        )
        reply = self._ask(task.key, "repair", (Message("user", prompt),))
        try:
            return _read(reply, interface)
        except ReplyError as error:
            raise UnusableReply(f"The repair held no usable program: {error}") from error

    def insights(self, task: InsightTask) -> tuple[Statement, ...]:
        """Return what the model learns from a generation: one question.

        Raises:
            UnusableReply: the answer held no insight.
        """
        prompt = render(
            "evolution/insights",
            problem=task.problem,
            interface=task.problem.interfaces[task.interface],
            material=task.material,
        )
        reply = self._ask(task.key, "insight", (Message("user", prompt),))
        try:
            return parse_insights(reply.text, prompt)
        except ReplyError as error:
            raise UnusableReply(f"The answer held no insight: {error}") from error

    def _ask(self, key: str, role: str, messages: tuple[Message, ...]) -> ModelReply:
        request = ModelRequest(key=key, role=role, messages=messages, temperature=self.temperature)
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
