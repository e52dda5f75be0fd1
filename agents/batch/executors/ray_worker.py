"""What runs on the nodes of a Ray cluster: one warm sandbox for each worker process."""

import os
import platform
from dataclasses import dataclass
from functools import cache

from ....evaluators import Evaluation, InputError
from ....sandbox import Sandbox
from ..tasks import Task, do


@dataclass(frozen=True)
class Sent:
    """What comes back from a node: an evaluation, or why there is none.

    Plain text instead of exceptions: what a node raises need not be known here.
    """

    evaluation: Evaluation | None = None
    error: str = ""
    of_input: bool = False
    """The data or the problem are at fault: trying again is of no use."""


def work(task: Task, version: str, gpu_share: float) -> Sent:
    """Do a task in this process's sandbox, which is started by the first one.

    Args:
        task: what to evaluate.
        version: of Eurisko where the job is coordinated; results of another one may differ.
        gpu_share: the part of the GPU's memory that is this process's.
    """
    from .... import __version__

    node = platform.node()
    if __version__ != version:
        said = (
            f"node {node} has Eurisko {__version__}, the coordinator {version}: install the same."
        )
        return Sent(error=said, of_input=True)
    try:
        return Sent(do(task, _sandbox(os.environ.get("CUDA_VISIBLE_DEVICES"), gpu_share)))
    except InputError as error:
        away = task.from_file or os.sep in task.problem
        where = "; files must be on each node under the same path" if away else ""
        return Sent(error=f"{error} (on node {node}{where})", of_input=True)
    except Exception as error:  # noqa: BLE001 - handed to the coordinator as a value, never dropped
        return Sent(error=f"{type(error).__name__} on node {node}: {error}")


@cache
def _sandbox(_visible: str | None, gpu_share: float) -> Sandbox:
    """Return the sandbox for these GPUs: what one keeps warm stays on the GPU that it began on."""
    return Sandbox(workers=1, device_share=gpu_share)
