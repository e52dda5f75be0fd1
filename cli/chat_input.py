"""Where the lines of a conversation come from: an editor on a terminal, else standard input."""

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

COMMANDS = {
    "/help": "this list, and what can be said",
    "/load": "FILE: begin with a routing file or a saved session",
    "/show": "[problem|questions|plan|routes|schedule|slack|history]",
    "/why": "why there is no solution, and what would help",
    "/take": "NUMBER: make the change of a way out that /why showed",
    "/solve": "[SECONDS] [memory|created|reference]",
    "/answer": "QUESTION OPTION: answer an open question",
    "/undo": "take back the last change",
    "/export": "[FOLDER] [sol json csv png svg html program session]: write the plan",
    "/save": "[FILE]: write the session, to go on with later",
    "/quit": "save and leave (as Ctrl-D does)",
}


def state_folder() -> Path:
    """Return the folder of history and saved sessions: ``$XDG_STATE_HOME/eurisko``, by default
    ``~/.local/state/eurisko``.
    """
    home = os.environ.get("XDG_STATE_HOME", "")
    root = Path(home) if home and Path(home).is_absolute() else Path.home() / ".local" / "state"
    return root / "eurisko"


class Lines(Protocol):
    """The user's lines."""

    def read(self, prompt: str, *, remember: bool = True) -> str | None:
        """Return the next line, or None at the end; ``remember`` keeps it in the history.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """
        ...


class PipedLines:
    """Lines of standard input, for scripts and tests; each is shown after its prompt."""

    def read(self, prompt: str, *, remember: bool = True) -> str | None:
        """Return the next line, or None at the end."""
        line = sys.stdin.readline()
        if not line:
            return None
        sys.stdout.write(f"{prompt}{line.rstrip()}\n")
        sys.stdout.flush()
        return line.strip()


class EditedLines:
    """A line editor with history and completion."""

    def __init__(self, options: Callable[[], Iterable[tuple[str, Iterable[str]]]]) -> None:
        """Open the editor; the history is kept in ``state_folder()``.

        Args:
            options: gives the open questions with their options, for completion.
        """
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import FileHistory, History, InMemoryHistory

        folder = state_folder()
        history: History
        try:
            folder.mkdir(parents=True, exist_ok=True)
            history = FileHistory(str(folder / "chat_history"))
        except OSError:  # a home that cannot be written is no reason not to talk
            history = InMemoryHistory()
        self._session: PromptSession[str] = PromptSession(
            history=history, completer=make_completer(options), complete_while_typing=False
        )
        self._aside: PromptSession[str] = PromptSession(history=InMemoryHistory())

    def read(self, prompt: str, *, remember: bool = True) -> str | None:
        """Return the next line, or None at Ctrl-D."""
        editor = self._session if remember else self._aside
        try:
            return editor.prompt(prompt).strip()
        except EOFError:
            return None


def make_completer(options: Callable[[], Iterable[tuple[str, Iterable[str]]]]):  # type: ignore[no-untyped-def]
    """Return a completer of commands, files, questions and their options."""
    from prompt_toolkit.completion import Completer, Completion, PathCompleter
    from prompt_toolkit.document import Document

    paths = PathCompleter(expanduser=True)

    class Commands(Completer):
        def get_completions(self, document, event):  # type: ignore[no-untyped-def]
            text = document.text_before_cursor
            command, space, rest = text.partition(" ")
            if not space:
                for name, meaning in COMMANDS.items():
                    if name.startswith(text) and text.startswith("/"):
                        yield Completion(name, -len(text), display_meta=meaning)
            elif command in ("/load", "/save", "/export"):
                yield from paths.get_completions(Document(rest, len(rest)), event)
            elif command == "/answer":
                yield from _answers(rest)

    def _answers(rest: str):  # type: ignore[no-untyped-def]
        key, space, option = rest.partition(" ")
        for question, choices in options():
            if not space and question.startswith(key):
                yield Completion(question, -len(key))
            elif space and question == key:
                for choice in choices:
                    if choice.startswith(option):
                        yield Completion(choice, -len(option))

    return Commands()


def open_lines(options: Callable[[], Iterable[tuple[str, Iterable[str]]]]) -> Lines:
    """Return an editor on a terminal, else the lines of standard input."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return EditedLines(options)
    return PipedLines()
