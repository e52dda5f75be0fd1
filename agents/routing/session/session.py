"""The session: load, analyse, answer, change, solve, why, undo, export; every plan is checked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ....evaluators.errors import InputError, did_you_mean
from ....evaluators.routing import Plan, Reading, RoutingError, parse_routing
from ....evaluators.routing.analysis import Analysis, Finding, Question, Severity, analyse
from ....evaluators.routing.checker import Report, check
from ....evaluators.routing.constraints import Violation
from ..changes import Change, RoutingTask
from .analysing import analyse_task
from .answers import answer_change
from .as_file import same_data
from .data import SessionData, Solved, Step, Tried, Turn, plan_of, routes_of
from .explaining import Why, explain_task
from .from_memory import OpenSandbox
from .running import open_sandbox
from .sources import Answer, Listener, Request, Source

SESSION_KEY = "eurisko_session"
_LARGEST_MIB = 512
_COST_TOLERANCE = 1e-6  # relative: programs may add in another order


class NoPlan(InputError):
    """No solver gave a plan that the checker accepts; ``tried`` says what each did."""

    def __init__(self, tried: Sequence[Tried]) -> None:
        self.tried = tuple(tried)
        said = "; ".join(f"{one.solver}: {one.why}" for one in self.tried)
        super().__init__(f"there is no verified plan ({said or 'no solver is there'}).")


@dataclass(frozen=True, eq=False)
class Changed:
    """What a change did: its sentence, new contradictions, and how the latest plan fares now."""

    sentence: str
    report: Report | None
    lost: str = ""  # why the latest plan cannot even be stated any more
    findings: tuple[Finding, ...] = ()


class RoutingSession:
    """A conversation about one problem.

    Args:
        data: plain data, of ``load`` or of a saved session.
        sources: origins of plans, in order of preference; the last is the reference where its
            name is ``reference``.
        sandbox: opens the sandbox for rules outside the vocabulary.
    """

    def __init__(
        self,
        data: SessionData,
        sources: Sequence[Source] = (),
        sandbox: OpenSandbox = open_sandbox,
    ) -> None:
        self.data = data
        self.sandbox = sandbox
        self.sources = tuple(sources)
        options: dict[str, Any] = dict(data.options)
        self.reading: Reading = parse_routing(data.text, data.path, form=data.form, **options)
        first = analyse(self.reading)
        self._start = RoutingTask(
            self.reading.instance, first.names, rounding=self.reading.facts.rounding
        )
        self._tasks: list[RoutingTask] = [self._start]
        for step in data.steps:
            self._tasks.append(step.change.apply(self._tasks[-1]))
        self._analyses: dict[int, Analysis] = {}
        self._verdicts: dict[Plan, tuple[Violation, ...]] = {}  # of generated rules, until a change

    # what it begins with

    @classmethod
    def load(
        cls,
        path: str | Path,
        sources: Sequence[Source] = (),
        *,
        form: str = "auto",
        **options: Any,
    ) -> "RoutingSession":
        """Begin with a routing file, or go on with a saved session.

        Raises:
            RoutingError: the file cannot be read.
        """
        file = Path(path)
        try:
            if file.stat().st_size > _LARGEST_MIB << 20:
                raise RoutingError(f"{path} is larger than {_LARGEST_MIB} MiB.")
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise RoutingError(f"{path} cannot be read: {error.strerror}.") from error
        if not text.strip():
            raise RoutingError(f"{path} is empty.")
        if SESSION_KEY in text[:200]:
            return cls.restore(text, sources)
        return cls(SessionData(path=str(path), text=text, form=form, options=options), sources)

    @classmethod
    def restore(cls, text: str, sources: Sequence[Source] = ()) -> "RoutingSession":
        """Go on with what ``to_json`` returned.

        Raises:
            RoutingError: it is no session, or one of another version.
        """
        from pydantic import ValidationError

        try:
            data = SessionData.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise RoutingError(f"this is no saved session: {place}: {first['msg']}.") from error
        return cls(data, sources)

    def to_json(self) -> str:
        """Return the session as text for ``restore``."""
        return self.data.model_dump_json(indent=1)

    def save(self, path: str | Path) -> Path:
        """Write the session to a file, whole or not at all."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(target.name + ".part")
        draft.write_text(self.to_json(), encoding="utf-8")
        draft.replace(target)
        return target

    # what is known

    @property
    def task(self) -> RoutingTask:
        """The problem as it stands."""
        return self._tasks[-1]

    def before(self, steps: int) -> RoutingTask:
        """Return the problem as it stood after some of the changes."""
        return self._tasks[steps]

    @property
    def sentences(self) -> list[str]:
        """What was changed, in words."""
        steps = self.data.steps
        return [one.change.sentence(self._tasks[place]) for place, one in enumerate(steps)]

    @property
    def settled(self) -> frozenset[str]:
        """Keys of the questions that were answered."""
        return frozenset(step.change.answers for step in self.data.steps) - {""}

    @property
    def analysis(self) -> Analysis:
        """The analysis of the problem as it stands."""
        count = len(self.data.steps)
        if count not in self._analyses:
            self._analyses[count] = analyse_task(
                self.reading, self.task, self.settled, self._start.names
            )
        return self._analyses[count]

    @property
    def questions(self) -> tuple[Question, ...]:
        """Questions that are open; the defaults hold until they are answered."""
        return self.analysis.questions

    @property
    def latest(self) -> Solved | None:
        """The latest plan; it may be of the problem before the last changes."""
        return self.data.solved[-1] if self.data.solved else None

    @property
    def current(self) -> Solved | None:
        """The plan of the problem as it stands, if it was solved."""
        latest = self.latest
        return latest if latest is not None and latest.steps == len(self.data.steps) else None

    def plan(self, solved: Solved) -> Plan:
        """Return a stored plan by rows of the problem as it stands.

        Raises:
            RoutingError: it visits who is no longer there.
        """
        return plan_of(solved.routes, self.task.instance)

    def verify(self, plan: Plan) -> Report:
        """Check a plan against the problem as it stands; generated rules run in the sandbox."""
        task = self.task
        report = check(task.instance, plan, task.names, task.objective)
        if not task.extra or report.trace is None or not plan.routes:
            return report
        if plan not in self._verdicts:
            from ....evaluators.routing.generated import check_rules, rule_violations

            with self.sandbox() as sandbox:
                answers = check_rules(sandbox, task.extra, task.instance, plan)
            self._verdicts[plan] = rule_violations(answers)
        return replace(report, violations=(*report.violations, *self._verdicts[plan]))

    # what changes it

    def answer(self, key: str, option: str) -> Changed:
        """Answer a question of the analysis, open or not.

        Raises:
            RoutingError: no such question, or no such option.
        """
        return self.change(answer_change(key, option), f"{key}: {option}")

    def change(self, change: Change, said: str = "") -> Changed:
        """Apply a change.

        Raises:
            RoutingError: it makes no sense here; nothing has changed then.
        """
        sentence = change.sentence(self.task)
        known = {(one.topic, one.message) for one in self.analysis.findings}
        changed = change.apply(self.task)
        self._tasks.append(changed)
        self._verdicts.clear()
        step = Step.model_validate({"change": change, "said": said})
        self.data = self.data.model_copy(update={"steps": (*self.data.steps, step)})
        found = tuple(
            one
            for one in self.analysis.findings
            if one.severity is not Severity.NOTE and (one.topic, one.message) not in known
        )
        return replace(self._effect(sentence), findings=found)

    def _effect(self, sentence: str) -> Changed:
        """Check the latest plan under the changed problem."""
        latest = self.latest
        if latest is None:
            return Changed(sentence, None)
        try:
            return Changed(sentence, self.verify(self.plan(latest)))
        except RoutingError as error:
            return Changed(sentence, None, str(error))

    def undo(self) -> Step | None:
        """Take back the last change and the plans made since; None where nothing was changed."""
        if not self.data.steps:
            return None
        last = self.data.steps[-1]
        left = self.data.steps[:-1]
        kept = tuple(one for one in self.data.solved if one.steps <= len(left))
        self.data = self.data.model_copy(update={"steps": left, "solved": kept})
        self._tasks.pop()
        self._verdicts.clear()
        self._analyses = {key: one for key, one in self._analyses.items() if key <= len(left)}
        return last

    def say(self, who: str, text: str) -> None:
        """Note a line of the conversation."""
        turn = Turn.model_validate({"who": who, "text": text})
        self.data = self.data.model_copy(update={"history": (*self.data.history, turn)})

    # what answers it

    def solve(
        self,
        seconds: float = 5.0,
        seed: int = 0,
        listener: Listener = lambda line: None,
        *,
        only: str | None = None,
    ) -> tuple[Solved, Report]:
        """Solve the problem as it stands by the first source whose plan the checker accepts.

        Args:
            seconds: for each solver.
            seed: of its random numbers.
            listener: takes lines of progress.
            only: ask this source alone.

        Raises:
            NoPlan: none did.
            RoutingError: there is no such source.
        """
        chosen = [one for one in self.sources if only in (None, one.name)]
        if only is not None and not chosen:
            names = [one.name for one in self.sources]
            raise RoutingError(f"there is no source {only!r}; {did_you_mean(only, names)}")
        request = Request(
            self.data.text,
            self.analysis,
            self.task,
            seconds,
            seed,
            listener,
            data_changed=not same_data(self.task.instance, self.reading.instance),
            said=" ".join(self.sentences),
        )
        tried: list[Tried] = []
        for source in chosen:
            answer = source.solve(request)
            report = self._accept(answer, tried, listener)
            if report is not None:
                solved = self._solved(source, answer, report, tried, request)
                self.data = self.data.model_copy(update={"solved": (*self.data.solved, solved)})
                return solved, report
        raise NoPlan(tried)

    def why(self, seconds: float = 10.0, seed: int = 0) -> Why:
        """Say what stands against a solution: errors of the analysis, blocks, cheapest relaxations."""
        return explain_task(self.task, self.analysis, seconds, seed)

    def _accept(self, answer: Answer, tried: list[Tried], listener: Listener) -> Report | None:
        """Return the report of a feasible plan; else note why it is none."""
        if answer.plan is None:
            if not answer.quiet:
                tried.append(Tried(solver=answer.solver, why=answer.why))
            return None
        report = self.verify(answer.plan)
        if report.feasible:
            return report
        violation = report.violations[0]
        why = f"the checker rejects its plan: {violation.constraint}: {violation.message}"
        tried.append(Tried(solver=answer.solver, why=why))
        listener(f"{answer.solver}: {why}")
        return None

    def _solved(
        self,
        source: Source,
        answer: Answer,
        report: Report,
        tried: Sequence[Tried],
        request: Request,
    ) -> Solved:
        assert answer.plan is not None
        reference, name = self._reference(source, request)
        return Solved(
            steps=len(self.data.steps),
            source=source.name,
            solver=answer.solver,
            routes=routes_of(answer.plan, self.task.instance),
            values=report.values,
            seconds=answer.seconds,
            claimed=answer.claimed,
            reference=reference,
            reference_solver=name,
            notes=(*answer.notes, *self._doubts(answer, report)),
            tried=tuple(tried),
            code=answer.code,
            description=answer.description,
            checked_by="generated rules" if self.task.extra else "vocabulary",
        )

    def _doubts(self, answer: Answer, report: Report) -> list[str]:
        """Say where a solver's own cost is not that of its routes."""
        if answer.claimed is None or self.task.order != ("cost",):
            return []
        right = report.values[0]
        if abs(answer.claimed - right) <= _COST_TOLERANCE * max(1.0, abs(right)):
            return []
        return [f"the solver claims a cost of {answer.claimed:g}; its routes cost {right:g}"]

    def _reference(self, source: Source, request: Request) -> tuple[tuple[float, ...] | None, str]:
        """Return the values of the reference's plan for the gap of another solver's."""
        others = [one for one in self.sources if one.name == "reference"]
        if source.name == "reference" or not others:
            return None, ""
        answer = others[0].solve(request)
        if answer.plan is None:
            return None, ""
        report = self.verify(answer.plan)
        return (report.values, answer.solver) if report.feasible else (None, "")
