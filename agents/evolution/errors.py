"""Why a run ends before its time."""


class EvolutionError(Exception):
    """The run cannot go on; the message says what, where and what to do. What was done is stored."""


class Interrupted(EvolutionError):
    """Somebody asked the run to stop; it can be resumed."""


class UnusableReply(Exception):
    """A proposer's answer holds no usable program; the message says why."""
