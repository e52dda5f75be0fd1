"""``eurisko chat``: a conversation about a routing problem."""

import signal
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .evolve import BudgetCalls, BudgetSeconds, BudgetTokens, BudgetUsd
from .output import friendly, known_errors
from .routing_model import (
    AllowUnsafe,
    BaseUrl,
    Columns,
    IgnoredColumns,
    KeyVariable,
    Model,
    ModelTimeout,
    create_settings,
    csv_options,
    open_model,
    usage_words,
)

if TYPE_CHECKING:
    from .chat_desk import Desk


@friendly
def chat(
    file: Annotated[
        Path | None, typer.Argument(help="A routing file, or a saved session.", show_default=False)
    ] = None,
    seconds: Annotated[float, typer.Option(help="Seconds for each solver.", min=0.1)] = 5.0,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the solvers.")] = 0,
    last: Annotated[
        bool, typer.Option("--last", help="Go on with the last saved session.")
    ] = False,
    column: Columns = None,
    ignore_column: IgnoredColumns = None,
    model: Model = None,
    base_url: BaseUrl = None,
    api_key_env: KeyVariable = None,
    model_timeout: ModelTimeout = 120.0,
    budget_calls: BudgetCalls = None,
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    allow_unsafe_sandbox: AllowUnsafe = False,
) -> None:
    """Talk about a vehicle-routing problem: what a file says, what you change, a verified plan.

    Ctrl-C stops what is running, Ctrl-D saves and leaves. History and sessions are kept in
    $XDG_STATE_HOME/eurisko (by default ~/.local/state/eurisko).
    """
    from ..agents.routing.session.origins import make_sources
    from .chat_desk import Desk
    from .chat_input import open_lines, state_folder
    from .chat_talk import NO_MODEL, WITH_MODEL, Talk
    from .output import fail

    # A shell that starts a program in the background has it ignore Ctrl-C; a conversation heeds it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if last:
        saved = sorted(
            (state_folder() / "sessions").glob("*.json"), key=lambda p: p.stat().st_mtime
        )
        if not saved:
            fail(f"There is no saved session in {state_folder() / 'sessions'}.")
        file = saved[-1]
    limits = (budget_calls, budget_tokens, budget_usd, budget_seconds)
    access = (model, base_url, api_key_env, model_timeout)
    gateway = open_model(*access, *limits)
    settings = create_settings(*access, *limits, allow_unsafe_sandbox)
    desk = Desk(gateway=gateway, seconds=seconds, seed=seed)
    talk = Talk(desk, open_lines(desk.options))
    desk.sources = make_sources(settings, talk.described)
    talk.greet(NO_MODEL if gateway is None else WITH_MODEL.format(model=model))
    if file is not None:
        options = csv_options(file, column, ignore_column)
        _guarded(desk, lambda: desk.begin(file, **options))
    with gateway or nullcontext():
        while True:
            try:
                line = talk.lines.read("> ")
            except KeyboardInterrupt:
                continue
            if line is None or not _guarded(desk, partial(talk.handle, line)):
                break
    if spent := usage_words(gateway):
        typer.echo(spent)
    kept = desk.keep()
    if kept is not None:
        typer.echo(f"The session is saved; go on with: eurisko chat {kept}")


def _guarded(desk: "Desk", step: Callable[[], bool]) -> bool:
    """Do one step; what goes wrong ends this step only, not the conversation."""
    try:
        return step()
    except KeyboardInterrupt:
        desk.complain("Stopped; the problem is as it was.")
    except Exception as error:  # sorted by kind; what is not for the user is raised again
        if not isinstance(error, known_errors()):
            raise
        desk.complain(f"Not possible: {' '.join(str(error).split())}")
    return True
