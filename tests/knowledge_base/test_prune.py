"""Retention takes the weight of old runs, and never a best, a lineage or a line of a report."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import insert, select, text, update
from support.rows import RUN, key, result

from eurisko.agents.evolution import EvolutionError, summarise, write_run_recording
from eurisko.agents.evolution.page.data import collect
from eurisko.evaluators import Evaluation, get_problem
from eurisko.knowledge_base import EvaluationKey, KnowledgeBase
from eurisko.knowledge_base.models import Base, Candidate, ModelCall, Run
from eurisko.knowledge_base.models import Evaluation as EvaluationRow
from eurisko.knowledge_base.prune import PRUNED, prune, vacuum
from eurisko.sandbox import OutcomeKind

NOW = datetime.now(UTC)
OLD = NOW - timedelta(days=100)
CUTOFF = NOW - timedelta(days=50)
PROBLEM = get_problem("tsp_construct")
OPERATORS = ("e1", "e2", "m1", "m2")


class History:
    """Random runs that share programs: some finished long ago, one lately, one not at all."""

    def __init__(self, base: KnowledgeBase, seed: int) -> None:
        self.base, self.rng = base, random.Random(seed)
        self.programs = [f"h{number}" for number in range(60)]
        self.runs: dict[str, str] = {}
        self.calls: list[dict[str, Any]] = []
        for name in ("old", "older", "young", "open", "failed"):
            self.runs[name] = self._run(name)
        rows = [row for name in self.programs for row in self._evaluations(name)]
        with base.session() as session, session.begin():
            session.execute(insert(EvaluationRow), rows)
            session.execute(insert(ModelCall), self.calls)
        with base.session() as session, session.begin():
            for kind, run_id in self.runs.items():
                when = NOW if kind == "young" else OLD
                session.execute(update(Run).where(Run.id == run_id).values(updated_at=when))

    def _run(self, kind: str) -> str:
        base, rng = self.base, self.rng
        run = base.create_run(**RUN | {"created_at": OLD})
        common = {"run_id": run.id, "created_at": OLD}
        made = base.add_candidates([self._row("g0/seed/0", 0, "seed", "h0", **common)])
        for number in range(1, 20):
            operator = rng.choice(OPERATORS)
            parents = [one.id for one in rng.sample(made, min(len(made), rng.randint(0, 2)))]
            name, broken = rng.choice(self.programs), rng.random() < 0.2
            row = self._row(
                f"g1/{operator}/{number}", number, operator, "" if broken else name, **common
            )
            row |= {"proposal_error": "unreadable" if broken else None, "parents": parents}
            made += base.add_candidates([row])
        for one in made:
            for attempt in ("0", "0/again"):
                self._call(run.id, f"{one.key}/{attempt}", "heuristic")
        self._call(run.id, "g1/insight", "insight")
        good = [one for one in made if one.proposal_error is None]
        found = {"best": rng.choice(good).id, "history": [[1.0, 2.0]], "baseline_hash": "h0"}
        if kind in ("open", "failed"):
            status = "interrupted" if kind == "open" else "failed"
            base.update_run(run.id, status=status)
        else:
            base.update_run(run.id, status="finished", result=found)
        return run.id

    def _row(self, key_: str, slot: int, operator: str, name: str, **more: Any) -> dict[str, Any]:
        row = {
            "key": key_,
            "generation": 0 if operator == "seed" else 1,
            "slot": slot,
            "hash": name,
        }
        texts = {"operator": operator, "thought": f"thought {key_}", "code": f"# {name}\n"}
        return {**row, **texts, "genome": f"g{slot}", **more}

    def _call(self, run_id: str, call_key: str, role: str) -> None:
        answered = self.rng.random() < 0.9
        fields = {
            "run_id": run_id,
            "key": call_key,
            "role": role,
            "model": "m",
            "prompt_hash": "h",
            "request": {"messages": [{"role": "user", "content": f"ask {call_key}"}]},
            "text": f"answer {call_key}" if answered else None,
            "error": None if answered else "no answer",
            "prompt_tokens": 3,
            "completion_tokens": 2 * answered,
            "usd": 0.25 if answered else None,
            "created_at": OLD,
        }
        self.calls.append(fields)

    def _evaluations(self, name: str) -> Iterator[dict[str, Any]]:
        when = OLD if self.rng.random() < 0.8 else NOW
        failed = name != "h0" and self.rng.random() < 0.3
        for split in ("search", "validation", "test"):
            for data in (PROBLEM.dataset(one) for one in PROBLEM.spec.splits[split]):
                values = np.full(4, self.rng.uniform(1, 30))
                found: dict[str, Any] = {"gaps": values, "raw": values, "decisions": np.arange(3)}
                found |= {"objective": float(values.mean()), "cpu_s": self.rng.random()}
                if failed:
                    found = dict.fromkeys(found, None) | {"cpu_s": 0.1, "message": "broken"}
                    found["kind"] = OutcomeKind.CANDIDATE_ERROR
                else:
                    found["decisions"] = np.arange(3, dtype="<u2")
                values_ = self.base.evaluation_values(key_of(name, data), result(**found))
                yield values_ | {"created_at": when}


def key_of(name: str, data: Any) -> EvaluationKey:
    return key(program_hash=name, dataset=data.name, dataset_digest=data.digest)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(f"sqlite:///{tmp_path / 'small.db'}") as opened:
        yield opened


def reports(base: KnowledgeBase) -> dict[str, Any]:
    """Return every run's report and its page, without texts of failed candidates."""
    found = {}
    for run in base.runs():
        page = collect(base, run.id).to_json()
        for node in page["nodes"]:
            if node["objective"] is None and not node["ancestor"]:
                node["code"] = node["thought"] = ""
        found[run.id] = (summarise(base, run, PROBLEM).to_json(), page)
    return found


def descent(base: KnowledgeBase, run_id: str) -> dict[str, tuple[str, str, str | None]]:
    """Return the programs of a run's best and of all its ancestors, walked link by link."""
    rows = {one.id: one for one in base.run_candidates(run_id)}
    best = (base.get_run(run_id).result or {}).get("best")
    left, found = [best] if best else [], {}
    while left:
        one = rows[left.pop()]
        if one.key not in found:
            found[one.key] = (one.code, one.thought, one.genome)
            left += [parent.parent_id for parent in one.parents]
    return found


def texts_of(base: KnowledgeBase, run_id: str, keys: Any) -> set[tuple[str, str | None]]:
    """Return the calls of these steps, with their answers."""
    calls = base.calls(run_id)
    return {
        (f"{one.key} {one.request}", one.text)
        for one in calls
        if any(one.key.startswith(f"{k}/") for k in keys) or one.role == "insight"
    }


def everything(base: KnowledgeBase, run_id: str) -> Any:
    """Return all of a run that is not to be touched at all."""
    with base.engine.connect() as connection:
        candidates = connection.execute(
            select(Candidate.__table__).where(Candidate.run_id == run_id)
        ).all()
        calls = connection.execute(
            select(ModelCall.__table__).where(ModelCall.run_id == run_id)
        ).all()
        mine = EvaluationRow.program_hash.in_({one.hash for one in candidates})
        evaluations = connection.execute(select(EvaluationRow.__table__).where(mine)).all()
    return sorted(map(repr, [*candidates, *calls, *evaluations]))


@pytest.mark.parametrize("seed", range(2))
def test_bests_lineages_and_reports_survive(base: KnowledgeBase, seed: int) -> None:
    """Random histories: all reports and pages are equal, as are the texts that led to the bests."""
    if seed and base.engine.dialect.name == "postgresql":
        pytest.skip("one history is enough there")
    runs = History(base, seed).runs
    before = reports(base)
    lines = {run: descent(base, run) for run in runs.values()}
    texts = {run: texts_of(base, run, lines[run]) for run in runs.values()}
    all_of_it = {k: everything(base, runs[k]) for k in runs}
    promised = prune(base, CUTOFF, dry_run=True)
    assert {k: everything(base, runs[k]) for k in runs} == all_of_it
    pruned = prune(base, CUTOFF)
    assert pruned == promised
    assert set(pruned.runs) == {runs["old"], runs["older"]}
    assert pruned.candidates and pruned.calls and pruned.evaluations and pruned.bytes
    assert reports(base) == before
    assert {run: descent(base, run) for run in runs.values()} == lines
    assert {run: texts_of(base, run, lines[run]) for run in runs.values()} == texts
    assert all(everything(base, runs[k]) == all_of_it[k] for k in ("young", "open", "failed"))
    again = prune(base, CUTOFF)
    assert (again.candidates, again.calls, again.evaluations) == (0, 0, 0)


def test_what_goes(small: KnowledgeBase) -> None:
    """Failed, childless candidates lose their programs; calls beside the lineage their texts."""
    history = History(small, 1)
    run = history.runs["old"]
    line, counts = descent(small, run), small.spent(run)
    prune(small, CUTOFF)
    rows = small.run_candidates(run)
    parents = {link.parent_id for one in rows for link in one.parents}
    emptied = [one for one in rows if one.code == ""]
    assert emptied and all(one.thought == "" and one.genome is None for one in emptied)
    assert not {one.id for one in emptied} & parents
    for call in small.calls(run):
        led_to_it = any(call.key.startswith(f"{key_}/") for key_ in line)
        kept = led_to_it or call.role == "insight"
        assert (call.request != PRUNED) == kept
        assert call.text in ((f"answer {call.key}", None) if kept else ("", None))
    assert small.spent(run) == counts
    with pytest.raises(EvolutionError, match="were pruned"):
        write_run_recording(small, run, Path("never"))


def test_emptied_evaluations_are_made_again(base: KnowledgeBase) -> None:
    """They count as unknown to runs and jobs, and the next result fills them."""
    values = np.array([1.0, 2.0])
    mine: Evaluation = result(gaps=values, raw=values, decisions=np.arange(3, dtype="<u2"))
    failed = result(kind=OutcomeKind.CANDIDATE_ERROR, objective=None, gaps=None, raw=None)
    base.add_evaluation(key(), mine)
    base.add_evaluation(key(seed=1), failed)
    assert prune(base, NOW + timedelta(days=1)).evaluations == 1
    keys = [key(), key(seed=1)]
    assert list(base.find_evaluations(keys)) == [key(seed=1).identity]
    assert base.jobs.known(keys) == {key(seed=1).identity}
    again = result(gaps=values, raw=values, objective=9.0, decisions=np.arange(3, dtype="<u2"))
    base.add_evaluation(key(), again)
    found = base.find_evaluations(keys)[key().identity]
    assert found.objective == 2.5 and found.gaps is not None
    assert found.gaps.tolist() == [1.0, 2.0] and found.decisions is not None
    assert base.jobs.known(keys) == {one.identity for one in keys}


def test_jobs_and_solvers_keep_theirs(small: KnowledgeBase) -> None:
    """Evaluations of a job's programs, and the calls of a run that made a solver, stay."""
    from eurisko.knowledge_base import SolverKey

    small.add_evaluation(key(program_hash="mine"), result())
    small.add_evaluation(key(program_hash="nobody's"), result())
    small.jobs.create("job", {}, [{"hash": "mine", "label": "", "code": ""}], [], "0")
    run = small.create_run(**RUN | {"workflow": "create"})
    call = {"run_id": run.id, "key": "k", "role": "coder", "model": "m", "prompt_hash": "h"}
    small.add_call(**call, request={"a": 1}, text="x")
    solved = SolverKey.of(["visit"], [], "vrplib", "nearest", [[("cost", 1.0)]])
    about: dict[str, Any] = {"type": "CVRP", "description": {}, "checks": {}, "origin": "test"}
    small.solvers.add(solved, "x = 1\n", **about, run_id=run.id)
    small.update_run(run.id, status="finished", result={})
    pruned = prune(small, NOW + timedelta(days=1))
    assert (pruned.evaluations, pruned.calls) == (1, 0)
    kept = small.find_evaluations([key(program_hash="mine"), key(program_hash="nobody's")])
    assert list(kept) == [key(program_hash="mine").identity]


def test_space_is_given_back(base: KnowledgeBase) -> None:
    """The file shrinks; a server is only asked to tidy up."""
    blob = np.zeros(3000)
    rows = [{**base.evaluation_values(key(seed=n), result(gaps=blob, raw=blob))} for n in range(60)]
    with base.session() as session, session.begin():
        session.execute(insert(EvaluationRow), rows)
    prune(base, NOW + timedelta(days=1))
    vacuum(base)
    if base.engine.dialect.name == "sqlite":
        with base.engine.connect() as connection:
            pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        assert pages * 4096 < 60 * 48_000 / 4


def test_every_table_is_known_to_retention() -> None:
    """A new table with something heavy in it has to be thought of here."""
    heavy = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if type(column.type).__name__ == "LargeBinary"
    }
    assert heavy == {"evaluation.gaps", "evaluation.raw", "evaluation.decisions"}
