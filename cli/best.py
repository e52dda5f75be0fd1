"""``eurisko best``: the best heuristics of a problem over all runs."""

from typing import Annotated, Any

import typer

from .output import Json, fail, friendly, print_json


@friendly
def best(
    problem: Annotated[str, typer.Argument(help="A problem's name.")],
    split: Annotated[
        str, typer.Option(help="On which data: search, validation or test.")
    ] = "validation",
    interface: Annotated[
        str | None, typer.Option(help="Of which interface; default: the problem's own.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many to list.")] = 10,
    as_json: Json = False,
) -> None:
    """List the best heuristics of all runs on a problem's data, the best first."""
    from ..evaluators import get_problem
    from ..knowledge_base import KnowledgeBase

    found = get_problem(problem)
    spec = found.spec
    if split not in spec.splits:
        fail(f"There is no split {split!r}: choose from {', '.join(spec.splits)}.", as_json=as_json)
    chosen = interface or spec.default_interface
    spec.interface(chosen)
    with KnowledgeBase() as base:
        ranked = {
            name: base.programs.best(spec.name, found.dataset(name).digest, chosen, limit)
            for name in spec.splits[split]
        }
    if as_json:
        print_json(
            {
                "problem": spec.name,
                "interface": chosen,
                "datasets": {name: [vars(one) for one in rows] for name, rows in ranked.items()},
            }
        )
        return
    for name, rows in ranked.items():
        _print(name, rows)


def _print(dataset: str, rows: list[Any]) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not rows:
        console.print(f"{dataset}: nothing was evaluated on it yet.", highlight=False)
        return
    table = Table(box=SIMPLE, pad_edge=False, title=dataset, title_justify="left")
    for column in ("objective", "CPU s", "run", "candidate", "idea"):
        right = column in ("objective", "CPU s", "candidate")
        table.add_column(column, justify="right" if right else "left", no_wrap=column != "idea")
    for one in rows:
        idea = Text(" ".join(one.thought.split())[:120])  # a model's words: no markup in them
        number = str(one.candidate)
        table.add_row(f"{one.objective:.4g}", f"{one.cpu_s:.2f}", one.run_id, number, idea)
    console.print(table)
    console.print("Export one: eurisko export RUN --candidate NUMBER -o FILE", highlight=False)
