"""Runs that created a routing solver, on the command line: show one, go on with one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from .output import print_json

if TYPE_CHECKING:
    from ..agents.evolution import Budgets
    from ..agents.routing.creation import Created
    from ..agents.routing.creation.events import Listener, Progress
    from ..knowledge_base import KnowledgeBase, Run


def is_creation(name: str) -> bool:
    """Return whether a run of this name created a solver."""
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        return base.get_run(name).workflow == "create"


def show_creation(base: "KnowledgeBase", run: "Run", as_json: bool) -> None:
    """Print what a creation described, wrote, and proved."""
    calls, tokens, usd = base.spent(run.id)
    found = dict(run.result or {})
    state = {"run": run.id, "workflow": "create", "status": run.status}
    spent = {"calls": calls, "tokens": tokens, "usd": usd, "folder": run.folder}
    if as_json:
        print_json({**found, **state, "status_reason": run.status_reason, **spent})
        return
    typer.echo(f"{run.id}  {run.status}" + (f": {run.status_reason}" if run.status_reason else ""))
    if not found:
        typer.echo(f"Not finished: go on with eurisko resume {run.id}")
    else:
        for line in _lines(found):
            typer.echo(line)
    typer.echo(f"model    {run.proposer}: {calls} calls, {tokens} tokens")
    typer.echo(f"files    {run.folder}")


def _lines(found: dict[str, Any]) -> Iterator[str]:
    from ..agents.routing.description import Description

    yield from Description.model_validate(found["description"]).lines()
    verified = found["verified"]
    if verified is None:
        yield "solver   none: the eight functions were not all written"
        return
    yield f"solver   {'accepted' if found['passed'] else 'NOT accepted'}, {_checks(verified)}"
    for failure in verified["failures"][:5]:
        yield f"         {failure}"
    if verified["values"] and verified["feasible"]:
        yield f"value    {verified['values'][0]:.6g} in {verified['seconds']:.1f} s, by the checker"


def _checks(verified: dict[str, Any]) -> str:
    failed = len(verified["failures"])
    return f"{verified['checks'] - failed} of {verified['checks']} checks passed"


def go_on(name: str, budgets: "Budgets", quiet: bool, as_json: bool) -> None:
    """Go on with a creation and print what came of it."""
    from ..agents.routing.creation import CreateBudgets, Interrupted, resume_creation
    from ..knowledge_base import KnowledgeBase
    from .running import watched

    given = CreateBudgets(**budgets.model_dump(exclude_none=True))

    def work(listener: "Listener", stop: threading.Event) -> "Created":
        return resume_creation(name, budgets=given, listener=listener, stop=stop)

    def show(created: "Created") -> None:
        with KnowledgeBase() as base:
            show_creation(base, base.get_run(created.run), as_json=False)

    watched(work, _watch(quiet), show, Interrupted, as_json)


@contextmanager
def _watch(quiet: bool) -> "Iterator[Listener]":
    """Yield a listener that prints a line for each step on standard error."""

    def listen(kind: str, progress: "Progress") -> None:
        if kind == "done" and not quiet:
            what = " ".join(part for part in (progress.stage, progress.function) if part)
            text = f": {progress.text}" if progress.text else ""
            typer.echo(f"{what}{text} ({progress.calls} calls)", err=True)

    yield listen
