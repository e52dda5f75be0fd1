"""The page of a run: hostile texts stay texts, empty runs say why, and a browser draws the rest."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from eurisko.agents.evolution.page.code import differences
from eurisko.agents.evolution.page.write import write_report
from eurisko.agents.pages import embedded
from eurisko.knowledge_base import KnowledgeBase

ATTACK = "</script><img src=x onerror=\"document.title='owned'\"><script>alert(1)</script>"


class Elements(HTMLParser):
    """Collects the tags that a parser sees outside scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)


@pytest.fixture
def hostile(base: KnowledgeBase, tmp_path: Path) -> Path:
    """Return the page of a run whose every text attacks it, and whose candidates all failed."""
    run = base.create_run(
        workflow="evolve",
        problem="tsp_construct",
        problem_version="1",
        interface="batched",
        proposer=ATTACK,
        seed=0,
        config={"strategy": "hifo", "model": "x"},
        folder=str(tmp_path),
        version="0",
    )
    base.update_run(run.id, status="interrupted", status_reason=ATTACK)
    common = {"run_id": run.id, "generation": 1, "operator": ATTACK[:30], "thought": ATTACK}
    rows = [{"key": f"k{n}", "slot": n, "code": ATTACK, "hash": f"h{n}"} for n in range(3)]
    base.add_candidates([{**common, **row, "proposal_error": ATTACK} for row in rows])
    (insight,) = base.insights.add([_insight()])
    base.insights.note_events([_event(run.id, insight.id)])
    return write_report(base, run.id, tmp_path / "page.html")


def _insight() -> dict[str, Any]:
    fields = {"kind": "do", "scope": "general", "problem": "", "family": "", "text": ATTACK}
    return {**fields, "origin": "extracted"}


def _event(run_id: str, insight_id: int) -> dict[str, Any]:
    fields = {"key": "e", "generation": 1, "step": 1, "verdict": "admitted", "text": ATTACK}
    return {**fields, "run_id": run_id, "insight_id": insight_id}


def test_hostile_texts_make_no_element(hostile: Path) -> None:
    """Attacks in thought, code, message and insight add neither script nor image to the page."""
    text = hostile.read_text()
    seen = Elements()
    seen.feed(text)
    assert seen.tags.count("script") == 4
    assert "img" not in seen.tags
    assert "&lt;img src=x" in text


def test_an_empty_run_says_why(hostile: Path) -> None:
    """Sections without data each say so in a sentence."""
    text = hostile.read_text()
    assert len(re.findall(r'class="empty">[A-Z][^<]+\.<', text)) >= 6


def test_embedded_data_comes_back_whole() -> None:
    """What is embedded for the scripts cannot end its element and is read back as it was."""
    text = embedded({"code": ATTACK, "bad": float("nan")})
    assert "<" not in text
    assert json.loads(text) == {"code": ATTACK, "bad": None}


def test_a_diff_holds_both_programs() -> None:
    """Old lines are those of the old program in order, new ones those of the new; text is escaped."""
    old, new = "a = 1\nb = '<b>'\nc = 3\n", "a = 1\nc = 4\nd = '</pre>'\n"
    lines = differences(old, new)
    assert [one.old for one in lines if one.old] == [1, 2, 3]
    assert [one.new for one in lines if one.new] == [1, 2, 3]
    assert not any("<b>" in one.html or "</pre>" in one.html for one in lines)
