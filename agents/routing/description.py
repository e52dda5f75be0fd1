"""The six-part description of a routing problem that every agent works from (AFL, section 3)."""

from pydantic import BaseModel, ConfigDict

from ...evaluators.routing import RoutingInstance
from ...evaluators.routing.analysis import Analysis
from ...evaluators.routing.constraints import VOCABULARY
from ...evaluators.routing.objectives import MEASURES, Objective
from ...evaluators.routing.rounding import ROUNDINGS


class Rule(BaseModel):
    """A constraint: its name in the vocabulary, what it demands, and how that is known."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    explanation: str
    evidence: str = ""


class Description(BaseModel):
    """D = {P, S, K, X, Y, Z}: type, summary, constraints, input fields, output, objective.

    It speaks of the type of problem, not of one instance: a created solver serves all files with the
    same fields and rules.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: str
    summary: str
    constraints: tuple[Rule, ...]
    fields: tuple[str, ...]
    output: str
    objective: str
    conventions: tuple[str, ...] = ()
    """What the file does not say and a program must know: rounding, rows, time on the way."""
    notes: tuple[str, ...] = ()
    """Where a model's description contradicted the file, which decides."""

    @property
    def names(self) -> frozenset[str]:
        """Names of the constraints."""
        return frozenset(rule.name for rule in self.constraints)

    def lines(self) -> list[str]:
        """Return the description as lines for people."""
        rules = [
            f"  {number}. {rule.name}: {rule.explanation}"
            + (f" [{rule.evidence}]" if rule.evidence else "")
            for number, rule in enumerate(self.constraints, 1)
        ]
        return [
            f"Type: {self.type}",
            f"Problem: {self.summary}",
            "Constraints:",
            *rules,
            f"Fields: {', '.join(self.fields)}",
            f"Output: {self.output}",
            f"Objective: {self.objective}",
            *(f"Convention: {one}" for one in self.conventions),
            *(f"Note: {one}" for one in self.notes),
        ]


_OUTPUT = "routes as lists of rows (positions of the nodes in the file, from 0), and their cost"
_ABBREVIATIONS = {
    "open": "O",
    "capacity": "C",
    "backhaul": "B",
    "mixed_backhaul": "MB",
    "mixed_backhaul_staged": "MB",
    "distance_limit": "L",
    "duration_limit": "D",
    "time_windows": "TW",
    "battery": "E",
    "precedence": "P",
    "pickup_delivery": "PD",
}


def describe(analysis: Analysis, objective: Objective | None = None) -> Description:
    """Return the description that the file alone supports; no model is asked.

    Args:
        analysis: of the user's file, its questions answered or at their defaults.
        objective: what is minimised; by default the cost.
    """
    names = analysis.names
    inferred = {one.name: one for one in analysis.constraints}
    rules = tuple(
        Rule(name=name, explanation=rule.description, evidence=inferred[name].evidence)
        for name, rule in VOCABULARY.items()
        if name in names
    )
    facts, instance = analysis.reading.facts, analysis.reading.instance
    kind = facts.type_name or _abbreviation(names)
    titles = ", ".join(VOCABULARY[rule.name].title for rule in rules)
    return Description(
        type=kind.replace(" ", "-")[:60],
        summary=f"A vehicle-routing problem with these rules: {titles}.",
        constraints=rules,
        fields=facts.fields,
        output=_OUTPUT,
        objective=_objective(objective or Objective(), instance),
        conventions=tuple(_conventions(analysis, instance.fleet.types)),
    )


def _abbreviation(names: frozenset[str]) -> str:
    letters = [mark for name, mark in _ABBREVIATIONS.items() if name in names]
    prefix = "".join(mark for mark in letters if mark in ("O", "E"))
    suffix = "".join(mark for mark in dict.fromkeys(letters) if mark not in ("O", "E", "C"))
    return f"{prefix}{'C' if 'capacity' in names else ''}VRP{suffix}"


def _objective(objective: Objective, instance: RoutingInstance) -> str:
    fleet = instance.fleet
    plain = not fleet.fixed_cost.any() and not fleet.duration_cost.any()
    if objective == Objective() and plain and (fleet.distance_cost == 1).all():
        prizes = ", plus the prizes left behind" if instance.prizes.any() else ""
        return f"minimise the total length of all routes{prizes}"
    levels = [
        " + ".join(
            (f"{weight:g} x " if weight != 1 else "") + f"{name} ({MEASURES[name][0]})"
            for name, weight in level
        )
        for level in objective.levels
    ]
    return "minimise " + ", then ".join(levels)


def _conventions(analysis: Analysis, types: int) -> list[str]:
    """Return what a program must know to arrive at the same numbers as the checker."""
    facts, names = analysis.reading.facts, analysis.names
    said = ["row 0 is the first node of the file; rows follow the order of the file"]
    if facts.rounding in ROUNDINGS:
        said.append(f"Euclidean distances are {ROUNDINGS[facts.rounding][0]}")
    elif facts.rounding:
        said.append(f"distances follow the file's {facts.rounding}")
    if "closed" in names:
        said.append("a route is [depot, ..., depot]: the way back counts and must be in time")
    if "open" in names:
        said.append("a route is [depot, ..., last customer]: it ends there")
    if "time_windows" in names:
        said.append(
            "travel time equals distance unless the file lists durations; a vehicle may leave the "
            "depot at the opening of the depot's window or later, and waits where it is early; "
            "a window limits the start of service; service takes its time before the vehicle goes on"
        )
    if "backhaul" in names or "mixed_backhaul" in names or "mixed_backhaul_staged" in names:
        said.append("a negative demand is a pickup of that amount")
    if "battery" in names:
        said.append(
            "a recharge at a station fills the battery: it takes the missing energy times the rate; "
            "stations may be visited any number of times, also more than once in a route"
        )
    if types > 1:
        said.append("solve returns 'vehicles', the type (row of the fleet) of each route")
    return said
