"""Starts and ends one fork server, and sends it requests."""

import contextlib
import importlib.resources
import importlib.util
import json
import os
import re
import select
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from . import jail
from .cgroup import ROOM_BYTES, Group
from .devices import Device
from .errors import SandboxError, ZygoteLost
from .landlock import ruleset
from .layers import Plan
from .memfd import sealed
from .readable import interpreter

START_TIMEOUT_S = 180.0
STOP_TIMEOUT_S = 5.0

# Modules of the far side, in the order in which they import one another.
JAILED = ("system", "prepare", "batches", "work", "child", "pages", "warmup", "family", "server")

# One thread: numpy's OpenBLAS would otherwise start one at import, and a forked child would hang
# in it. A fixed hash seed: sets of strings must have the same order in every run.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    # Keep freed memory in the process. By default each large temporary tensor is mapped, zeroed
    # page by page and unmapped again: a million page faults, half of the CPU time, for one
    # candidate on 64 instances of 200 cities; with these 782.
    "MALLOC_MMAP_THRESHOLD_": "1073741824",
    "MALLOC_TRIM_THRESHOLD_": "4294967296",
}
# Choice of numerical kernels: results inside must equal those outside.
_KERNELS = (
    "OPENBLAS_CORETYPE",
    "OPENBLAS_L2_SIZE",
    "ATEN_CPU_CAPABILITY",
    "NPY_DISABLE_CPU_FEATURES",
)
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_ ,.]{1,200}")

# Reads the far side's modules from descriptor 0, so that no file of the project is opened.
_BOOTSTRAP = """
import json, os, sys, types
bundle = json.loads(os.read(0, 1 << 24))
sys.path.extend(bundle["path"])
package = sys.modules["jailed"] = types.ModuleType("jailed")
package.__path__ = []
for name, source in bundle["modules"]:
    module = sys.modules["jailed." + name] = types.ModuleType("jailed." + name)
    module.__package__ = "jailed"
    setattr(package, name, module)
    exec(compile(source, "<sandbox " + name + ">", "exec"), module.__dict__)
package.server.main(bundle["config"])
"""


def environment(device: Device | None = None) -> dict[str, str]:
    """Return all that the fork server sees of this process's environment: no secrets."""
    kept = {name: os.environ[name] for name in _KERNELS if name in os.environ}
    more = {} if device is None else device.environment
    return {**_ENVIRONMENT, **{k: v for k, v in kept.items() if _PLAIN_VALUE.fullmatch(v)}, **more}


def library_folders() -> list[str]:
    """Return the folders that hold numpy and torch, without importing torch.

    Raises:
        SandboxError: when one of them is not installed.
    """
    found: list[str] = []
    for name in ("numpy", "torch", "typing_extensions"):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise SandboxError(f"{name} is not installed beside this Python")
        folder = Path(spec.origin).resolve().parent
        folder = folder.parent if spec.submodule_search_locations else folder
        if str(folder) not in found:
            found.append(str(folder))
    return found


def _bundle(control: int, rules: int | None, plan: Plan, spare: int, memory_total: int) -> bytes:
    folder = importlib.resources.files(__package__) / "jailed"
    modules = [(name, (folder / f"{name}.py").read_text("utf-8")) for name in JAILED]
    config = {
        "control": control,
        "parent": None if plan.bwrap is not None else os.getpid(),
        "environment": list(environment(plan.device)),
        "user": plan.user,
        "spare": spare,
        "memory_total": memory_total,
        "plan": {
            "seccomp": None if plan.filter is None else plan.filter.hex(),
            "tight": None if plan.tight is None else plan.tight.hex(),
            "landlock": rules,
            "device": None if plan.device is None else plan.device.far_side(),
        },
    }
    return json.dumps({"path": library_folders(), "modules": modules, "config": config}).encode()


def available_memory() -> int:
    """Return the bytes that new programs could use now."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 1 << 62


class Zygote:
    """A running fork server. Safe to use from many threads.

    ``spare`` children wait confined for their job; ``memory_total`` bytes are what all running
    children together may hold (default: 80 % of what is free now).

    Raises:
        SandboxError: when it does not start.
    """

    def __init__(self, plan: Plan, *, spare: int = 0, memory_total: int | None = None) -> None:
        if memory_total is None:
            memory_total = int(0.8 * available_memory())
        self.plan = plan
        self.served = 0
        self.device_bytes: int | None = None  # free when the first worker was warm
        self._group = None
        if plan.cgroup is not None:
            try:
                self._group = Group(plan.cgroup, memory_total + ROOM_BYTES)
            except OSError as error:
                raise SandboxError(f"its control group cannot be made: {error}") from error
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors = os.memfd_create("zygote-errors", os.MFD_CLOEXEC)
        self._process: subprocess.Popen[bytes] | None = None
        self._launch_error: OSError | None = None
        self._launched = threading.Event()
        self._closing = threading.Lock()
        self._closed = False
        with contextlib.ExitStack() as stack:
            stack.callback(theirs.close)
            rules = ruleset(plan.device) if plan.landlock else None
            if rules is not None:
                stack.callback(os.close, rules)
            source = sealed(
                "zygote-source", [_bundle(theirs.fileno(), rules, plan, spare, memory_total)]
            )
            stack.callback(os.close, source)
            passed = (theirs.fileno(), *(() if rules is None else (rules,)))
            self._keeper = threading.Thread(
                target=self._keep, args=(source, passed), name="sandbox-zygote", daemon=True
            )
            self._keeper.start()
            self._launched.wait()
        try:
            self._await_ready()
        except BaseException:
            self.close()
            raise

    def _command(self) -> list[str]:
        python = [str(interpreter()), "-s", "-S", "-P", "-X", "utf8", "-c", _BOOTSTRAP]
        line = python
        if self.plan.bwrap is not None:
            bwrap, device = self.plan.bwrap, self.plan.device
            line = jail.command(bwrap, root=self.plan.root, device=device) + python
        return line if self._group is None else self._group.command(line)

    def _keep(self, source: int, passed: tuple[int, ...]) -> None:
        # The kernel's parent-death signal follows the thread that started the process, so this
        # thread lives as long as the process does.
        try:
            self._process = subprocess.Popen(
                self._command(),
                stdin=source,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=environment(self.plan.device),
                cwd="/",
                close_fds=True,
                pass_fds=passed,
                start_new_session=True,
            )
        except OSError as error:
            self._launch_error = error
        finally:
            self._launched.set()
        if self._process is not None:
            self._process.wait()

    def _await_ready(self) -> None:
        if self._launch_error is not None:
            raise SandboxError(f"the fork server cannot be started: {self._launch_error}")
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        deadline = time.monotonic() + START_TIMEOUT_S
        while not poll.poll(100):
            if time.monotonic() > deadline:
                raise SandboxError(f"the fork server was not ready in {START_TIMEOUT_S:.0f} s")
        try:
            message = self._control.recv(65536)
        except OSError:
            message = b""
        if not message:
            self._keeper.join(STOP_TIMEOUT_S)
            raise SandboxError(f"the fork server ended at its start: {self._complaint()}")
        hello: dict[str, Any] = json.loads(message)
        self.baseline_bytes: int = hello["baseline"]

    def _complaint(self) -> str:
        size = os.fstat(self._errors).st_size
        text = os.pread(self._errors, 2000, max(0, size - 2000)).decode("utf-8", "replace")
        return text.strip() or "it left no message"

    @property
    def pid(self) -> int:
        """Process id of the fork server, for diagnosis."""
        assert self._process is not None
        return self._process.pid

    def send(self, job: dict[str, Any], descriptors: list[int]) -> None:
        """Hand over one request.

        Raises:
            ZygoteLost: when the fork server is gone.
        """
        self.served += 1
        try:
            socket.send_fds(self._control, [json.dumps(job).encode()], descriptors)
        except OSError as error:
            raise ZygoteLost(f"the fork server is gone: {error}") from error

    def close(self) -> None:
        """End the fork server and every child of it."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        if self._process is not None:
            self._keeper.join(STOP_TIMEOUT_S)
            if self._keeper.is_alive():
                self._process.kill()
                self._keeper.join(STOP_TIMEOUT_S)
        if self._group is not None:
            self._group.close()
        self._control.close()
        os.close(self._errors)
