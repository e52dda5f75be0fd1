"""``eurisko new``: a folder with a problem of the user's own."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from .output import Json, fail, friendly, print_json

NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
PLACE = "PROBLEM_NAME"


@friendly
def new(
    folder: Annotated[
        Path, typer.Argument(help="The folder to make; its last part is the problem's name.")
    ],
    as_json: Json = False,
) -> None:
    """Make a folder with a complete small problem (a knapsack) to turn into your own.

    It holds specification, data, solver, scorer, seed heuristic, grammar and a test, and runs as it
    is. A problem's own code is trusted and runs outside of the sandbox; candidates run inside.
    """
    name = folder.resolve().name
    if not NAME.match(name):
        fail(f"{name!r} is no name for a problem: use a-z, 0-9 and _.", as_json=as_json)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        fail(f"{folder} exists already and is not empty.", as_json=as_json)
    made = write_scaffold(folder, name)
    if as_json:
        print_json({"problem": name, "folder": str(folder), "files": made})
        return
    where = folder if "/" in str(folder) else f"./{folder}"
    typer.echo(f"{where} is a problem: {', '.join(made)}")
    typer.echo(f"evolve  eurisko evolve {where}")
    typer.echo(f"test    python -m pytest {where}")


def write_scaffold(folder: Path, name: str) -> list[str]:
    """Write the files of a new problem and return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    templates = files(__package__).joinpath("scaffold").iterdir()
    for template in sorted(templates, key=lambda one: one.name):
        if template.name.endswith(".txt"):
            target = template.name.removesuffix(".txt")
            text = template.read_text(encoding="utf-8").replace(PLACE, name)
            (folder / target).write_text(text, encoding="utf-8")
            made.append(target)
    return made
