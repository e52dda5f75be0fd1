"""Which devices a program can run on: found without touching any of them in this process.

``cpu`` is always there. ``cuda:N`` counts as torch does, within ``CUDA_VISIBLE_DEVICES``; ``cuda``
means any of them, ``auto`` means ``cuda`` where there is one and else ``cpu``.
"""

import importlib.util
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import SandboxError

CPU = "cpu"
WARM_S = 120.0
_DEV = Path("/dev")
_CONTROL = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset")
# Read by the driver at its start only; afterwards nothing can be opened any more.
_READ = (
    "/proc/driver/nvidia",
    "/proc/driver/nvidia-uvm",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/devices",
    "/proc/modules",
    "/proc/filesystems",
    "/proc/sys/vm",
    "/sys/devices",
    "/sys/bus/pci",
    "/sys/module",
)
# Where drivers lie that the system's own list of libraries does not know.
_LIBRARIES = ("/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/local/cuda/lib64")
_NAME = re.compile(r"cuda(?::(\d{1,3}))?")
_TOKEN = re.compile(r"[A-Za-z0-9-]{1,80}")


@dataclass(frozen=True)
class Device:
    """A device beside the processor, with workers that are warmed up ahead of their job.

    ``kind`` chooses the warm-up of the far side, ``inside`` is what a driver is told. ``nodes`` may
    be opened for reading and writing, and ``readable`` read, until a worker is warm, within
    ``warm_s`` seconds. ``bytes_free`` is the memory of a stand-in; a real device is asked.
    """

    name: str
    kind: str = "cuda"
    inside: str = "cuda"
    modifier: str = "gpu"
    nodes: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict, compare=False)
    warm_s: float = WARM_S
    bytes_free: int | None = None

    def far_side(self) -> dict[str, Any]:
        """Return what a worker needs to know.

        What it reads in /proc it allows itself: a jail has a /proc of its own, to which no rule that
        is made outside applies.
        """
        return {
            "kind": self.kind,
            "nodes": list(self.nodes),
            "proc": [path for path in self.readable if path.startswith("/proc/")],
            "warm_s": self.warm_s,
            "bytes": self.bytes_free,
        }


_private: dict[str, tuple[Device, ...]] = {}  # for tests: others, by the name that asks for them


def concrete(device: str) -> str:
    """Return ``device`` with ``auto`` decided, once it is sure that it exists.

    Raises:
        ValueError: for anything but cpu, cuda, cuda:N and auto.
        SandboxError: for a device that is not here, with what to do.
    """
    if device == "auto":
        return CPU if _absent() is not None else "cuda"
    acceptable(device)
    return device


def acceptable(device: str) -> tuple[Device, ...]:
    """Return the devices of which any will do; none for the processor.

    Raises:
        ValueError, SandboxError: as ``concrete``.
    """
    if device == CPU:
        return ()
    if device in _private:
        return _private[device]
    match = _NAME.fullmatch(device)
    if match is None and device != "auto":
        raise ValueError(f"device must be 'cpu', 'cuda', 'cuda:N' or 'auto', got {device!r}")
    reason = _absent()
    if match is None:
        return () if reason is not None else graphics()
    if reason is not None:
        raise SandboxError(f"device {device!r} is not here: {reason}, or use the device 'cpu'")
    found = graphics()
    if match.group(1) is None:
        return found
    if int(match.group(1)) >= len(found):
        there = ", ".join(one.name for one in found)
        raise SandboxError(f"device {device!r} is not here: choose {there}, or 'cpu'")
    return (found[int(match.group(1))],)


def graphics() -> tuple[Device, ...]:
    """Return the visible CUDA devices in torch's order."""
    nodes = [str(_DEV / name) for name in _CONTROL if (_DEV / name).exists()]
    nodes += [str(path) for path in _gpu_nodes()]
    caps = sorted(str(path) for path in (_DEV / "nvidia-caps").glob("nvidia-cap*"))
    libraries = tuple(folder for folder in _LIBRARIES if Path(folder).is_dir())
    common = {
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",  # asking whether CUDA is there does not begin it
        "CUDA_MODULE_LOADING": "LAZY",  # what torch would set later, in each worker
        "CUDA_CACHE_DISABLE": "1",
    }
    order = os.environ.get("CUDA_DEVICE_ORDER", "")
    if order in ("PCI_BUS_ID", "FASTEST_FIRST"):
        common["CUDA_DEVICE_ORDER"] = order
    if libraries:
        common["LD_LIBRARY_PATH"] = ":".join(libraries)
    return tuple(
        Device(
            name=f"cuda:{number}",
            nodes=(*nodes, *caps),
            readable=tuple(path for path in _READ if Path(path).exists()),
            libraries=libraries,
            environment=common | {"CUDA_VISIBLE_DEVICES": token},
        )
        for number, token in enumerate(_visible())
    )


def _gpu_nodes() -> list[Path]:
    return sorted(path for path in _DEV.glob("nvidia*") if path.name[6:].isdigit())


def _visible() -> list[str]:
    """Return how the driver names each visible device; a wrong name hides those after it."""
    wished = os.environ.get("CUDA_VISIBLE_DEVICES")
    if wished is None:
        return [str(number) for number in range(len(_gpu_nodes()))]
    names: list[str] = []
    for name in wished.split(","):
        token = name.strip()
        wrong = _TOKEN.fullmatch(token) is None or token.startswith("-")
        if wrong or (token.isdigit() and int(token) >= len(_gpu_nodes())):
            break
        names.append(token)
    return names


def _absent() -> str | None:
    """Return why there is no CUDA device and what to do, or None when there is one."""
    build = _torch_build()
    if build is None:
        return "torch is built without CUDA; install a build of torch with CUDA (pytorch.org)"
    if not _gpu_nodes() or not (_DEV / "nvidiactl").exists():
        return "there is no NVIDIA device in /dev; install its driver or pass it into the container"
    if not _visible():
        return "CUDA_VISIBLE_DEVICES hides every NVIDIA device; change it"
    return None


def _torch_build() -> str | None:
    """Return torch's CUDA version from its file, without importing it."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    try:
        text = (Path(spec.origin).parent / "version.py").read_text("utf-8")
    except OSError:
        return None
    match = re.search(r"^cuda\b[^=\n]*=\s*['\"]([^'\"]+)['\"]", text, re.MULTILINE)
    return None if match is None else match.group(1)
