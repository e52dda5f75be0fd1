"""What ends a job early."""


class BatchError(Exception):
    """The job cannot go on; what was done is stored, and the message says what to do."""


class Interrupted(BatchError):
    """The job was asked to stop, and has saved."""
