"""Ten steps of a small pool, worked by hand to the digit; every credit tier is hit."""

import pytest

from eurisko.agents.evolution.hindsight import (
    HindsightConstants,
    Insight,
    Pool,
    admit,
    credit_for_failure,
    credit_for_objective,
    give_credit,
    retrieve,
    utility,
)

SMALL = HindsightConstants(capacity=4, shown=2)
PARENTS = (10.0, 11.0, 15.0, 20.0)  # best 10, mean 14, worst 20
A, B, C, D, E = 1, 2, 3, 4, 5
TEXTS = {
    A: "prefer the nearest node",
    B: "penalise long detours",
    C: "look two steps ahead",
    D: "save central points for later",
    E: "close the tour early",
}

# utilities before; who is shown; the child; tier and credit; effectiveness after.
STEPS = [
    ({A: 0.2, B: 0.2, C: 0.2}, (A, B), 9.0, ("best", 1.0), {A: 0.3, B: 0.3}),
    (  # 0.3 − 0.1·ln 2 + 0.2; C is still within two steps
        {A: 0.430685, B: 0.430685, C: 0.2},
        (A, B),
        12.0,
        ("above mean", 0.68),  # ρ = 0.8
        {A: 0.414, B: 0.414},
    ),
    (  # 0.414 − 0.1·ln 3 + 0.2; C has lost its bonus
        {A: 0.504139, B: 0.504139, C: 0.0},
        (A, B),
        20.0,
        ("below mean", -0.3),  # ρ = 0
        {A: 0.1998, B: 0.1998},
    ),
    (
        {A: 0.261171, B: 0.261171, C: 0.0},
        (A, B),
        "failure",
        ("failure", -0.8),
        {A: -0.10014, B: -0.10014},
    ),
    (  # a tie between A and B goes to the older one
        {A: -0.061084, B: -0.061084, C: 0.0},
        (C, A),
        "invalid",
        ("invalid", -0.5),
        {C: -0.15, A: -0.220098},
    ),
    (
        {A: -0.199274, B: -0.061084, C: -0.019315},
        (C, B),
        "equal",
        ("equal", 0.1),
        {C: -0.075, B: -0.040098},
    ),
    (  # D came at step 6
        {A: -0.199274, B: -0.019274, C: 0.015139, D: 0.2},
        (D, C),
        13.9,
        ("above mean", 0.566),  # ρ = 0.61
        {D: 0.1698, C: 0.1173},
    ),
    (  # E came at step 7, and A went
        {B: -0.019274, C: 0.178671, D: 0.300485, E: 0.2},
        (D, E),
        "empty",
        ("empty", 0.0),
        {D: 0.11886, E: 0.0},
    ),
    (
        {B: -0.219274, C: 0.178671, D: 0.208999, E: 0.130685},
        (D, C),
        40.0,
        ("below mean", -1.0),  # ρ = −2: −1.3, clipped
        {D: -0.216798, C: -0.21789},
    ),
    (
        {B: -0.219274, C: -0.178834, D: -0.155427, E: 0.130685},
        (E, D),
        10.0,
        ("best", 1.0),
        {E: 0.3, D: 0.1482414},
    ),
]

LAST = {  # uses, last used
    B: (5, 6),
    C: (4, 9),
    D: (4, 10),
    E: (2, 10),
}


def credit(child: float | str):
    if isinstance(child, float):
        return credit_for_objective(child, PARENTS, SMALL)
    if child == "equal":
        return credit_for_objective(9.0, (7.0, 7.0), SMALL)
    if child == "empty":
        return credit_for_objective(9.0, (), SMALL)
    return credit_for_failure(invalid=child == "invalid", constants=SMALL)


def test_ten_steps_worked_by_hand() -> None:
    """Utilities, retrieval, credit, admission and eviction, to six digits."""
    pool = Pool()
    for id_ in (A, B, C):
        pool = admit(pool, Insight(id_, TEXTS[id_]), 0, SMALL).pool
    for step, (utilities, shown, child, given, after) in enumerate(STEPS, start=1):
        found = {one.id: utility(one, step, SMALL) for one in pool.members}
        assert found == pytest.approx(utilities, abs=1e-6), step
        pool, chosen = retrieve(pool, step, SMALL)
        assert tuple(one.id for one in chosen) == shown, step
        earned = credit(child)
        assert (earned.tier, pytest.approx(earned.value)) == given, step
        pool = give_credit(pool, shown, earned, step, SMALL)
        effectiveness = {one.id: one.effectiveness for one in pool.members if one.id in after}
        assert effectiveness == pytest.approx(after, abs=1e-9), step
        if step == 6:
            pool = admit(pool, Insight(D, TEXTS[D]), step, SMALL).pool
        if step == 7:
            # Past probation: A −0.220098 − 0.02, B −0.040098 − 0.01, C 0.1173.
            admission = admit(pool, Insight(E, TEXTS[E]), step, SMALL)
            assert (admission.verdict, admission.evicted) == ("admitted", A)
            pool = admission.pool
    assert {one.id: (one.uses, one.last_used) for one in pool.members} == LAST


def test_every_tier_is_hit() -> None:
    """The trace exercises all published tiers."""
    tiers = {given[0] for _, _, _, given, _ in STEPS}
    assert tiers == {"best", "above mean", "below mean", "failure", "invalid", "equal", "empty"}
