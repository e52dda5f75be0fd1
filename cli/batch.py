"""``eurisko batch``: evaluate many programs on many data sets."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from .output import Json, fail, friendly, print_json

if TYPE_CHECKING:
    from ..agents.batch import Progress
    from ..knowledge_base import Job, KnowledgeBase


class _FileOrCommand(TyperGroup):
    """Lets ``eurisko batch jobs.yaml`` stand for ``eurisko batch run jobs.yaml``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``run`` in front of what names no command."""
        first = next((one for one in args if not one.startswith("-")), None)
        if first is not None and first not in self.commands:
            args = ["run", *args]
        return super().parse_args(ctx, args)


batch_commands = typer.Typer(
    cls=_FileOrCommand,
    no_args_is_help=True,
    help="Evaluate many programs on many data sets: eurisko batch JOBS.YAML.",
)

JobName = Annotated[str, typer.Argument(help="The job's id, the beginning of it, or 'last'.")]
Workers = Annotated[
    int | None,
    typer.Option(help="How many programs run at once; default: one per processor.", min=1),
]


@batch_commands.command()
@friendly
def run(
    file: Annotated[Path, typer.Argument(help="The job file (YAML).")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be evaluated, and do nothing.")
    ] = False,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Do the job of FILE: programs times problems, data sets, seeds and devices."""
    from ..agents.batch import create_job, plan
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        spec, expansion = plan(file, base)
        if dry_run:
            _show_plan(expansion, base, workers, as_json)
            return
        for text in expansion.left_out if not as_json else ():
            typer.echo(f"left out: {text}", err=True)
        job = create_job(spec, expansion, base)
        _work(base, job.id, workers, False, as_json)


@batch_commands.command()
@friendly
def resume(
    job: JobName = "last",
    workers: Workers = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Try failed items once more.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Go on with a job; several processes, on several machines, may do so at once."""
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        _work(base, base.jobs.get(job).id, workers, retry_failed, as_json)


@batch_commands.command()
@friendly
def status(
    job: Annotated[str | None, typer.Argument(help="The job; default: all of them.")] = None,
    as_json: Json = False,
) -> None:
    """Show how far jobs are."""
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        jobs = base.jobs.all() if job is None else [base.jobs.get(job)]
        listed = [_state(base, one) for one in jobs]
    if as_json:
        print_json({"jobs": listed} if job is None else listed[0])
        return
    if not listed:
        typer.echo("There are no jobs yet: start one with 'eurisko batch JOBS.YAML'.")
    for one in listed:
        typer.echo(
            f"{one['job']}  {one['status']}  {one['done']}/{one['items']} done"
            + (f", {one['failed']} failed" if one["failed"] else "")
            + (f", {one['workers']} at work" if one["workers"] else "")
        )


@batch_commands.command()
@friendly
def cancel(job: JobName, as_json: Json = False) -> None:
    """Cancel a job: nothing of it is evaluated any more; its results stay."""
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        found = base.jobs.get(job)
        base.jobs.set_status(found.id, "cancelled")
        state = _state(base, base.jobs.get(found.id))
    if as_json:
        print_json(state)
    else:
        typer.echo(f"{found.id} is cancelled; {state['done']} of {state['items']} items are done.")


@batch_commands.command()
@friendly
def results(
    job: JobName = "last",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write .csv, .html, .parquet or .md instead of printing."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print what a job found, or write it to a file."""
    from ..agents.batch import as_rows, compare, records
    from ..agents.batch.tables import to_markdown
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        found_job = base.jobs.get(job)
        if output is not None and output.suffix == ".html":
            _write_page(base, found_job.id, output, as_json)
            return
        found = records(base, found_job.id)
    if output is not None:
        _write(found, output, as_json)
    if as_json:
        print_json({"records": as_rows(found)} if output is None else {"path": str(output)})
    elif output is None:
        typer.echo(to_markdown(compare(found)), nl=False)


def _write_page(base: "KnowledgeBase", job: str, output: Path, as_json: bool) -> None:
    from ..agents.batch.page import write_results

    try:
        path = write_results(base, job, output)
    except OSError as error:
        fail(f"Cannot write {output}: {error.strerror}.", as_json=as_json)
    if as_json:
        print_json({"path": str(path)})
    else:
        typer.echo(f"Open {path} in a browser.")


def _write(found: list[Any], output: Path, as_json: bool) -> None:
    from ..agents.batch import compare
    from ..agents.batch.tables import to_csv, to_markdown, write_parquet

    kinds = {".csv", ".parquet", ".md"}
    if output.suffix not in kinds:
        fail(f"Cannot write {output}: its name ends in none of .csv, .html, .parquet, .md.")
    try:
        if output.suffix == ".parquet":
            write_parquet(found, output)
        else:
            text = to_csv(found) if output.suffix == ".csv" else to_markdown(compare(found))
            output.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"Cannot write {output}: {error.strerror}.", as_json=as_json)


def _state(base: "KnowledgeBase", job: "Job") -> dict[str, Any]:
    counts = base.jobs.counts(job.id)
    workers = base.jobs.workers(job.id)
    return {
        "job": job.id,
        "status": job.status,
        "items": sum(counts.values()),
        **{name: counts.get(name, 0) for name in ("done", "claimed", "pending", "failed")},
        "workers": len(workers),
        "created": job.created_at.isoformat(),
    }


def _show_plan(expansion: Any, base: "KnowledgeBase", workers: int | None, as_json: bool) -> None:
    from ..agents.batch.estimate import estimate

    guess = estimate(expansion, base, workers)
    if as_json:
        print_json(guess)
        return
    for row in guess["data"]:
        typer.echo(
            f"{row['problem']} ({row['interface']}, {row['device']}), {row['dataset']}: "
            f"{row['items']} items of {row['instances']} instances"
        )
    for text in expansion.left_out:
        typer.echo(f"left out: {text}")
    typer.echo(
        f"{guess['items']} items, {guess['known']} of them known already; {guess['programs']} programs."
    )
    typer.echo(guess["sentence"])


def _work(
    base: "KnowledgeBase", job: str, workers: int | None, retry_failed: bool, as_json: bool
) -> None:
    from ..agents.batch import Interrupted, work_on
    from .batch_watch import watch
    from .watch import stop_on_signals

    try:
        with stop_on_signals() as stop, watch(quiet=as_json) as listener:
            progress = work_on(
                job,
                base,
                workers=workers,
                retry_failed=retry_failed,
                listener=listener,
                stop=stop,
            )
    except (Interrupted, KeyboardInterrupt):
        fail(
            "The job was interrupted; what was done is saved. "
            f"Go on with: eurisko batch resume {job}",
            as_json=as_json,
            code=130,
        )
    _show_end(progress, as_json)


def _show_end(progress: "Progress", as_json: bool) -> None:
    if as_json:
        print_json(vars(progress))
    else:
        failed = f", {progress.failed} failed" if progress.failed else ""
        typer.echo(
            f"{progress.run}: {progress.done} of {progress.total} items done{failed} "
            f"({progress.evaluated} evaluated here). Results: eurisko batch results {progress.run}"
        )
    if progress.failed:
        raise typer.Exit(1)
