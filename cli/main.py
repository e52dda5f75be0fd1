"""The command line: ``eurisko ...``.

Nothing heavy is imported here; each command loads what it needs when it runs.
"""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .. import __version__
from ..telemetry import log_events
from .archive import import_run
from .batch import batch_commands
from .best import best
from .chat import chat
from .db import app_data_commands
from .evolve import evolve, resume
from .insights import insight_commands
from .new import new
from .optimize import optimize
from .report import report
from .runs import export, runs, show
from .solve import solve
from .solvers import solver_commands
from .trial import doctor, evaluate

app = typer.Typer(
    name="eurisko",
    help="Discover heuristics with language-model agents.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class LogFormat(StrEnum):
    """How events are logged."""

    text = "text"
    json = "json"


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eurisko {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
    log_format: Annotated[
        LogFormat | None,
        typer.Option(
            envvar="EURISKO_LOG", help="Log every event on standard error, one line each."
        ),
    ] = None,
) -> None:
    """Discover heuristics with language-model agents."""
    if log_format is not None:
        log_events(log_format.value)


app.command()(evolve)
app.command()(resume)
app.command()(optimize)
app.command()(chat)
app.command()(solve)
app.command()(new)
app.command()(runs)
app.command()(show)
app.command()(best)
app.command()(report)
app.command()(evaluate)
app.command()(export)
app.command("import")(import_run)
app.command()(doctor)
app.add_typer(batch_commands, name="batch")
app.add_typer(insight_commands, name="insights")
app.add_typer(solver_commands, name="solvers")
app.add_typer(app_data_commands, name="db")


def main() -> None:
    """Run the command line; errors are one sentence on standard error and a non-zero exit."""
    if Path(".env").is_file():
        from dotenv import load_dotenv

        load_dotenv(Path(".env"))
    try:
        app()
    except BrokenPipeError:
        # The reader of our output went away (``eurisko runs | head``): that is no error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()
