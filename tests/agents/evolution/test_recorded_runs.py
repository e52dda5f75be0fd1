"""Runs of a capable model, recorded, are replayed to the same best program."""

from collections.abc import Callable
from pathlib import Path

import pytest
from recorded import FOLDER, load_scores, recording, saved

from eurisko.agents.evolution import EvolutionSettings, RunReport
from eurisko.agents.evolution.evaluation import Evaluator
from eurisko.evaluators import evaluate, get_problem
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Limits, OutcomeKind, Sandbox

NAMES = sorted(path.name.removesuffix(".jsonl.gz") for path in FOLDER.glob("*.jsonl.gz"))


def test_both_problems_are_recorded() -> None:
    """There is a recorded run of TSP construction and one of online bin packing."""
    assert {"bin_packing_online", "tsp_construct"} <= set(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_run_ends_with_the_same_best_program(
    name: str,
    base: KnowledgeBase,
    sandbox: Sandbox,
    evolve: Callable[..., RunReport],
    tmp_path: Path,
) -> None:
    """Every prompt is asked again word by word, and what wins is what won; nothing else is evaluated.

    The champion is then run anew on a data set that the search never saw, and scores as recorded.
    """
    kept = saved(name)
    problem = get_problem(kept["settings"]["problem"])
    interface = problem.spec.default_interface
    settings = EvolutionSettings.model_validate(
        {**kept["settings"], "model": recording(name, tmp_path), "runs_folder": tmp_path / "runs"}
    )
    limits = Limits(cpu_s=kept["settings"]["cpu_s"])
    evaluator = Evaluator(base, sandbox, problem, interface, limits)
    assert load_scores(name, base, evaluator) > 60
    report = evolve(settings, base)
    assert report.spent.calls == kept["calls"] >= 60
    (best,) = base.candidates([base.get_run(report.run.id).result["best"]])
    assert best.hash == kept["best"]
    data = problem.dataset(problem.spec.splits["test"][0])
    again = evaluate(sandbox, problem, interface, best.code, data, Limits(cpu_s=60.0))
    (recorded,) = [
        one for one in kept["scores"] if one["program"] == best.hash and one["dataset"] == data.name
    ]
    assert again.kind is OutcomeKind.OK
    assert again.objective == pytest.approx(recorded["objective"], abs=1e-6)
