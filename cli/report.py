"""``eurisko report``."""

from pathlib import Path
from typing import Annotated

import typer

from .output import Json, fail, friendly, print_json
from .runs import RunName


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
    from ..agents.evolution import write_report
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        row = base.get_run(run)
        path = (output or Path(row.folder) / "report.html").resolve()
        try:
            write_report(base, row.id, path)
        except OSError as error:
            fail(f"Cannot write {error.filename}: {error.strerror}.", as_json=as_json)
    if as_json:
        print_json({"run": row.id, "path": str(path)})
    else:
        typer.echo(f"report: {path} ({path.stat().st_size / 1e6:.1f} MB)")
    if open_it:
        import webbrowser

        webbrowser.open(path.as_uri())
