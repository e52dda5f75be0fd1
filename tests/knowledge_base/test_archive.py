"""A run goes from one knowledge base to another as a file, and a hostile file goes nowhere."""

import gzip
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select
from support.rows import RUN, candidate, key, result

from eurisko.agents.evolution import summarise
from eurisko.agents.evolution.report import kept_of
from eurisko.evaluators import get_problem, program_hash
from eurisko.knowledge_base import CreditNote, KnowledgeBase, KnowledgeBaseError
from eurisko.knowledge_base.archive import write_archive
from eurisko.knowledge_base.models import Base
from eurisko.knowledge_base.prune import prune
from eurisko.knowledge_base.restoring import read_archive
from eurisko.knowledge_base.status import status

Make = Callable[[str], str]
WAYS = [("sqlite", "postgresql"), ("postgresql", "sqlite")]
PROBLEM = get_problem("tsp_construct")
IDS = {"id", "candidate_id", "insight_id", "evicted_id", "parent_id", "folder"}


def fill(base: KnowledgeBase) -> str:
    """Store an evolution with all that belongs to it, and rows that do not; return its id."""
    for number in range(3):  # so that ids differ between knowledge bases
        other = base.create_run(**RUN)
        base.add_candidates([candidate(other.id, f"x{number}")])
    run = base.create_run(**RUN | {"config": {"a": float("inf"), "b": "\0é"}}).id
    codes = [f"def f():\n    return {number}\n" for number in range(6)]
    made: list[Any] = []
    for number, code in enumerate(codes):
        parents = [one.id for one in made[:number][-2:][::-1]]
        operator = "m1" if number else "seed"
        fields = {"code": code, "hash": program_hash(code), "operator": operator, "slot": number}
        made += base.add_candidates([candidate(run, f"k{number}", **fields, parents=parents)])
        for split in ("search", "test"):
            for data in (PROBLEM.dataset(one) for one in PROBLEM.spec.splits[split]):
                values = np.array([1.0, number + 0.1])
                names = {"dataset": data.name, "dataset_digest": data.digest}
                found = result(gaps=values, raw=values + 1, objective=float(values.mean()), **names)
                base.add_evaluation(key(program_hash=fields["hash"], **names), found)
        call = {"run_id": run, "key": f"k{number}/0", "role": "r", "model": "m", "prompt_hash": "h"}
        base.add_call(**call, request={"n": number}, text="t", prompt_tokens=7, usd=0.5)
    base.add_candidates([candidate(run, "bad", hash="", code="", proposal_error="unreadable")])
    common = {"kind": "do", "scope": "problem", "problem": "tsp_construct", "origin": "extracted"}
    known, mine = base.insights.add(
        [{**common, "text": "Known."}, {**common, "text": "Mine.", "run_id": run}]
    )
    uses = {"run_id": run, "step": 1, "regime": "explore"}
    for place, one in enumerate((known, mine)):
        base.insights.note_uses(
            [{**uses, "candidate_id": made[3].id, "insight_id": one.id, "position": place}]
        )
    base.insights.give_credit([CreditNote(made[3].id, mine.id, 1.0, "best", 0.3)], 0.3)
    event = {"run_id": run, "generation": 1, "step": 1, "key": "e", "verdict": "admitted"}
    base.insights.note_events(
        [{**event, "insight_id": mine.id, "evicted_id": known.id, "text": "M"}]
    )
    decision = {"directive": "d", "rule": "r", "reason": "x", "numbers": {"n": 1}}
    base.add_decision(run, 1, {"regime": "exploit", **decision})
    base.studies.create(run, "furnace")
    base.studies.suggest(run, [{"number": 1, "point": {"x": 0.5}, "phase": "initial"}], None, {})
    found_at = {"best": made[4].id, "history": [[1.0, 2.0]], "baseline_hash": made[0].hash}
    base.update_run(run, status="finished", result=found_at)
    kept = kept_of(summarise(base, base.get_run(run), PROBLEM))
    assert kept["front"] and kept["failures"]
    base.update_run(run, result={**found_at, **kept})
    return run


def told(base: KnowledgeBase, run_id: str) -> tuple[Any, ...]:
    """Return all of a run as Python sees it, ids replaced by names."""
    run = base.get_run(run_id)
    rows = base.run_candidates(run_id)
    keys = {one.id: one.key for one in rows}
    report = summarise(base, run, PROBLEM).to_json()
    insights = base.insights.get(range(1, 99))
    texts = {id_: one.text for id_, one in insights.items()}
    report["folder"], report["front"] = "", [one | {"candidate": 0} for one in report["front"]]
    ledger = json.loads(json.dumps(report.pop("insights")))
    ledger["members"] = [one | {"id": 0} for one in ledger["members"]]
    ledger["events"] = [one | {"insight_id": 0, "evicted_id": 0} for one in ledger["events"]]
    plain = [
        [(row.__table__.name, {k: v for k, v in vars(row).items() if k[0] != "_" and k not in IDS})]
        for row in (*base.calls(run_id), *base.decisions(run_id), *base.studies.trials(run_id))
    ]
    return (
        report,
        ledger,
        [(one.key, one.code, one.created_at, one.slot) for one in rows],
        [[(keys[p.parent_id], p.position) for p in one.parents] for one in rows],
        [(keys[u.candidate_id], texts[u.insight_id], u.credit) for u in base.insights.uses(run_id)],
        [
            (e.key, texts.get(e.insight_id or 0), texts.get(e.evicted_id or 0))
            for e in base.insights.events(run_id)
        ],
        repr(plain),
        repr((run.config, run.created_at, run.updated_at, run.status, run.seed)),
        sorted((one.text, one.effectiveness, one.uses) for one in insights.values()),
        base.spent(run_id),
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.gz"


@pytest.mark.parametrize(("source", "target"), WAYS)
def test_a_run_comes_back_elsewhere(
    fresh_url: Make, file: Path, tmp_path: Path, source: str, target: str
) -> None:
    """Report, lineage, calls, credit, decisions, trials and scores are equal; ids are not."""
    with KnowledgeBase(fresh_url(source)) as old, KnowledgeBase(fresh_url(target)) as new:
        run = fill(old)
        counts = write_archive(old, run, file)
        found = read_archive(new, file, tmp_path)
        assert found.new and found.run == run and found.lines == counts
        assert counts["candidate"] == 7 and counts["parent"] == 9 and counts["insight"] == 2
        assert told(new, run) == told(old, run)
        assert new.get_run(run).folder == str(tmp_path / run)
        assert [one.id for one in new.runs()] == [run]
        before = status(new.engine).rows
        again = read_archive(new, file, tmp_path)
        assert not again.new and status(new.engine).rows == before
        assert not read_archive(old, file, tmp_path).new


def test_a_pruned_run_can_be_given_away(fresh_url: Make, file: Path, tmp_path: Path) -> None:
    """What retention has emptied is empty elsewhere too; report and lineage are the same."""
    with KnowledgeBase(fresh_url("sqlite")) as old, KnowledgeBase(fresh_url("postgresql")) as new:
        run = fill(old)
        assert prune(old, datetime.now(UTC) + timedelta(days=1)).evaluations
        write_archive(old, run, file)
        read_archive(new, file, tmp_path)
        assert told(new, run) == told(old, run)


def test_what_is_there_stays(fresh_url: Make, file: Path, tmp_path: Path) -> None:
    """Known evaluations and insights keep their values, a taken name of a study is not taken again."""
    with KnowledgeBase(fresh_url("sqlite")) as old, KnowledgeBase(fresh_url("sqlite")) as new:
        run = fill(old)
        write_archive(old, run, file)
        (data,) = (PROBLEM.dataset(one) for one in PROBLEM.spec.splits["search"][:1])
        code = old.run_candidates(run)[2].hash
        mine = key(program_hash=code, dataset=data.name, dataset_digest=data.digest)
        new.add_evaluation(mine, result(objective=2.5))
        common = {"kind": "do", "scope": "problem", "problem": "tsp_construct", "origin": "seed"}
        new.insights.add([{**common, "text": "Mine.", "effectiveness": -0.5}])
        new.studies.create(new.create_run(**RUN).id, "furnace")
        read_archive(new, file, tmp_path)
        assert new.find_evaluations([mine])[mine.identity].objective == 2.5
        (found,) = new.insights.find(words="mine")
        assert (found.effectiveness, found.origin) == (-0.5, "seed")
        assert new.studies.get(run).name is None


def test_an_unfinished_run_forgets_endpoints(fresh_url: Make, file: Path, tmp_path: Path) -> None:
    """Who resumes somebody else's run says again where its model is and which key it gets."""
    with KnowledgeBase(fresh_url("sqlite")) as old, KnowledgeBase(fresh_url("sqlite")) as new:
        secret = {"base_url": "http://evil", "api_key_env": "HOME", "runs_folder": "/etc", "a": 1}
        run = old.create_run(**RUN | {"config": secret})
        write_archive(old, run.id, file)
        read_archive(new, file, tmp_path)
        found = new.get_run(run.id)
        assert (found.status, found.config) == ("interrupted", {"a": 1})


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The lines of a good file."""
    folder = tmp_path_factory.mktemp("archive")
    with KnowledgeBase(f"sqlite:///{folder / 'kb.db'}") as base:
        write_archive(base, fill(base), folder / "run.gz")
    return [json.loads(one) for one in gzip.open(folder / "run.gz", "rt", encoding="utf-8")]


def change(lines: list[dict[str, Any]], kind: str, **fields: Any) -> bytes:
    """Return a file whose first line of a kind is changed."""
    changed = [dict(one) for one in lines]
    next(one for one in changed if one["row"] == kind).update(fields)
    return packed(changed)


def packed(lines: list[Any]) -> bytes:
    return gzip.compress("".join(json.dumps(one) + "\n" for one in lines).encode())


def hostile(lines: list[dict[str, Any]]) -> Iterator[tuple[str, bytes]]:
    """Yield words of the sentence with which each file is to be refused, and the file."""
    whole = packed(lines)
    yield "damaged", b"not gzip"
    yield "damaged", whole[: len(whole) // 2]
    yield "damaged", whole[:30] + b"\0\0\0" + whole[33:]
    yield "damaged", gzip.compress(b"\xff\xfe\n")
    yield "no JSON", gzip.compress(b"{\n")
    yield "cut off", gzip.compress(b"")
    yield "no row", gzip.compress(b"[]\n")
    yield "", gzip.compress(b'{"row": "run", "config": ' + b"[" * 100_000 + b"\n")
    yield "cut off", packed(lines[:-1])
    yield "lines are missing", packed([one for one in lines if one["row"] != "call"])
    yield "no row of a run", packed(lines[1:])
    yield "another one", packed([lines[0], *lines])
    yield "stands after", packed([lines[0], *lines[-2:0:-1], lines[-1]])
    yield "format", change(lines, "run", format="something else")
    yield "file_version", change(lines, "run", file_version=2)
    yield "no name of a run", change(lines, "run", id="../../etc")
    yield "no object", change(lines, "run", config=[])
    yield "no candidate", change(lines, "run", best="nobody")
    yield "Extra", change(lines, "candidate", id=1)
    yield "slot", change(lines, "candidate", slot="1; DROP TABLE run")
    yield "generation", change(lines, "candidate", generation=2**31)
    yield "key", change(lines, "candidate", key="k" * 65)
    yield "another program", change(lines, "candidate", code="def f():\n    return 99\n")
    yield "created_at", change(lines, "candidate", created_at="2026-01-01T00:00:00")
    yield "no candidate", change(lines, "parent", parent="nobody")
    yield "identity", change(lines, "evaluation", program_hash="forged")
    yield "not the mean", change(lines, "evaluation", objective=-1000.0)
    yield "gaps", change(lines, "evaluation", gaps="!")
    yield "cut off", change(lines, "evaluation", gaps="AAAA")
    yield "OutcomeKind", change(lines, "evaluation", outcome="wonderful")
    yield "insight that is not", change(lines, "use", insight="d" * 64)
    yield "contradict", packed([lines[0], lines[1], *lines[1:]])


def test_a_hostile_file_is_refused_whole(
    lines: list[dict[str, Any]], fresh_url: Make, tmp_path: Path
) -> None:
    """One sentence that names the line, no traceback, and not one row in any table."""
    urls = [fresh_url("sqlite"), fresh_url("postgresql")]
    for number, (words, content) in enumerate(hostile(lines)):
        bad = tmp_path / "bad.gz"
        bad.write_bytes(content)
        with KnowledgeBase(urls[number % 2]) as base:
            with pytest.raises(KnowledgeBaseError) as caught:
                read_archive(base, bad, tmp_path)
            message = str(caught.value)
            assert words in message and "\n" not in message and len(message) < 700, (words, message)
            assert message.endswith("Nothing was imported.")
            with base.engine.connect() as connection:
                for table in Base.metadata.sorted_tables:
                    assert connection.execute(select(table)).first() is None, (words, table.name)


def test_a_bomb_is_not_unpacked(
    lines: list[dict[str, Any]], fresh_url: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line longer, or a file larger, than any run is refused while it is read."""
    from eurisko.knowledge_base import restoring

    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(b" " * 10_000_000))
    with KnowledgeBase(fresh_url("sqlite")) as base:
        monkeypatch.setattr(restoring, "MOST_LINE", 1_000_000)
        with pytest.raises(KnowledgeBaseError, match="larger than any run"):
            read_archive(base, bomb, tmp_path)
        bomb.write_bytes(packed(lines))
        monkeypatch.setattr(restoring, "MOST_BYTES", 5_000)
        with pytest.raises(KnowledgeBaseError, match="larger than any run"):
            read_archive(base, bomb, tmp_path)
        with pytest.raises(KnowledgeBaseError, match="Cannot read"):
            read_archive(base, tmp_path / "missing.gz", tmp_path)


def test_another_run_of_that_name_is_left_alone(
    lines: list[dict[str, Any]], fresh_url: Make, tmp_path: Path
) -> None:
    """The same id with another seed is another run: refused."""
    good, other = tmp_path / "good.gz", tmp_path / "other.gz"
    good.write_bytes(packed(lines))
    other.write_bytes(change(lines, "run", seed=99))
    with KnowledgeBase(fresh_url("sqlite")) as base:
        read_archive(base, good, tmp_path)
        with pytest.raises(KnowledgeBaseError, match="another run called"):
            read_archive(base, other, tmp_path)
