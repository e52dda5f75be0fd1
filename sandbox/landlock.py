"""The file rules: a Landlock ruleset made here, handed to the fork server as a descriptor.

A child enforces it on itself with one system call, after which it can read what
``readable.readable_paths`` lists and nothing else, write nothing, connect to nothing, and signal
nobody outside.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .devices import Device
from .errors import SandboxError
from .readable import DEVICES, PROCESSORS, readable_paths

if TYPE_CHECKING:
    from landlockpy import Ruleset


def abi() -> tuple[int, str]:
    """Return the kernel's Landlock version (0 when unusable) and why it is unusable."""
    try:
        import landlockpy
    except ImportError:
        return 0, "the package landlockpy is not installed"
    try:
        return landlockpy.abi_version(), ""
    except (OSError, landlockpy.LandlockError, landlockpy.UnsupportedError) as error:
        return 0, f"this kernel has no Landlock ({error})"


def ruleset(extra: Device | None = None) -> int:
    """Return a new descriptor of the ruleset, owned by the caller.

    ``extra`` is a device that a worker uses: its nodes may be opened to write and given requests.

    Raises:
        SandboxError: when Landlock is unusable or a rule cannot be made (nothing is skipped).
    """
    version, reason = abi()
    if version < 1:
        raise SandboxError(reason)
    from landlockpy import AccessFS, Ruleset, Scope

    scopes = Scope.SIGNAL | Scope.ABSTRACT_UNIX_SOCKET if version >= 6 else Scope.NONE
    try:
        with Ruleset(scoped=scopes) as rules:
            for path in readable_paths():
                _allow_reading(rules, path)
            for device in DEVICES:
                rules.allow_path(device, AccessFS.READ_FILE)
            if os.path.isdir(PROCESSORS):  # noqa: PTH112 - a constant, not a path to work with
                rules.allow_path(PROCESSORS, AccessFS.READ_FILE | AccessFS.READ_DIR)
            if extra is not None:
                _allow_device(rules, extra, version)
            return os.dup(rules.fileno())
    except OSError as error:
        raise SandboxError(f"a Landlock rule cannot be made: {error}") from error


def _allow_reading(rules: "Ruleset", path: Path) -> None:
    from landlockpy import AccessFS

    granted = AccessFS.READ_FILE | AccessFS.READ_DIR
    rules.allow_path(path, granted if path.is_dir() else AccessFS.READ_FILE)


def _allow_device(rules: "Ruleset", device: Device, version: int) -> None:
    from landlockpy import AccessFS

    granted = AccessFS.READ_FILE | AccessFS.WRITE_FILE
    if version >= 5:
        granted |= AccessFS.IOCTL_DEV
    for node in device.nodes:
        rules.allow_path(node, granted)
    for name in (*device.readable, *device.libraries):
        if not name.startswith("/proc/"):  # those the worker allows itself
            _allow_reading(rules, Path(name))
