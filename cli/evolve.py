"""``eurisko evolve`` and ``eurisko resume``."""

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .batch import cluster
from .output import Device, Json, fail, friendly

if TYPE_CHECKING:
    from ..agents.evolution.events import Listener
    from ..agents.evolution.report import RunReport

Ray = Annotated[
    str | None,
    typer.Option(
        help="Evaluate on a Ray cluster: HOST:PORT of its head, auto, or local to start one here "
        "(extra 'ray')."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
BudgetCalls = Annotated[
    int | None, typer.Option("--budget-calls", min=1, help="End after this many model calls.")
]
BudgetTokens = Annotated[
    int | None, typer.Option("--budget-tokens", min=1, help="End after this many tokens.")
]
BudgetUsd = Annotated[
    float | None, typer.Option("--budget-usd", help="End after this many US dollars.")
]
BudgetSeconds = Annotated[
    float | None, typer.Option("--budget-seconds", help="End after this many seconds.")
]


@friendly
def evolve(
    problem: Annotated[
        str | None, typer.Argument(help="The problem's name, for example tsp_construct.")
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(help="Evolve a function of this created solver instead of a PROBLEM."),
    ] = None,
    function: Annotated[
        str | None, typer.Option(help="Of --solver: initial, destroy or insert.")
    ] = None,
    instances: Annotated[
        list[Path] | None,
        typer.Option(help="Instance files for --solver; default: that of its creation."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            envvar="EURISKO_MODEL",
            help="openai/NAME (any OpenAI-compatible endpoint), PROVIDER/NAME through LiteLLM, "
            "replay:FILE or manual:FOLDER. Without it, typed genetic programming proposes.",
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
    fallback_model: Annotated[
        str | None, typer.Option(help="Model to ask when the first one fails.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature.")] = None,
    model_timeout: Annotated[
        float, typer.Option(help="Seconds that one model call may take.")
    ] = 120.0,
    concurrency: Annotated[int, typer.Option(help="Model calls under way at once.")] = 4,
    interface: Annotated[
        str | None, typer.Option(help="How heuristics are written: batched or scalar.")
    ] = None,
    generations: Annotated[int, typer.Option("--generations", "-g")] = 8,
    population: Annotated[int, typer.Option("--population", "-p")] = 8,
    seed: Annotated[int, typer.Option("--seed", "-s")] = 0,
    objective: Annotated[
        str,
        typer.Option(
            help="gap: the best survive; gap+time: those that trade gap for CPU time best (NSGA-II)."
        ),
    ] = "gap",
    strategy: Annotated[
        str,
        typer.Option(
            help="hifo, eoh, hifo-no-foresight, hifo-no-hindsight, hifo-random-regime, random or "
            "oneplusone."
        ),
    ] = "hifo",
    diversity: Annotated[
        str,
        typer.Option(
            help="What the navigator compares: description (published), code, behaviour (scores per "
            "instance) or decisions."
        ),
    ] = "description",
    constants: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A constant of the mechanism, such as navigator.stagnation=4. Repeatable."
        ),
    ] = None,
    fresh_insights: Annotated[
        bool, typer.Option("--fresh-insights", help="Begin without what earlier runs have learnt.")
    ] = False,
    repair: Annotated[
        bool, typer.Option(help="Ask the model once to mend a program that failed.")
    ] = True,
    steady: Annotated[
        bool,
        typer.Option(
            "--async",
            help="Steady state: breed from each result at once instead of in batches, so that a slow "
            "candidate holds up nobody.",
        ),
    ] = False,
    tune: Annotated[
        bool | None,
        typer.Option(
            "--tune/--no-tune",
            help="Tune the constants of each new best heuristic by --tuner, without asking a model; "
            "default: only where no model proposes.",
        ),
    ] = None,
    tuner: Annotated[
        str, typer.Option(help="cma (CMA-ES), or bayes (Bayesian optimisation).")
    ] = "cma",
    tune_evaluations: Annotated[
        int,
        typer.Option(min=1, help="Programs that tuning may try for one heuristic."),
    ] = 60,
    budget_calls: BudgetCalls = None,
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    workers: Annotated[
        int | None, typer.Option(help="Candidates evaluated at once; default: one per core.")
    ] = None,
    cpu_seconds: Annotated[
        float | None,
        typer.Option(
            help="CPU seconds that a candidate may use on one data set; default: the problem's limit "
            "per instance, and at least 10."
        ),
    ] = None,
    ray: Ray = None,
    memory_mib: Annotated[int, typer.Option(help="Memory that a candidate may use.")] = 2048,
    device: Device = "cpu",
    require_isolation: Annotated[
        str, typer.Option(help="Refuse to run programs below this level of the sandbox: L1 to L4.")
    ] = "L2",
    allow_unsafe_sandbox: Annotated[
        bool,
        typer.Option("--allow-unsafe-sandbox", help="Run even where programs are not confined."),
    ] = False,
    runs_folder: Annotated[Path, typer.Option(help="Where run folders are made.")] = Path("runs"),
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Evolve heuristics for PROBLEM; everything is stored, and any run can be resumed."""
    from ..agents.evolution import EvolutionSettings
    from ..agents.evolution import evolve as run
    from .evolve_solver import problem_of

    problem = problem_of(problem, solver, function, instances or [], runs_folder, model)
    settings = EvolutionSettings.model_validate(
        {
            "problem": problem,
            "interface": interface,
            "generations": generations,
            "population": population,
            "seed": seed,
            "objective": objective,
            "strategy": strategy,
            "diversity": diversity,
            "transfer": not fresh_insights,
            "repair": repair,
            "schedule": "steady" if steady else "generational",
            "tune": tune,
            "tuner": tuner,
            "tune_evaluations": tune_evaluations,
            **_constants(constants or [], as_json),
            "model": model,
            "base_url": base_url,
            "api_key_env": api_key_env,
            "fallback_model": fallback_model,
            "temperature": temperature,
            "model_timeout_s": model_timeout,
            "concurrency": concurrency,
            "budgets": {
                "calls": budget_calls,
                "tokens": budget_tokens,
                "usd": budget_usd,
                "seconds": budget_seconds,
            },
            "workers": workers,
            "cpu_s": cpu_seconds,
            "memory_mib": memory_mib,
            "device": device,
            "require_isolation": require_isolation.upper(),
            "allow_unsafe_sandbox": allow_unsafe_sandbox,
            "runs_folder": runs_folder,
        }
    )
    if model is None and not quiet:
        sys.stderr.write(
            "No model is configured: typed genetic programming proposes the heuristics, without a "
            "language model (--model openai/NAME uses one). It follows the navigator's regime; "
            "insights are texts, which it does not read.\n"
        )
    with cluster(ray, workers) as executor:
        _watched(
            lambda listener, stop: run(settings, listener=listener, stop=stop, executor=executor),
            quiet,
            as_json,
        )


@friendly
def resume(
    run: Annotated[str, typer.Argument(help="A run's id, a unique beginning of it, or 'last'.")],
    budget_calls: BudgetCalls = None,
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    ray: Ray = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Go on with a run that was killed, interrupted, failed, or stopped by a budget."""
    from ..agents.evolution import Budgets
    from ..agents.evolution import resume as resume_run
    from . import created_run
    from .optimize_run import go_on, is_optimisation

    budgets = Budgets(
        calls=budget_calls, tokens=budget_tokens, usd=budget_usd, seconds=budget_seconds
    )
    if is_optimisation(run):
        go_on(run, budgets, quiet, as_json)
        return
    if created_run.is_creation(run):
        created_run.go_on(run, budgets, quiet, as_json)
        return
    with cluster(ray, None) as executor:
        _watched(
            lambda listener, stop: resume_run(
                run, budgets=budgets, listener=listener, stop=stop, executor=executor
            ),
            quiet,
            as_json,
        )


def _constants(given: list[str], as_json: bool) -> dict[str, dict[str, Any]]:
    """Return the settings that ``--set GROUP.NAME=VALUE`` asks for."""
    groups: dict[str, dict[str, Any]] = {}
    for one in given:
        name, equals, text = one.partition("=")
        group, _, constant = name.strip().partition(".")
        if not equals or not constant or group not in ("navigator", "hindsight"):
            fail(
                f"--set {one} is not usable: write navigator.NAME=VALUE or hindsight.NAME=VALUE, "
                "for example navigator.stagnation=4.",
                as_json=as_json,
            )
        try:
            value = json.loads(text)
        except ValueError:
            value = text.strip()
        groups.setdefault(group, {})[constant] = value
    return groups


def _watched(
    work: Callable[["Listener", threading.Event], "RunReport"], quiet: bool, as_json: bool
) -> None:
    from ..agents.evolution import Interrupted
    from .running import watched
    from .show import print_result
    from .watch import watch

    watched(work, watch(quiet), print_result, Interrupted, as_json)
