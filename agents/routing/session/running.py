"""Runs a created solver on a session's problem: in the sandbox, and only for its routes."""

from typing import TYPE_CHECKING

from .sources import Answer, Request

if TYPE_CHECKING:
    from ....sandbox import Sandbox


def run_code(sandbox: "Sandbox", code: str, solver: str, request: Request) -> Answer:
    """Run a program; the session checks what it returns.

    Args:
        sandbox: an open sandbox.
        code: the whole program.
        solver: its name, for the user.
        request: the problem as it stands.
    """
    from ....evaluators.routing.created import run_created

    text, reading = request.file()
    request.listener(f"{solver}, {request.seconds:g} s in the sandbox")
    run = run_created(
        sandbox, code, text, reading.instance, seconds=request.seconds, seed=request.seed
    )
    return Answer(
        solver,
        run.plan,
        why=" ".join(run.reason.split()).rstrip("."),
        claimed=run.claimed,
        seconds=run.seconds,
        code=code,
    )


def open_sandbox() -> "Sandbox":
    """Open a sandbox of the usual isolation."""
    from ....sandbox import Sandbox

    return Sandbox(workers=1)
