"""What the page of a run shows, as plain data."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....evaluators import Evaluation, Problem, get_problem
from ....knowledge_base import Candidate, KnowledgeBase
from ....sandbox import OutcomeKind
from ..pareto import pareto_front, timed_points
from ..report import SPLITS, RunReport, summarise
from .ledger import insights
from .population import SEED, Populations, populations
from .progress import convergence
from .thinning import ancestry, thin, thin_points

MOST_NODES = 1000
"""Candidates drawn in the lineage; of larger runs the champion's ancestry and an even sample."""
MOST_ANCESTORS = MOST_NODES // 2
"""Ancestors drawn in such runs, the nearest first; the line of first parents is whole."""
MOST_TIMED = 2000
"""Programs drawn by objective and time; the front is whole."""
MOST_CODE = 2500
"""Characters of a candidate's program that the lineage keeps."""
EXAMPLES = 3


@dataclass(frozen=True)
class PageData:
    """A run, ready to be drawn; all numbers are finite or None, all texts as they were made."""

    report: RunReport
    seed_code: str
    cpu_s: float
    wall_s: float
    convergence: Sequence[Mapping[str, Any]]
    nodes: Sequence[Mapping[str, Any]]
    thinned: int
    """How many candidates the lineage leaves out."""
    ancestors_left_out: int
    operators: Sequence[Mapping[str, Any]]
    boxes: Sequence[Mapping[str, Any]]
    gaps: bool
    """Whether the objective is a gap in %."""
    timed: Sequence[Mapping[str, Any]]
    programs: int
    """How many programs were timed."""
    insights: Sequence[Mapping[str, Any]]
    failures: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """Return what the charts are drawn from."""
        left = ("report", "seed_code", "programs", "ancestors_left_out")
        data = {name: value for name, value in vars(self).items() if name not in left}
        report = self.report.to_json()
        report["insights"] = {**report["insights"], "members": len(report["insights"]["members"])}
        return {**data, "report": report}


def collect(base: KnowledgeBase, run_id: str) -> PageData:
    """Read all that the page shows; it works at any moment of a run.

    Raises:
        UnknownRun: there is no such run, or the beginning of its id is not unique.
    """
    run = base.get_run(run_id)
    problem = get_problem(run.problem)
    report = summarise(base, run, problem)
    rows = list(base.run_candidates(run.id))
    found = _searched(base, problem, rows, run.interface)
    values = {one.id: _objective(found.get(one.hash, [])) for one in rows}
    scored = {key: value for key, value in values.items() if value is not None}
    points = timed_points(base, run, problem, rows)
    hashes = {one.id: one.hash for one in rows}
    seconds = {hashes[one.candidate]: one.seconds_per_instance for one in points}
    members = populations(run, rows, scored, seconds)
    seed = next((one for one in rows if one.operator == SEED), None)
    front = {one.candidate for one in pareto_front(points)}
    times = [e.cpu_s for results in found.values() for e in results if math.isfinite(e.cpu_s)]
    boxes = _boxes(base, problem, report, seed)
    timed = [
        {"id": p.candidate, "objective": p.objective, "seconds": p.seconds_per_instance}
        | {"front": p.candidate in front}
        for p in points
    ]
    return PageData(
        report=report,
        seed_code=seed.code if seed else problem.spec.interface(run.interface).seed,
        cpu_s=sum(times),
        wall_s=(run.updated_at - run.created_at).total_seconds(),
        convergence=convergence(rows, scored, members.means, base.calls(run.id)),
        **_lineage(report, rows, scored),
        operators=_operators(rows, scored, members),
        boxes=boxes,
        gaps=any(one["gaps"] for one in boxes),
        timed=thin_points(timed, MOST_TIMED),
        programs=len(timed),
        insights=insights(report.insights),
        failures=_failures(rows, found),
    )


def _lineage(
    report: RunReport, rows: Sequence[Candidate], scored: Mapping[int, float]
) -> dict[str, Any]:
    """Return the candidates to draw, and how many are left out of them and of the ancestry."""
    ancestors = ancestry(report.best, rows)
    line = [one.id for one in report.lineage]
    champion = [] if not scored else [min(scored, key=lambda id_: (scored[id_], id_))]
    always = [*line[::-1], *champion, *ancestors[:MOST_ANCESTORS]]
    kept = thin(rows, always, MOST_NODES)
    drawn, whole = {one.id for one in kept}, set(ancestors)
    return {
        "nodes": [_node(one, scored.get(one.id), one.id in whole) for one in kept],
        "thinned": len(rows) - len(kept),
        "ancestors_left_out": len(whole - drawn),
    }


def _searched(
    base: KnowledgeBase, problem: Problem, rows: Sequence[Candidate], interface: str
) -> dict[str, list[Evaluation]]:
    """Return each program's evaluations on the search split, if it was tried on all or failed."""
    hashes = {one.hash for one in rows if one.proposal_error is None}
    sets = [problem.dataset(name) for name in problem.spec.splits["search"]]
    found: dict[str, list[Evaluation]] = defaultdict(list)
    for data in sets:
        for name, result in base.evaluations(hashes, data.digest, interface).items():
            found[name].append(result)
    return {
        name: results
        for name, results in found.items()
        if len(results) == len(sets) or any(one.kind is not OutcomeKind.OK for one in results)
    }


def _objective(results: Sequence[Evaluation]) -> float | None:
    values = [one.objective for one in results if one.objective is not None]
    good = bool(results) and len(values) == len(results)
    return sum(values) / len(values) if good else None


def _node(one: Candidate, objective: float | None, ancestor: bool) -> dict[str, Any]:
    code = one.code if len(one.code) <= MOST_CODE else one.code[:MOST_CODE] + "\n# … cut here"
    return {
        "id": one.id,
        "hash": one.hash[:12],
        "generation": one.generation,
        "operator": one.operator,
        "objective": objective,
        "parents": [parent.parent_id for parent in one.parents],
        "ancestor": ancestor,
        "thought": one.thought[:600],
        "code": code,
    }


def _operators(
    rows: Sequence[Candidate], scored: Mapping[int, float], members: Populations
) -> list[dict[str, Any]]:
    counts: dict[str, dict[str, int]] = {}
    for one in rows:
        row = counts.setdefault(one.operator, dict.fromkeys(("made", "ok", "better", "entered"), 0))
        parents = [scored[p.parent_id] for p in one.parents if p.parent_id in scored]
        row["made"] += 1
        row["ok"] += one.id in scored
        row["better"] += one.id in scored and bool(parents) and scored[one.id] < min(parents)
        row["entered"] += one.id in members.entered
    return [{"operator": name, **row} for name, row in sorted(counts.items())]


def _boxes(
    base: KnowledgeBase, problem: Problem, report: RunReport, seed: Candidate | None
) -> list[dict[str, Any]]:
    """Return gaps in % per instance (the raw measure where there are no references)."""
    boxes: list[dict[str, Any]] = []
    for split in SPLITS:
        for name in problem.spec.splits[split]:
            data = problem.dataset(name)
            hashes = {one.hash for one in (seed, report.best) if one is not None}
            results = base.evaluations(hashes, data.digest, report.run.interface)
            for who, one in (("seed", seed), ("best", report.best)):
                result = results.get(one.hash) if one is not None else None
                if result is None or result.raw is None:
                    continue
                shown = result.raw if result.gaps is None else result.gaps
                values = [float(value) for value in shown]
                box = {"split": split, "dataset": name, "who": who, "values": values}
                boxes.append(box | {"gaps": result.gaps is not None})
    return boxes


def _failures(
    rows: Sequence[Candidate], found: Mapping[str, Sequence[Evaluation]]
) -> list[dict[str, Any]]:
    kinds: dict[str, dict[str, Any]] = {}
    for one in rows:
        bad = [e for e in found.get(one.hash, []) if e.kind is not OutcomeKind.OK]
        if one.proposal_error is not None:
            kind, message, line = "no_program", one.proposal_error, None
        elif bad:
            kind, line = bad[0].kind.value, bad[0].line
            message = ": ".join(filter(None, (bad[0].error_type, bad[0].message)))
        else:
            continue
        entry = kinds.setdefault(kind, {"kind": kind, "count": 0, "examples": []})
        entry["count"] += 1
        example = {"message": message[:600], "line": line, "operator": one.operator}
        known = {shown["message"] for shown in entry["examples"]}
        if len(entry["examples"]) < EXAMPLES and example["message"] not in known:
            entry["examples"].append(example | {"generation": one.generation})
    return sorted(kinds.values(), key=lambda entry: -entry["count"])
