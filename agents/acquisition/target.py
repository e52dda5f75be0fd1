"""From the settings to a black box that can be evaluated, and back to its space."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...evaluators.bayesopt import Space
from ...evaluators.blackbox import (
    Blackbox,
    CommandBlackbox,
    Measurement,
    SandboxedBlackbox,
    TrustedBlackbox,
    get_blackbox,
)
from ...evaluators.blackbox.user_file import read_file
from ...sandbox import Sandbox
from .errors import OptimisationError
from .settings import OptimisationSettings

Objective = Callable[..., Any]
"""Called with the parameters by name; returns a number, or a number and its noise."""


@dataclass(frozen=True)
class CallableBlackbox:
    """A Python function of the caller, in the caller's own process."""

    name: str
    space: Space
    function: Objective
    minimise: bool = True
    optimum: float | None = None

    def evaluate(self, point: Mapping[str, Any]) -> Measurement:
        """Call the function; what it raises is a failed evaluation."""
        import time

        started = time.monotonic()
        try:
            answer = self.function(**point)
            value, noise = (
                answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)
            )
            number, sd = float(value), None if noise is None else float(noise)
        except Exception as error:  # noqa: BLE001 - the user's own code may fail in any way
            why = f"{type(error).__name__}: {error}"
            return Measurement(None, message=why, seconds=time.monotonic() - started)
        return Measurement.of(number, sd, time.monotonic() - started)


def space_of(settings: OptimisationSettings) -> Space:
    """Return the space of a run.

    Raises:
        InputError: there is no such function, or the space contradicts itself.
    """
    if settings.target.space is not None:
        return Space.from_dict(settings.target.space)
    return get_blackbox(settings.target.name).space


def minimises(settings: OptimisationSettings) -> bool:
    """Return whether small values are good."""
    if settings.minimise is not None:
        return settings.minimise
    return settings.target.kind != "function" or get_blackbox(settings.target.name).minimise


def optimum_of(settings: OptimisationSettings) -> float | None:
    """Return the best possible value, where it is known and sought."""
    if settings.target.kind != "function" or settings.target.space is not None:
        return None
    function = get_blackbox(settings.target.name)
    return function.optimum if minimises(settings) == function.minimise else None


def check_target(settings: OptimisationSettings) -> None:
    """Refuse a file or a command that cannot be used, before anything is stored.

    Raises:
        InputError: why it cannot be used.
    """
    target = settings.target
    if target.kind == "file":
        read_file(Path(target.name))
    elif target.kind == "command":
        CommandBlackbox(target.command, space_of(settings))


@contextmanager
def opened(
    settings: OptimisationSettings,
    function: Objective | None = None,
    sandbox: Sandbox | None = None,
) -> Iterator[Blackbox]:
    """Yield the black box of a run, closed afterwards.

    Args:
        settings: of the run.
        function: of the caller, for targets of kind ``callable``.
        sandbox: an open one to use; default: one of its own.

    Raises:
        InputError: the file or the command cannot be used.
        OptimisationError: another program evaluates, or the caller's function is missing.
    """
    target = settings.target
    if target.kind == "function":
        yield get_blackbox(target.name)
        return
    space = space_of(settings)
    if target.kind == "callable":
        if function is None:
            raise OptimisationError(
                f"{target.name} is a Python function of the program that started the run: go on "
                "there, with eurisko.optimize(function, ..., resume=RUN)."
            )
        yield CallableBlackbox(target.name, space, function)
    elif target.kind == "command":
        yield CommandBlackbox(target.command, space, seconds=target.seconds, tries=target.tries)
    elif target.kind == "file":
        with _file(settings, space, sandbox) as blackbox:
            yield blackbox
    else:
        raise OptimisationError(
            f"{target.name} is evaluated by another program: 'eurisko optimize ask --study "
            f"{target.name}' and 'tell' go on with it."
        )


@contextmanager
def _file(
    settings: OptimisationSettings, space: Space, sandbox: Sandbox | None
) -> Iterator[Blackbox]:
    target = settings.target
    path = Path(target.name)
    if target.trusted:
        with TrustedBlackbox(path, space, seconds=target.seconds, tries=target.tries) as trusted:
            yield trusted
        return

    def boxed(open_one: Sandbox) -> Blackbox:
        return SandboxedBlackbox(
            path, space, open_one, cpu_s=target.cpu_s, memory_mib=target.memory_mib
        )

    if sandbox is not None:
        yield boxed(sandbox)
        return
    with Sandbox(
        workers=1, require=settings.require_isolation, allow_unsafe=settings.allow_unsafe_sandbox
    ) as own:
        yield boxed(own)
