"""Evolution without a language model: better than the seed, repeatable, and not to be killed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.runs import cli, comparable, digest, last_json

from eurisko.agents.evolution import EvolutionError, EvolutionSettings
from eurisko.evaluators import get_problem, program_hash
from eurisko.knowledge_base import KnowledgeBase

QUICK = "job_shop"
"""The problem that is cheapest to evaluate, for what holds on all."""
SMALL = ["evolve", QUICK, "-g", "2", "-p", "4", "-s", "11", "--json", "--quiet"]
SMALL += ["--tune-evaluations", "10"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, list]:
    """The report and the digest of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("whole")
    report = last_json(cli(SMALL, folder).stdout)
    with KnowledgeBase(f"sqlite:///{folder / 'kb.db'}") as base:
        return comparable(report), digest(base, report["run"])


def test_a_run_improves_on_the_seed_and_leaves_its_files(
    base: KnowledgeBase, settings: Callable[..., EvolutionSettings], evolve: Any
) -> None:
    """The best beats the seed on the search split, and every split is measured."""
    report = evolve(settings(problem=QUICK, generations=2, population=4), base)
    plain = report.to_json()
    assert plain["status"] == "finished"
    search = plain["splits"]["search"][0]
    assert search["objective"] < search["seed_objective"]
    for results in plain["splits"].values():
        assert all(one["objective"] is not None for one in results)
        assert all(one["seed_objective"] is not None for one in results)
    assert len(plain["splits"]["test"]) == 7
    assert (plain["calls"], plain["tokens"], plain["usd"]) == (0, 0, 0.0)
    assert plain["candidates"] == 1 + 2 * 4 + 2 * 5 * 4
    folder = Path(plain["folder"])
    assert (folder / "convergence.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "best.py").is_file() and (folder / "report.json").is_file()
    assert not list(folder.glob("*.partial*"))
    best = [entry[0] for entry in plain["history"]]
    assert len(best) == 3 and best == sorted(best, reverse=True)


def test_the_seed_heuristic_is_the_first_candidate(
    base: KnowledgeBase, settings: Callable[..., EvolutionSettings], evolve: Any
) -> None:
    """Every population starts from the problem's own heuristic, with no parents."""
    report = evolve(settings(generations=0), base)
    first = base.run_candidates(report.run.id)[0]
    seed = get_problem("tsp_construct").spec.interfaces["batched"].seed
    assert (first.key, first.hash) == ("g0/seed/0", program_hash(seed))
    assert first.parents == []


def test_no_program_is_evaluated_twice(
    base: KnowledgeBase, settings: Callable[..., EvolutionSettings], evolve: Any
) -> None:
    """A second run with the same seed evaluates nothing, and finds the same."""
    evaluated: list[int] = []

    def listen(kind: str, progress) -> None:
        if kind == "finished":
            evaluated.append(progress.evaluations)

    first = evolve(settings(problem=QUICK), base, listener=listen)
    second = evolve(settings(problem=QUICK), base, listener=listen)
    assert evaluated[0] > 0 and evaluated[1] == 0
    assert digest(base, first.run.id) == digest(base, second.run.id)
    assert comparable(first.to_json()) == comparable(second.to_json())


def test_another_seed_is_another_run(
    base: KnowledgeBase, settings: Callable[..., EvolutionSettings], evolve: Any
) -> None:
    """The seed matters."""
    one, two = (evolve(settings(problem=QUICK, seed=seed, generations=0), base) for seed in (1, 2))
    assert digest(base, one.run.id) != digest(base, two.run.id)


def test_a_finished_run_cannot_be_resumed(
    base: KnowledgeBase, settings: Callable[..., EvolutionSettings], evolve: Any, resume: Any
) -> None:
    """Resuming what is finished says so."""
    report = evolve(settings(problem=QUICK, generations=0), base)
    with pytest.raises(EvolutionError, match="is finished"):
        resume(report.run.id, base)


def test_a_time_budget_stops_and_a_larger_one_goes_on(
    base: KnowledgeBase, settings: Callable[..., EvolutionSettings], evolve: Any, resume: Any
) -> None:
    """A run out of time ends cleanly with what it has; resumed with more time it finishes."""
    from eurisko.agents.evolution import Budgets

    stopped = evolve(settings(problem=QUICK, budgets={"seconds": 0.001}), base)
    assert stopped.run.status == "stopped"
    assert "time budget" in stopped.run.status_reason
    assert stopped.best is not None
    finished = resume(stopped.run.id, base, budgets=Budgets(seconds=600))
    assert finished.run.status == "finished"
    whole = evolve(settings(problem=QUICK), base)
    assert digest(base, finished.run.id) == digest(base, whole.run.id)
    assert comparable(finished.to_json()) == comparable(whole.to_json())


def test_the_same_seed_gives_the_same_run_in_another_process(
    whole: tuple[dict, list], tmp_path: Path
) -> None:
    """Bit for bit, whatever the hash seed of the process and the number of workers."""
    report = last_json(cli([*SMALL, "--workers", "1"], tmp_path, PYTHONHASHSEED="5").stdout)
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as base:
        assert digest(base, report["run"]) == whole[1]
    assert comparable(report) == whole[0]
