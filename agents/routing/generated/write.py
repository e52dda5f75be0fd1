"""Has a rule outside the vocabulary written, tried, judged and confirmed.

The checker that comes of it is a model's: answers that rest on it are labelled so.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ....evaluators.routing import RoutingInstance
from ....evaluators.routing.constraints import VOCABULARY
from ....evaluators.routing.generated import PARAMETERS, SIGNATURE, GeneratedRule, rule_fault
from ....prompts import ReplyError, parse_verdict, render
from ....prompts.rules import Inexpressible, WrittenRule, parse_rule
from ....sandbox import DEFAULT_POLICY
from ...models import ModelReply
from ..creation.asking import GENERATION, JUDGMENT, REVISION, Agents
from .facts import instance_facts

if TYPE_CHECKING:
    from ....sandbox import Sandbox

Confirm = Callable[[GeneratedRule], bool]
_LONGEST_REASON = 1500  # characters


@dataclass(frozen=True)
class RuleAttempt:
    """A confirmed rule, or the reason why there is none."""

    rule: GeneratedRule | None
    reason: str = ""


def write_rule(
    request: str,
    instance: RoutingInstance,
    names: Iterable[str],
    agents: Agents,
    sandbox: "Sandbox",
    confirm: Confirm,
    *,
    key: str = "rule",
    revisions: int = 2,
) -> RuleAttempt:
    """Return a rule's checker that was tried, judged by a second role and confirmed by the user.

    Args:
        request: what the user asked for.
        instance: the user's.
        names: the rules of the vocabulary that hold.
        agents: who writes and who judges.
        sandbox: an open one; the checker runs nowhere else.
        confirm: shown the rule; there is none without a yes.
        key: of the calls; unique within the run.
        revisions: how often it is mended at most.

    Raises:
        BudgetExhausted, ModelError: the model cannot be asked.
    """
    work = _Writing(request, instance, frozenset(names), agents, sandbox)
    try:
        rule, reason = work.propose(GENERATION, f"{key}/0", "rule"), ""
        for number in range(1, revisions + 2):
            reason = work.objection(rule, f"{key}/{number}/judge")
            if not reason or number > revisions:
                break
            rule = work.propose(REVISION, f"{key}/{number}", "revise_rule", reason)
    except Inexpressible as said:
        return RuleAttempt(None, f"the data cannot show it: {said.reason}")
    if reason or rule is None:
        return RuleAttempt(None, f"no usable checker came about: {reason}")
    if not confirm(rule):
        return RuleAttempt(None, "the rule was not confirmed")
    return RuleAttempt(rule)


class _Writing:
    """One rule on its way: what every prompt about it shows."""

    def __init__(
        self,
        request: str,
        instance: RoutingInstance,
        names: frozenset[str],
        agents: Agents,
        sandbox: "Sandbox",
    ) -> None:
        self._request, self._instance, self._names = request.strip()[:1000], instance, names
        self._agents, self._sandbox = agents, sandbox
        self._said = ""
        self._shown: dict[str, Any] = {
            "request": self._request,
            "rules": [(n, rule.description) for n, rule in VOCABULARY.items() if n in names],
            "instance": instance_facts(instance),
            "signature": SIGNATURE,
        }

    def propose(self, role: str, key: str, template: str, reason: str = "") -> GeneratedRule | None:
        """Ask for the rule, or for a better one; None where no answer could be read."""
        more = {"answer": self._said, "reason": reason} if reason else {}
        prompt = render(f"routing/{template}", **self._shown, **more)
        impossible: list[Inexpressible] = []

        def parse(reply: ModelReply) -> GeneratedRule | None:
            self._said = reply.text[:20_000]
            cut = reply.finish_reason == "length"
            try:
                return self._rule(parse_rule(reply.text, PARAMETERS, truncated=cut))
            except Inexpressible as said:  # an answer, not a failure: it is not asked again
                impossible.append(said)
                return None

        written = self._agents.ask(role, key, prompt, parse)
        if impossible:
            raise impossible[-1]
        return written

    def objection(self, rule: GeneratedRule | None, key: str) -> str:
        """Return what speaks against a rule: by trying it, then by a judge; empty for nothing."""
        if rule is None:
            return self._agents.last_reason or "the answer could not be read"
        refused = DEFAULT_POLICY.check(rule.code)
        if refused is not None:
            return f"line {refused.line}: {refused.message}"
        fault = rule_fault(self._sandbox, rule, self._instance, self._names)
        if fault:
            return fault
        prompt = render("routing/judge_rule", **self._shown, rule=rule)
        verdict = self._agents.ask(JUDGMENT, key, prompt, lambda reply: parse_verdict(reply.text))
        if verdict is None:
            return "the judge's answer could not be read, and nobody else can tell what is meant"
        return "" if verdict.accepted else verdict.reason[:_LONGEST_REASON]

    def _rule(self, written: WrittenRule) -> GeneratedRule:
        """Return the rule, its lengths checked.

        Raises:
            ReplyError: a part is too long.
        """
        try:
            return GeneratedRule(
                name=written.name,
                request=self._request,
                meaning=written.meaning[:500],
                code=written.code,
                accepted=written.accepted,
                rejected=written.rejected,
            )
        except ValidationError as error:
            first = error.errors()[0]
            raise ReplyError(f"{first['loc'][0]}: {first['msg']}") from error
