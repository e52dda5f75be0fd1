"""``eurisko solve``: one routing file to one verified plan, without a conversation."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from .evolve import BudgetCalls, BudgetSeconds, BudgetTokens, BudgetUsd
from .output import Json, fail, friendly, print_json
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
    usage_json,
    usage_words,
)

if TYPE_CHECKING:
    from ..agents.models import ModelGateway
    from ..agents.routing.description import Description
    from ..agents.routing.session import RoutingSession

NO_ANSWER, NO_PLAN, UNCLEAR, CONTRADICTION = 2, 3, 4, 5
_LEAST_SEARCH = 5.0  # seconds for the reasons why there is no plan
_MOST_SHOWN = 60  # nodes whose schedule still fits a terminal
_QUESTIONS = ("return", "load_rule", "rounding", "fleet_size", "objective")


@friendly
def solve(
    file: Annotated[Path, typer.Argument(help="A routing file: VRPLIB, Solomon, JSON or CSV.")],
    text: Annotated[
        str | None,
        typer.Argument(help='What else holds: "no driver over 9 hours; at most 4 vehicles".'),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Take the defaults of open questions; no asking.")
    ] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Solve although the file contradicts itself.")
    ] = False,
    seconds: Annotated[float, typer.Option(help="Seconds for each solver.", min=0.1)] = 5.0,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of the solvers.")] = 0,
    returns: Annotated[
        str | None, typer.Option("--return", help="closed or open: whether vehicles return.")
    ] = None,
    load_rule: Annotated[
        str | None, typer.Option(help="backhaul, mixed_backhaul or mixed_backhaul_staged.")
    ] = None,
    rounding: Annotated[
        str | None, typer.Option(help="none, nearest, ceil, floor, dimacs or exact.")
    ] = None,
    fleet_size: Annotated[
        str | None, typer.Option(help="Number of vehicles, or unlimited.")
    ] = None,
    objective: Annotated[
        str | None, typer.Option(help="Measures in order: 'vehicles, then cost'.")
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Solve by memory, created or reference alone.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for plan, tables and pictures.")] = None,
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
    as_json: Json = False,
) -> None:
    """Analyse FILE, apply what TEXT says, solve, verify by the checker, and show the plan.

    Exit status: 0 a verified plan; 1 unusable input; 2 open questions without --yes; 3 no plan
    (with the reasons); 4 TEXT is not understood; 5 the file contradicts itself (--anyway goes on).
    """
    from ..agents.routing.session import RoutingSession
    from ..agents.routing.session.origins import make_sources

    limits = (budget_calls, budget_tokens, budget_usd, budget_seconds)
    access = (model, base_url, api_key_env, model_timeout)
    gateway = open_model(*access, *limits)
    settings = create_settings(*access, *limits, allow_unsafe_sandbox)
    with gateway or nullcontext():
        session = RoutingSession.load(
            file,
            make_sources(settings, None if yes else _described),
            **csv_options(file, column, ignore_column),
        )
        given = (returns, load_rule, rounding, fleet_size, objective)
        for key, option in zip(_QUESTIONS, given, strict=True):
            if option is not None:
                session.answer(key, option)
        if text:
            _apply(session, text, gateway, yes, as_json)
        _settle(session, yes, as_json)
        _contradictions(session, anyway, as_json)
        _solve(session, seconds, seed, only, out, gateway, as_json)


def _apply(
    session: "RoutingSession",
    text: str,
    gateway: "ModelGateway | None",
    yes: bool,
    as_json: bool,
) -> None:
    """Apply what a text says; all of it must be clear."""
    from ..agents.routing.interpret import UNKNOWN, understand
    from .routing_show import plain

    meaning = understand(text, session.task, session.questions, gateway)
    if meaning.unclear:
        part = meaning.unclear[0]
        reason = "" if part.why == UNKNOWN else f": {part.why.rstrip('.')}"
        message = f"{part.text!r} is {'not understood' if not reason else 'not clear'}{reason}."
        if part.examples:
            message += f" Clear would be for example '{part.examples[0]}'."
        _stop(session, message, UNCLEAR, as_json)
    task = session.task
    sentences = []
    for change in meaning.changes:
        sentences.append(change.sentence(task))
        task = change.apply(task)
    if not as_json:
        for sentence in sentences:
            typer.echo(plain(f"  {sentence}").plain)
    if not (yes or _agreed(bool(meaning.changes), meaning.by == "model", as_json)):
        message = f"Nothing was changed: {' '.join(sentences)} --yes agrees beforehand."
        _stop(session, message, NO_ANSWER, as_json)
    for change in meaning.changes:
        session.change(change, text)


def _agreed(changes: bool, by_model: bool, as_json: bool) -> bool:
    """Ask on a terminal; elsewhere what rules read is agreed, what a model read is not."""
    if not changes:
        return True
    if as_json or not sys.stdin.isatty():
        return not by_model
    return typer.confirm("Change it so?", default=True, err=True)


def _described(description: "Description") -> bool:
    """Ask whether a description is right before a solver is written for it."""
    typer.echo("\n".join(description.lines()), err=True)
    if not sys.stdin.isatty():
        return False
    return typer.confirm("Write a solver for this problem?", default=True, err=True)


def _settle(session: "RoutingSession", yes: bool, as_json: bool) -> None:
    """Take the defaults of open questions, ask on a terminal, or stop."""
    if yes or not session.questions:
        return
    if as_json or not sys.stdin.isatty():
        keys = ", ".join(f"{one.key} ({' or '.join(one.options)})" for one in session.questions)
        message = (
            f"The file does not say: {keys}. Say it by options, or take the defaults by --yes."
        )
        _stop(session, message, NO_ANSWER, as_json)
    for question in session.questions:
        options = ", ".join(question.options)
        answer = typer.prompt(f"{question.text} ({options})", default=question.default, err=True)
        session.answer(question.key, answer)


def _contradictions(session: "RoutingSession", anyway: bool, as_json: bool) -> None:
    from ..evaluators.routing.analysis import Severity

    errors = [one for one in session.analysis.findings if one.severity is Severity.ERROR]
    if errors and not anyway:
        nodes = f" (nodes {', '.join(errors[0].nodes)})" if errors[0].nodes else ""
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        message = (
            f"{errors[0].topic}: {errors[0].message}{nodes}{more}; --anyway solves all the same."
        )
        _stop(session, message, CONTRADICTION, as_json)


def _solve(
    session: "RoutingSession",
    seconds: float,
    seed: int,
    only: str | None,
    out: Path | None,
    gateway: "ModelGateway | None",
    as_json: bool,
) -> None:
    from ..agents.routing.session import NoPlan
    from ..agents.routing.session.exporting import export
    from ..agents.routing.session.summary import plan_summary, problem_summary
    from .routing_show import (
        make_console,
        plain,
        show_problem,
        show_schedule,
        show_slack,
        show_solved,
    )
    from .routing_why import show_why, why_summary

    console = make_console()
    if not as_json:
        show_problem(console, session)
    try:
        solved, report = session.solve(
            seconds, seed, lambda line: typer.echo(line, err=True), only=only
        )
    except NoPlan as error:
        why = session.why(max(_LEAST_SEARCH, 2 * seconds), seed)
        message = f"{str(error)[:1].upper()}{str(error)[1:]}"
        if not as_json:
            show_why(console, why)
        _stop(session, message, NO_PLAN, as_json, why=why_summary(why))
    files, left = export(session, out) if out is not None else ([], [])
    if as_json:
        plan = plan_summary(session, solved, report)
        names = [str(path) for path in files]
        more = {"solution": plan, "files": names, "model": usage_json(gateway)}
        print_json({**problem_summary(session), **more})
        return
    show_solved(console, session, solved, report)
    if session.task.instance.size <= _MOST_SHOWN:
        show_schedule(console, session, report)
    else:
        console.print(plain("The schedule is in --json and in the files of --out.", "dim"))
    show_slack(console, report)
    if spent := usage_words(gateway):
        console.print(plain(spent, "dim"))
    for path in files:
        console.print(plain(f"  {path}"), soft_wrap=True)
    for sentence in left:
        console.print(plain(f"  {sentence}", "dim"), soft_wrap=True)


def _stop(
    session: "RoutingSession", message: str, code: int, as_json: bool, **more: Any
) -> NoReturn:
    """End with one sentence on standard error; as JSON with all that is known of the problem."""
    from ..agents.routing.session.summary import problem_summary
    from .routing_show import plain

    message = plain(message).plain
    if as_json:
        print_json({"error": message, **problem_summary(session), **more})
    fail(message, code=code)
