"""Where the programs of the benchmark come from: a model, or a folder of finished ones."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from eurisko.evaluators.routing import Reading
    from eurisko.evaluators.routing.analysis import Analysis
    from eurisko.sandbox import Sandbox


@dataclass(frozen=True)
class Made:
    """A program, or None and why there is none; ``seconds`` on the clock of its creation."""

    code: str | None
    message: str = ""
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


class Source(Protocol):
    """Makes one program for one variant."""

    name: str

    def create(self, variant: str, text: str, reading: "Reading", analysis: "Analysis") -> Made:
        """Return the program for the variant, made from one small file."""
        ...


@dataclass(frozen=True)
class Folder:
    """Programs that exist already: ``FOLDER/cvrptw.py`` and so on."""

    folder: Path

    @property
    def name(self) -> str:
        """The folder's name."""
        return f"programs:{self.folder.name}"

    def create(self, variant: str, text: str, reading: "Reading", analysis: "Analysis") -> Made:
        """Return the variant's file."""
        path = self.folder / f"{variant.lower()}.py"
        if not path.is_file():
            return Made(None, "there is no program of this variant")
        return Made(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Nothing:
    """No programs at all: what remains is the reference solver."""

    name: str = "nowhere"

    def create(self, variant: str, text: str, reading: "Reading", analysis: "Analysis") -> Made:
        """Return no program."""
        return Made(None, "no model was given")


@dataclass(frozen=True)
class Model:
    """A model asked by the workflow of ``eurisko.agents.routing``.

    Args:
        model: as the commands take it: ``openai/NAME``, ``replay:FILE``, ``manual:FOLDER`` and so on.
        sandbox: where its programs run.
        folder: the database of the runs.
        settings: other settings of the creation.
    """

    model: str
    sandbox: "Sandbox"
    folder: Path
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model

    def create(self, variant: str, text: str, reading: "Reading", analysis: "Analysis") -> Made:
        """Let the model write the program; one that was not accepted is measured all the same."""
        from .creation import create

        return create(self, text, reading, analysis)
