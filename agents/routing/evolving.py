"""A created solver's function as a problem folder for evolution, and the way back into the memory."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...evaluators import Dataset, InputError, evaluate, get_problem
from ...evaluators.routing import Reading, RoutingError, parse_routing
from ...evaluators.routing.constraints import VOCABULARY
from ...evaluators.routing.created import write_like
from ...evaluators.routing.created.function_problem import (
    EVOLVABLE,
    MATERIAL,
    SPLITS,
    FunctionProblem,
)
from ...evaluators.routing.created.small import part_of
from ...evaluators.routing.rounding import ROUNDINGS
from ...knowledge_base import KnowledgeBase, Run, Solver
from ...sandbox import Limits, Sandbox
from .creation import Task
from .memory import remember_file

ROUNDS = 150
"""How often the search destroys and repairs: results do not depend on the clock."""
PARTS = {"search": 6, "validation": 4, "test": 3}
SHARES = (0.6, 0.9)
"""Between which shares of its customers a part of the user's instance keeps."""
_CODE = '''"""A function of a created solver, made by 'eurisko evolve --solver'; see material.json."""

from pathlib import Path

from eurisko.evaluators.routing.created.function_problem import FunctionProblem

problem = FunctionProblem(Path(__file__).parent)
'''


@dataclass(frozen=True)
class Wanted:
    """What is to be evolved: the solver, its function, instance files, rounds, seed of the parts."""

    solver: Solver
    function: str
    instances: tuple[Path, ...] = ()
    rounds: int = ROUNDS
    seed: int = 0


def make_problem(base: KnowledgeBase, sandbox: Sandbox, wanted: Wanted, folder: Path) -> Path:
    """Write a problem folder that ``eurisko evolve FOLDER`` takes, and return it.

    Its instances are those given and parts of them; a folder that is there already with the same
    solver and function is used as it is, so that runs can be compared and resumed.

    Args:
        base: where the solver is; its creation's instance is taken where none is given.
        sandbox: an open one; the stored solver runs in it once on each split.
        wanted: what is to be evolved.
        folder: where to write.

    Raises:
        InputError: the function cannot be evolved, there is no instance, or the solver fails on one.
    """
    if wanted.function not in EVOLVABLE:
        raise InputError(
            f"Function {wanted.function!r} cannot be evolved: choose {', '.join(EVOLVABLE)}."
        )
    if (folder / MATERIAL).is_file() and not wanted.instances:
        return folder
    readings = _readings(base, wanted)
    if readings[0][1].instance.fleet.types > 1:
        raise InputError("Solvers of several vehicle types cannot be evolved yet.")
    material = _material(wanted, readings)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "problem.py").write_text(_CODE, encoding="utf-8")
    _write(folder, material)
    _measure(folder, sandbox, material)
    return folder


def adopt(
    base: KnowledgeBase, sandbox: Sandbox, run: Run, code: str, *, seconds: float = 5.0
) -> Solver:
    """Put an evolved function into its solver and remember the new one, if it is accepted.

    Args:
        base: where the solver is.
        sandbox: an open one.
        run: the evolution; its problem is a folder of :func:`make_problem`.
        code: the evolved function.
        seconds: what the new solver is given on the user's instance.

    Raises:
        InputError: the run evolved no solver's function.
        NotAccepted: the new solver fails a check.
        RoutingError: function and solver do not go together.
    """
    problem = get_problem(run.problem)
    if not isinstance(problem, FunctionProblem):
        raise InputError(f"Run {run.id} evolved no function of a solver.")
    parent = base.solvers.get(problem.solver)
    task = _task(problem.example, parent)
    return remember_file(
        base,
        sandbox,
        task,
        problem.composed(code),
        seconds=seconds,
        origin=f"evolved: {run.id}",
        parent_id=parent.id,
    )


def _task(text: str, solver: Solver) -> Task:
    from ...evaluators.routing.analysis import Inferred, analyse
    from ...evaluators.routing.objectives import Objective

    reading = parse_routing(text, "instance", form=solver.format, **_options(solver))
    analysis = analyse(reading)
    known = {one.name: one for one in analysis.constraints}
    names = solver.constraints.split(",")
    rules = tuple(known.get(name) or Inferred(name, "of the solver", "answer") for name in names)
    levels = tuple(tuple((n, float(w)) for n, w in level) for level in solver.objective)
    from dataclasses import replace

    return Task(
        text, reading, replace(analysis, constraints=rules, questions=()), Objective(levels)
    )


def _options(solver: Solver) -> dict[str, str]:
    chosen = solver.format != "csv" and solver.rounding in ROUNDINGS
    return {"rounding": solver.rounding} if chosen else {}


def _readings(base: KnowledgeBase, wanted: Wanted) -> list[tuple[str, Reading]]:
    """Return the instances to evolve on, each as text and reading."""
    solver, paths = wanted.solver, list(wanted.instances)
    if not paths and solver.run_id is not None:
        paths = [Path(base.get_run(solver.run_id).folder) / "instance.txt"]
    if not paths:
        raise InputError(
            f"Solver {solver.id} has no instance of its own: name some with --instances."
        )
    found = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise InputError(f"Cannot read {path}: {error.strerror}.") from error
        found.append((text, parse_routing(text, path, form=solver.format, **_options(solver))))
    return found


def _material(wanted: Wanted, readings: Sequence[tuple[str, Reading]]) -> dict[str, Any]:
    """Return what the problem consists of; the costs are still missing."""
    rng = np.random.default_rng(wanted.seed)
    splits: dict[str, Any] = {}
    for split in SPLITS:
        texts = [text for text, _ in readings] if split == "test" else []
        for number in range(PARTS[split]):
            _, reading = readings[number % len(readings)]
            share = float(rng.uniform(*SHARES))
            texts.append(write_like(reading, part_of(reading, share, rng)))
        splits[split] = {"texts": texts, "costs": None}
    solver = wanted.solver
    return {
        "solver": solver.id,
        "function": wanted.function,
        "program": solver.code,
        "summary": solver.description.get("summary", ""),
        "rules": {name: VOCABULARY[name].description for name in solver.constraints.split(",")},
        "objective": solver.objective,
        "format": solver.format,
        "options": _options(solver),
        "name": "instance",
        "rounds": wanted.rounds,
        "seconds": 60.0,
        "splits": splits,
    }


def _write(folder: Path, material: dict[str, Any]) -> None:
    text = json.dumps(material, indent=1, sort_keys=True) + "\n"
    (folder / MATERIAL).write_text(text, encoding="utf-8")


def _measure(folder: Path, sandbox: Sandbox, material: dict[str, Any]) -> None:
    """Run the stored solver on every split: its costs are the references, its time sets the limit."""
    problem = FunctionProblem(folder)
    spent: list[float] = []
    for split in SPLITS:
        data = problem.dataset(split)
        found = _evaluated(problem, data, sandbox, material)
        material["splits"][split]["costs"] = [float(value) for value in found.raw]
        spent.append(found.cpu_s / data.instances)
    # Room for slower functions, and for slower machines.
    material["seconds"] = max(1.0, round(8 * max(spent), 1))
    _write(folder, material)


def _evaluated(
    problem: FunctionProblem, data: Dataset, sandbox: Sandbox, material: dict[str, Any]
) -> Any:
    seconds = problem.spec.cpu_seconds(data.instances)
    seed = problem.spec.interface("function").seed
    limits = Limits(cpu_s=seconds, wall_s=3 * seconds + 5)
    found = evaluate(sandbox, problem, "function", seed, data, limits)
    if found.raw is None:
        raise InputError(
            f"Solver {material['solver']} fails on the {data.name} instances: "
            f"{found.kind.value.replace('_', ' ')}: {found.message}."
        )
    return found


__all__ = ["RoutingError", "Wanted", "adopt", "make_problem"]
