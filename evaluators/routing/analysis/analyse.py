"""Puts the analysis together: fields, constraints with evidence, contradictions, questions."""

import numpy as np

from ..instance import RoutingInstance
from ..reading import Reading
from ..vrplib_text import HEADERS, SECTIONS
from .findings import fleet_findings, header_findings, text_findings
from .inference import infer
from .reach import matrix_findings, reach_findings
from .results import Analysis, Finding, Severity
from .type_names import read_type

_ORDER = list(Severity)


def analyse(reading: Reading) -> Analysis:
    """Analyse what was read; deterministic, and no model is asked."""
    instance, facts = reading.instance, reading.facts
    claims = read_type(facts.type_name)
    constraints, questions = infer(reading, claims)
    rules = frozenset(inferred.name for inferred in constraints)
    findings = [
        *text_findings(reading),
        *header_findings(reading, claims, rules),
        *fleet_findings(instance, rules),
        *reach_findings(instance, "closed" in rules),
        *matrix_findings(instance, facts.rounding),
        *_cycles(instance),
    ]
    findings.sort(key=lambda finding: _ORDER.index(finding.severity))
    meanings = {**HEADERS, **SECTIONS}
    fields = tuple((name, meanings.get(name, "")) for name in facts.fields)
    return Analysis(reading, fields, tuple(constraints), tuple(findings), tuple(questions))


def _cycles(instance: RoutingInstance) -> list[Finding]:
    """Find precedences that contradict one another: nodes that remain after peeling."""
    before, after = instance.precedence[:, 0], instance.precedence[:, 1]
    left = np.ones(instance.size, dtype=bool)
    while True:
        blocked = np.zeros(instance.size, dtype=bool)
        active = left[before] & left[after]
        blocked[after[active]] = True
        freed = left & ~blocked
        if not freed.any():
            break
        left &= ~freed
    if not left.any():
        return []
    nodes = tuple(instance.node_ids[row] for row in np.flatnonzero(left)[:10])
    message = "precedences run in a circle: no order of the nodes keeps them"
    return [Finding(Severity.ERROR, "precedence", message, nodes)]
