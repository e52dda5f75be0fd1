"""``eurisko insights``: what runs have learnt."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .output import Json, fail, friendly, print_json

if TYPE_CHECKING:
    from ..knowledge_base import Insight

insight_commands = typer.Typer(
    help="What runs have learnt: list, search, pin, retire, export, import.",
    no_args_is_help=True,
)

InsightId = Annotated[
    int, typer.Argument(help="The insight's number, as 'insights list' shows it.")
]
ProblemName = Annotated[
    str | None, typer.Option(help="Only what a run on this problem could be shown.")
]
Retired = Annotated[bool, typer.Option("--retired", help="Show retired ones too.")]
Limit = Annotated[int, typer.Option(min=1, help="How many to show at most.")]

NAMES = (
    "id",
    "kind",
    "text",
    "scope",
    "problem",
    "family",
    "origin",
    "effectiveness",
    "uses",
    "support",
    "pinned",
    "retired",
)


@insight_commands.command("list")
@friendly
def list_insights(
    problem: ProblemName = None,
    scope: Annotated[
        str | None, typer.Option(help="Only this scope: problem, family or general.")
    ] = None,
    retired: Retired = False,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List insights: pinned ones first, then the most effective."""
    _check_scope(scope, as_json)
    _show(as_json, problem=problem, scope=scope, retired=retired, limit=limit)


@insight_commands.command()
@friendly
def search(
    words: Annotated[list[str], typer.Argument(help="Words that the insight must contain.")],
    problem: ProblemName = None,
    retired: Retired = False,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """Find insights that contain all these words, in any case."""
    _show(as_json, words=" ".join(words), problem=problem, retired=retired, limit=limit)


@insight_commands.command()
@friendly
def pin(
    insight: InsightId,
    undo: Annotated[bool, typer.Option("--undo", help="Unpin it.")] = False,
    as_json: Json = False,
) -> None:
    """Pin an insight: runs begin with it and never evict it."""
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        changed = base.insights.pin(insight, not undo)
    _report(changed, "unpinned" if undo else "pinned", as_json)


@insight_commands.command()
@friendly
def retire(
    insight: InsightId,
    undo: Annotated[bool, typer.Option("--undo", help="Bring it back.")] = False,
    as_json: Json = False,
) -> None:
    """Retire an insight: later runs are not shown it; it stays in the record."""
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        changed = base.insights.retire(insight, not undo)
    _report(changed, "brought back" if undo else "retired", as_json)


@insight_commands.command()
@friendly
def export(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    problem: ProblemName = None,
    as_json: Json = False,
) -> None:
    """Write insights to FILE, for 'insights import' elsewhere; retired ones stay here."""
    from ..knowledge_base import KnowledgeBase, write_insights

    with KnowledgeBase() as base:
        rows = base.insights.find(problem=problem, limit=1_000_000)
        try:
            count = write_insights(rows, file)
        except OSError as error:
            fail(f"Cannot write {file}: {error.strerror}.", as_json=as_json)
    if as_json:
        print_json({"file": str(file), "insights": count})
    else:
        typer.echo(f"{count} insights: {file}")


@insight_commands.command("import")
@friendly
def import_insights(
    file: Annotated[Path, typer.Argument(help="A file that 'insights export' wrote.")],
    as_json: Json = False,
) -> None:
    """Read insights from FILE; those that are known already stay as they are."""
    from ..knowledge_base import KnowledgeBase, read_insights

    with KnowledgeBase() as base:
        new, known = read_insights(base.insights, file)
    if as_json:
        print_json({"file": str(file), "new": new, "known": known})
    else:
        typer.echo(f"{new} new insights, {known} known already")


def _check_scope(scope: str | None, as_json: bool) -> None:
    from ..knowledge_base.insights import SCOPES

    if scope is not None and scope not in SCOPES:
        fail(f"There is no scope {scope!r}: it is one of {', '.join(SCOPES)}.", as_json=as_json)


def _plain(row: "Insight") -> dict[str, Any]:
    return {name: getattr(row, name) for name in NAMES} | {"learnt_in": row.run_id}


def _show(as_json: bool, **query: Any) -> None:
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        rows = base.insights.find(**query)
        count = base.insights.count()
    if as_json:
        print_json({"insights": [_plain(row) for row in rows]})
    elif not count:
        typer.echo("There are no insights yet: a run with a language model learns some.")
    elif not rows:
        typer.echo(f"None of the {count} insights fits.")
    else:
        _table(rows)


def _table(rows: "Sequence[Insight]") -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE)
    for column in ("id", "effect", "uses", "said"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("holds for", no_wrap=True)
    table.add_column("insight", overflow="fold")
    for row in rows:
        place = {"problem": row.problem, "family": f"{row.family} (family)"}.get(row.scope, "all")
        marks = "".join(
            f" [{mark}]" for mark, on in (("pinned", row.pinned), ("retired", row.retired)) if on
        )
        table.add_row(
            str(row.id),
            f"{row.effectiveness:+.2f}",
            str(row.uses),
            str(row.support),
            place,
            Text(f"{row.kind}: {row.text}{marks}"),
        )
    Console().print(table)


def _report(row: "Insight", what: str, as_json: bool) -> None:
    if as_json:
        print_json(_plain(row))
    else:
        typer.echo(f"{what}: {row.id}  {row.kind}: {row.text}")
