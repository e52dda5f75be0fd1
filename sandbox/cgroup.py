"""A control group of version 2 around one fork server: memory and processes bounded by the kernel.

Used where a folder of the hierarchy above this process can be written and passes the controllers
``memory`` and ``pids`` on; found by doing, since permissions alone do not tell. This process is
never moved: a group that holds processes cannot pass controllers on, so the group is often made
beside this process's own, below the nearest ancestor where that works.
"""

import contextlib
import os
import secrets
import time
from pathlib import Path

CONTROLLERS = ("memory", "pids")
PIDS_MAX = 512
ROOM_BYTES = 512 * 2**20  # for the server itself, beside what its programs may hold
_PREFIX = "eurisko-sandbox-"
_REMOVE_TIMEOUT_S = 5.0
_MOUNTS = Path("/proc/self/mountinfo")
_OWN = Path("/proc/self/cgroup")
# Enters the group (first argument), then becomes the rest of the command line.
_ENTER = 'echo 0 > "$0" && exec "$@"'


class Group:
    """One child group with its limits. ``memory_bytes`` bound all that is charged to it.

    Raises:
        OSError: when the kernel refuses any part of it; nothing is left behind then.
    """

    def __init__(self, parent: Path, memory_bytes: int) -> None:
        self.path = parent / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        self._make()
        try:
            self._set("memory.max", str(memory_bytes))
            self._set("memory.oom.group", "1")
            self._set("pids.max", str(PIDS_MAX))
            with contextlib.suppress(FileNotFoundError):  # a kernel without swap accounting
                self._set("memory.swap.max", "0")
        except BaseException:
            self._remove()
            raise

    def _make(self) -> None:
        self.path.mkdir()

    def _remove(self) -> None:
        self.path.rmdir()

    def _set(self, name: str, value: str) -> None:
        descriptor = os.open(self.path / name, os.O_WRONLY | os.O_CLOEXEC)  # never creates it
        try:
            os.write(descriptor, value.encode())
        finally:
            os.close(descriptor)

    def command(self, line: list[str]) -> list[str]:
        """Return a command line that enters the group before it runs ``line``."""
        return ["/bin/sh", "-c", _ENTER, str(self.path / "cgroup.procs"), *line]

    def close(self) -> None:
        """Kill what is left in the group and remove it."""
        with contextlib.suppress(OSError):  # before Linux 5.14; the server's children are dead
            self._set("cgroup.kill", "1")
        deadline = time.monotonic() + _REMOVE_TIMEOUT_S
        while self.path.exists():
            try:
                self._remove()
            except OSError:  # a killed process stays until it has been reaped
                if time.monotonic() > deadline:
                    return
                time.sleep(0.01)


def parent() -> tuple[Path | None, str]:
    """Return the folder in which a group can be made, or None and why there is none."""
    mount = _mount()
    if mount is None:
        return None, "no control groups of version 2 are mounted"
    own = _own_folder(mount)
    reason = f"no control group above this process passes {' and '.join(CONTROLLERS)} on"
    for folder in (own, *own.parents):
        if mount != folder and mount not in folder.parents:
            break
        why = _unusable(folder, mount)
        if why is None:
            return folder, ""
        if why:
            reason = why
    return None, reason


def _unusable(folder: Path, mount: Path) -> str | None:
    """Try a group below ``folder``; return why it fails (empty: nothing worth telling) or None."""
    try:
        there = set((folder / "cgroup.controllers").read_text().split())
        passed = set((folder / "cgroup.subtree_control").read_text().split())
    except OSError:
        return ""
    if not there.issuperset(CONTROLLERS):
        return ""
    if not os.access(folder, os.W_OK):
        return "the control groups above this process cannot be written (delegate one)"
    try:
        if not passed.issuperset(CONTROLLERS) and folder == mount:
            return ""  # the whole machine's: not ours to change
        if not passed.issuperset(CONTROLLERS):
            (folder / "cgroup.subtree_control").write_text(" ".join(f"+{n}" for n in CONTROLLERS))
        trial = Group(folder, ROOM_BYTES)
    except OSError as error:
        return f"a control group cannot be made in {folder}: {error.strerror}"
    trial.close()
    return None


def _mount() -> Path | None:
    """Return where the hierarchy of version 2 is mounted (fields: see proc(5), mountinfo)."""
    try:
        lines = _MOUNTS.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        fields, _, kind = line.partition(" - ")
        if kind.startswith("cgroup2 "):
            return Path(fields.split()[4])
    return None


def _own_folder(mount: Path) -> Path:
    try:
        lines = _OWN.read_text().splitlines()
    except OSError:
        return mount
    for line in lines:
        if line.startswith("0::"):
            folder = mount / line[3:].lstrip("/")
            return folder if folder.is_dir() and ".." not in folder.parts else mount
    return mount
