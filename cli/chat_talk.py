"""One conversation: what each line does. The session holds the problem, this shows it."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from .chat_input import COMMANDS, Lines, state_folder
from .routing_show import (
    make_console,
    show_changed,
    show_problem,
    show_questions,
    show_routes,
    show_slack,
    show_solved,
)

if TYPE_CHECKING:
    from ..agents.models import ModelGateway
    from ..agents.routing.changes import Change
    from ..agents.routing.interpret import Ask, Interpretation
    from ..agents.routing.session import RoutingSession, Source

NO_MODEL = (
    "No model is configured: sentences are read by rules, and problems are solved by solvers from "
    "memory and by the reference solver. With --model, free wording is understood, and a solver is "
    "written and verified for rules that no reference solver has."
)
WITH_MODEL = (
    "The model {model} reads what the rules do not understand, and writes a solver where none is in "
    "memory."
)
BETTER = (
    "{solver} has all of these rules: for this problem the reference solver is the better tool "
    "(/solve reference); a created one is worth it for rules that no reference solver has."
)
_EXAMPLES = 8


class Talk:
    """A conversation on a terminal or a pipe.

    Args:
        lines: the user's lines; set before the first one is handled.
        sources: origins of plans.
        gateway: the model that reads what the rules do not understand; None without one.
        seconds: for each solver.
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
        self.lines: Lines | None = None
        self.session: RoutingSession | None = None
        self.sources = sources
        self.gateway = gateway
        self._said = 0
        self._waiting: list[str] = []  # what was said before the file's units were known
        self.seconds = seconds
        self.seed = seed
        self._saved_as: Path | None = None
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "/help": self._help,
            "/load": self._load,
            "/show": self._show,
            "/why": lambda words: self._why(),
            "/solve": self._solve,
            "/answer": self._answer,
            "/undo": lambda words: self._undo(),
            "/export": self._export,
            "/save": self._save,
        }

    def greet(self, text: str) -> None:
        """Say how a conversation goes."""
        self._say(text, "dim")
        if self.lines is not None:
            self._say("/help shows what can be said.", "dim")

    def complain(self, text: str) -> None:
        """Say what went wrong."""
        self._say(text, "yellow")

    def options(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the open questions with their options, for completion."""
        if self.session is None:
            return []
        return [(question.key, question.options) for question in self.session.questions]

    # one line

    def handle(self, line: str) -> bool:
        """Do what a line says; False ends the conversation."""
        if not line:
            return True
        if line.split()[0] in ("/quit", "/exit", "/q"):
            return False
        if self.session is not None:
            self.session.say("user", line)
        if line.startswith("/"):
            self._command(line)
            return True
        return self._sentence(line)

    def _command(self, line: str) -> None:
        from ..evaluators.errors import did_you_mean

        name, *words = line.split()
        if name not in self._commands:
            self._say(f"There is no command {name}; {did_you_mean(name, COMMANDS)}", "yellow")
            return
        if self.session is None and name not in ("/help", "/load"):
            self._say("There is no problem yet: /load FILE.", "yellow")
            return
        self._commands[name](words)

    def _sentence(self, line: str) -> bool:
        from ..agents.routing.interpret import understand

        if self.session is None:
            if Path(line).expanduser().is_file():
                self._load([line])
            else:
                self._say("There is no problem yet: /load FILE.", "yellow")
            return True
        if self._is_answer(line):
            return True
        self._said += 1
        meaning = understand(
            line,
            self.session.task,
            self.session.questions,
            self.gateway,
            key=f"said/{len(self.session.data.history)}/{self._said}",
        )
        if meaning.said:
            self._say(meaning.said)
        return self._follow(meaning, line)

    def _is_answer(self, line: str) -> bool:
        """Take an option of one open question, said alone, as the answer to it."""
        assert self.session is not None
        wanted = line.strip(" .").lower()
        keys = [
            question.key
            for question in self.session.questions
            if wanted in [option.lower() for option in question.options if option != "a number"]
        ]
        if len(keys) != 1:
            return False
        self._answer([keys[0], wanted])
        return True

    def _follow(self, meaning: "Interpretation", line: str) -> bool:
        from ..agents.routing.interpret import UNKNOWN

        for part in meaning.unclear:
            reason = "" if part.why == UNKNOWN else f": {part.why}"
            what = "understood" if not reason else "clear"
            self._say(f"Not {what}: {part.text!r}{reason}", "yellow")
            if part.examples:
                examples = "; ".join(f"'{one}'" for one in part.examples)
                self._say(f"  clear would be for example {examples}", "dim")
        self._waiting += [part.text for part in meaning.unclear if part.needs_unit]
        if meaning.unclear and (meaning.changes or meaning.command):
            self._say("Nothing was changed; say the parts that are clear once more alone.", "dim")
            return True
        if meaning.changes:
            self._propose(meaning.changes, line)
        for ask in meaning.asks:
            self._ask(ask)
        command = meaning.command
        if command is None:
            return True
        if command.name == "quit":
            return False
        if command.name == "solve":
            self._solve([f"{command.seconds:g}"] if command.seconds else [])
        elif command.name == "undo":
            self._undo()
        else:
            self._help([])
        return True

    def _propose(self, changes: "tuple[Change, ...]", said: str) -> None:
        """Say what would change and do it once the user agrees."""
        assert self.session is not None
        task = self.session.task
        for change in changes:
            self._say(f"  {change.sentence(task)}")
            task = change.apply(task)
        if not self._agree("Change it so? [Y/n] "):
            self._say("Nothing was changed.", "dim")
            return
        for change in changes:
            changed = self.session.change(change, said)
        show_changed(self.console, changed)
        if any(change.kind == "units" for change in changes):
            self._recall()

    def _recall(self) -> None:
        """Read again what waited for a unit."""
        waiting, self._waiting = self._waiting, []
        for text in waiting:
            self._say(f"Earlier you said: {text}")
            self._sentence(text)

    def _agree(self, question: str) -> bool:
        assert self.lines is not None
        answer = self.lines.read(question, remember=False)
        return answer is not None and answer.lower() in ("", "y", "yes", "ok")

    # commands

    def _help(self, words: list[str]) -> None:
        from ..agents.routing.interpret import EXAMPLES

        for name, meaning in COMMANDS.items():
            self._say(f"  {name:<9} {meaning}")
        shown = EXAMPLES if words == ["all"] else EXAMPLES[:: max(1, len(EXAMPLES) // _EXAMPLES)]
        self._say("Or say it, for example:")
        for example in shown:
            self._say(f"  {example}")
        if words != ["all"]:
            self._say(f"  /help all shows all {len(EXAMPLES)} ways", "dim")

    def _load(self, words: list[str]) -> None:
        if not words:
            self._say("Say which file: /load FILE.", "yellow")
            return
        self.begin(Path(" ".join(words)).expanduser())

    def begin(self, path: Path, **options: Any) -> bool:
        """Begin with a routing file or go on with a saved session; the one before is saved."""
        from ..agents.routing.session import RoutingSession
        from ..agents.routing.session.from_reference import reference_solvers

        self.keep()
        self.session = RoutingSession.load(path, self.sources, **options)
        self._saved_as = None
        show_problem(self.console, self.session)
        known = reference_solvers(self.session.task.names)
        if known and self.gateway is not None:
            self._say(BETTER.format(solver=known[0]), "dim")
        return True

    def _show(self, words: list[str]) -> None:
        from ..agents.routing.interpret import Ask
        from ..evaluators.errors import did_you_mean

        assert self.session is not None
        what = words[0] if words else "problem"
        topics = {
            **{one: one for one in ("problem", "routes", "schedule", "slack")},
            "plan": "routes",
            "questions": "open",
        }
        if what == "history":
            self._history()
        elif what in topics:
            self._ask(Ask(topics[what]))
        else:
            known = [*topics, "history"]
            self._say(f"There is no {what!r} to show; {did_you_mean(what, known)}", "yellow")

    def _history(self) -> None:
        assert self.session is not None
        for number, step in enumerate(self.session.data.steps, start=1):
            before = self.session.before(number - 1)
            self._say(f"  {number}. {step.change.sentence(before)}  ({step.said})")
        if not self.session.data.steps:
            self._say("Nothing was changed.", "dim")

    def _answer(self, words: list[str]) -> None:
        assert self.session is not None
        if len(words) < 2:
            self._say("Say which question and what: /answer return open.", "yellow")
            show_questions(self.console, self.session)
            return
        changed = self.session.answer(words[0], " ".join(words[1:]))
        self._say(f"  {changed.sentence}")
        show_changed(self.console, changed)

    def _undo(self) -> None:
        assert self.session is not None
        before = self.session.before(max(0, len(self.session.data.steps) - 1))
        step = self.session.undo()
        if step is None:
            self._say("There is nothing to take back.", "dim")
        else:
            self._say(f"Taken back: {step.change.sentence(before)}")

    def _solve(self, words: list[str]) -> None:
        assert self.session is not None
        seconds, only = self.seconds, None
        for word in words:
            try:
                seconds = float(word)
            except ValueError:
                only = word
        from ..agents.routing.session import NoPlan

        try:
            solved, report = self.session.solve(seconds, self.seed, self.progress, only=only)
        except NoPlan as error:
            self._say(f"{str(error)[:1].upper()}{str(error)[1:]}", "yellow")
            self._say("/why looks for the rules that block it.", "dim")
            return
        show_solved(self.console, self.session, solved, report)

    def _why(self) -> None:
        assert self.session is not None
        from .routing_why import show_why

        show_why(self.console, self.session.why(self.seconds))

    def _export(self, words: list[str]) -> None:
        assert self.session is not None
        from ..agents.routing.session.exporting import WRITERS, export

        kinds = [word for word in words if word.lower().lstrip(".") in WRITERS]
        folders = [word for word in words if word not in kinds]
        if len(folders) > 1:
            self._say(f"One folder, and of the formats {', '.join(WRITERS)}.", "yellow")
            return
        folder = Path(folders[0]).expanduser() if folders else Path.cwd()
        files, left = export(self.session, folder, kinds)
        for file in files:
            self._say(f"  {file}")
        for sentence in left:
            self._say(f"  {sentence}", "dim")

    def _save(self, words: list[str]) -> None:
        assert self.session is not None
        path = Path(" ".join(words)).expanduser() if words else self._place()
        self._say(f"Saved: {self.session.save(path)}")

    # questions

    def _ask(self, ask: "Ask") -> None:
        assert self.session is not None
        if ask.topic == "why":
            self._why()
        elif ask.topic == "problem":
            show_problem(self.console, self.session)
        elif ask.topic == "open":
            show_questions(self.console, self.session)
            if not self.session.questions:
                self._say("No question is open.", "dim")
        else:
            self._about_plan(ask)

    def _about_plan(self, ask: "Ask") -> None:
        assert self.session is not None
        from .routing_answers import answer_about_plan

        solved = self.session.current
        if solved is None:
            later = "since the last change " if self.session.latest else ""
            self._say(f"There is no plan {later}yet: solve.", "yellow")
            return
        report = self.session.verify(self.session.plan(solved))
        if ask.topic == "slack":
            show_slack(self.console, report)
        elif ask.topic in ("routes", "plan"):
            show_routes(self.console, self.session, solved, report)
        else:
            answer_about_plan(self.console, self.session, solved, report, ask)

    # the rest

    def progress(self, line: str) -> None:
        """Show a line of a solver's or an agent's progress."""
        self._say(f"  … {line}", "dim")

    def keep(self) -> Path | None:
        """Save the session where something was said; return the file."""
        if self.session is None or not (self.session.data.history or self.session.data.steps):
            return None
        return self.session.save(self._place())

    def _place(self) -> Path:
        assert self.session is not None
        if self._saved_as is None:
            stem = Path(self.session.data.path).stem or "session"
            now = datetime.now().strftime("%Y%m%d-%H%M%S")
            self._saved_as = state_folder() / "sessions" / f"{stem}-{now}.json"
        return self._saved_as

    def _say(self, text: str, style: str = "") -> None:
        self.console.print(Text(text, style=style), soft_wrap=True)
        if self.session is not None:
            self.session.say("eurisko", text)
