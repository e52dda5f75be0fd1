"""Does tuning of constants pay? Offline runs with and without it, at equal numbers of evaluations.

``python -m benchmarks.tuning tsp_construct --evaluations 500 --seeds 7 --caps 0 30 60``: a run ends
after the first selection by which it has evaluated that many programs, and the best of them on the
search split is measured on validation and test.
"""

import argparse
import contextlib
import statistics
import tempfile
import threading

from eurisko.agents.evolution import (
    Evaluator,
    EvolutionSettings,
    Interrupted,
    Progress,
    evolve,
    summarise,
)
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Limits, Sandbox

from .report import markdown_table


def measured(
    sandbox: Sandbox, name: str, seed: int, cap: int, evaluations: int
) -> dict[str, float]:
    """Return the best gap on search, and that heuristic's on the other data sets, in %."""
    problem, stop = get_problem(name), threading.Event()

    def listen(kind: str, progress: Progress) -> None:
        if kind == "selected" and progress.evaluations >= evaluations:
            stop.set()

    with (
        tempfile.TemporaryDirectory() as folder,
        KnowledgeBase(f"sqlite:///{folder}/kb.db") as base,
    ):
        settings = EvolutionSettings.model_validate(
            {
                "problem": name,
                "seed": seed,
                "generations": 10_000,
                "tune": cap > 0,
                "tune_evaluations": max(1, cap),
                "runs_folder": folder,
            }
        )
        with contextlib.suppress(Interrupted):
            evolve(settings, base, sandbox=sandbox, listener=listen, stop=stop)
        (run,) = base.runs()
        report = summarise(base, run, problem)
        assert report.best is not None and report.objective is not None
        evaluator = Evaluator(base, sandbox, problem, run.interface, Limits(cpu_s=60.0))
        found = {"search": report.objective}
        for dataset in (*problem.spec.splits["validation"], *problem.spec.splits["test"]):
            data = problem.dataset(dataset)
            result = evaluator.run({report.best.hash: report.best.code}, data)[report.best.hash]
            found[dataset] = float("nan") if result.objective is None else result.objective
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem")
    parser.add_argument("--evaluations", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=7)
    parser.add_argument("--caps", type=int, nargs="+", default=[0, 30, 60])
    given = parser.parse_args()
    with Sandbox(workers=2) as sandbox:
        results = {
            cap: [
                measured(sandbox, given.problem, seed, cap, given.evaluations)
                for seed in range(1, given.seeds + 1)
            ]
            for cap in given.caps
        }
    rows = []
    for cap, runs in results.items():
        medians = [f"{statistics.median(run[name] for run in runs):.2f}" for name in runs[0]]
        mean = statistics.mean(run["search"] for run in runs)
        rows.append([str(cap or "none"), f"{mean:.2f}", *medians])
    names = list(results[given.caps[0]][0])
    head = ["evaluations per moment", "mean: search", *(f"median: {name}" for name in names)]
    print(markdown_table(head, rows))


if __name__ == "__main__":
    main()
