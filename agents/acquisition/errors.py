"""Why an optimisation ends before its time."""


class OptimisationError(Exception):
    """It cannot go on; the message says what, where and what to do. What was done is stored."""


class Interrupted(OptimisationError):
    """Somebody asked it to stop; it can be resumed."""
