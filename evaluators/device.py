"""Which device a problem's programs run on."""

from ..sandbox import concrete_device
from .errors import InputError
from .problem import OnlineProblem, Problem


def chosen_device(problem: Problem, device: str) -> str:
    """Return ``device`` with ``auto`` decided, so that it can be stored.

    Raises:
        InputError: for no device at all, or one on which this kind of problem cannot run.
        SandboxError: for a device that is not here, with what to do.
    """
    online = isinstance(problem, OnlineProblem)
    if device == "auto" and online:
        return "cpu"
    try:
        found = concrete_device(device)
    except ValueError as error:
        raise InputError(f"{error}.") from error
    if found != "cpu" and online:
        raise InputError(
            f"Problem {problem.spec.name} is played in lockstep, which runs on the device 'cpu' only."
        )
    return found
