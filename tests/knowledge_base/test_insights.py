"""Insights in the knowledge base: once under their digest, credited once for each use."""

import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from eurisko.knowledge_base import (
    CreditNote,
    KnowledgeBase,
    KnowledgeBaseError,
    UnknownInsight,
    family_of,
    read_insights,
    write_insights,
)
from eurisko.knowledge_base.engine import HEAD, current_revision, upgrade

RUN: dict[str, Any] = {
    "workflow": "evolve",
    "problem": "tsp_construct",
    "problem_version": "1",
    "interface": "batched",
    "proposer": "scripted",
    "seed": 7,
    "config": {},
    "folder": "",
    "version": "0",
}


def row(text: str, **fields: Any) -> dict[str, Any]:
    plain = {"kind": "do", "scope": "problem", "problem": "tsp_construct", "origin": "extracted"}
    return {**plain, "text": text, **fields}


def texts(rows: Any) -> list[str]:
    return [one.text for one in rows]


def test_an_insight_is_stored_once_whatever_its_case_and_layout(base: KnowledgeBase) -> None:
    """The same sentence is one row; another kind, scope or problem is another one."""
    first, again = base.insights.add([row("Prefer near nodes."), row("prefer  NEAR nodes")])
    assert first.id == again.id and first.text == "Prefer near nodes."
    others = base.insights.add(
        [
            row("Prefer near nodes.", kind="avoid"),
            row("Prefer near nodes.", scope="family"),
            row("Prefer near nodes.", scope="general"),
            row("Prefer near nodes.", problem="tsp_gls"),
        ]
    )
    assert len({first.id, *(one.id for one in others)}) == 5
    assert base.insights.count() == 5


def test_scopes_decide_which_problem_sees_what(base: KnowledgeBase) -> None:
    """Its own, its family's and general insights; nothing of another problem."""
    base.insights.add(
        [
            row("own"),
            row("sibling", problem="tsp_gls"),
            row("family", problem="tsp_gls", scope="family"),
            row("stranger", problem="bin_packing_online", scope="family"),
            row("general", problem="bin_packing_online", scope="general"),
        ]
    )
    found = base.insights.to_inherit("tsp_construct", 10)
    assert texts(found) == ["own", "family", "general"]
    assert texts(base.insights.find(problem="tsp_gls")) == ["sibling", "family", "general"]
    assert texts(base.insights.find(scope="general")) == ["general"]
    assert (family_of("tsp_gls"), family_of("./my/flow_shop/")) == ("tsp", "flow")


def test_what_is_inherited(base: KnowledgeBase) -> None:
    """Pinned ones, then the best; no seeds, nothing retired, and no more than asked for."""
    rows = base.insights.add(
        [
            row("good", effectiveness=0.5, uses=9),
            row("seed", origin="seed", effectiveness=0.9),
            row("bad", effectiveness=-0.6, uses=3),
            row("new"),
            row("pinned", effectiveness=-0.9, uses=9),
            row("gone", effectiveness=0.9),
        ]
    )
    by_text = {one.text: one for one in rows}
    base.insights.pin(by_text["pinned"].id)
    base.insights.retire(by_text["gone"].id)
    found = base.insights.to_inherit("tsp_construct", 10)
    assert texts(found) == ["pinned", "good", "new", "bad"]
    assert texts(base.insights.to_inherit("tsp_construct", 2)) == ["pinned", "good"]


def test_search_takes_all_words_in_any_case_and_literally(base: KnowledgeBase) -> None:
    """Words are looked up as they are; a per cent sign finds only a per cent sign."""
    base.insights.add([row("Penalise LONG edges"), row("Penalise edges by 100%"), row("other")])
    assert texts(base.insights.find(words="edges long")) == ["Penalise LONG edges"]
    assert texts(base.insights.find(words="100%")) == ["Penalise edges by 100%"]
    assert texts(base.insights.find(words="%")) == ["Penalise edges by 100%"]
    assert texts(base.insights.find(words="absent")) == []


def test_pins_and_retirement(base: KnowledgeBase) -> None:
    """Retired ones are hidden but kept; pinning brings back; an unknown id is one sentence."""
    (one,) = base.insights.add([row("one")])
    assert base.insights.retire(one.id).retired
    assert texts(base.insights.find()) == []
    assert texts(base.insights.find(retired=True)) == ["one"]
    pinned = base.insights.pin(one.id)
    assert pinned.pinned and not pinned.retired
    assert not base.insights.pin(one.id, False).pinned
    for change in (base.insights.pin, base.insights.retire):
        with pytest.raises(UnknownInsight, match="no insight 99"):
            change(99)


def a_use(base: KnowledgeBase) -> tuple[str, int, int]:
    """Return a run, a candidate of it and an insight that its prompt showed."""
    run = base.create_run(**RUN)
    fields = {"run_id": run.id, "generation": 0, "operator": "i1", "slot": 0}
    (candidate,) = base.add_candidates([{**fields, "key": "g0/i1/0", "code": "", "hash": "h"}])
    (insight,) = base.insights.add([row("one")])
    use = {"run_id": run.id, "candidate_id": candidate.id, "position": 0, "step": 4}
    for _ in range(2):
        base.insights.note_uses([{**use, "insight_id": insight.id, "regime": "explore"}])
    return run.id, candidate.id, insight.id


def test_credit_is_given_once_for_each_use(base: KnowledgeBase) -> None:
    """A repeated step moves nothing: E = 0.3 · 1.0 after the first credit, and after the second."""
    run, candidate, insight = a_use(base)
    assert base.insights.shown_to([candidate]) == {candidate: [insight]}
    for value in (1.0, -1.0):
        base.insights.give_credit([CreditNote(candidate, insight, value, "best", 0.3)], 0.3)
    found = base.insights.get([insight])[insight]
    assert (found.effectiveness, found.uses) == (pytest.approx(0.3), 1)
    (use,) = base.insights.uses(run)
    assert (use.credit, use.tier, use.effectiveness) == (1.0, "best", 0.3)
    assert (use.step, use.regime, use.position) == (4, "explore", 0)


def test_a_restatement_supports_once(base: KnowledgeBase) -> None:
    """The gate's verdicts are stored once under their key, and each counts once."""
    run, _, insight = a_use(base)
    event = {"run_id": run, "generation": 1, "step": 5, "insight_id": insight, "text": "One!"}
    for _ in range(2):
        base.insights.note_events([{**event, "key": "g1/0", "verdict": "paraphrase"}])
        base.insights.note_events([{**event, "key": "g1/1", "verdict": "admitted"}])
    assert base.insights.get([insight])[insight].support == 2
    found = [(one.key, one.verdict) for one in base.insights.events(run)]
    assert found == [("g1/0", "paraphrase"), ("g1/1", "admitted")]


def test_runs_that_learn_the_same_at_once_do_not_block_each_other(base: KnowledgeBase) -> None:
    """Two that store and credit the same insights in opposite orders: each is there once."""
    run, candidate, _ = a_use(base)
    rows = [row(f"Lesson {number}.") for number in range(40)]
    errors: list[BaseException] = []

    def learn(step: int) -> None:
        try:
            for start in range(0, 40, 10):
                stored = base.insights.add(rows[start : start + 10][::step])
                uses = [{"insight_id": one.id, "position": one.id, "step": 1} for one in stored]
                common = {"run_id": run, "candidate_id": candidate, "regime": ""}
                base.insights.note_uses([{**one, **common} for one in uses])
                notes = [CreditNote(candidate, one.id, 1.0, "best", 1.0) for one in stored]
                base.insights.give_credit(notes, 0.3)
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            errors.append(error)

    threads = [threading.Thread(target=learn, args=(step,)) for step in (1, -1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    found = [one for one in base.insights.find(words="lesson") if one.uses == 1]
    assert len(found) == 40 and {one.effectiveness for one in found} == {0.3}


def test_decisions_are_stored_once(base: KnowledgeBase) -> None:
    """One decision for each generation of a run: the first one."""
    run = base.create_run(**RUN)
    decision = {"directive": "d", "rule": "progress", "reason": "r", "numbers": {"progress": 2}}
    base.add_decision(run.id, 2, {"regime": "exploit", **decision})
    base.add_decision(run.id, 2, {"regime": "explore", **decision})
    base.add_decision(run.id, 1, {"regime": "balanced", **decision})
    found = [(one.generation, one.regime, one.numbers) for one in base.decisions(run.id)]
    assert found == [(1, "balanced", {"progress": 2}), (2, "exploit", {"progress": 2})]


def test_export_and_import_keep_what_was_learnt(base: KnowledgeBase, tmp_path: Path) -> None:
    """All fields survive; what is known already is left alone; a second import adds nothing."""
    base.insights.add(
        [row("ein «é»", effectiveness=1 / 3, uses=5, support=2), row("two", kind="avoid")]
    )
    file = tmp_path / "insights.json"
    assert write_insights(base.insights.find(), file) == 2
    with KnowledgeBase(f"sqlite:///{tmp_path / 'other.db'}") as other:
        other.insights.add([row("two", kind="avoid", effectiveness=0.9)])
        assert read_insights(other.insights, file) == (1, 1)
        assert read_insights(other.insights, file) == (0, 2)
        found = {one.text: one for one in other.insights.find()}
    assert found["ein «é»"].effectiveness == 1 / 3
    assert (found["ein «é»"].uses, found["ein «é»"].support) == (5, 2)
    assert (found["ein «é»"].origin, found["two"].effectiveness) == ("imported", 0.9)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"not json", "not a file of insights"),
        (b"\xff\xfe", "no text"),
        (b'{"format": "eurisko insights", "version": 2, "insights": []}', "version"),
        (b'{"format": "eurisko insights", "version": 1, "insights": [{"txt": "x"}]}', "insights.0"),
    ],
)
def test_a_bad_file_is_refused_as_a_whole(
    base: KnowledgeBase, tmp_path: Path, content: bytes, words: str
) -> None:
    """One sentence that says what is wrong, and nothing is imported."""
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    with pytest.raises(KnowledgeBaseError, match=words):
        read_insights(base.insights, file)
    with pytest.raises(KnowledgeBaseError, match="Cannot read"):
        read_insights(base.insights, tmp_path / "missing.json")
    half = [{"text": "fine"}, {"text": "", "kind": "do"}]
    file.write_text(json.dumps({"format": "eurisko insights", "version": 1, "insights": half}))
    with pytest.raises(KnowledgeBaseError, match="Nothing was imported"):
        read_insights(base.insights, file)
    assert base.insights.count() == 0


def test_a_database_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    """Schema 0001 with a run in it gains the new tables and keeps the run."""
    from alembic import command
    from alembic.config import Config

    from eurisko.knowledge_base import engine

    path = tmp_path / "kb.db"
    with KnowledgeBase(f"sqlite:///{path}") as base:
        run = base.create_run(**RUN)
        config = Config()
        config.set_main_option("script_location", str(Path(engine.__file__).parent / "migrations"))
        with base.engine.begin() as connection:
            config.attributes.update(connection=connection, metadata=None)
            command.downgrade(config, "0001")
    with sqlite3.connect(path) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert "insight" not in tables and "navigator_decision" not in tables
    with KnowledgeBase(f"sqlite:///{path}", migrate=False) as old:
        assert current_revision(old.engine) == "0001"
        upgrade(old.engine)
        assert current_revision(old.engine) == HEAD
    with KnowledgeBase(f"sqlite:///{path}") as base:
        assert base.get_run("last").id == run.id
        assert base.insights.count() == 0
