"""The page of an optimisation: every chart has data, attacks do nothing, and its numbers are right."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from support.browser import Seen, look

from eurisko.agents.acquisition import optimize
from eurisko.agents.acquisition.page.data import PageData, collect
from eurisko.agents.acquisition.page.importance import importances, slices
from eurisko.agents.acquisition.page.write import write_report
from eurisko.evaluators.bayesopt import Optimizer, Real, Space
from eurisko.knowledge_base import KnowledgeBase

ATTACK = "</script><img src=x onerror=\"document.title='owned'\"><script>alert(1)</script>"
SPACE = {
    "parameters": [
        {"name": "<b>x</b>", "type": "real", "low": 0.001, "high": 1.0, "log": True},
        {"name": "n", "type": "integer", "low": 1, "high": 9},
        {"name": "kind", "type": "category", "choices": ["a", ATTACK]},
    ]
}
CHARTS = {"convergence", "arms", "predictions", "importance", "slices"}


class Page(NamedTuple):
    data: PageData
    seen: Seen


def black_box(**point: Any) -> float:
    """Return a value that depends on all three, and now and then fail with an attack."""
    if point["n"] == 5:
        raise ValueError(ATTACK)
    return float(np.log10(point["<b>x</b>"]) ** 2 + 0.1 * point["n"] + (point["kind"] == "a"))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """Optimise a hostile black box for a few steps, and open the page once."""
    folder: Path = tmp_path_factory.mktemp("page")
    black_box.__name__ = ATTACK
    with KnowledgeBase(f"sqlite:///{folder / 'kb.db'}") as base:
        fields = {"budget": 16, "strategist": "alternate", "runs_folder": folder / "runs"}
        report = optimize(black_box, base, space=SPACE, **fields)
        file = write_report(base, report.run.id, folder / "page.html")
        return Page(collect(base, base.get_run(report.run.id)), look(file))


def test_every_chart_has_data(page: Page) -> None:
    """All five charts draw: a mark for each value and choice, a bar for each parameter."""
    marks = {name.removeprefix("chart-"): count for name, count in page.seen.marks.items()}
    assert set(marks) == CHARTS and all(marks.values())
    values = [row for row in page.data.rows if row["value"] is not None]
    assert marks["convergence"] >= len(values)
    assert marks["arms"] == sum(arm.chosen for arm in page.data.arms) > 5
    assert marks["importance"] == 3


def test_attacks_are_shown_and_do_nothing(page: Page) -> None:
    """Names, choices and messages are read as they are; none makes an element or asks for one."""
    assert page.seen.wrong == [] and len(page.seen.asked) == 1
    assert (page.seen.dialogs, page.seen.images) == ([], 0)
    assert page.seen.title.startswith(ATTACK[:20])
    assert any(row["status"] == "failed" for row in page.data.rows)
    assert f"ValueError: {ATTACK}" in page.seen.text and "<b>x</b>" in page.seen.text


def test_it_fits_a_phone(page: Page) -> None:
    """No part of the page is wider than the window, on a desk or on a phone."""
    assert page.seen.wide == {1280: 1280, 390: 390}


def fitted(function: Any, dimensions: int = 3, count: int = 40) -> Optimizer:
    """Return an optimiser that was told a function on the unit cube."""
    space = Space([Real(f"x{index}", 0.0, 1.0) for index in range(dimensions)])
    optimizer = Optimizer(space, seed=0)
    random = np.random.default_rng(0)
    rows = [
        {f"x{index}": float(value) for index, value in enumerate(row)}
        for row in random.random((count, dimensions))
    ]
    optimizer.warm_start([(row, function(*row.values())) for row in rows])
    return optimizer


def test_importances_of_a_linear_function() -> None:
    """Sobol' indices of 3 a + b are 9/10 and 1/10, and a parameter without effect has none."""
    optimizer = fitted(lambda a, b, c: 3 * a + b)
    surrogate = optimizer.surrogate()
    assert surrogate is not None
    found = {one.name: one.total for one in importances(optimizer.space, surrogate)}
    assert found["x0"] == pytest.approx(0.9, abs=0.03)
    assert found["x1"] == pytest.approx(0.1, abs=0.03)
    assert found["x2"] < 0.01


def test_slices_follow_the_function() -> None:
    """Along each parameter through the best point the model is the function, nearly."""
    optimizer = fitted(lambda a, b: (a - 0.3) ** 2 + b, dimensions=2)
    surrogate, best = optimizer.surrogate(), optimizer.best()
    assert surrogate is not None and best is not None
    for cut in slices(optimizer.space, surrogate, best.point):
        for value, mean in zip(cut.values, cut.mean, strict=True):
            point = {**best.point, cut.name: value}
            wanted = (point["x0"] - 0.3) ** 2 + point["x1"]
            assert mean == pytest.approx(wanted, abs=0.03)


def test_a_run_without_values_says_why(tmp_path: Path) -> None:
    """Everything failed: the page is there, and says that there is no model."""

    def broken(x: float) -> float:
        raise ValueError("no")

    space = {"parameters": [{"name": "x", "type": "real", "low": 0, "high": 1}]}
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as base:
        report = optimize(broken, base, space=space, budget=3, runs_folder=tmp_path)
        text = write_report(base, report.run.id, tmp_path / "page.html").read_text()
    assert "No evaluation gave a value" in text
