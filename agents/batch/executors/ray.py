"""Work on a Ray cluster: Ray chooses the node of each task and starts workers anew that died."""

import contextlib
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

from ....evaluators import InputError
from ..errors import BatchError
from ..tasks import Task
from .base import Answer
from .ray_worker import Sent, work

LOCAL = "local"
CONNECT_S = 5.0
LOOK_AGAIN_S = 5.0
"""How long the size of the cluster is taken as known."""
OBJECT_STORE_MIB = 128
"""Of a cluster started here: tasks and results are small."""
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|^EURISKO_DATABASE_URL$", re.IGNORECASE)


class RayExecutor:
    """Does tasks on a Ray cluster.

    Each task asks for one processor, and for ``gpu_share`` of a GPU where it runs on one. A task
    whose worker or node is lost is answered with an error, which the coordinator counts as a try.
    Only trusted processes talk to Ray: programs run in the sandbox of the worker, as always. Ray also
    chooses the GPU, so the device of a task is ``cpu`` or ``cuda``, never ``cuda:N``.

    Args:
        address: of the cluster's head (``HOST:PORT``), ``auto`` for the one on this machine, or
            ``local`` to start one here that ends with this executor.
        workers: processors of a cluster started here; default: all.
        gpu_share: the part of a GPU that one program takes.

    Raises:
        BatchError: Ray is not installed, or no cluster answers.
    """

    def __init__(
        self, address: str = LOCAL, *, workers: int | None = None, gpu_share: float = 0.5
    ) -> None:
        from .... import __version__

        self._ray = _import_ray()
        self._version = __version__
        self._started = not self._ray.is_initialized()
        if self._started:
            _connect(self._ray, address, workers)
        self._do = self._ray.remote(work)
        self._gpu_share = gpu_share
        self._under_way: dict[Any, Task] = {}
        self._refused: list[Answer] = []
        self._slots, self._gpus, self._looked = 1, 0.0, float("-inf")

    @property
    def slots(self) -> int:
        """How many tasks run at once: the cluster's processors, looked up again now and then."""
        self._look()
        return self._slots

    def slots_on(self, device: str) -> int:
        """How many tasks for a device run at once: its processors, or the parts of its GPUs."""
        self._look()
        on_gpu = device.startswith("cuda")
        return max(1, int(self._gpus / self._gpu_share)) if on_gpu else self._slots

    def submit(self, task: Task) -> None:
        """Hand in a task."""
        on_gpu = task.device.startswith("cuda")
        reason = self._without_device(task.device) if on_gpu else None
        if reason is not None:
            self._refused.append(Answer(task, InputError(reason)))
            return
        gpus = self._gpu_share if on_gpu else 0
        # Options given here leave Ray's max_calls at 0: workers, and what they keep warm, stay.
        chosen = self._do.options(num_cpus=1, num_gpus=gpus, max_retries=0)
        self._under_way[chosen.remote(task, self._version, gpus or 1.0)] = task

    def completed(self, timeout_s: float) -> list[Answer]:
        """Return what has ended, waiting for the first one at most so long."""
        waiting = list(self._under_way)
        if self._refused or not waiting:
            refused, self._refused = self._refused, []
            return refused
        ended, rest = self._ray.wait(waiting, num_returns=1, timeout=timeout_s)
        if ended and rest:
            ended += self._ray.wait(rest, num_returns=len(rest), timeout=0)[0]
        return [Answer(self._under_way.pop(one), self._outcome(one)) for one in ended]

    def close(self) -> None:
        """Give up what is under way; end the cluster if it was started here."""
        for one in self._under_way:
            with contextlib.suppress(Exception):  # the worker may be gone with its node
                self._ray.cancel(one, force=True)
        self._under_way.clear()
        if self._started:
            self._ray.shutdown()

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked > LOOK_AGAIN_S:
            there = self._ray.cluster_resources()
            self._slots, self._gpus = max(1, int(there.get("CPU", 1))), there.get("GPU", 0.0)
            self._looked = now

    def _without_device(self, device: str) -> str | None:
        """Return why no node has this device; Ray itself would wait for one for ever."""
        if device != "cuda":
            return (
                f"on Ray the device {device!r} cannot be chosen: write 'cuda', Ray picks the GPU."
            )
        self._look()
        return None if self._gpus else "no node of the Ray cluster has a GPU."

    def _outcome(self, reference: Any) -> Any:
        try:
            sent: Sent = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            first = " ".join(str(error).split())[:300]
            return BatchError(f"a Ray worker was lost ({type(error).__name__}): {first}")
        if sent.evaluation is not None:
            return sent.evaluation
        return InputError(sent.error) if sent.of_input else BatchError(sent.error)


def _import_ray() -> Any:
    # Set before Ray loads: no report of use is sent to anybody.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ModuleNotFoundError as error:
        raise BatchError("Ray is not installed: pip install 'eurisko[ray]'.") from error
    return ray


def _connect(ray: Any, address: str, workers: int | None) -> None:
    options: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "ERROR"}
    if address == LOCAL:
        options |= {
            "num_cpus": workers,
            "include_dashboard": False,
            "object_store_memory": OBJECT_STORE_MIB * 2**20,
        }
    elif address != "auto":
        _reach(address)
    try:
        with _without_secrets(), _same_signals():
            _started(ray, options)
    except (Exception, SystemExit) as error:  # Ray fails in many ways; each ends in one sentence
        said = " ".join(str(error).split())[:200] or type(error).__name__
        if address == LOCAL:
            raise BatchError(f"Ray could not be started on this machine: {said}") from error
        raise BatchError(
            f"No Ray cluster answers at {address!r} ({said}): start one with 'ray start --head', or "
            "let one be started here with --ray local."
        ) from error


def _started(ray: Any, options: dict[str, Any]) -> None:
    """Connect; once more where a cluster of our own did not come up in Ray's 30 seconds."""
    try:
        ray.init(**options)
    except Exception:  # Ray fails in many ways; the second attempt's failure is told
        if options["address"] != LOCAL:
            raise
        ray.shutdown()
        ray.init(**options)


def _reach(address: str) -> None:
    """Find out quickly whether anybody listens; Ray itself takes minutes to give up.

    Raises:
        BatchError: nobody does, or this is no address.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise BatchError(
            f"{address!r} is no address of a Ray cluster: write HOST:PORT, auto or local."
        )
    try:
        socket.create_connection((host, int(port)), CONNECT_S).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise BatchError(
            f"No Ray cluster answers at {address} ({reason}): start one with 'ray start --head', "
            "or let one be started here with --ray local."
        ) from error


@contextlib.contextmanager
def _without_secrets() -> Iterator[None]:
    """Hide secrets from processes that are started meanwhile; workers need none."""
    hidden = {name: value for name, value in os.environ.items() if _SECRET.search(name)}
    for name in hidden:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(hidden)


@contextlib.contextmanager
def _same_signals() -> Iterator[None]:
    """Keep what SIGTERM does: Ray would end the process at once, and nothing would be saved."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)
