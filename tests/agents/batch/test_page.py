"""The page of a job: right numbers, harmless names, usable with a thousand programs."""

import math
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from support.job_page import ATTACK, invented, page_of, record

from eurisko.agents.batch.page.data import sections
from eurisko.agents.batch.page.diagram import cliques, draw
from eurisko.agents.batch.page.write import render
from eurisko.agents.batch.results import critical_difference

DEMSAR = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
"""Mean ranks on 14 data sets of Demšar 2006, table 6."""


@pytest.mark.parametrize("programs", [7, 100, 1000])
def test_critical_values_of_many_programs(programs: int) -> None:
    """The range of that many normal values exceeds it in 5 % of all cases, by its integral."""
    q = critical_difference(programs, 1) * math.sqrt(2 / (programs * (programs + 1) / 6))

    def below(z: float) -> float:
        return float(programs * norm.pdf(z) * (norm.cdf(z) - norm.cdf(z - q)) ** (programs - 1))

    assert quad(below, -9, 9, points=[2, 3, 4], limit=200)[0] == pytest.approx(0.95, abs=1e-4)


def test_cliques_of_the_published_example() -> None:
    """At 10 % C4.5 is told apart from both variants with m, at 5 % from none (Demšar, 3.2.2)."""
    ranks = sorted(DEMSAR.values())
    assert cliques(ranks, critical_difference(4, 14, 0.10)) == [(0, 2), (2, 3)]
    assert cliques(ranks, critical_difference(4, 14)) == [(0, 3)]


def test_cliques_are_all_pairs_that_are_not_told_apart() -> None:
    """Two neighbours share a group exactly where they differ by less; no group lies in another."""
    random = np.random.default_rng(0)
    for _ in range(50):
        ranks = sorted(random.uniform(1, 9, 9))
        groups = cliques(ranks, 1.7)
        for low in range(9):
            for high in range(low + 1, 9):
                joined = any(first <= low and high <= last for first, last in groups)
                assert joined == (ranks[high] - ranks[low] < 1.7)
        assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(groups))


def test_the_diagram_is_to_scale() -> None:
    """Marks and the critical difference share the axis; bars of one row do not touch."""
    diagram = draw(list(DEMSAR), list(DEMSAR.values()), 1.1)
    assert diagram is not None
    at = dict(diagram.ticks)
    unit = at[3] - at[2]
    assert diagram.span == pytest.approx(1.1 * unit)
    for mark in diagram.marks:
        assert mark.x == pytest.approx(at[2] + (DEMSAR[mark.name] - 2) * unit)
    rows: dict[float, float] = {}
    for bar in diagram.bars:
        assert bar.left > rows.get(bar.y, -math.inf)
        rows[bar.y] = bar.right


def test_cells_name_units_and_outcomes() -> None:
    """A failure in any seed is the cell's, with its commonest outcome; open is no failure."""
    found = [
        record("a", "x", 1.0),
        record("a", "x", None, seed=1, outcome="memory"),
        record("b", "x", 2.0),
        record("b", "x", None, seed=1, status="pending", outcome="", unit=""),
        record("c", "y", 5.0, problem="flow_shop", unit="measure"),
        record("c", "z", 5.0, problem="flow_shop", unit="measure"),
    ]
    tours, shop = sections(found)
    assert tours.cells == [
        [[None, pytest.approx(1 / 64, rel=1e-5), "memory"]],
        [[2.0, 0.015625, "open"]],
    ]
    assert (tours.unit, shop.unit) == ("gap in %", "makespan")
    assert [one["outcome"] for one in tours.failures] == ["memory"] and tours.failed == 1


def test_large_jobs_make_small_pages() -> None:
    """A thousand programs on fifty data sets: below 3 MB beside the chart library."""
    from plotly.offline import get_plotlyjs

    page = render(page_of(invented(1000, 50)))
    assert len(page) - len(get_plotlyjs()) < 3_000_000


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, list[str]]]:
    """Yield the page of a hostile job in a browser, and what it complained of or asked for."""
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine")
    file: Path = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(render(page_of(invented(40, 4))), encoding="utf-8")
    wrong: list[str] = []
    with sync.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        page.on("console", lambda one: wrong.append(one.text))
        page.on("pageerror", lambda one: wrong.append(str(one)))
        page.on("dialog", lambda one: (wrong.append(one.message), one.dismiss()))
        page.on("request", lambda one: wrong.append(one.url) if one.url != file.as_uri() else None)
        page.goto(file.as_uri())
        yield page, wrong
        chromium.close()


def test_attacks_do_nothing(opened: tuple[Any, list[str]]) -> None:
    """Names are read as they are; no error, no request, no element of theirs."""
    page, wrong = opened
    page.locator(".filter").fill("script")
    rows = page.locator(".programs tbody tr")
    rows.nth(1).wait_for(state="detached")
    assert page.locator(".programs tbody th").inner_text() == ATTACK
    assert page.locator("main img").count() == 0 and page.title().startswith("rules")
    page.locator(".filter").fill("")
    rows.nth(1).wait_for()
    assert wrong == []


def test_charts_and_table_show_the_best(opened: tuple[Any, list[str]]) -> None:
    """The heat map, the diagram, the Pareto front and the best 25 rows are there, failures marked."""
    page, wrong = opened
    assert page.locator(".programs tbody tr").count() == 25
    page.locator(".count").select_option("50")
    assert page.locator("#chart-heat-0 .hm image").count() == 2
    assert page.locator("#chart-heat-0 text").filter(has_text="✕").count() == 5
    assert page.locator("#chart-trade-0 .point").count() >= 25
    assert page.locator("#cd-0 .bar").count() >= 1
    assert page.locator(".programs tbody tr").count() == 40
    assert page.locator(".failures tbody tr").count() == 5
    assert wrong == []


def test_sorting_by_a_column(opened: tuple[Any, list[str]]) -> None:
    """A click sorts, another turns it round, and what has no value stays last."""
    page, _ = opened
    page.locator(".count").select_option("50")
    button = page.get_by_role("button", name="uniform-60-test", exact=True)
    orders = []
    for _ in range(2):
        button.click()
        orders.append(page.locator(".programs tbody td:nth-child(7)").all_inner_texts())
    for texts in orders:
        assert texts[-5:] == ["timeout"] * 5 and "timeout" not in texts[:-5]
    rising = [float(one) for one in orders[0][:-5]]
    assert rising == sorted(rising) and [float(one) for one in orders[1][:-5]] == rising[::-1]


def test_it_fits_a_phone(opened: tuple[Any, list[str]]) -> None:
    """No part is wider than the window."""
    page, _ = opened
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width
