"""One conversation: what each line means, and what is agreed before it is done."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .chat_desk import Desk
from .chat_input import COMMANDS, Lines
from .routing_show import show_changed

if TYPE_CHECKING:
    from ..agents.routing.changes import Change
    from ..agents.routing.description import Description
    from ..agents.routing.interpret import Interpretation
    from ..evaluators.routing.generated import GeneratedRule

NO_MODEL = (
    "No model is configured: sentences are read by rules, and problems are solved by solvers from "
    "memory and by the reference solver. With --model, free wording is understood, and a solver is "
    "written and verified for rules that no reference solver has."
)
WITH_MODEL = (
    "The model {model} reads what the rules do not understand, and writes a solver where none is in "
    "memory."
)
_EXAMPLES = 8


class Talk:
    """A conversation on a terminal or a pipe.

    Args:
        desk: the session, and what can be done with it.
        lines: the user's lines.
    """

    def __init__(self, desk: Desk, lines: Lines) -> None:
        self.desk = desk
        self.lines = lines
        self._said = 0
        self._waiting: list[str] = []  # what was said before the file's units were known
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "/help": self._help,
            "/load": self._load,
            "/show": desk.show,
            "/why": lambda words: desk.why(),
            "/take": self._take,
            "/solve": desk.solve,
            "/answer": desk.answer,
            "/undo": lambda words: desk.undo(),
            "/export": desk.export,
            "/save": desk.save,
        }

    def greet(self, text: str) -> None:
        """Say how a conversation goes."""
        self.desk.say(text, "dim")
        self.desk.say("/help shows what can be said.", "dim")

    def described(self, description: "Description") -> bool:
        """Ask whether a description is right before a solver is written for it."""
        for line in description.lines():
            self.desk.say(f"  {line}")
        return self._agree("Write a solver for this problem? [Y/n] ")

    def handle(self, line: str) -> bool:
        """Do what a line says; False ends the conversation."""
        if not line:
            return True
        if line.split()[0] in ("/quit", "/exit", "/q"):
            return False
        if self.desk.session is not None:
            self.desk.session.say("user", line)
        before = self._work()
        goes_on = True
        if line.startswith("/"):
            self._command(line)
        else:
            goes_on = self._sentence(line)
        if goes_on and self._work() != before:
            self.desk.keep()  # what a crash must not lose
        return goes_on

    def _work(self) -> tuple[int, int]:
        """Return how many changes and plans there are."""
        session = self.desk.session
        return (len(session.data.steps), len(session.data.solved)) if session else (0, 0)

    def _command(self, line: str) -> None:
        from ..evaluators.errors import did_you_mean

        name, *words = line.split()
        if name not in self._commands:
            self.desk.say(f"There is no command {name}; {did_you_mean(name, COMMANDS)}", "yellow")
            return
        if self.desk.session is None and name not in ("/help", "/load"):
            self.desk.say("There is no problem yet: /load FILE.", "yellow")
            return
        self._commands[name](words)

    def _sentence(self, line: str) -> bool:
        from ..agents.routing.interpret import understand

        if self.desk.session is None:
            if Path(line).expanduser().is_file():
                self._load([line])
            else:
                self.desk.say("There is no problem yet: /load FILE.", "yellow")
            return True
        if self._is_answer(line):
            return True
        self._said += 1
        meaning = understand(
            line,
            self.desk.session.task,
            self.desk.session.questions,
            self.desk.gateway,
            key=f"said/{len(self.desk.session.data.history)}/{self._said}",
        )
        if meaning.said:
            self.desk.say(f"The model says: {meaning.said}", "dim")
        return self._follow(meaning, line)

    def _is_answer(self, line: str) -> bool:
        """Take an option of one open question, said alone, as the answer to it."""
        assert self.desk.session is not None
        wanted = line.strip(" .").lower()
        keys = [
            question.key
            for question in self.desk.session.questions
            if wanted in [option.lower() for option in question.options if option != "a number"]
        ]
        if len(keys) != 1:
            return False
        self.desk.answer([keys[0], wanted])
        return True

    def _follow(self, meaning: "Interpretation", line: str) -> bool:
        from ..agents.routing.interpret import UNKNOWN

        for part in meaning.unclear:
            reason = "" if part.why == UNKNOWN else f": {part.why}"
            what = "understood" if not reason else "clear"
            self.desk.say(f"Not {what}: {part.text!r}{reason}", "yellow")
            if part.examples:
                examples = "; ".join(f"'{one}'" for one in part.examples)
                self.desk.say(f"  clear would be for example {examples}", "dim")
        self._waiting += [part.text for part in meaning.unclear if part.needs_unit]
        if meaning.unclear and (meaning.changes or meaning.command):
            self.desk.say(
                "Nothing was changed; say the parts that are clear once more alone.", "dim"
            )
            return True
        if meaning.unclear and meaning.by == "model" and not meaning.asks:
            self._offer_rule(meaning.unclear[0].text)
        if meaning.changes:
            self._propose(meaning.changes, line)
        for ask in meaning.asks:
            self.desk.ask(ask)
        command = meaning.command
        if command is None:
            return True
        if command.name == "quit":
            return False
        if command.name == "solve":
            self.desk.solve([f"{command.seconds:g}"] if command.seconds else [])
        elif command.name == "take":
            self._take([str(command.number)])
        elif command.name == "undo":
            self.desk.undo()
        else:
            self._help([])
        return True

    def _propose(self, changes: "tuple[Change, ...]", said: str) -> None:
        """Say what would change and do it once the user agrees."""
        assert self.desk.session is not None
        task = self.desk.session.task
        for change in changes:
            self.desk.say(f"  {change.sentence(task)}")
            task = change.apply(task)
        if not self._agree("Change it so? [Y/n] "):
            self.desk.say("Nothing was changed.", "dim")
            return
        done = [self.desk.session.change(change, said) for change in changes]
        found = tuple(finding for one in done for finding in one.findings)
        show_changed(self.desk.console, replace(done[-1], findings=found))
        if any(change.kind == "units" for change in changes):
            self._recall()

    def _offer_rule(self, text: str) -> None:
        """Offer to have a checker written for what neither rules nor kinds of changes can say."""
        answer = self.lines.read("Have the model write a rule for it? [y/N] ", remember=False)
        if answer is None or answer.lower() not in ("y", "yes"):
            return
        change = self.desk.write_rule(text, self._confirm_rule)
        if change is not None:
            show_changed(self.desk.console, self.desk.problem.change(change, text))

    def _confirm_rule(self, rule: "GeneratedRule") -> bool:
        """Show a generated rule with its examples; nothing but a yes takes it."""
        names = self.desk.problem.task.instance.node_ids
        self.desk.say(f"  {rule.label}: {rule.meaning}")
        for word, routes in (("accepts", rule.accepted), ("rejects", rule.rejected)):
            shown = "; ".join(" ".join(names[row] for row in route) for route in routes)
            self.desk.say(f"  it {word} for example the routes {shown}")
        return self._agree("Is that what you mean? [Y/n] ")

    def _take(self, words: list[str]) -> None:
        """Make the change of a way out that was shown."""
        if len(words) != 1 or not words[0].isdigit():
            self.desk.complain("Say which way out: /take 1.")
            return
        changes = self.desk.way(int(words[0]))
        if changes:
            self._propose(changes, f"take {words[0]}")

    def _recall(self) -> None:
        """Read again what waited for a unit."""
        waiting, self._waiting = self._waiting, []
        for text in waiting:
            self.desk.say(f"Earlier you said: {text}")
            self._sentence(text)

    def _agree(self, question: str) -> bool:
        answer = self.lines.read(question, remember=False)
        return answer is not None and answer.lower() in ("", "y", "yes", "ok")

    def _help(self, words: list[str]) -> None:
        from ..agents.routing.interpret import EXAMPLES

        for name, meaning in COMMANDS.items():
            self.desk.say(f"  {name:<9} {meaning}")
        shown = EXAMPLES if words == ["all"] else EXAMPLES[:: max(1, len(EXAMPLES) // _EXAMPLES)]
        self.desk.say("Or say it, for example:")
        for example in shown:
            self.desk.say(f"  {example}")
        if words != ["all"]:
            self.desk.say(f"  /help all shows all {len(EXAMPLES)} ways", "dim")

    def _load(self, words: list[str]) -> None:
        if not words:
            self.desk.say("Say which file: /load FILE.", "yellow")
            return
        self.desk.begin(Path(" ".join(words)).expanduser())
