"""Why a solver could not be created."""


class CreationError(Exception):
    """The creation cannot go on; what was done is stored, and the message says what to do."""


class Interrupted(CreationError):
    """The creation was asked to stop, and has saved."""


class Declined(CreationError):
    """The user did not accept the description of the problem."""
