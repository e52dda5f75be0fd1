"""The steps of a creation: describe, write, review, check, diagnose.

Model calls have keys made of the step and its counters, and answers are stored before they are used: a
step that is repeated after a crash asks nothing twice.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ....evaluators.routing.analysis import Analysis
from ....evaluators.routing.created import FUNCTIONS, NAMES, FunctionContract
from ....prompts import (
    ReplyError,
    Verdict,
    parse_description,
    parse_diagnosis,
    parse_heuristic,
    parse_verdict,
    render,
)
from ...models import BudgetExhausted, ModelReply
from ..description import Description
from .asking import ERROR_ANALYSIS, GENERATION, JUDGMENT, REVISION, Agents
from .assembly import assemble, fault, parameters
from .errors import Interrupted
from .events import Listener, Progress
from .merging import merged
from .settings import CreateSettings
from .state import CreationState
from .verifying import Verified, Verifier, worst_first

Update = dict[str, Any]
CONTRACT: dict[str, FunctionContract] = {one.name: one for one in FUNCTIONS}


@dataclass
class Creation:
    """One creation: what its steps need beside the state.

    Args:
        settings: of the run.
        analysis: of the user's file.
        given: the description by analysis alone.
        file: the file as prompts show it.
        agents: who is asked.
        verifier: who decides.
        spent: calls and tokens of the run so far.
        confirm: whether the description waits for the user.
    """

    settings: CreateSettings
    analysis: Analysis
    given: Description
    file: str
    agents: Agents
    verifier: Verifier
    listener: Listener
    progress: Progress
    stop: threading.Event
    spent: Callable[[], tuple[int, int]]
    confirm: bool
    started: float

    # Steps of the graph ---------------------------------------------------------------------------

    def describe(self, state: CreationState) -> Update:
        """Have the problem described and the description judged; the file decides."""
        if state["description"] is not None:  # a run that a budget ended goes on
            return {}

        def work() -> Update:
            found = self._described()
            return {"description": found.model_dump(mode="json")}

        return self._step(state, "describe", "", work) or {
            "description": self.given.model_dump(mode="json")
        }

    def confirmation(self, state: CreationState) -> Update:
        """Wait for the user's word on the description."""
        if state["confirmed"]:
            return {}
        if not self.confirm:
            return {"confirmed": True, "todo": list(NAMES)}
        from langgraph.types import interrupt

        accepted = interrupt({"description": state["description"]})
        if not accepted:
            return {"stop": "The description was not accepted."}
        return {"confirmed": True, "todo": list(NAMES)}

    def write(self, state: CreationState) -> Update:
        """Write or revise the next function, and have it judged."""
        name = state["todo"][0]

        def work() -> Update:
            code = self._function(state, name)
            functions = {**state["functions"], **({name: code} if code else {})}
            reasons = {key: why for key, why in state["reasons"].items() if key != name}
            return {"functions": functions, "todo": state["todo"][1:], "reasons": reasons}

        return self._step(state, "write", name, work)

    def review(self, state: CreationState) -> Update:
        """Have the whole new program judged once."""
        if not self.settings.judge or state["verified"] is not None or state["repairs"]:
            return {}

        def work() -> Update:
            prompt = self._render("judge_program", state, program=assemble(state["functions"]))
            said: list[str] = []

            def parse(reply: ModelReply) -> Verdict:
                said.append(reply.text)
                return parse_verdict(reply.text)

            verdict = self.agents.ask(JUDGMENT, "program/judge", prompt, parse)
            if verdict is None or verdict.accepted:
                return {}
            try:
                found = parse_diagnosis(said[-1], NAMES)
            except ReplyError:
                return {}
            return {
                "todo": list(found.functions),
                "reasons": dict.fromkeys(found.functions, found.advice),
                "repairs": 1,
            }

        return self._step(state, "judge", "", work)

    def check(self, state: CreationState) -> Update:
        """Run the program and have it verified; keep it if it is the best so far."""

        def work() -> Update:
            missing = _missing(state)
            if missing:
                failures = tuple(f"the program has no usable function {one}" for one in missing)
                found = Verified(False, len(missing), failures)
            else:
                found = self.verifier.verify(assemble(state["functions"]))
            update: Update = {"verified": found.to_json()}
            best = state["best"]
            if best is None or found.score >= Verified.from_json(best["verified"]).score:
                update["best"] = {
                    "functions": state["functions"],
                    "verified": found.to_json(),
                    "description": state["description"],
                }
            said = "accepted" if found.passed else f"{len(found.failures)} checks failed"
            self.progress.text = said
            return update

        return self._step(state, "check", "", work)

    def diagnose(self, state: CreationState) -> Update:
        """Have the failure analysed and name what must be rewritten."""
        verified = Verified.from_json(state["verified"] or {})
        number = state["repairs"] + 1

        def work() -> Update:
            if missing := _missing(state):
                return {"repairs": number, "todo": missing, "reasons": {}}
            prompt = self._render(
                "diagnose",
                state,
                program=assemble(state["functions"]),
                failures=worst_first(verified.failures),
                before=state["advice"],
            )
            found = self.agents.ask(
                ERROR_ANALYSIS,
                f"repair{number}/diagnose",
                prompt,
                lambda reply: parse_diagnosis(reply.text, NAMES),
            )
            functions = found.functions if found else _suspects(verified.failures)
            facts = "\n".join(worst_first(verified.failures))
            advice = found.advice if found else ""
            why = f"The program failed these checks:\n{facts}\n\n{advice}".strip()
            return {
                "repairs": number,
                "advice": advice[:600],
                "todo": list(functions),
                "reasons": dict.fromkeys(functions, why),
            }

        return self._step(state, "diagnose", "", work)

    # Where to go ----------------------------------------------------------------------------------

    def after_write(self, state: CreationState) -> str:
        """Write on, or go to the review or the checks."""
        if state["stop"]:
            return "check" if not _missing(state) and state["verified"] is None else "end"
        if state["todo"]:
            return "write"
        return "check" if state["repairs"] else "review"

    def after_review(self, state: CreationState) -> str:
        """Revise what the review named, or run the program."""
        return "write" if state["todo"] and not state["stop"] else "check"

    def after_check(self, state: CreationState) -> str:
        """End with a verified program or without budget, else find out what is wrong."""
        passed = bool((state["verified"] or {}).get("passed"))
        if passed or state["stop"] or state["repairs"] >= self.settings.repairs:
            return "end"
        return "diagnose"

    def after_diagnose(self, state: CreationState) -> str:
        """Rewrite, unless the budget ended."""
        return "end" if state["stop"] else "write"

    # Parts ----------------------------------------------------------------------------------------

    def _step(
        self, state: CreationState, stage: str, function: str, work: Callable[[], Update]
    ) -> Update:
        """Do a step; a used-up budget ends the creation with the best program kept."""
        if self.stop.is_set():
            raise Interrupted("The creation was asked to stop.")
        seconds = self.settings.budgets.seconds
        if seconds is not None and time.monotonic() - self.started > seconds and stage != "check":
            return {"stop": f"The time budget of {seconds:g} s is used up."}
        self.progress.stage, self.progress.function, self.progress.text = stage, function, ""
        self.listener("step", self.progress)
        before = self.agents.unread
        try:
            update = work()
        except BudgetExhausted as error:
            said = str(error)
            update = {"stop": f"{said[:1].upper()}{said[1:]}."}
        update["unread"] = state["unread"] + self.agents.unread - before
        self.progress.calls, self.progress.tokens = self.spent()
        self.listener("done", self.progress)
        return update

    def _described(self) -> Description:
        """Return the description: the model's words over the file's facts."""
        findings = [one.message for one in self.analysis.findings][:8]
        common = {"excerpt": self.file, "request": self.settings.request}
        prompt = render("routing/describe", d=self.given, findings=findings, **common)
        said: list[str] = []

        def parse(reply: ModelReply) -> Description:
            said.append(reply.text)
            return merged(self.given, parse_description(reply.text))

        found = self.agents.ask(GENERATION, "description/0", prompt, parse)
        for number in range(1, self.settings.description_revisions + 1):
            if found is None or not self.settings.judge:
                break
            prompt = render("routing/judge_description", answer=said[-1][:6000], **common)
            verdict = self._verdict(f"description/{number}/judge", prompt)
            if verdict.accepted:
                break
            prompt = render(
                "routing/revise_description",
                answer=said[-1][:6000],
                reason=verdict.reason,
                **common,
            )
            found = self.agents.ask(REVISION, f"description/{number}", prompt, parse) or found
        return found or self.given

    def _function(self, state: CreationState, name: str) -> str:
        """Return a function's code after its reviews; the old one, or none, where nothing is usable."""
        code = state["functions"].get(name, "")
        reason = state["reasons"].get(name, "")
        step = f"{name}/{state['repairs']}"
        answer = self._answer(state, name, code, reason, f"{step}/0") or code
        for number in range(1, self.settings.function_revisions + 1):
            if not answer or not self.settings.judge or answer == code:
                break
            prompt = self._render(
                "judge_function", state, name=name, program=self._others(state, name), answer=answer
            )
            verdict = self._verdict(f"{step}/{number}/judge", prompt)
            if verdict.accepted:
                break
            self.progress.text = f"rejected: {verdict.reason.splitlines()[0][:120]}"
            self.listener("judged", self.progress)
            revised = self._answer(state, name, answer, verdict.reason, f"{step}/{number}")
            answer = revised or answer
        return answer

    def _answer(
        self, state: CreationState, name: str, code: str, reason: str, key: str
    ) -> str | None:
        """Ask for a function, or for a better one; return its code if it can be part of the program."""
        others = {one: text for one, text in state["functions"].items() if one != name}

        def parse(reply: ModelReply) -> str:
            truncated = reply.finish_reason == "length"
            found = parse_heuristic(reply.text, name, parameters(name), truncated=truncated).code
            wrong = fault(found, name, others)
            if wrong:
                raise ReplyError(wrong)
            return found

        program = self._others(state, name)
        if code or reason:
            prompt = self._render(
                "revise_function", state, name=name, program=program, answer=code, reason=reason
            )
            return self.agents.ask(REVISION, key, prompt, parse)
        prompt = self._render("function", state, name=name, program=program)
        return self.agents.ask(GENERATION, key, prompt, parse)

    def _verdict(self, key: str, prompt: str) -> Verdict:
        """Return a judgement; one that cannot be read blocks nothing, for the checks decide."""
        found = self.agents.ask(JUDGMENT, key, prompt, lambda reply: parse_verdict(reply.text))
        return found or Verdict(True, "")

    def _others(self, state: CreationState, name: str) -> str:
        return assemble({one: code for one, code in state["functions"].items() if one != name})

    def _render(self, template: str, state: CreationState, name: str = "", **more: Any) -> str:
        described = Description.model_validate(state["description"] or self.given.model_dump())
        about = {"one": CONTRACT[name], "number": NAMES.index(name) + 1} if name else {}
        return render(
            f"routing/{template}",
            d=described,
            excerpt=self.file,
            functions=FUNCTIONS,
            **about,
            **more,
        )


def _missing(state: CreationState) -> list[str]:
    return [name for name in NAMES if name not in state["functions"]]


def _suspects(failures: tuple[str, ...]) -> tuple[str, ...]:
    """Return which function most likely causes a failure, where no analysis could be read."""
    text = " ".join(failures)
    named = [name for name in NAMES if name in text]
    return (named[0],) if named else ("solve",)
