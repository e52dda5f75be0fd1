"""The optimiser engine against a plain hand-written BoTorch loop, and the choice of its surrogate.

Static LogEI on Branin (40 evaluations) and Hartmann-6 (60), the 2 D + 1 Sobol points counted, the same
starts for all. `plain` is a loop written down directly with BoTorch: the same kernel, noise, restarts,
samples and step limits, every fit from scratch. `equal fits` is that loop with the engine's fits: from
the last hyper-parameters, every fifth also from scratch. Each of its runs is followed by one of the
engine in the same process, and the overhead is the ratio of their processor times.

Every run is one line of results/bayesopt_engine.jsonl, so that the benchmark can be stopped and goes
on; EURISKO_BENCH_SECONDS ends it early (the table says how many seeds it has).

    python -m benchmarks bayesopt_engine
"""

import json
import os
import time
import warnings
from typing import Any

import numpy as np
import torch

from eurisko.evaluators.bayesopt import Optimizer, Real, Space
from eurisko.evaluators.bayesopt.models import EXACT_NOISE, KERNELS
from eurisko.evaluators.bayesopt.optimizer import FRESH

from .report import RESULTS, machine_facts, markdown_table, write_result

SEEDS = 10
BUDGETS = {"branin": 40, "hartmann6": 60}
METHODS = ("plain matern", "matern", "botorch", "matern-gamma")
EQUAL = "equal fits matern"
BESIDE = "beside matern"  # the engine again, timed next to the loop with equal fits
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


def _plain(problem: Any, budget: int, seed: int, kernel: str, warm: bool = False) -> list[float]:
    from botorch.acquisition import LogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
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
    last = None
    while len(values) < budget:
        target = ((values - values.mean()) / values.std()).unsqueeze(-1)
        if warm:
            begin = [last, None] if last and len(values) % FRESH == 0 else [last]
            tried = [_fitted(_model(rows, target, kernel, one)) for one in begin]
            model = min(tried, key=lambda one: one[1])[0]
            last = {name: one.detach().clone() for name, one in model.named_parameters()}
        else:
            model = _model(rows, target, kernel, None)
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


def _model(rows: Any, target: Any, kernel: str, start: Any) -> Any:
    """Return an unfitted model with these raw parameters (None: the kernel's own)."""
    from botorch.models import SingleTaskGP

    noise, covariance = torch.full_like(target, EXACT_NOISE), KERNELS[kernel](rows.shape[-1])
    model = SingleTaskGP(rows, target, noise, covar_module=covariance, outcome_transform=None)
    if start is not None:
        model.load_state_dict(start, strict=False)
    return model


def _fitted(model: Any) -> tuple[Any, float]:
    """Fit once from where the model stands; return it and its loss."""
    from botorch.optim.fit import fit_gpytorch_mll_scipy
    from gpytorch.mlls import ExactMarginalLogLikelihood

    mll = ExactMarginalLogLikelihood(model.likelihood, model).train()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a stopped line search still leaves the best point found
        result = fit_gpytorch_mll_scipy(mll, options={"maxiter": 200})
    mll.eval()
    return model, float(result.fval)


def _run(method: str, name: str, seed: int) -> dict[str, Any]:
    problem = _problem(name)
    kind = method.rpartition(" ")[2]
    torch.set_num_threads(1)
    start = time.process_time()
    if method in (kind, BESIDE):
        values = _engine(problem, BUDGETS[name], seed, kind)
    else:
        values = _plain(problem, BUDGETS[name], seed, kind, warm=method == EQUAL)
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
        for method in (*METHODS, EQUAL, BESIDE):
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


def _overhead(pieces: list[dict[str, Any]]) -> str:
    """Return the engine's processor time over that of the loop with equal fits, seed by seed."""
    rows = []
    for problem in BUDGETS:
        loop, engine = (
            {one["seed"]: one for one in pieces if (one["method"], one["problem"]) == (m, problem)}
            for m in (EQUAL, BESIDE)
        )
        seeds = sorted(set(loop) & set(engine))
        if not seeds:
            continue
        times = np.array([[one[seed]["cpu_s"] for seed in seeds] for one in (engine, loop)])
        better = sum(engine[seed]["regret"] < loop[seed]["regret"] for seed in seeds)
        row = [problem, str(len(seeds)), f"{times[0].sum() / times[1].sum():.2f}"]
        rows.append([*row, f"{np.median(times[0] / times[1]):.2f}", f"{better} of {len(seeds)}"])
    head = ["problem", "seeds", "CPU engine / loop", "median of seeds", "engine's regret lower"]
    return markdown_table(head, rows)


def main() -> None:
    """Run what is missing, then write the table."""
    end = time.monotonic() + float(os.environ.get("EURISKO_BENCH_SECONDS", "inf"))
    done = {(one["method"], one["problem"], one["seed"]) for one in _pieces()}
    _run(EQUAL, "branin", 10_000)  # imports and first calls are nobody's cost
    for seed in range(SEEDS):
        for problem in BUDGETS:
            for method in (*METHODS, EQUAL, BESIDE):
                if (method, problem, seed) in done or time.monotonic() > end:
                    continue
                with PIECES.open("a") as file:
                    file.write(json.dumps(_run(method, problem, seed)) + "\n")
    facts = "\n".join(f"- {line}" for line in machine_facts("torch", "botorch", "gpytorch"))
    parts = [f"# Optimiser engine\n\n{__doc__}", facts, _table(_pieces())]
    text = "\n\n".join([*parts, "## Overhead, with equal fits", _overhead(_pieces())])
    write_result("bayesopt_engine", text + "\n")
