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
from ..survival import Member, survivors
from .progress import convergence

MOST_NODES = 1200
"""Candidates drawn in the lineage; of larger runs the champion's ancestry and an even sample."""
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
    operators: Sequence[Mapping[str, Any]]
    boxes: Sequence[Mapping[str, Any]]
    timed: Sequence[Mapping[str, Any]]
    failures: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """Return what the charts are drawn from."""
        names = ("convergence", "nodes", "thinned", "operators", "boxes", "timed", "failures")
        data = {name: getattr(self, name) for name in names}
        return {**data, "cpu_s": self.cpu_s, "wall_s": self.wall_s, "report": self.report.to_json()}


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
    entered, means = _populations(rows, scored, int(run.config.get("population", 8)))
    ancestors = {one.id for one in _ancestry(report.best, rows)}
    kept = _thin(rows, ancestors)
    seed = next((one for one in rows if one.operator == "seed"), None)
    points = timed_points(base, run, problem, rows)
    front = {one.candidate for one in pareto_front(points)}
    times = [e.cpu_s for results in found.values() for e in results if math.isfinite(e.cpu_s)]
    return PageData(
        report=report,
        seed_code=seed.code if seed else problem.spec.interface(run.interface).seed,
        cpu_s=sum(times),
        wall_s=(run.updated_at - run.created_at).total_seconds(),
        convergence=convergence(rows, scored, means, base.calls(run.id)),
        nodes=[_node(one, scored.get(one.id), one.id in ancestors) for one in kept],
        thinned=len(rows) - len(kept),
        operators=_operators(rows, scored, entered),
        boxes=_boxes(base, problem, report, seed),
        timed=[
            {"id": p.candidate, "objective": p.objective, "seconds": p.seconds_per_instance}
            | {"front": p.candidate in front}
            for p in points
        ],
        failures=_failures(rows, found),
    )


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


def _populations(
    rows: Sequence[Candidate], scored: Mapping[int, float], size: int
) -> tuple[set[int], dict[int, float]]:
    """Return who was among the best ``size`` after its generation, and their mean by generation."""
    by_generation: dict[int, list[Candidate]] = defaultdict(list)
    for one in rows:
        if one.id in scored:
            by_generation[one.generation].append(one)
    members: list[Member] = []
    entered: set[int] = set()
    means: dict[int, float] = {}
    for generation, made in sorted(by_generation.items()):
        new = [Member(one.id, one.hash, scored[one.id], "", "", None) for one in made]
        members = survivors([*members, *new], size)
        entered |= {one.id for one in members}
        means[generation] = sum(one.objective for one in members) / len(members)
    return entered, means


def _ancestry(best: Candidate | None, rows: Sequence[Candidate]) -> list[Candidate]:
    """Return the best candidate and all its ancestors."""
    by_id = {one.id: one for one in rows}
    todo, seen = ([] if best is None else [best.id]), dict[int, Candidate]()
    while todo:
        one = by_id.get(todo.pop())
        if one is not None and one.id not in seen:
            seen[one.id] = one
            todo += [parent.parent_id for parent in one.parents]
    return list(seen.values())


def _thin(rows: Sequence[Candidate], always: set[int]) -> list[Candidate]:
    if len(rows) <= MOST_NODES:
        return list(rows)
    step = math.ceil(len(rows) / MOST_NODES)
    return [one for index, one in enumerate(rows) if index % step == 0 or one.id in always]


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
    rows: Sequence[Candidate], scored: Mapping[int, float], entered: set[int]
) -> list[dict[str, Any]]:
    counts: dict[str, dict[str, int]] = {}
    for one in rows:
        row = counts.setdefault(one.operator, dict.fromkeys(("made", "ok", "better", "entered"), 0))
        parents = [scored[p.parent_id] for p in one.parents if p.parent_id in scored]
        row["made"] += 1
        row["ok"] += one.id in scored
        row["better"] += one.id in scored and bool(parents) and scored[one.id] < min(parents)
        row["entered"] += one.id in entered
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
                boxes.append({"split": split, "dataset": name, "who": who, "values": values})
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
            kind, message, line = bad[0].kind.value, bad[0].message, bad[0].line
        else:
            continue
        entry = kinds.setdefault(kind, {"kind": kind, "count": 0, "examples": []})
        entry["count"] += 1
        example = {"message": message[:600], "line": line, "operator": one.operator}
        if len(entry["examples"]) < EXAMPLES:
            entry["examples"].append(example | {"generation": one.generation})
    return sorted(kinds.values(), key=lambda entry: -entry["count"])
