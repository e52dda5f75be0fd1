"""The optimiser engine against a plain hand-written BoTorch loop, and the choice of its surrogate.

Static LogEI on Branin (40 evaluations) and Hartmann-6 (60), the 2 D + 1 Sobol points counted, the same
starts for all. `plain` is a loop written down directly with BoTorch: the same kernel, noise, restarts,
samples and step limits. Every run is one line of results/bayesopt_engine.jsonl, so that the benchmark
can be stopped and goes on; EURISKO_BENCH_SECONDS ends it early (the table says how many seeds it has).

    python -m benchmarks bayesopt_engine
"""

import json
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from eurisko.evaluators.bayesopt import Optimizer, Real, Space
from eurisko.evaluators.bayesopt.models import EXACT_NOISE, KERNELS

from .report import RESULTS, machine_facts, markdown_table, write_result

SEEDS = 10
BUDGETS = {"branin": 40, "hartmann6": 60}
METHODS = ("plain matern", "matern", "botorch", "matern-gamma")
PIECES = RESULTS / "bayesopt_engine.jsonl"


def _problem(name: str) -> Any:
    from botorch.test_functions import Branin, Hartmann

    return Branin() if name == "branin" else Hartmann(dim=6)


def _space(problem: Any) -> Space:
    low, high = problem.bounds.tolist()
    return Space([Real(f"x{at}", a, b) for at, (a, b) in enumerate(zip(low, high, strict=True))])


def _engine(problem: Any, budget: int, seed: int, surrogate: str) -> list[float]:
    optimizer = Optimizer(_space(problem), seed=seed, surrogate=surrogate)
    values = []
    for _ in range(budget):
        (suggestion,) = optimizer.ask("LogEI")
        value = float(problem(torch.tensor(list(suggestion.point.values()), dtype=torch.double)))
        optimizer.tell(suggestion.number, value)
        values.append(value)
    return values


def _plain(problem: Any, budget: int, seed: int, kernel: str) -> list[float]:
    from botorch.acquisition import LogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.manual_seed(seed)
    low, high = problem.bounds
    columns = len(low)
    starts = Optimizer(_space(problem), seed=seed).ask(count=2 * columns + 1)
    rows = torch.tensor([list(one.point.values()) for one in starts], dtype=torch.double)
    rows = (rows - low) / (high - low)
    values = -problem(low + rows * (high - low))
    cube = torch.tensor([[0.0] * columns, [1.0] * columns], dtype=torch.double)
    while len(values) < budget:
        target = ((values - values.mean()) / values.std()).unsqueeze(-1)
        model = SingleTaskGP(
            rows,
            target,
            torch.full_like(target, EXACT_NOISE),
            covar_module=KERNELS[kernel](columns),
            outcome_transform=None,
        )
        mll = ExactMarginalLogLikelihood(model.likelihood, model)
        fit_gpytorch_mll(mll, optimizer_kwargs={"options": {"maxiter": 200}})
        point, _ = optimize_acqf(
            LogExpectedImprovement(model, best_f=target.max()),
            bounds=cube,
            q=1,
            num_restarts=8,
            raw_samples=512,
            options={"maxiter": 100},
        )
        rows = torch.cat([rows, point])
        values = torch.cat([values, -problem(low + point * (high - low))])
    return [-float(value) for value in values]


def _run(method: str, name: str, seed: int) -> dict[str, Any]:
    problem = _problem(name)
    kind = method.removeprefix("plain ")
    loop: Callable[..., list[float]] = _engine if kind == method else _plain
    torch.set_num_threads(1)
    start = time.process_time()
    values = loop(problem, BUDGETS[name], seed, kind)
    regrets = np.minimum.accumulate(values) - problem.optimal_value
    return {
        "method": method,
        "problem": name,
        "seed": seed,
        "cpu_s": round(time.process_time() - start, 2),
        "regret": float(regrets[-1]),
        "area": float(regrets.sum()),
    }


def _pieces() -> list[dict[str, Any]]:
    if not PIECES.exists():
        return []
    return [json.loads(line) for line in PIECES.read_text().splitlines()]


def _table(pieces: list[dict[str, Any]]) -> str:
    rows = []
    for problem, budget in BUDGETS.items():
        for method in METHODS:
            runs = [one for one in pieces if (one["method"], one["problem"]) == (method, problem)]
            if not runs:
                continue
            regret = np.array([one["regret"] for one in runs])
            low, middle, high = np.quantile(regret, [0.25, 0.5, 0.75])
            rows.append(
                [
                    f"{problem} @{budget}, {method}",
                    str(len(runs)),
                    f"{middle:.1e}",
                    f"{low:.1e} to {high:.1e}",
                    f"{regret.max():.1e}",
                    f"{np.median([one['cpu_s'] for one in runs]):.1f}",
                ]
            )
    head = ["problem, method", "seeds", "median regret", "quartiles", "worst", "median CPU s a run"]
    return markdown_table(head, rows)


def main() -> None:
    """Run what is missing, then write the table."""
    end = time.monotonic() + float(os.environ.get("EURISKO_BENCH_SECONDS", "inf"))
    done = {(one["method"], one["problem"], one["seed"]) for one in _pieces()}
    _run("plain matern", "branin", 10_000)  # imports and first calls are nobody's cost
    for seed in range(SEEDS):
        for problem in BUDGETS:
            for method in METHODS:
                if (method, problem, seed) in done or time.monotonic() > end:
                    continue
                with PIECES.open("a") as file:
                    file.write(json.dumps(_run(method, problem, seed)) + "\n")
    facts = "\n".join(f"- {line}" for line in machine_facts("torch", "botorch", "gpytorch"))
    text = "\n\n".join([f"# Optimiser engine\n\n{__doc__}", facts, _table(_pieces())])
    write_result("bayesopt_engine", text + "\n")
