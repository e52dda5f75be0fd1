"""``eurisko db``: the database itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from .output import Json, fail, friendly, print_json

if TYPE_CHECKING:
    from ..knowledge_base import KnowledgeBase
    from ..knowledge_base.prune import Pruned
    from ..knowledge_base.transfer import Listener

_ALL = 1_000_000_000

app_data_commands = typer.Typer(help="The knowledge base itself.", no_args_is_help=True)


@app_data_commands.command()
@friendly
def upgrade(as_json: Json = False) -> None:
    """Bring the schema of the knowledge base up to date, or make it in an empty database."""
    from ..knowledge_base import KnowledgeBase
    from ..knowledge_base.engine import current_revision
    from ..knowledge_base.engine import upgrade as run_migrations
    from ..knowledge_base.errors import shown

    with KnowledgeBase(migrate=False) as base:
        before = current_revision(base.engine)
        run_migrations(base.engine)
        after = current_revision(base.engine)
        where = shown(base.url)
    if as_json:
        print_json({"database": where, "before": before, "after": after})
    else:
        typer.echo(f"{where}: schema {before or 'none'} → {after}")


@app_data_commands.command()
@friendly
def status(as_json: Json = False) -> None:
    """Show which database it is, its schema, the rows of each table and its size."""
    from ..knowledge_base import KnowledgeBase
    from ..knowledge_base.status import status as look

    with KnowledgeBase(migrate=False) as base:
        found = look(base.engine)
    if as_json:
        print_json(found.to_json())
        return
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    console = Console()
    console.print(found.database, markup=False, highlight=False)
    newest = (
        "" if found.schema == found.newest else f" (newest {found.newest}: 'eurisko db upgrade')"
    )
    console.print(f"{found.backend} {found.server}, schema {found.schema or 'none'}{newest}")
    console.print(f"size: {_megabytes(found.size_bytes)}")
    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("table")
    table.add_column("rows", justify="right")
    for name, rows in found.rows.items():
        table.add_row(name, f"{rows:,}")
    console.print(table)


@app_data_commands.command()
@friendly
def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="URL of the database to read.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="URL of an empty database.")],
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: Json = False,
) -> None:
    """Copy a whole knowledge base into an empty database, SQLite or PostgreSQL, ids and all.

    All of it is copied or nothing. Rows are compared afterwards by a digest over each table. Unfinished
    runs can be resumed in the copy.
    """
    from ..agents.checkpoints import copy_checkpoints
    from ..knowledge_base.engine import database_url
    from ..knowledge_base.transfer import copy as copy_all

    if database_url(source) == database_url(target):
        fail("Both are the same database.", as_json=as_json)
    with _existing(source) as old, _ready(target) as new, _watch(quiet or as_json) as listener:
        copied = copy_all(old.engine, new.engine, listener)
        unfinished = [run.id for run in new.runs(limit=_ALL) if run.status != "finished"]
        copy_checkpoints(old.url, new.url, unfinished)
    tables = [{"table": one.table, "rows": one.rows, "digest": one.digest} for one in copied]
    if as_json:
        print_json({"tables": tables})
        return
    total = sum(one.rows for one in copied)
    typer.echo(f"{total:,} rows in {len(copied)} tables copied; all digests agree.")


@app_data_commands.command()
@friendly
def prune(
    older_than: Annotated[
        float, typer.Option(min=0, metavar="DAYS", help="Only runs that finished so long ago.")
    ] = 90.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    as_json: Json = False,
) -> None:
    """Empty the heavy parts of old, finished runs; results, lineages and reports stay as they are.

    Programs of failed candidates without children, texts of model calls that did not lead to the best,
    values per instance of evaluations that nobody needs, and checkpoints.
    """
    from datetime import UTC, datetime, timedelta

    from ..agents.checkpoints import forget
    from ..knowledge_base import KnowledgeBase
    from ..knowledge_base.prune import prune as empty
    from ..knowledge_base.prune import vacuum

    before = datetime.now(UTC) - timedelta(days=older_than)
    with KnowledgeBase() as base:
        pruned = empty(base, before, dry_run)
        if not dry_run:
            forget(base.url, pruned.runs)
            vacuum(base)
    if as_json:
        print_json({**pruned.to_json(), "dry_run": dry_run})
    else:
        typer.echo(_told(pruned, dry_run))


def _told(pruned: "Pruned", dry_run: bool) -> str:
    return (
        f"{'Would be emptied' if dry_run else 'Emptied'} in {len(pruned.runs):,} runs: "
        f"{pruned.candidates:,} failed candidates, {pruned.calls:,} model calls, values of "
        f"{pruned.evaluations:,} evaluations; about {_megabytes(pruned.bytes)} beside checkpoints."
    )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


@contextmanager
def _existing(url: str) -> "Iterator[KnowledgeBase]":
    """Open a knowledge base that must be there: SQLite would make an empty file."""
    from pathlib import Path

    from ..knowledge_base import KnowledgeBase, KnowledgeBaseError
    from ..knowledge_base.engine import database_url

    made = database_url(url)
    name = made.database or ""
    is_file = made.get_backend_name() == "sqlite" and not name.startswith("file:")
    if is_file and not Path(name).is_file():
        raise KnowledgeBaseError(f"There is no knowledge base {name}.")
    with KnowledgeBase(url) as base:
        yield base


@contextmanager
def _ready(url: str) -> "Iterator[KnowledgeBase]":
    """Open a knowledge base and bring its schema up to date, on a server too: that was asked for."""
    from ..knowledge_base import KnowledgeBase
    from ..knowledge_base.engine import current_revision, known_revisions, prepare, upgrade

    with KnowledgeBase(url, migrate=False) as base:
        revision = current_revision(base.engine)
        if revision is None or revision in known_revisions():
            upgrade(base.engine)
        prepare(base.engine)
        yield base


@contextmanager
def _watch(quiet: bool) -> "Iterator[Listener]":
    """Yield a listener that shows the progress of a copy on standard error."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet:
        yield lambda table, done, total: None
        return
    if not console.is_terminal:

        def say(table: str, done: int, total: int) -> None:
            if done == total:
                console.print(f"{table}: {total:,} rows", highlight=False)

        yield say
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        tasks: dict[str, int] = {}

        def listen(table: str, done: int, total: int) -> None:
            if table not in tasks:
                tasks[table] = bar.add_task(table, total=total)
            bar.update(tasks[table], completed=done)  # type: ignore[arg-type]

        yield listen
