"""The ablation: equal budgets, honest statistics, and pieces that fit together."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.models import answer, at
from support.scripted_endpoint import ScriptedEndpoint

ablation = pytest.importorskip("benchmarks.hifo_ablation", reason="needs the repository root")
pytest.importorskip("scipy", reason="the statistics come with the extra dev")
plan_module = pytest.importorskip("benchmarks.hifo_ablation.plan")
runs = pytest.importorskip("benchmarks.hifo_ablation.runs")
table = pytest.importorskip("benchmarks.hifo_ablation.table")

CHEAP: dict[str, Any] = {"problems": ("cvrp_construct",), "seeds": (0,), "budget": 14}


def test_holm_agrees_with_a_worked_example() -> None:
    """0.01, 0.04 and 0.03 become 0.03, 0.06 and 0.06 (the last one is held up by the one before)."""
    np.testing.assert_allclose(table.holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    assert table.holm([0.9, 0.8]) == [1.0, 1.0]
    assert table.holm([]) == []


def test_the_signed_rank_test_agrees_with_all_sign_patterns() -> None:
    """The p value is the share of the 2^8 sign patterns with a rank sum at least as far out."""
    base = np.arange(8.0)
    other = base + np.array([-0.9, 0.2, -1.3, -0.4, -0.6, 0.1, -2.0, -0.7])
    ranks = np.argsort(np.argsort(np.abs(other - base))) + 1
    seen = abs(float((np.sign(other - base) * ranks).sum()))
    sums = [abs(np.dot(signs, ranks)) for signs in itertools.product((-1, 1), repeat=8)]
    found = table.compare(base, other)
    assert found.p == pytest.approx(np.mean([one >= seen for one in sums]))
    assert (found.wins, found.ties, found.losses) == (6, 0, 2)
    assert found.difference == pytest.approx(-0.5 * (0.6 + 0.7))


def test_equal_runs_are_no_evidence() -> None:
    """Where nothing differs, p is 1 and all pairs are ties."""
    same = table.compare(np.ones(10), np.ones(10))
    assert (same.p, same.ties) == (1.0, 10)


def test_budgets_are_equal_and_only_hindsight_is_idle_without_a_model() -> None:
    """Offline five strategies are distinct; with a model all seven are, and calls are limited."""
    plan = plan_module.Plan(seeds=(3,), problems=("tsp_construct",))
    assert [job.strategy for job in plan.jobs()] == [
        "hifo",
        "eoh",
        "hifo-random-regime",
        "random",
        "oneplusone",
    ]
    assert plan.twin("hifo-no-hindsight") == "hifo"
    assert plan.twin("hifo-no-foresight") == "eoh"
    assert plan.candidates == 128
    asking = plan_module.Plan(seeds=(3,), problems=("tsp_construct",), model="openai/any", budget=9)
    assert len(list(asking.jobs())) == 7
    for job in asking.jobs():
        settings = asking.settings(job, Path("x"), 1)
        assert settings.budgets.calls == 9 and not settings.transfer


def test_twins_are_the_same_run(tmp_path: Path) -> None:
    """Without a model, hifo with and without hindsight make the same programs in the same order."""
    from eurisko.agents.evolution import evolve
    from eurisko.knowledge_base import KnowledgeBase
    from eurisko.sandbox import Sandbox

    plan = plan_module.Plan(**{**CHEAP, "budget": 24, "population": 2})
    made = []
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as base, Sandbox(workers=2) as sandbox:
        for strategy in ("hifo", "hifo-no-hindsight", "hifo-no-foresight", "eoh"):
            job = plan_module.Job("cvrp_construct", strategy, 5)
            report = evolve(plan.settings(job, tmp_path, 2), base, sandbox=sandbox)
            rows = base.run_candidates(report.run.id)
            made.append(([(row.key, row.hash) for row in rows], report.best.hash))
    assert made[0] == made[1] and made[2] == made[3]


def told() -> tuple[list[str], Any]:
    """Return a list, and what appends to it."""
    lines: list[str] = []
    return lines, lines.append


def test_a_second_start_goes_on(tmp_path: Path) -> None:
    """Finished runs are read, a torn line is done again, and the results do not change."""
    plan = plan_module.Plan(**CHEAP, population=2, strategies=("hifo", "random"))
    path = tmp_path / "results.jsonl"
    first = runs.do(plan, runs.Results(path), tmp_path, 2, told()[1])
    assert [one["strategy"] for one in first] == ["hifo", "random"]
    assert all(one["candidates"] == plan.candidates + 1 == 15 for one in first)
    lines, tell = told()
    assert runs.do(plan, runs.Results(path), tmp_path, 2, tell) == first
    assert len(lines) == 1 and "2 of them done already" in lines[0]

    path.write_text(path.read_text()[:-20])
    again = runs.do(plan, runs.Results(path), tmp_path, 2, told()[1])
    keys = ("strategy", "search", "test", "best")
    assert [[one[key] for key in keys] for one in again] == [
        [one[key] for key in keys] for one in first
    ]
    assert len(path.read_text().splitlines()) == 2


def test_an_unfinished_run_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed process left is taken up, not begun anew."""
    from eurisko.knowledge_base import KnowledgeBase

    plan = plan_module.Plan(**CHEAP, population=2, strategies=("hifo",))
    real = runs.evolve

    def stopped(settings: Any, base: Any, **more: Any) -> Any:
        def listener(kind: str, progress: Any) -> None:
            if kind == "selected":
                raise KeyboardInterrupt

        return real(settings, base, listener=listener, **more)

    monkeypatch.setattr(runs, "evolve", stopped)
    with pytest.raises(KeyboardInterrupt):
        runs.do(plan, runs.Results(tmp_path / "results.jsonl"), tmp_path, 2, told()[1])
    (line,) = runs.do(plan, runs.Results(tmp_path / "results.jsonl"), tmp_path, 2, told()[1])
    with KnowledgeBase(f"sqlite:///{tmp_path / 'ablation.db'}") as base:
        assert [(run.id, run.status) for run in base.runs()] == [(line["run"], "finished")]


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(answer) as server:
        yield server


def test_the_harness_runs_unchanged_with_a_model(
    tmp_path: Path, endpoint: ScriptedEndpoint
) -> None:
    """Every strategy gets the same number of requests, and the table says what was done."""
    options = {key: value for key, value in at(endpoint).items() if key != "model"}
    plan = plan_module.Plan(
        problems=("tsp_construct",),
        strategies=("hifo", "oneplusone"),
        seeds=(0, 1),
        budget=5,
        population=2,
        model=at(endpoint)["model"],
        options=tuple(options.items()),
    )
    lines = runs.do(plan, runs.Results(tmp_path / "results.jsonl"), tmp_path, 2, told()[1])
    assert [one["calls"] for one in lines] == [5] * 4 and len(endpoint.requests) == 20
    page = table.text(plan, lines, "python -m benchmarks hifo_ablation", ["a fact"])
    assert "5 requests to" in page and "Wilcoxon" in page and "by construction" not in page
    assert page.count("| tsp_construct, `oneplusone` |") == 2


def test_short_packing_is_the_same_problem_on_other_data() -> None:
    """Its best fit agrees with a plain loop; only name and data differ from bin_packing_online."""
    from eurisko.evaluators import get_problem
    from eurisko.sandbox import Sandbox

    evaluators = pytest.importorskip("eurisko.evaluators")
    short, long = get_problem(plan_module.SHORT_PACKING), get_problem("bin_packing_online")
    assert short.spec.interfaces == long.spec.interfaces and short.grammar is long.grammar
    data = short.dataset(short.spec.splits["search"][0])
    bins = []
    for items in data.arrays["items"]:
        left: list[int] = []
        for item in items:
            fitting = [(room, at) for at, room in enumerate(left) if room >= item]
            if fitting:
                left[min(fitting)[1]] -= item
            else:
                left.append(100 - item)
        bins.append(len(left))
    with Sandbox(workers=1) as sandbox:
        seed = short.spec.interface("batched").seed
        result = evaluators.evaluate(sandbox, short, "batched", seed, data)
    np.testing.assert_array_equal(result.raw, bins)
