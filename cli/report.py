"""``eurisko report``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .output import Json, fail, friendly, print_json
from .runs import RunName

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..knowledge_base import KnowledgeBase, Run


def _writer(run: "Run") -> "Callable[[KnowledgeBase, str, Path], Path]":
    """Return what writes the page of a run, by what the run did."""
    if run.workflow == "optimize":
        from ..agents.acquisition.page import write_report as write_study

        return write_study
    if run.workflow == "evolve":
        from ..agents.evolution import write_report

        return write_report
    fail(f"Run {run.id} has no page: its files are in {run.folder}.")


@friendly
def report(
    run: RunName,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file to write (report.html in the run's folder)."),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    as_json: Json = False,
) -> None:
    """Write the report of a run as one HTML page that needs no network."""
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        row = base.get_run(run)
        path = (output or Path(row.folder) / "report.html").resolve()
        try:
            _writer(row)(base, row.id, path)
        except OSError as error:
            fail(f"Cannot write {error.filename}: {error.strerror}.", as_json=as_json)
    if as_json:
        print_json({"run": row.id, "path": str(path)})
    else:
        typer.echo(f"report: {path} ({path.stat().st_size / 1e6:.1f} MB)")
    if open_it:
        import webbrowser

        webbrowser.open(path.as_uri())
