"""The page of a run with a scripted model, every text of which attacks it, in headless Chromium."""

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.browser import Seen, look
from support.models import Messages, at, is_lesson, is_repair
from support.runs import scripted_answer
from support.scripted_endpoint import ScriptedEndpoint

from eurisko.agents import evolution
from eurisko.agents.evolution import EvolutionSettings, RunReport
from eurisko.agents.evolution.page.data import PageData, collect
from eurisko.agents.evolution.page.write import write_report
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox

ATTACK = "</pre></script><img src=x onerror=\"document.title='owned'\"><script>alert(1)</script>"
AXES = {
    "candidates": "candidates",
    "model calls": "model calls",
    "tokens": "tokens",
    "seconds": "seconds since the first candidate",
}
CHARTS = {"convergence", "gaps", "time", "lineage", "operators", "insights", "failures"}


class Page(NamedTuple):
    report: RunReport
    data: PageData
    seen: Seen


def hostile(messages: Messages, _index: int) -> str:
    """Answer with an attack as thought, comment, error message or insight."""
    prompt = messages[-1]["content"]
    if is_lesson(prompt):
        number = int(hashlib.sha256(prompt.encode()).hexdigest()[:4], 16)
        return f"DO: Weigh {ATTACK} by {number}.\nAVOID: Never cube {number} corners."
    fails = "What exists" not in prompt and not is_repair(prompt)
    answer = scripted_answer(prompt).replace("{Near cities", f"{{{ATTACK} Near cities")
    head, _, tail = answer.partition("    return")
    bad = f"    raise ValueError({ATTACK!r})\n" if fails else f"    # {ATTACK}\n"
    return f"{head}{bad}    return{tail}"


@pytest.fixture(scope="module")
def page(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """Run two generations with navigator, insights and failures, and open their page once."""
    folder: Path = tmp_path_factory.mktemp("page")
    fields = {"generations": 2, "population": 3, "runs_folder": folder / "runs"}
    with (
        KnowledgeBase(f"sqlite:///{folder / 'kb.db'}") as base,
        ScriptedEndpoint(hostile) as endpoint,
    ):
        made: dict[str, Any] = {"problem": "tsp_construct", **fields, **at(endpoint)}
        settings = EvolutionSettings.model_validate(made)
        report = evolution.evolve(settings, base, sandbox=sandbox)
        file = write_report(base, report.run.id, folder / "page.html")
        return Page(report, collect(base, report.run.id), look(file, list(AXES)))


def test_every_chart_has_data(page: Page) -> None:
    """All seven charts draw marks: a point for each candidate that ran, a bar for each kind."""
    marks = {name.removeprefix("chart-"): count for name, count in page.seen.marks.items()}
    assert set(marks) == CHARTS and all(marks.values())
    usable = [one for one in page.data.nodes if one["objective"] is not None]
    assert marks["lineage"] >= len(usable) > 10
    assert marks["failures"] == len(page.report.failures) == 1
    assert marks["operators"] == 3 * len(page.data.operators)
    assert marks["insights"] >= sum(len(one["points"]) for one in page.data.insights) > 10


def test_the_axis_switches(page: Page) -> None:
    """Convergence is drawn against candidates, calls, tokens or seconds, as is chosen."""
    assert page.seen.titles == AXES


def test_nothing_is_fetched_and_nothing_complained_of(page: Page) -> None:
    """The page asks for itself alone, and the console stays empty."""
    assert page.seen.wrong == []
    assert len(page.seen.asked) == 1 and page.seen.asked[0].startswith("file://")


def test_attacks_are_shown_and_do_nothing(page: Page) -> None:
    """Thought, code, message and insight are read as they were written; none makes an element."""
    assert page.report.best is not None and ATTACK in page.report.best.thought
    assert ATTACK in page.report.best.code
    assert (page.seen.dialogs, page.seen.images) == ([], 0)
    assert page.seen.title.startswith("tsp_construct")
    assert f"# {ATTACK}" in page.seen.text
    assert f"{ATTACK} Near cities first" in page.seen.text
    assert f"Weigh {ATTACK} by" in page.seen.text
    assert f"ValueError: {ATTACK}" in page.seen.text
    assert page.seen.detail.count(ATTACK) == 2


def test_it_fits_a_phone(page: Page) -> None:
    """No part of the page is wider than the window, on a desk or on a phone."""
    assert page.seen.wide == {1280: 1280, 390: 390}
