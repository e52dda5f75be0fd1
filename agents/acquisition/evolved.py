"""Evolved acquisition functions in a study: found in the knowledge base, kept in its settings."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...evaluators.bayesopt import OutsideArm, arms
from ...evaluators.errors import InputError
from .settings import EvolvedFunction, OptimisationSettings
from .target import space_of

if TYPE_CHECKING:
    from ...knowledge_base import KnowledgeBase
    from ...sandbox import Sandbox

PROBLEM = "acquisition"
LONGEST = 200
"""Characters of a description that strategists, and so models, are shown."""


def find_evolved(base: "KnowledgeBase", text: str) -> EvolvedFunction:
    """Return the best heuristic of a run, by ``RUN`` or ``NAME=RUN``.

    Without a name it is called like the run.

    Raises:
        InputError: the name is taken or none, or the run evolved something else, or nothing yet.
        UnknownRun: there is no such run.
    """
    name, equals, wanted = text.rpartition("=")
    run = base.get_run(wanted)
    name = name.strip() if equals else run.id
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", name):
        raise InputError(
            f"An arm cannot be called {name!r}: letters, digits, '-' and '_', 64 at most."
        )
    if name in arms():
        raise InputError(f"An acquisition function of the portfolio is called {name!r}.")
    if run.workflow != "evolve" or run.problem != PROBLEM:
        raise InputError(
            f"Run {run.id} is about {run.problem!r}: an arm comes from 'eurisko evolve {PROBLEM}'."
        )
    best = (run.result or {}).get("best")
    if best is None:
        raise InputError(f"Run {run.id} is {run.status} and has no best heuristic.")
    (candidate,) = base.candidates([best])
    return EvolvedFunction(
        name=name,
        help=_sentence(candidate.thought),
        code=candidate.code,
        interface=run.interface,
        version=run.problem_version,
        run=run.id,
        hash=candidate.hash,
    )


@contextmanager
def opened_arms(
    settings: OptimisationSettings, sandbox: "Sandbox | None" = None
) -> Iterator[Sequence[OutsideArm]]:
    """Yield the evolved arms of a study, ready to be asked.

    Args:
        settings: of the study.
        sandbox: an open one to use; default: one of its own.

    Raises:
        SandboxError: there is no sandbox on this machine.
    """
    if not settings.evolved:
        yield ()
    elif sandbox is not None:
        yield _arms(settings, sandbox)
    else:
        from ...sandbox import Sandbox

        with Sandbox(
            workers=1,
            require=settings.require_isolation,
            allow_unsafe=settings.allow_unsafe_sandbox,
        ) as own:
            yield _arms(settings, own)


def _arms(settings: OptimisationSettings, sandbox: "Sandbox") -> Sequence[OutsideArm]:
    from ...evaluators.problems.acquisition.arm import EvolvedArm

    dimension = len(space_of(settings).free)
    initial = settings.initial if settings.initial is not None else 2 * dimension + 1
    return [
        EvolvedArm(
            name=one.name,
            help=one.help,
            code=one.code,
            interface=one.interface,
            initial=initial,
            budget=settings.budget,
            dimension=dimension,
            sandbox=sandbox,
        )
        for one in settings.evolved
    ]


def _sentence(thought: str) -> str:
    """Return a thought as one line of bounded length."""
    line = " ".join(thought.split()) or "an evolved acquisition function"
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
