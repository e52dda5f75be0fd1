"""Creates the program of each variant once, runs it on fresh instances, and keeps every result."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eurisko.evaluators.routing import Reading, parse_routing
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.created import run_created
from eurisko.evaluators.routing.created.accept import judge_run
from eurisko.evaluators.routing.objectives import Objective

from .instances import make_text
from .sources import Made, Source

if TYPE_CHECKING:
    from eurisko.sandbox import Sandbox

Line = dict[str, Any]
CREATION_CUSTOMERS = 10  # of the file that a program is made from


@dataclass(frozen=True)
class Plan:
    """What is measured: ``instances`` of ``customers`` for each variant, ``seconds`` for each run."""

    variants: tuple[str, ...]
    customers: int = 30
    instances: int = 3
    seconds: float = 5.0
    seed: int = 0

    def key(self, variant: str, source: str) -> list[Any]:
        """Return what makes a line of results the same measurement."""
        return [variant, source, self.customers, self.instances, self.seconds, self.seed]


def do(plan: Plan, source: Source, sandbox: "Sandbox", path: Path) -> list[Line]:
    """Do what is missing in the file of results, line by line, and return its lines of this plan.

    Args:
        plan: what to measure.
        source: where programs come from.
        sandbox: where they run.
        path: results, one JSON object per line; a line is written when its variant is finished.
    """
    lines = read_lines(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    for variant in plan.variants:
        if any(line["key"] == plan.key(variant, source.name) for line in lines):
            continue
        line = measure(plan, variant, source, sandbox)
        lines.append(line)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
    wanted = [plan.key(variant, source.name) for variant in plan.variants]
    return [line for line in lines if line["key"] in wanted]


def read_lines(path: Path) -> list[Line]:
    """Return the finished measurements of a file; a cut last line is left out."""
    if not path.is_file():
        return []
    found = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(text))
        except json.JSONDecodeError:  # the process was ended while it wrote
            continue
    return found


def measure(plan: Plan, variant: str, source: Source, sandbox: "Sandbox") -> Line:
    """Create a program for a variant and run it on every instance."""
    text = make_text(variant, CREATION_CUSTOMERS, plan.seed)
    first = parse_routing(text, f"{variant}.vrp")
    made = source.create(variant, text, first, analyse(first))
    results = []
    for number in range(1, plan.instances + 1):
        text = make_text(variant, plan.customers, plan.seed + number)
        reading = parse_routing(text, f"{variant}-{number}.vrp")
        result: Line = {"instance": number, **reference(reading, plan.seconds, plan.seed)}
        if made.code is not None:
            result |= _run(plan, made, text, reading, sandbox)
        results.append(result)
    return {
        "key": plan.key(variant, source.name),
        "variant": variant,
        "source": source.name,
        **{name: value for name, value in asdict(made).items() if name != "code"},
        "created": made.code is not None,
        "results": results,
    }


def _run(plan: Plan, made: Made, text: str, reading: Reading, sandbox: "Sandbox") -> Line:
    assert made.code is not None
    names = analyse(reading).names
    run = run_created(
        sandbox, made.code, text, reading.instance, seconds=plan.seconds, seed=plan.seed
    )
    checks, report = judge_run(run, reading.instance, names, Objective(), "here")
    return {
        "outcome": run.outcome.kind.value,
        "feasible": report is not None and report.feasible,
        "right": all(one.passed for one in checks),
        "cost": report.cost if report is not None and report.feasible else None,
        "seconds": round(run.seconds, 2),
        "failure": next((one.message for one in checks if not one.passed), ""),
    }


def reference(reading: Reading, seconds: float, seed: int) -> Line:
    """Return the reference solver's cost in the same time, or why there is none."""
    from eurisko.evaluators.routing import RoutingError

    try:
        from eurisko.evaluators.routing.reference import solve_reference
    except ImportError as error:
        return {"reference": None, "reference_by": f"none: {error}"}
    try:
        names = analyse(reading).names
        found = solve_reference(reading.instance, names, Objective(), seconds=seconds, seed=seed)
    except RoutingError as error:  # it does not model the variant, or is not installed
        return {"reference": None, "reference_by": f"none: {error}"}
    if found.report is None or not found.report.feasible:
        return {"reference": None, "reference_by": f"{found.solver}: nothing feasible"}
    return {"reference": found.report.cost, "reference_by": found.solver}


def totals(lines: Sequence[Line]) -> list[Line]:
    """Return all results of all lines that have a run."""
    return [one for line in lines for one in line["results"] if "outcome" in one]
