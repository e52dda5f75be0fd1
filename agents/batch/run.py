"""Make a job, and work on one."""

import threading
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...knowledge_base import Job, KnowledgeBase
from ...sandbox import Sandbox
from .coordinator import Coordinator
from .errors import BatchError
from .events import Listener, Progress, logged, silent
from .executors import Executor, LocalExecutor
from .expand import Expansion, expand
from .spec import JobSpec, parse_spec, read_spec


def plan(
    job: str | Path | Mapping[str, Any] | JobSpec,
    base: KnowledgeBase,
    folder: Path | None = None,
) -> tuple[JobSpec, Expansion]:
    """Return a job with its items, storing nothing.

    Args:
        job: a job file, or its content as plain data.
        base: where the runs that it names are.
        folder: what paths are relative to; default: the job file's folder, else the current one.

    Raises:
        InputError: the job cannot be done as it is written.
        UnknownRun: it names a run that is not there.
    """
    if isinstance(job, JobSpec):
        spec = job
    elif isinstance(job, Mapping):
        spec = parse_spec(dict(job), "job")
    else:
        spec = read_spec(job)
        folder = folder or Path(job).resolve().parent
    return spec, expand(spec, (folder or Path.cwd()).resolve(), base)


def create_job(spec: JobSpec, expansion: Expansion, base: KnowledgeBase) -> Job:
    """Store a job with all its items."""
    from ... import __version__

    programs = [
        {"hash": one.hash, "label": one.label, "code": one.code} for one in expansion.programs
    ]
    items = [asdict(item) for item in expansion.items]
    return base.jobs.create(spec.name, spec.model_dump(mode="json"), programs, items, __version__)


def work_on(
    name: str,
    base: KnowledgeBase,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    retry_failed: bool = False,
    listener: Listener = silent,
    stop: threading.Event | None = None,
) -> Progress:
    """Work on a job until it is done; other processes may do the same at the same time.

    Args:
        name: the job's id, a unique beginning of it, or ``last``.
        base: where it is.
        executor: where items are done; default: a sandbox on this machine.
        workers: how many programs run at once in that sandbox; default: one per processor.
        retry_failed: try once more what failed through no fault of a program.
        listener: hears of progress.
        stop: set it to end after saving; :class:`Interrupted` is raised then.

    Raises:
        BatchError: the job was cancelled.
        Interrupted: ``stop`` was set; what was done is stored.
        UnknownRun: there is no such job.
    """
    job = base.jobs.get(name)
    if job.status == "cancelled":
        raise BatchError(f"Job {job.id} was cancelled: make a new one from its file.")
    if retry_failed:
        base.jobs.retry(job.id)
    stop = stop or threading.Event()
    listener = logged(listener)
    if executor is not None:
        progress = Coordinator(base, job.id, executor, listener, stop).run()
    else:
        with Sandbox(workers=workers) as sandbox:
            local = LocalExecutor(sandbox)
            progress = Coordinator(base, job.id, local, listener, stop).run()
    base.jobs.set_status(job.id, "finished")
    return progress
