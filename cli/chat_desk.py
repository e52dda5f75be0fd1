"""What a conversation can do with its session: show, answer, undo, solve, explain, export, save."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .chat_input import state_folder
from .routing_show import (
    make_console,
    plain,
    show_changed,
    show_problem,
    show_questions,
    show_routes,
    show_slack,
    show_solved,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..agents.models import ModelGateway
    from ..agents.routing.changes import Change
    from ..agents.routing.interpret import Ask
    from ..agents.routing.session import RoutingSession, Source
    from ..agents.routing.session.explaining import Way
    from ..evaluators.routing.generated import GeneratedRule

BETTER = (
    "{solver} has all of these rules: for this problem the reference solver is the better tool "
    "(/solve reference); a created one is worth it for rules that no reference solver has."
)
_LEAST_SEARCH = 5.0  # seconds for an explanation


class Desk:
    """A session with the console that shows it.

    Args:
        sources: origins of plans.
        gateway: the model; None without one.
        seconds: for each solver.
        seed: of the solvers.
    """

    def __init__(
        self,
        sources: "tuple[Source, ...]" = (),
        *,
        gateway: "ModelGateway | None" = None,
        seconds: float = 5.0,
        seed: int = 0,
    ) -> None:
        self.console = make_console()
        self.session: RoutingSession | None = None
        self.sources = sources
        self.gateway = gateway
        self.seconds = seconds
        self.seed = seed
        self._saved_as: Path | None = None
        self._ways: tuple[int, tuple[Way, ...]] = (0, ())  # after how many changes they were found

    @property
    def problem(self) -> "RoutingSession":
        """The session; commands that need one are refused before without it."""
        assert self.session is not None
        return self.session

    def complain(self, text: str) -> None:
        """Say what went wrong."""
        self.say(text, "yellow")

    def options(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the open questions with their options, for completion."""
        if self.session is None:
            return []
        return [(question.key, question.options) for question in self.session.questions]

    def begin(self, path: Path, **options: Any) -> bool:
        """Begin with a routing file or go on with a saved session; the one before is saved."""
        from ..agents.routing.session import RoutingSession
        from ..agents.routing.session.from_reference import reference_solvers

        self.keep()
        self.session = RoutingSession.load(path, self.sources, **options)
        restored = self.session.data.path != str(path)
        self._saved_as = path if restored else None
        show_problem(self.console, self.session)
        known = reference_solvers(self.session.task.names)
        if known and self.gateway is not None:
            self.say(BETTER.format(solver=known[0]), "dim")
        return True

    def show(self, words: list[str]) -> None:
        """Show the problem, questions, routes, schedule, slack or the changes made."""
        from ..agents.routing.interpret import Ask
        from ..evaluators.errors import did_you_mean

        what = words[0] if words else "problem"
        topics = {
            **{one: one for one in ("problem", "routes", "schedule", "slack")},
            "plan": "routes",
            "questions": "open",
        }
        if what == "history":
            self._history()
        elif what in topics:
            self.ask(Ask(topics[what]))
        else:
            known = [*topics, "history"]
            self.say(f"There is no {what!r} to show; {did_you_mean(what, known)}", "yellow")

    def _history(self) -> None:
        for number, step in enumerate(self.problem.data.steps, start=1):
            before = self.problem.before(number - 1)
            self.say(f"  {number}. {step.change.sentence(before)}  ({step.said})")
        if not self.problem.data.steps:
            self.say("Nothing was changed.", "dim")

    def answer(self, words: list[str]) -> None:
        """Answer an open question."""
        if len(words) < 2:
            self.say("Say which question and what: /answer return open.", "yellow")
            show_questions(self.console, self.problem)
            return
        changed = self.problem.answer(words[0], " ".join(words[1:]))
        self.say(f"  {changed.sentence}")
        show_changed(self.console, changed)

    def undo(self) -> None:
        """Take back the last change."""
        before = self.problem.before(max(0, len(self.problem.data.steps) - 1))
        step = self.problem.undo()
        if step is None:
            self.say("There is nothing to take back.", "dim")
        else:
            self.say(f"Taken back: {step.change.sentence(before)}")

    def solve(self, words: list[str]) -> None:
        """Solve and show the verified plan; words are seconds and the source to ask."""
        seconds, only = self.seconds, None
        for word in words:
            try:
                seconds = float(word)
            except ValueError:
                only = word
        from ..agents.routing.session import NoPlan

        try:
            solved, report = self.problem.solve(seconds, self.seed, self.progress, only=only)
        except NoPlan as error:
            self.say(f"{str(error)[:1].upper()}{str(error)[1:]}", "yellow")
            self.say("/why looks for the rules that block it.", "dim")
            return
        show_solved(self.console, self.problem, solved, report)

    def why(self) -> None:
        """Show what stands against a solution, and ways out."""
        from .routing_why import show_why

        seconds = max(_LEAST_SEARCH, 2 * self.seconds)
        self.progress(f"looking for what blocks it, up to {seconds:g} s")
        found = self.problem.why(seconds, self.seed)
        self._ways = (len(self.problem.data.steps), found.ways)
        show_why(self.console, found, take=any(way.changes for way in found.ways))

    def way(self, number: int) -> "tuple[Change, ...]":
        """Return the changes of a way out that was shown; none where that is not possible."""
        steps, ways = self._ways
        if steps != len(self.problem.data.steps) or not ways:
            self.complain("No ways out are listed for the problem as it stands: /why.")
        elif not 1 <= number <= len(ways):
            self.complain(f"The ways out are numbered 1 to {len(ways)}.")
        elif not ways[number - 1].changes:
            self.complain(f"Say this change in your own words: {ways[number - 1].text}.")
        else:
            return ways[number - 1].changes
        return ()

    def write_rule(self, text: str, confirm: "Callable[[GeneratedRule], bool]") -> "Change | None":
        """Have the model write a checker for what no rule says; None where none came about."""
        from ..agents.routing.changes import Generated
        from ..agents.routing.creation.asking import Agents
        from ..agents.routing.generated import write_rule

        assert self.gateway is not None
        task = self.problem.task
        key = f"rule/{len(self.problem.data.history)}"
        with self.problem.sandbox() as sandbox:
            agents = Agents(self.gateway, self.gateway)
            self.progress("a checker is written, tried in the sandbox, and judged")
            attempt = write_rule(text, task.instance, task.names, agents, sandbox, confirm, key=key)
        if attempt.rule is None:
            self.complain(f"No rule came about: {attempt.reason}.")
            return None
        return Generated(rule=attempt.rule)

    def export(self, words: list[str]) -> None:
        """Write the plan of the present problem."""
        from ..agents.routing.session.exporting import WRITERS, export

        kinds = [word for word in words if word.lower().lstrip(".") in WRITERS]
        folders = [word for word in words if word not in kinds]
        if len(folders) > 1:
            self.say(f"One folder, and of the formats {', '.join(WRITERS)}.", "yellow")
            return
        folder = Path(folders[0]).expanduser() if folders else Path.cwd()
        files, left = export(self.problem, folder, kinds)
        for file in files:
            self.say(f"  {file}")
        for sentence in left:
            self.say(f"  {sentence}", "dim")

    def save(self, words: list[str]) -> None:
        """Save the session."""
        path = Path(" ".join(words)).expanduser() if words else self._place()
        self.say(f"Saved: {self.problem.save(path)}")

    def ask(self, ask: "Ask") -> None:
        """Answer a question about the problem or the plan."""
        if ask.topic == "why":
            self.why()
        elif ask.topic == "problem":
            show_problem(self.console, self.problem)
        elif ask.topic == "open":
            show_questions(self.console, self.problem)
            if not self.problem.questions:
                self.say("No question is open.", "dim")
        else:
            self._about_plan(ask)

    def _about_plan(self, ask: "Ask") -> None:
        from .routing_answers import answer_about_plan

        solved = self.problem.current
        if solved is None:
            later = "since the last change " if self.problem.latest else ""
            self.say(f"There is no plan {later}yet: solve.", "yellow")
            return
        report = self.problem.verify(self.problem.plan(solved))
        if ask.topic == "slack":
            show_slack(self.console, report)
        elif ask.topic in ("routes", "plan"):
            show_routes(self.console, self.problem, solved, report)
        else:
            answer_about_plan(self.console, self.problem, solved, report, ask)

    def progress(self, line: str) -> None:
        """Show a line of a solver's or an agent's progress."""
        self.say(f"  … {line}", "dim")

    def keep(self) -> Path | None:
        """Save the session where something was said; return the file."""
        if self.session is None or not (self.session.data.history or self.session.data.steps):
            return None
        try:
            return self.session.save(self._place())
        except OSError as error:
            self.complain(f"The session cannot be saved in {self._place()}: {error.strerror}.")
            return None

    def _place(self) -> Path:
        if self._saved_as is None:
            stem = Path(self.problem.data.path).stem or "session"
            now = datetime.now().strftime("%Y%m%d-%H%M%S")
            self._saved_as = state_folder() / "sessions" / f"{stem}-{now}.json"
        return self._saved_as

    def say(self, text: str, style: str = "") -> None:
        """Show a line, and note it."""
        self.console.print(plain(text, style=style), soft_wrap=True)
        if self.session is not None:
            self.session.say("eurisko", text)
