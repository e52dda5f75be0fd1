"""A worker of another device: warmed up ahead of its job, then shut tight, then one job.

Warming up opens files and starts threads, so it happens under a wide filter, before any byte of a
candidate is there; afterwards a second filter, bound to all threads at once, takes both away.
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from . import system

PREPARED = b"R{"
_RESERVED = (system.REQUEST, system.RESULT, system.INPUTS, system.STEPS)


def assert_untouched() -> None:
    """Say that the fork server never used CUDA, whose context does not survive a fork.

    Raises:
        RuntimeError: when it did.
    """
    import torch

    cuda: Any = torch.cuda
    if cuda.is_initialized():
        raise RuntimeError("CUDA is initialised in the fork server, so no worker can use it")


def reserve_places() -> None:
    """Keep the descriptors of the job from being taken by a driver."""
    for number in _RESERVED[1:]:  # the first one is the channel on which the job comes
        os.dup2(0, number, inheritable=False)


def free_places(used: set[int]) -> None:
    """Close the kept descriptors that the job did not need."""
    for number in set(_RESERVED[1:]) - used:
        os.close(number)


def prepare(device: dict[str, Any], tight: bytes | None) -> bytes:
    """Warm the device up, tighten, and return the word that says so.

    It carries the processor seconds spent, which are not the job's, the highest descriptor, and the
    bytes that are free on the device.

    Raises:
        RuntimeError: when the device does not work or files can still be opened afterwards.
    """
    WARM_UPS[device["kind"]](device)
    highest = max(map(int, os.listdir("/proc/self/fd")))  # noqa: PTH208
    system.prctl(system.PR_SET_DUMPABLE, 0)
    if tight is not None:
        system.restrict_all_threads(tight)
        _assert_shut()
    word = {"cpu_s": time.process_time(), "files": highest + 1, "bytes": _free_bytes(device)}
    return PREPARED[:1] + json.dumps(word).encode()


def _assert_shut() -> None:
    try:
        os.close(os.open("/dev/null", os.O_RDONLY))
    except PermissionError:
        return
    raise RuntimeError("files can still be opened after the second filter")


def _free_bytes(device: dict[str, Any]) -> int | None:
    if device["kind"] == "cuda":
        import torch

        torch.cuda.get_device_properties(0)  # known when `allow` asks and nothing can be opened
        return int(torch.cuda.mem_get_info()[0])
    bytes_free: int | None = device["bytes"]
    return bytes_free


def allow(kind: str, memory: int) -> None:
    """Let torch take at most so many bytes of the device; more is out of memory.

    No bar for a program that goes around torch: it keeps programs that share a device from taking
    what was promised to the others by mistake.
    """
    if kind == "cuda":
        import torch

        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, memory / total))


def seed(kind: str, number: int) -> None:
    """Seed the device's own generators; those of the processor are seeded elsewhere."""
    if kind == "cuda":
        import torch

        torch.cuda.manual_seed_all(number)


def _cuda(_: dict[str, Any]) -> None:
    """Make the context and use each library once, since none can be loaded later."""
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("torch finds no usable CUDA device inside the worker")
    matrix = torch.eye(64, device="cuda") + torch.rand(64, 64, device="cuda")
    weight = matrix.clone().requires_grad_()
    loss: Any = (matrix @ weight).square().mean()
    loss.backward()  # starts autograd's thread of the device
    for use in (_cuda_kernels, _cuda_solvers, _cuda_convolution):
        with contextlib.suppress(RuntimeError):  # a library that is not there: no reason to refuse
            use(matrix)
    torch.cuda.synchronize()


def _cuda_kernels(matrix: Any) -> None:
    import torch

    for one in (matrix, matrix.double()):
        order = one.argsort(-1)
        one.gather(-1, order).cumsum(-1).topk(4)
        torch.cdist(one, one).masked_fill(one > 1, float("inf")).argmin(-1).tolist()
        torch.randperm(8, device="cuda")


def _cuda_solvers(matrix: Any) -> None:
    import torch

    torch.linalg.solve(matrix, matrix)
    torch.linalg.eigh(matrix @ matrix.T)
    torch.fft.rfft(matrix)


def _cuda_convolution(matrix: Any) -> None:
    from torch.nn import functional

    image = matrix.reshape(1, 1, 64, 64)
    functional.conv2d(image, image[:, :, :3, :3])
    functional.scaled_dot_product_attention(image, image, image)


def _stand_in(device: dict[str, Any]) -> None:
    """Do on the processor what a driver does: open nodes to write, start and name a thread."""
    for node in device["nodes"]:
        os.open(node, os.O_RDWR | os.O_CLOEXEC)
    for name in device["proc"]:
        with open(name) as file:  # noqa: PTH123
            assert file.read(1), name
    os.close(os.memfd_create("stand-in"))
    begun, named = threading.Event(), threading.Event()

    def live() -> None:
        begun.set()
        named.wait()
        threading.Event().wait()

    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    begun.wait()
    name = f"/proc/self/task/{thread.native_id}/comm"
    descriptor = os.open(name, os.O_RDWR)  # as glibc names another thread
    os.write(descriptor, b"stand-in")
    os.close(descriptor)
    with open(name) as file:  # noqa: PTH123
        assert file.read().strip() == "stand-in"
    named.set()


def _stand_in_fails(_: dict[str, Any]) -> None:
    raise RuntimeError("the stand-in has no device")


def _stand_in_hangs(_: dict[str, Any]) -> None:
    time.sleep(3600)


WARM_UPS: dict[str, Callable[[dict[str, Any]], None]] = {
    "cuda": _cuda,
    "stand-in": _stand_in,  # the same path without a graphics processor, for tests
    "stand-in-fails": _stand_in_fails,
    "stand-in-hangs": _stand_in_hangs,
}
