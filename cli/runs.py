"""``eurisko runs``, ``show`` and ``export``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .output import Json, fail, friendly, print_json

if TYPE_CHECKING:
    from ..agents.evolution.report import RunReport
    from ..knowledge_base import KnowledgeBase
    from ..knowledge_base.models import Run

RunName = Annotated[str, typer.Argument(help="A run's id, a unique beginning of it, or 'last'.")]


@friendly
def runs(
    limit: Annotated[int, typer.Option(min=1, help="How many runs to list.")] = 20,
    as_json: Json = False,
) -> None:
    """List the runs in the knowledge base, newest first.

    With the best gap and the fastest candidate's, each with its CPU milliseconds per instance.
    """
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        rows = base.runs(limit)
        fronts = {row.id: _front(base, row) for row in rows}
    if as_json:
        names = ("id", "problem", "interface", "proposer", "seed", "status", "status_reason")
        listed = [
            {name: getattr(row, name) for name in names}
            | {"created_at": row.created_at.isoformat(), "front": fronts[row.id]}
            for row in rows
        ]
        print_json({"runs": listed})
        return
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    if not rows:
        Console().print("There are no runs yet: start one with 'eurisko evolve tsp_construct'.")
        return
    table = Table(box=SIMPLE, pad_edge=False)
    for column in ("run", "proposer", "seed", "status", "started", "gap (ms)"):
        table.add_column(column, no_wrap=column in ("run", "started", "gap (ms)"))
    for row in rows:
        started = row.created_at.astimezone().strftime("%m-%d %H:%M")
        found = _value(row) if row.workflow in ("optimize", "create") else _ends(fronts[row.id])
        table.add_row(row.id, row.proposer, str(row.seed), row.status, started, found)
    Console().print(table)


def _front(base: "KnowledgeBase", run: "Run") -> list[dict[str, float]] | None:
    """Return a run's gaps and CPU seconds per instance, the fastest first; None without its problem."""
    from ..agents.evolution.pareto import front_of_run
    from ..evaluators import InputError, UnknownProblem, get_problem

    if run.workflow != "evolve":
        return None
    try:
        problem = get_problem(run.problem)
    except (InputError, UnknownProblem):  # a folder that was moved, or a package that is gone
        return None
    return [vars(one) for one in front_of_run(base, run, problem)]


def _value(run: "Run") -> str:
    """Return the value that an optimisation, or a created solver, has reached."""
    found = run.result or {}
    value = found.get("value")
    if run.workflow == "create":
        values = (found.get("verified") or {}).get("values")
        value = values[0] if values and found.get("passed") else None
    return "–" if value is None else f"value {value:.6g}"


def _ends(front: list[dict[str, float]] | None) -> str:
    """Return the ends of a front, a line each: its best, and its fastest if that is another one."""
    from .show import milliseconds

    ends = [] if not front else [front[-1], *front[:1]][: len(front)]
    texts = [f"{e['objective']:.2f} ({milliseconds(e['seconds_per_instance'])})" for e in ends]
    return "\n".join(texts) or "–"


@friendly
def show(run: RunName, as_json: Json = False) -> None:
    """Show a run: best code, gaps on every split, lineage, cost."""
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        found = base.get_run(run)
        if found.workflow == "optimize":
            _show_optimisation(base, found, as_json)
            return
        if found.workflow == "create":
            from .created_run import show_creation

            show_creation(base, found, as_json)
            return
        report = _report(base, run)
    if as_json:
        print_json(report.to_json())
    else:
        from .show import print_run

        print_run(report)


def _show_optimisation(base: "KnowledgeBase", run: "Run", as_json: bool) -> None:
    from ..agents.acquisition import summarise
    from .optimize_watch import print_report

    report = summarise(base, run)
    if as_json:
        print_json(report.to_json())
    else:
        print_report(report, every=True)


@friendly
def export(
    run: RunName,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the best heuristic to this file.")
    ] = None,
    candidate: Annotated[
        int | None,
        typer.Option(help="Export this candidate, such as one of the front, not the best."),
    ] = None,
    recording: Annotated[
        Path | None,
        typer.Option(help="Write the run's model calls to this file, for --model replay:FILE."),
    ] = None,
    archive: Annotated[
        Path | None,
        typer.Option(help="Write the whole run to this file, for 'eurisko import FILE' elsewhere."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Export a heuristic of a run as a file that runs on its own, its model calls, or all of it."""
    from ..agents.evolution import standalone, write_run_recording
    from ..knowledge_base import KnowledgeBase
    from ..knowledge_base.archive import write_archive

    if output is None and recording is None and archive is None:
        wanted = "name a file with --output, --recording or --archive"
        fail(f"Nothing to export: {wanted}.", as_json=as_json)
    written: dict[str, str] = {}
    with KnowledgeBase() as base:
        found = base.get_run(run)
        try:
            if output is not None:
                report = _report(base, run, candidate)
                if report.best is None:
                    fail(f"Run {report.run.id} has no heuristic yet.", as_json=as_json)
                output.write_text(standalone(report))
                written["output"] = str(output)
            if recording is not None:
                write_run_recording(base, found.id, recording)
                written["recording"] = str(recording)
            if archive is not None:
                write_archive(base, found.id, archive)
                written["archive"] = str(archive)
        except OSError as error:
            fail(f"Cannot write {error.filename}: {error.strerror}.", as_json=as_json)
    if as_json:
        print_json({"run": found.id, **written})
    else:
        for what, path in written.items():
            typer.echo(f"{what}: {path}")


def _report(base: "KnowledgeBase", name: str, candidate: int | None = None) -> "RunReport":
    from ..agents.evolution import EvolutionError, summarise
    from ..evaluators import get_problem

    run = base.get_run(name)
    if run.workflow != "evolve":
        raise EvolutionError(
            f"Run {run.id} evolved no heuristic: 'eurisko show {run.id}' shows what came of it."
        )
    return summarise(base, run, get_problem(run.problem), candidate)
