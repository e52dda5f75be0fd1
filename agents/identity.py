"""What a program may use on a data set, and what identifies its evaluation, in every workflow."""

from dataclasses import replace

from ..evaluators import Dataset, Problem
from ..knowledge_base import EvaluationKey
from ..sandbox import Limits


def allowed(problem: Problem, data: Dataset, limits: Limits, per_instance: bool) -> Limits:
    """Return what a program may use on ``data``.

    CPU seconds are the limit that counts; on the clock there is room for a busy machine, so that a
    good program does not fail for what runs beside it.

    Args:
        problem: whose data they are.
        data: the data set.
        limits: what the user set.
        per_instance: the problem's own time limit holds in the place of that of ``limits``.
    """
    cpu_s = problem.spec.cpu_seconds(data.instances) if per_instance else limits.cpu_s
    return replace(limits, cpu_s=cpu_s, wall_s=limits.wall_s or 3 * cpu_s + 5)


def evaluation_key(
    problem: Problem,
    interface: str,
    program_hash: str,
    data: Dataset,
    limits: Limits,
    *,
    seed: int,
    device: str,
) -> EvaluationKey:
    """Return what identifies the evaluation of a program on ``data`` under these very limits."""
    return EvaluationKey(
        program_hash=program_hash,
        problem=problem.spec.name,
        problem_version=problem.spec.version,
        interface=interface,
        dataset=data.name,
        dataset_digest=data.digest,
        seed=seed,
        device=device,
        limits=f"cpu={limits.cpu_s:g}s,memory={limits.memory_mib}MiB",
    )
