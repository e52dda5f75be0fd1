"""Devices: what they are called and how many bytes per second their memory reaches."""

import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable

import torch

CPU_BYTES = 2**28
GPU_BYTES = 2**30
TIMES = 9
GPU_COPIES = 10  # in a row: waiting for one alone would count
WARM_UPS = 3


def synchronize(device: str) -> None:
    """Wait for a graphics processor; the processor is never behind."""
    if device != "cpu":
        torch.cuda.synchronize(device)


def seconds_of(work: Callable[[], object], device: str) -> float:
    """Return the seconds on the clock until a device has done its work."""
    synchronize(device)
    began = time.perf_counter()
    work()
    synchronize(device)
    return time.perf_counter() - began


def bandwidth(device: str, size: int | None = None) -> float:
    """Return bytes per second, read and written, of copies of a large tensor: the median of some.

    Args:
        device: ``cpu`` (with the threads that torch has) or ``cuda:N``.
        size: bytes of the tensor; by default more than caches hold and less than an eighth of the
            memory that is free.
    """
    if size is None:
        free = CPU_BYTES * 8 if device == "cpu" else torch.cuda.mem_get_info(device)[0]
        size = min(CPU_BYTES if device == "cpu" else GPU_BYTES, free // 8)
    source = torch.ones(size // 8, dtype=torch.float64, device=device)
    target = torch.empty_like(source)

    copies = 1 if device == "cpu" else GPU_COPIES

    def copy() -> None:
        for _ in range(copies):
            target.copy_(source)

    for _ in range(WARM_UPS):
        seconds_of(copy, device)
    times = [seconds_of(copy, device) for _ in range(TIMES)]
    return 2 * copies * source.nbytes / statistics.median(times)


def graphics() -> list[str]:
    """Return every graphics processor that torch can use, as ``cuda:N``."""
    if not torch.cuda.is_available():
        return []
    return [f"cuda:{number}" for number in range(torch.cuda.device_count())]


def device_name(device: str) -> str:
    """Return what a device calls itself; ``cpu`` for the processor."""
    return "cpu" if device == "cpu" else str(torch.cuda.get_device_name(device))


def device_fact(device: str) -> str:
    """Return name, memory, driver and CUDA version of a graphics processor."""
    found = torch.cuda.get_device_properties(device)
    return (
        f"{device}: {found.name}, {found.total_memory / 2**30:.0f} GiB, "
        f"{found.multi_processor_count} multiprocessors, compute capability "
        f"{found.major}.{found.minor}; driver {driver_version()}, CUDA {torch.version.cuda}"
    )


def driver_version() -> str:
    """Return the version of the NVIDIA driver by its own tool."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return "unknown (no nvidia-smi)"
    query = [tool, "--query-gpu=driver_version", "--format=csv,noheader"]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    return done.stdout.split()[0] if done.returncode == 0 and done.stdout.split() else "unknown"


def slug(name: str) -> str:
    """Return a device's name as part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
