"""Pages of long runs: what they leave out, what they keep, and how large they get."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from support.long_run import long_run

from eurisko.agents.evolution.page.data import MOST_ANCESTORS, MOST_NODES, MOST_TIMED, collect
from eurisko.agents.evolution.page.ledger import MOST_DRAWN, insights
from eurisko.agents.evolution.page.thinning import ancestry, even, thin, thin_points
from eurisko.agents.evolution.page.write import write_report
from eurisko.agents.pages import embedded
from eurisko.knowledge_base import Candidate, KnowledgeBase
from eurisko.knowledge_base.models import CandidateParent


def line(count: int) -> list[Candidate]:
    """Return candidates of which each is the child of the one before."""
    return [
        Candidate(id=n, parents=[CandidateParent(candidate_id=n, parent_id=n - 1)] if n > 1 else [])
        for n in range(1, count + 1)
    ]


@pytest.mark.parametrize("count", [0, 1, 7, 999, 1000])
def test_even_samples(count: int) -> None:
    """Exactly as many as asked for, in order, without repetition, at distances that differ by one."""
    kept = even(range(1000), count)
    assert len(kept) == count == len(set(kept)) and kept == sorted(kept)
    assert len({b - a for a, b in itertools.pairwise(kept)}) <= 2


def test_thinning_keeps_exactly_as_many_and_those_named() -> None:
    """The named ones are kept, first names first where there is not room for all."""
    rows = line(100)
    kept = [one.id for one in thin(rows, [77, 3, 98], 10)]
    assert len(kept) == 10 and {77, 3, 98} <= set(kept) and kept == sorted(kept)
    assert {one.id for one in thin(rows, [5, 5, 9, 1], 2)} == {5, 9}
    assert thin(rows, [], 100) == rows


def test_ancestry_is_found_nearest_first() -> None:
    """A candidate's parents come before its grandparents; each comes once."""
    rows = line(4)
    rows[3].parents.append(CandidateParent(candidate_id=4, parent_id=1))
    assert ancestry(rows[3], rows) == [4, 3, 1, 2]
    assert ancestry(None, rows) == []


def test_the_front_is_never_thinned() -> None:
    """Points of the front are all kept; others fill the rest."""
    points = [{"id": n, "front": n % 50 == 0} for n in range(1000)]
    kept = thin_points(points, 100)
    assert len(kept) == 100 and sum(one["front"] for one in kept) == 20


def test_an_insight_s_points_are_those_of_its_steps() -> None:
    """Credits of one step become one point with their mean and the last effectiveness."""
    fields: dict[str, Any] = {"text": "", "effectiveness": 0.5}
    rows = [(1, 1.0, 0.3), (1, 0.0, 0.21), (4, 0.5, 0.5)]
    credits = [{"step": s, "credit": c, "effectiveness": e, "tier": "best"} for s, c, e in rows]
    unused = {"id": 2, "uses": 0, "credits": [], **fields, "effectiveness": 0.9}
    used = {"id": 1, "uses": 3, "credits": credits, **fields}
    first, second = insights({"members": [unused, used]})
    assert first["points"] == [[1, 2, 0.5, 0.21], [4, 1, 0.5, 0.5]]
    assert first["tiers"] == {"best": 3} and first["credited"]
    assert (second["id"], second["points"], second["credited"]) == (2, [], False)


def test_the_page_of_a_long_run_stays_small(base: KnowledgeBase, tmp_path: Path) -> None:
    """Of 2,500 candidates 1,000 are drawn, the best and its nearest ancestors among them."""
    run = long_run(base, 2500, tmp_path)
    data = collect(base, run)
    assert len(data.nodes) == MOST_NODES and data.thinned == 1500
    assert len(data.timed) == MOST_TIMED < data.programs
    best = data.report.best
    assert best is not None
    drawn = {one["id"] for one in data.nodes}
    assert {one.id for one in data.report.lineage} <= drawn
    whole = ancestry(best, base.run_candidates(run))
    assert set(whole[:MOST_ANCESTORS]) <= drawn
    assert data.ancestors_left_out == len(set(whole) - drawn)
    assert data.report.objective == min(one["objective"] for one in data.nodes if one["objective"])
    assert {one["candidate"] for one in data.report.front} <= {one["id"] for one in data.timed}
    assert sum(bool(one["points"]) for one in data.insights) == MOST_DRAWN
    assert data.convergence[-1]["candidates"] == 2500
    assert len(embedded(data.to_json())) < 5e6
    assert write_report(base, run, tmp_path / "page.html").stat().st_size < 10e6
