"""``eurisko import``: a run that ``eurisko export RUN --archive FILE`` wrote."""

from pathlib import Path
from typing import Annotated

import typer

from .output import Json, friendly, print_json


@friendly
def import_run(
    file: Annotated[Path, typer.Argument(help="What 'eurisko export RUN --archive FILE' wrote.")],
    as_json: Json = False,
) -> None:
    """Import a whole run from a file, once: what is there already stays as it is.

    Its scores are believed, so only import files that you trust.
    """
    from ..knowledge_base import KnowledgeBase
    from ..knowledge_base.restoring import read_archive

    with KnowledgeBase() as base:
        found = read_archive(base, file, Path("runs"))
    if as_json:
        print_json({"run": found.run, "new": found.new, "lines": dict(found.lines)})
    elif found.new:
        lines = ", ".join(
            f"{count:,} {kind}" for kind, count in found.lines.items() if kind != "run"
        )
        typer.echo(f"{found.run}: imported ({lines}).")
    else:
        typer.echo(f"{found.run} is here already: nothing was imported.")
