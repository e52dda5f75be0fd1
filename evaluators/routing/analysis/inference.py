"""Constraints that a file shows, each with its evidence, and the questions that remain."""

import re

import numpy as np

from ..constraints import VOCABULARY
from ..instance import UNLIMITED
from ..loads import unpaired
from ..reading import Reading
from ..rounding import ROUNDINGS
from .results import Inferred, Question
from .type_names import TypeClaims

LOAD_RULES = ("backhaul", "mixed_backhaul", "mixed_backhaul_staged")
_STAGED = re.compile(r"already picked up|cumulative amount of all previous", re.I)


def infer(reading: Reading, claims: TypeClaims) -> tuple[list[Inferred], list[Question]]:
    """Return constraints and questions."""
    instance = reading.instance
    found = []
    for name, rule in VOCABULARY.items():
        evidence = rule.evidence(instance)
        if evidence is not None:
            found.append(Inferred(name, evidence, "data"))
    questions: list[Question] = []
    for decide in (_returning, _load_rule):
        inferred, question = decide(reading, claims)
        found += inferred
        questions += question
    questions += _rounding(reading) + _fleet_size(reading) + _objective(reading)
    order = list(VOCABULARY)
    return sorted(found, key=lambda one: order.index(one.name)), questions


Decision = tuple[list[Inferred], list[Question]]


def _returning(reading: Reading, claims: TypeClaims) -> Decision:
    stated = reading.facts.headers.get("open_routes")
    if stated is not None:
        name = "open" if stated == "True" else "closed"
        return [Inferred(name, f"open_routes is {stated.lower()}", "header")], []
    kind = reading.facts.type_name
    header = reading.facts.headers.get("OPEN_ROUTE", "").upper()
    if header in ("1", "TRUE", "YES"):
        return [Inferred("open", f"OPEN_ROUTE is {header}", "header")], []
    if header in ("0", "FALSE", "NO"):
        return [Inferred("closed", f"OPEN_ROUTE is {header}", "header")], []
    if "open" in claims.claims:
        return [Inferred("open", f"TYPE is {kind}", "header")], []
    if "single" in claims.claims:
        return [Inferred("closed", f"TYPE is {kind}: a closed tour", "header")], []
    question = Question(
        "return",
        "Do vehicles return to a depot at the end?",
        ("closed", "open"),
        "closed",
        "data sections look the same either way",
        {"closed": ("closed",), "open": ("open",)},
    )
    return [Inferred("closed", "nothing says that routes are open", "assumed")], [question]


def _load_rule(reading: Reading, claims: TypeClaims) -> Decision:
    """Choose how deliveries and pickups share a vehicle, where there are both."""
    _, pickups = unpaired(reading.instance)
    if not pickups.any():
        return [], []
    stated = reading.facts.headers.get("load_rule")
    if stated is not None:
        return [Inferred(stated, f"load_rule is {stated}", "header")], []
    kind = reading.facts.type_name
    effects = {name: (name,) for name in LOAD_RULES}
    if "backhaul" in claims.claims:
        return [Inferred("backhaul", f"TYPE is {kind}: deliveries, then pickups", "header")], []
    if "mixed" in claims.claims and any(_STAGED.search(text) for text in reading.facts.comments):
        words = "a comment counts pickups so far and the stop's own amount"
        return [Inferred("mixed_backhaul_staged", words, "comment")], []
    served = int((pickups > 0).any(axis=1).sum())
    options = LOAD_RULES[1:] if "mixed" in claims.claims else LOAD_RULES
    question = Question(
        "load_rule",
        "May a vehicle pick up before it has delivered everything, and what must then fit?",
        options,
        "mixed_backhaul",
        f"{served} nodes have pickups; data do not show the rule",
        effects,
    )
    words = f"{served} nodes have pickups; the physical load rule is the safe one"
    return [Inferred("mixed_backhaul", words, "assumed")], [question]


def _rounding(reading: Reading) -> list[Question]:
    reason = reading.facts.assumed.get("rounding")
    if reason is None:
        return []
    text = "How are Euclidean distances rounded?"
    return [Question("rounding", text, tuple(ROUNDINGS), reading.facts.rounding, reason, {})]


def _fleet_size(reading: Reading) -> list[Question]:
    instance = reading.instance
    if (instance.fleet.available != UNLIMITED).any():
        return []
    amount = np.maximum(instance.deliveries.sum(axis=0), instance.pickups.sum(axis=0))
    capacity = instance.fleet.capacity.max(axis=0)
    finite = np.isfinite(capacity) & (capacity > 0)
    least = int(np.ceil((amount[finite] / capacity[finite]).max() - 1e-9)) if finite.any() else 1
    hint = re.search(r"-k(\d+)", instance.name)
    reason = f"no number of vehicles is given; demand needs at least {max(least, 1)}"
    reason += f", and the name says {hint.group(1)}" if hint else ""
    text = "How many vehicles are there?"
    return [Question("fleet_size", text, ("unlimited", "a number"), "unlimited", reason, {})]


def _objective(reading: Reading) -> list[Question]:
    names = {name for name, rule in VOCABULARY.items() if rule.evidence(reading.instance)}
    if not names & {"fleet", "time_windows", "prizes", "capacity"}:
        return []
    if (reading.instance.fleet.available == 1).all() and reading.instance.fleet.types == 1:
        return []
    options = ("cost", "vehicles, then cost", "makespan, then cost", "imbalance, then cost")
    reason = "papers on the same data minimise either distance or vehicles first"
    return [Question("objective", "What comes first?", options, "cost", reason, {})]
