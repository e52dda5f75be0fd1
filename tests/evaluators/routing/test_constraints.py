"""The vocabulary: probes that isolate one rule each, on instances where it binds."""

import numpy as np
import pytest

from eurisko.evaluators.routing.checker import check
from eurisko.evaluators.routing.constraints import VOCABULARY, Constraint
from eurisko.evaluators.routing.constraints.base import line_instance, plan
from eurisko.evaluators.routing.objectives import Objective

RULES = pytest.mark.parametrize("rule", VOCABULARY.values(), ids=list(VOCABULARY))


@RULES
def test_accepted_probe(rule: Constraint) -> None:
    """The accepted probe keeps its rule and all others of its set."""
    probe = rule.probe()
    report = check(probe.instance, probe.accepted, probe.names)
    assert report.feasible, report.violations
    assert rule.name in report.verdicts


@RULES
def test_rejected_probe_breaks_only_its_rule(rule: Constraint) -> None:
    """The rejected probe breaks its rule, with negative slack and words, and nothing else."""
    probe = rule.probe()
    report = check(probe.instance, probe.rejected, probe.names)
    assert report.broken == {rule.name}
    assert report.verdicts[rule.name].slack < 0
    assert report.violations[0].message


@RULES
def test_without_the_rule_the_rejected_probe_passes(rule: Constraint) -> None:
    """Leaving the rule out lets the rejected probe through: the probe shows that rule alone.

    Without `reloads`, no route may pass a depot at all.
    """
    probe = rule.probe()
    report = check(probe.instance, probe.rejected, probe.names - {rule.name})
    assert report.broken == ({"depot"} if rule.name == "reloads" else set())


@RULES
def test_binds(rule: Constraint) -> None:
    """Without the rule the rejected plan would be better (cheaper, shorter, or done earlier)."""
    if rule.name == "open":
        pytest.skip("an open route saves the way back: what breaks the rule costs more")
    probe = rule.probe()
    objective = Objective(((("cost", 1.0),), (("duration", 1.0),)))
    values = []
    for tried in (probe.rejected, probe.accepted):
        report = check(probe.instance, tried, (), objective)
        assert report.trace is not None
        values.append((*report.values, float(report.trace.departure.max())))
    if rule.name == "arcs":  # what it would cost if the arc were there
        values[0] = (2.0, *values[0][1:])
    assert values[0] < values[1]


@RULES
def test_evidence(rule: Constraint) -> None:
    """What the data show of a rule is shown by its own probe; rules of choice show nothing."""
    chosen = {"closed", "open", "backhaul", "mixed_backhaul", "mixed_backhaul_staged"}
    assert (rule.evidence(rule.probe().instance) is None) == (rule.name in chosen)


def test_evidence_is_specific() -> None:
    """On a bare instance only the rules of every routing problem have evidence."""
    instance = VOCABULARY["visit"].probe().instance
    shown = {name for name, rule in VOCABULARY.items() if rule.evidence(instance) is not None}
    assert shown == {"visit", "depot"}


def test_wait_is_not_counted_when_avoidable() -> None:
    """A vehicle leaves late enough not to wait: duration is 7 for a window that opens at 100."""
    probe = VOCABULARY["duration_limit"].probe()
    instance = probe.instance
    instance.windows[1, 0] = (100.0, 200.0)
    report = check(instance, probe.accepted, probe.names)
    assert report.trace is not None
    np.testing.assert_allclose(report.trace.duration, [7.0, 7.0])
    assert report.trace.start[0, 0] == 98.0


def test_a_later_window_may_give_the_shorter_duration() -> None:
    """By hand: through the second window the route takes 4, through the first 43."""
    inf = np.inf
    windows = [[(0, 500), (inf, -inf)], [(0, 10), (100, 110)], [(50, 200), (inf, -inf)]]
    instance = line_instance([0, 1, 2], windows=windows)
    report = check(instance, plan((0, 1, 2, 0)), {"time_windows", "duration_limit"})
    assert report.trace is not None
    assert report.trace.duration.tolist() == [4.0]
    assert report.trace.start[0].tolist() == [99.0, 100.0, 101.0, 103.0]
