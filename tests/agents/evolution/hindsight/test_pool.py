"""The pool's rules one by one: gate, merging, retrieval, credit, eviction."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from eurisko.agents.evolution.hindsight import (
    SEED_INSIGHTS,
    HindsightConstants,
    Insight,
    Kind,
    Occasion,
    Pool,
    Scope,
    admit,
    content_similarity,
    credit_for_failure,
    credit_for_objective,
    give_credit,
    relevance,
    retrieve,
    similarity,
    utility,
    victim,
)

USUAL = HindsightConstants()


def insight(id_: int, text: str = "", **fields: Any) -> Insight:
    return Insight(
        id_, text or " ".join(f"{w}{chr(97 + id_ % 26)}x" for w in ("sum", "gap")), **fields
    )


def pool_of(*members: Insight) -> Pool:
    return Pool(members)


def test_similarity_worked_by_hand() -> None:
    """Seven shared of ten and eight words: 7/10 by overlap, 7/11 as true Jaccard."""
    one = "a b c d e f g h i j"
    other = "A B C D E F G x"
    assert similarity(one, other) == pytest.approx(0.7)
    assert similarity(one, other, "jaccard") == pytest.approx(7 / 11)
    assert similarity("", "") == 0.0


def test_the_gate_rejects_above_the_threshold_only() -> None:
    """Exactly 0.7 is still new; more is a duplicate, and adds to the support of the first."""
    constants = HindsightConstants(paraphrase=None)
    pool = pool_of(insight(1, "a b c d e f g h i j"))
    same = admit(pool, insight(2, "a b c d e f g x y z"), 5, constants)
    assert (same.verdict, len(same.pool), same.similarity) == ("admitted", 2, pytest.approx(0.7))
    more = admit(pool, insight(2, "a b c d e f g h y z"), 5, constants)
    assert (more.verdict, len(more.pool), more.like) == ("duplicate", 1, 1)
    assert more.pool.members[0].support == 2
    strict = HindsightConstants(paraphrase=None, similarity="jaccard")
    assert admit(pool, insight(2, "a b c d e f g h y z"), 5, strict).verdict == "admitted"  # 8/12


def test_paraphrases_are_merged_where_words_differ_in_form_only() -> None:
    """A rewording passes the published gate and is caught by its content words."""
    first = "Penalise edges that are much longer than the average edge."
    again = "Edges much longer than average should be penalised!"
    assert similarity(first, again) < 0.7
    assert content_similarity(first, again) >= 0.5
    merged = admit(pool_of(insight(1, first)), insight(2, again), 3, USUAL)
    assert (merged.verdict, merged.like, len(merged.pool)) == ("paraphrase", 1, 1)
    published = HindsightConstants(paraphrase=None)
    assert admit(pool_of(insight(1, first)), insight(2, again), 3, published).verdict == "admitted"


def test_different_advice_is_not_merged() -> None:
    """The five seeds are all new to one another, and so is advice about other things."""
    pool = Pool()
    for id_, text in enumerate(SEED_INSIGHTS):
        admission = admit(pool, insight(id_, text), 0, USUAL)
        assert admission.verdict == "admitted", text
        pool = admission.pool
    other = insight(9, "Weigh the distance back to the start more towards the end of the tour.")
    assert admit(pool, other, 0, USUAL).verdict == "admitted"


def test_do_and_avoid_are_never_merged() -> None:
    """The opposite of an insight shares its words and is kept apart."""
    text = "square the distance to the nearest unvisited node"
    pool = pool_of(insight(1, text))
    assert admit(pool, insight(2, text, kind=Kind.AVOID), 0, USUAL).verdict == "admitted"
    assert admit(pool, insight(2, text), 0, USUAL).verdict == "duplicate"


def test_retrieval_is_stable_and_counts_uses() -> None:
    """Ties go to the oldest, at most three are shown, and their use is counted in the pool."""
    pool = pool_of(*(insight(id_) for id_ in range(5)))
    pool, shown = retrieve(pool, 1, USUAL)
    assert [one.id for one in shown] == [0, 1, 2]
    assert [one.uses for one in pool.members] == [1, 1, 1, 0, 0]
    assert [one.last_used for one in pool.members] == [1, 1, 1, 0, 0]
    pool, shown = retrieve(pool, 1, USUAL)
    assert [one.id for one in shown] == [3, 4, 0], "use costs, so others get their turn"
    assert [one.id for one in retrieve(pool_of(insight(7)), 1, USUAL)[1]] == [7]
    assert retrieve(Pool(), 1, USUAL) == (Pool(), ())


def test_recency_ends_after_two_steps_however_long_the_run() -> None:
    """The bonus is lost at the third step, also at step 1,000 (the released step froze at 50)."""
    for start in (0, 50, 1000):
        one = insight(1, last_used=start)
        found = [utility(one, start + later, USUAL) for later in (0, 2, 3, 10)]
        assert found == [0.2, 0.2, 0.0, 0.0]


def test_relevance_is_off_by_default_and_weighs_problem_and_regime() -> None:
    """With a weight, advice on this problem and good in this regime comes first."""
    here = insight(1, scope=Scope.FAMILY, problem="tsp_construct")
    family = insight(2, scope=Scope.FAMILY, problem="tsp_gls", effectiveness=0.05)
    general = insight(3, scope=Scope.GENERAL, effectiveness=0.1)
    pool = pool_of(here, family, general)
    occasion = Occasion("tsp_construct", "explore")
    assert [one.id for one in retrieve(pool, 9, USUAL, occasion)[1]] == [3, 2, 1]
    weighing = HindsightConstants(relevance_weight=0.5)
    assert [one.id for one in retrieve(pool, 9, weighing, occasion)[1]] == [1, 2, 3]
    explorer = replace(general, regimes={"explore": (4, 0.9), "exploit": (4, -0.9)})
    assert relevance(explorer, occasion) == pytest.approx(0.9)
    assert relevance(explorer, Occasion("tsp_construct", "exploit")) == pytest.approx(-0.9)
    assert relevance(here, Occasion()) == 0.5


@pytest.mark.parametrize(
    ("objective", "tier", "value"),
    [
        (5.0, "best", 1.0),  # ρ = 1.5: 1.1, clipped
        (10.0, "best", 1.0),
        (10.1, "above mean", 0.2 + 0.6 * 0.99),
        (14.0, "above mean", 0.2 + 0.6 * 0.6),
        (14.1, "below mean", -0.3 + 0.5 * 0.59),
        (24.0, "below mean", -0.5),
        (34.0, "below mean", -1.0),
        (1e12, "below mean", -1.0),
        (float("nan"), "invalid", -0.5),
        (float("inf"), "invalid", -0.5),
    ],
)
def test_credit_tiers_worked_by_hand(objective: float, tier: str, value: float) -> None:
    """Best 10, mean 14, worst 20; the borders belong to the better tier."""
    found = credit_for_objective(objective, (10.0, 11.0, 15.0, 20.0), USUAL)
    assert (found.tier, found.value) == (tier, pytest.approx(value))


def test_failures_can_be_left_out_of_the_account() -> None:
    """With failures_count off (as released) a failure changes nothing, not even the last use."""
    pool = pool_of(insight(1, effectiveness=0.4))
    released = HindsightConstants(failures_count=False)
    for invalid in (True, False):
        credit = credit_for_failure(invalid=invalid, constants=released)
        assert give_credit(pool, [1], credit, 9, released) == pool
    paid = give_credit(pool, [1], credit_for_failure(invalid=False, constants=USUAL), 9, USUAL)
    assert paid.members[0].effectiveness == pytest.approx(0.7 * 0.4 - 0.3 * 0.8)


def test_credit_goes_to_those_shown_and_by_regime() -> None:
    """Others keep their values, the evicted get nothing, and the regime is counted apart."""
    pool = pool_of(insight(1), insight(2))
    credit = credit_for_objective(1.0, (1.0, 2.0), USUAL)
    pool = give_credit(pool, [1, 99], credit, 4, USUAL, "explore")
    pool = give_credit(pool, [1], credit, 5, USUAL, "exploit")
    one, two = pool.members
    assert one.effectiveness == pytest.approx(0.3 + 0.7 * 0.3)
    assert one.regimes == {"explore": (1, pytest.approx(0.3)), "exploit": (1, pytest.approx(0.3))}
    assert (two.effectiveness, two.last_used, two.regimes) == (0.0, 0, {})


def test_eviction_spares_probation_and_pins() -> None:
    """The worst of the proven goes; without any, the one idle longest; pins stay."""
    proven = insight(1, uses=3, effectiveness=0.5, last_used=10)
    idle = insight(2, uses=5, effectiveness=0.55, last_used=2)  # 0.55 − 0.08 at step 10
    fresh = insight(3, uses=2, effectiveness=-1.0, last_used=10)
    assert victim(pool_of(proven, idle, fresh), 10, USUAL) == idle
    assert victim(pool_of(proven, replace(idle, pinned=True), fresh), 10, USUAL) == proven
    young = [insight(id_, uses=2, last_used=last) for id_, last in ((1, 4), (2, 3), (3, 3))]
    chosen = victim(pool_of(*young), 9, USUAL)
    assert chosen is not None and chosen.id == 2
    assert victim(pool_of(insight(1, pinned=True)), 9, USUAL) is None


def test_a_pool_full_of_pins_takes_nothing() -> None:
    """A newcomer does not push out what a person has pinned."""
    constants = HindsightConstants(capacity=2)
    pool = pool_of(insight(1, pinned=True), insight(2, pinned=True))
    admission = admit(pool, insight(3), 7, constants)
    assert (admission.verdict, admission.pool) == ("no room", pool)


def test_a_pool_never_exceeds_its_capacity() -> None:
    """Two thousand random steps: never more than thirty, never the same twice, and steps go on."""
    rng = random.Random(5)
    pool = Pool()
    for step in range(2000):
        words = " ".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=8))
        pool = admit(pool, insight(step, words), step, USUAL).pool
        pool, shown = retrieve(pool, step, USUAL)
        credit = credit_for_objective(rng.uniform(5, 30), (10.0, 14.0, 20.0), USUAL)
        pool = give_credit(pool, [one.id for one in shown], credit, step, USUAL)
        assert len(pool) <= 30
    assert max(one.last_used for one in pool.members) == 1999
    assert all(-1 <= one.effectiveness <= 1 for one in pool.members)


def test_a_pool_survives_json() -> None:
    """Numbers come back bit for bit, texts from the knowledge base."""
    member = insight(1, effectiveness=1 / 3, uses=2, last_used=7, regimes={"explore": (2, 0.1)})
    pool = pool_of(member, insight(2, kind=Kind.AVOID, pinned=True))
    plain = json.loads(json.dumps(pool.to_json()))
    assert "text" not in plain[0]
    facts = {one.id: Insight(one.id, one.text, one.kind, pinned=one.pinned) for one in pool.members}
    assert Pool.from_json(plain, facts) == pool


@pytest.mark.parametrize(
    "wrong",
    [
        {"capacity": 0},
        {"shown": 0},
        {"rate": 0.0},
        {"novelty": 1.5},
        {"paraphrase": 0.0},
        {"elite_share": -0.1},
        {"extraction_probability": 2.0},
        {"inherited": -1},
    ],
)
def test_impossible_constants_are_refused(wrong: dict[str, Any]) -> None:
    """Constants are checked where they are made."""
    with pytest.raises(ValueError, match=r"must"):
        HindsightConstants(**wrong)
    with pytest.raises(ValueError, match="once"):
        pool_of(insight(1), insight(1))
