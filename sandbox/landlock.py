"""The file rules: a Landlock ruleset made here, handed to the fork server as a descriptor.

A child enforces it on itself with one system call, after which it can read what
``readable.readable_paths`` lists and nothing else, write nothing, connect to nothing, and signal
nobody outside.
"""

import os

from .errors import SandboxError
from .readable import DEVICES, PROCESSORS, readable_paths


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


def ruleset() -> int:
    """Return a new descriptor of the ruleset, owned by the caller.

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
                granted = AccessFS.READ_FILE | AccessFS.READ_DIR
                rules.allow_path(path, granted if path.is_dir() else AccessFS.READ_FILE)
            for device in DEVICES:
                rules.allow_path(device, AccessFS.READ_FILE)
            if os.path.isdir(PROCESSORS):  # noqa: PTH112 - a constant, not a path to work with
                rules.allow_path(PROCESSORS, AccessFS.READ_FILE | AccessFS.READ_DIR)
            return os.dup(rules.fileno())
    except OSError as error:
        raise SandboxError(f"a Landlock rule cannot be made: {error}") from error
