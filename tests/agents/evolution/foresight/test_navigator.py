"""The navigator against a trace of ten generations worked by hand, rule by rule."""

import json
import random
from collections import Counter

import pytest

from eurisko.agents.evolution.foresight import (
    DIRECTIVES,
    GENERAL_DIRECTIVES,
    Decision,
    NavigatorConstants,
    NavigatorState,
    Regime,
    decide,
    decide_at_random,
    observe,
)

TRACE = [
    # best, diversity -> stagnation, progress, regime of the next generation, rule
    (20.0, 1.0, 0, 0, "balanced", "warm-up"),
    (18.0, 1.0, 0, 1, "balanced", "otherwise"),
    (17.0, 0.9, 0, 2, "exploit", "progress"),
    (16.9991, 0.9, 1, 0, "balanced", "otherwise"),  # gain 0.0009, needed 17 · 1e-4 = 0.0017
    (16.9991, 0.8, 2, 0, "balanced", "otherwise"),
    (16.9991, 0.8, 3, 0, "explore", "stagnation"),
    (15.0, 0.2, 0, 1, "explore", "diversity"),
    (14.0, 0.2, 0, 2, "explore", "diversity"),  # before progress
    (13.0, 0.3, 0, 3, "exploit", "progress"),  # 0.3 is not below 0.3
    (13.0, 0.9, 1, 0, "balanced", "otherwise"),
]


def walk(
    trace: list[tuple[float, float]], constants: NavigatorConstants | None = None
) -> list[tuple[NavigatorState, Decision]]:
    """Feed the navigator and return its state and decision after each generation."""
    constants = constants or NavigatorConstants()
    state, seen = NavigatorState(), []
    for number, (best, diversity) in enumerate(trace):
        state = observe(state, best, best + 1, diversity, constants)
        seen.append((state, decide(state, random.Random(number), constants)))
    return seen


def test_ten_generations_worked_by_hand() -> None:
    """Counters, regime and rule of each generation are those of the published rules."""
    seen = walk([row[:2] for row in TRACE])
    found = [
        (state.stagnation, state.progress, decision.regime.value, decision.rule)
        for state, decision in seen
    ]
    assert found == [row[2:] for row in TRACE]
    assert seen[-1][0].best == tuple(row[0] for row in TRACE)
    assert seen[-1][0].mean == tuple(row[0] + 1 for row in TRACE)
    assert seen[3][1].numbers["gain"] == pytest.approx(0.0009)
    assert seen[3][1].numbers["needed"] == pytest.approx(0.0017)


def test_before_anything_was_seen_the_general_list_is_used() -> None:
    """Without history the regime is balanced and the directive comes from the general five."""
    drawn = {decide(NavigatorState(), random.Random(n)).directive for n in range(100)}
    assert drawn == set(GENERAL_DIRECTIVES)
    assert decide(NavigatorState(), random.Random(0)).rule == "warm-up"


def test_the_absolute_threshold_of_the_released_code() -> None:
    """A gain of 0.0009 at an objective of 17 is progress absolutely, and none relatively."""
    trace = [(17.0, 1.0), (16.9991, 1.0), (16.9982, 1.0)]
    relative = walk(trace)[-1][0]
    absolute = walk(trace, NavigatorConstants(relative=False))[-1][0]
    assert (relative.progress, relative.stagnation) == (0, 2)
    assert (absolute.progress, absolute.stagnation) == (2, 0)


def test_progress_must_exceed_the_threshold_and_the_quantum() -> None:
    """A gain just as large as what is needed is none; the task's quantum counts too."""
    assert walk([(1.0, 1.0), (0.5, 1.0)], NavigatorConstants(epsilon=0.5))[-1][0].progress == 0
    assert walk([(1.0, 1.0), (0.4, 1.0)], NavigatorConstants(epsilon=0.5))[-1][0].progress == 1
    assert walk([(1.0, 1.0), (0.4, 1.0)], NavigatorConstants(quantum=0.7))[-1][0].progress == 0
    assert walk([(-1.0, 1.0), (-2.0, 1.0)])[-1][0].progress == 1, "negative objectives"


def test_directives_come_from_the_regime_s_list() -> None:
    """Each directive of a regime's list is drawn, and no other."""
    seen = walk([row[:2] for row in TRACE])
    states = {decision.regime: state for state, decision in seen}
    for regime, state in states.items():
        drawn = {decide(state, random.Random(n)).directive for n in range(400)}
        assert drawn == set(DIRECTIVES[regime])
    assert [len(DIRECTIVES[regime]) for regime in Regime] == [5, 5, 15]
    assert len(set(DIRECTIVES[Regime.BALANCED])) == 15


def test_the_lottery_of_the_released_code() -> None:
    """When no rule fires, the released code draws 25/25/50 (4 sigma over 4,000 draws)."""
    constants = NavigatorConstants(otherwise="lottery")
    (_, (state, _)) = walk([(20.0, 1.0), (18.0, 1.0)])
    rng = random.Random(3)
    for decided in (decide, decide_at_random):
        counts = Counter(decided(state, rng, constants).regime for _ in range(4000))
        for regime, share in zip(Regime, (0.25, 0.25, 0.5), strict=True):
            assert abs(counts[regime] - 4000 * share) < 4 * (4000 * share * (1 - share)) ** 0.5
    assert decide(state, rng, constants).rule == "lottery"
    assert decide_at_random(state, rng).rule == "random"


def test_the_lottery_never_overrules_a_rule() -> None:
    """With the lottery too, a rule that holds is followed."""
    constants = NavigatorConstants(otherwise="lottery")
    seen = walk([row[:2] for row in TRACE], constants)
    ruled = [row for row in TRACE if row[5] not in ("otherwise", "warm-up")]
    found = [
        (one.regime.value, one.rule) for _, one in seen if one.rule not in ("lottery", "warm-up")
    ]
    assert found == [row[4:] for row in ruled]


def test_a_long_run_forgets_the_oldest_but_never_stops_counting() -> None:
    """Histories keep the last fifty entries, and the counters go on (the released step froze)."""
    state = walk([(1.0, 1.0)] * 120)[-1][0]
    assert len(state.best) == len(state.mean) == len(state.diversity) == 50
    assert state.stagnation == 119


def test_states_and_decisions_survive_json() -> None:
    """What the checkpoint holds comes back bit for bit."""
    for state, decision in walk([(row[0] / 3, row[1] / 7) for row in TRACE]):
        assert NavigatorState.from_json(json.loads(json.dumps(state.to_json()))) == state
        assert Decision.from_json(json.loads(json.dumps(decision.to_json()))) == decision
        assert decision.reason


@pytest.mark.parametrize(
    "wrong",
    [
        {"stagnation": 0},
        {"progress": 0},
        {"history": 1},
        {"diversity": 1.1},
        {"epsilon": -1.0},
        {"quantum": -1.0},
        {"explore_share": 0.8, "exploit_share": 0.3},
    ],
)
def test_impossible_constants_are_refused(wrong: dict[str, float]) -> None:
    """Constants are checked where they are made."""
    with pytest.raises(ValueError, match=r"must"):
        NavigatorConstants(**wrong)  # type: ignore[arg-type]
