"""Errors of the sandbox itself; a candidate's faults are outcomes, never exceptions."""


class SandboxError(RuntimeError):
    """The sandbox cannot work on this machine or with these arguments."""


class SandboxClosed(SandboxError):
    """A run was asked of a sandbox that is closed."""


class ZygoteLost(SandboxError):
    """The fork server died or stopped answering; a fresh one may do."""
