"""``eurisko optimize``: Bayesian optimisation of a black box."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .evolve import BudgetCalls, BudgetSeconds, BudgetTokens, BudgetUsd, Quiet
from .output import Json, fail, friendly

if TYPE_CHECKING:
    from ..agents.acquisition import Target


@friendly
def optimize(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET",
            help="A benchmark function (branin, hartmann6, ...), a Python file with "
            "'def objective(...)', '-- COMMAND with {x}', or ask / tell with --study.",
        ),
    ],
    space: Annotated[
        Path | None, typer.Option(help="The parameters, as YAML; see docs/optimize.md.")
    ] = None,
    budget: Annotated[
        int, typer.Option("--budget", "-n", help="Evaluations in all, failed ones included.")
    ] = 50,
    strategist: Annotated[
        str | None,
        typer.Option(
            help="Who picks the acquisition function: lmabo (asks --model), rules, hedge, no-past, "
            "setup, esp, random, alternate or static:NAME. Default: lmabo with a model, else rules."
        ),
    ] = None,
    arms: Annotated[
        str | None, typer.Option(help="Acquisition functions to choose from: LogEI,UCB,TS,...")
    ] = None,
    arm: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]RUN",
            help="Also the best acquisition function of this run of 'eurisko evolve acquisition'; "
            "for --strategist static:NAME too.",
        ),
    ] = None,
    maximise: Annotated[
        bool | None, typer.Option("--maximise/--minimise", help="Which values are good.")
    ] = None,
    noisy: Annotated[bool, typer.Option("--noisy", help="Values carry noise.")] = False,
    initial: Annotated[
        int | None, typer.Option(help="Size of the space-filling start; default 2 D + 1.")
    ] = None,
    surrogate: Annotated[str, typer.Option(help="matern or botorch.")] = "matern",
    seed: Annotated[int, typer.Option("--seed", "-s")] = 0,
    trusted: Annotated[
        bool, typer.Option("--trusted", help="Run a Python file as it is, without the sandbox.")
    ] = False,
    timeout: Annotated[
        float | None,
        typer.Option(help="Seconds of one evaluation; in the sandbox CPU seconds (default 60)."),
    ] = None,
    tries: Annotated[
        int, typer.Option(help="How often an evaluation that broke is tried at most.")
    ] = 1,
    memory: Annotated[
        str, typer.Option(help="What a model sees of earlier steps: recent, or full (all turns).")
    ] = "recent",
    model: Annotated[
        str | None,
        typer.Option(
            envvar="EURISKO_MODEL",
            help="openai/NAME, PROVIDER/NAME through LiteLLM, replay:FILE or manual:FOLDER.",
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(envvar="EURISKO_BASE_URL", help="Address of the model's endpoint."),
    ] = None,
    api_key_env: Annotated[
        str | None,
        typer.Option(help="Name of the environment variable that holds the model's key."),
    ] = None,
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature.")] = 0.0,
    model_timeout: Annotated[
        float, typer.Option(help="Seconds that one model call may take.")
    ] = 120.0,
    budget_calls: BudgetCalls = None,
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    study: Annotated[
        str | None, typer.Option(help="ask, tell: the study's name, or its run's id.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="ask: how many points.")] = 1,
    number: Annotated[int | None, typer.Option(help="tell: which trial.")] = None,
    value: Annotated[float | None, typer.Option(help="tell: what was measured.")] = None,
    noise: Annotated[
        float | None, typer.Option(help="tell: standard deviation of the value.")
    ] = None,
    failed: Annotated[str | None, typer.Option(help="tell: it failed, and why.")] = None,
    runs_folder: Annotated[Path, typer.Option(help="Where run folders are made.")] = Path("runs"),
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Optimise TARGET; every suggestion is stored before it is evaluated, and any run resumes."""
    from ..agents.acquisition import OptimisationSettings
    from . import optimize_run as running

    if what[0] == "tell" and len(what) == 1:
        running.tell(study, number, value, noise, failed, as_json)
        return
    asks = what[0] == "ask" and len(what) == 1
    if asks and study is None:
        fail("Name the study that you ask: --study NAME.", as_json=as_json)
    if asks and space is None:
        running.ask(study or "", None, count, as_json)
        return
    settings = OptimisationSettings.model_validate(
        {
            "target": _target(what, study if asks else None, space, trusted, timeout, tries),
            "budget": budget,
            "strategist": strategist or ("lmabo" if model else "rules"),
            "arms": tuple(one.strip() for one in arms.split(",")) if arms else (),
            "evolved": _evolved(arm or []),
            "seed": seed,
            "minimise": None if maximise is None else not maximise,
            "noisy": noisy,
            "initial": initial,
            "surrogate": surrogate,
            "recall": memory,
            "model": model,
            "base_url": base_url,
            "api_key_env": api_key_env,
            "temperature": temperature,
            "model_timeout_s": model_timeout,
            "budgets": {
                "calls": budget_calls,
                "tokens": budget_tokens,
                "usd": budget_usd,
                "seconds": budget_seconds,
            },
            "runs_folder": runs_folder,
        }
    )
    if asks:
        running.ask(study or "", settings, count, as_json)
    else:
        running.start(settings, quiet, as_json)


def _evolved(arms: list[str]) -> list[dict[str, Any]]:
    """Return evolved acquisition functions from the knowledge base."""
    from ..agents.acquisition import find_evolved
    from ..knowledge_base import KnowledgeBase

    if not arms:
        return []
    with KnowledgeBase() as base:
        return [find_evolved(base, one).model_dump() for one in arms]


def _target(
    what: list[str],
    study: str | None,
    space: Path | None,
    trusted: bool,
    timeout: float | None,
    tries: int,
) -> "Target":
    """Return what the words on the command line name."""
    from ..agents.acquisition import Target
    from ..evaluators.blackbox import read_space_file

    more: dict[str, Any] = {"seconds": timeout, "tries": tries}
    more["space"] = None if space is None else read_space_file(space)
    if study is not None:
        return Target(kind="told", name=study, **more)
    if len(what) > 1 or "{" in what[0]:
        return Target(kind="command", name=Path(what[0]).name, command=tuple(what), **more)
    if what[0].endswith(".py"):
        if timeout is not None:
            more["cpu_s"] = timeout
        path = str(Path(what[0]).absolute())
        return Target(kind="file", name=path, trusted=trusted, **more)
    return Target(kind="function", name=what[0], **more)
