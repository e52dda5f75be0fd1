"""Which layers of confinement a fork server is started with, and why some are missing."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from . import cgroup, jail, landlock, seccomp
from .devices import Device

# Far above the ids of people and services; the process id keeps two sandboxes apart.
_FIRST_USER = 1_000_000_000


@dataclass(frozen=True)
class Layers:
    """Switches for tests and diagnosis; each layer that is on is used where it works.

    ``opens`` says whether a child may open files for reading: by default only where Landlock
    judges which; without Landlock nothing can be opened. ``tighten`` is the second filter of workers
    on other devices, which can open nothing once they are warm.
    """

    seccomp: bool = True
    landlock: bool = True
    jail: bool = True
    drop_root: bool = True
    opens: bool | None = None
    tighten: bool = True
    cgroup: bool = True


@dataclass(frozen=True)
class Plan:
    """What a fork server is started with. ``missing`` maps a layer to why it is not used.

    ``opens`` says whether programs may open files. Workers of a ``device`` warm up under ``filter``
    and then take ``tight`` as well. ``cgroup`` is the folder in which its control group is made.
    """

    filter: bytes | None
    landlock: bool
    bwrap: Path | None
    user: int | None
    opens: bool
    missing: dict[str, str] = field(default_factory=dict)
    present: dict[str, str] = field(default_factory=dict)
    device: Device | None = None
    tight: bytes | None = None
    cgroup: Path | None = None

    @property
    def root(self) -> bool:
        """Whether the caller is root."""
        return os.geteuid() == 0


def make_plan(layers: Layers, device: Device | None = None) -> Plan:
    """Return the strongest plan that this machine seems to allow; the self-test then proves it."""
    missing: dict[str, str] = {}
    present: dict[str, str] = {}
    off = "switched off"
    reason = off if not layers.seccomp else seccomp.available()
    filtered = reason is None
    _note(missing, present, "seccomp", reason, "allow-list")
    version, why = landlock.abi()
    reason = off if not layers.landlock else (why if version < 1 else None)
    ruled = reason is None
    _note(missing, present, "landlock", reason, f"ABI {version}")
    opens = ruled if layers.opens is None else layers.opens
    root = os.geteuid() == 0
    bwrap = jail.binary()
    if not layers.jail:
        reason = off
    elif bwrap is None:
        reason = "bubblewrap is not installed"
    else:
        reason = jail.unusable(bwrap, root=root, device=device)
    where = f"bwrap {jail.version(bwrap)}" if bwrap is not None and reason is None else ""
    _note(missing, present, "jail", reason, where)
    user = _FIRST_USER + os.getpid() if root and layers.drop_root else None
    if root:
        _note(missing, present, "root dropped", None if user is not None else off, "yes")
    folder, why = cgroup.parent() if layers.cgroup else (None, off)
    _note(missing, present, "cgroup", None if folder is not None else why, "v2")
    first, tight = None, None
    if filtered and device is None:
        first = seccomp.program(opens=opens)
    elif filtered:
        first = seccomp.program(opens=True, threads=True, driver="start")
        tight = seccomp.program(opens=False, driver="use") if layers.tighten else None
        opens = tight is None
        _note(missing, present, "tightened", off if tight is None else None, "after warm-up")
    return Plan(
        filter=first,
        landlock=ruled,
        bwrap=bwrap if reason is None else None,
        user=user,
        opens=opens,
        missing=missing,
        present=present,
        device=device,
        tight=tight,
        cgroup=folder,
    )


def _note(
    missing: dict[str, str], present: dict[str, str], name: str, reason: str | None, found: str
) -> None:
    if reason is None:
        present[name] = found
    else:
        missing[name] = reason
