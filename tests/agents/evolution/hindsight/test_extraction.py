"""What the model is shown when it is asked for insights."""

from eurisko.agents.evolution.hindsight import HindsightConstants, Material, Trial, material
from eurisko.evaluators import get_problem
from eurisko.prompts import render

USUAL = HindsightConstants()
SPEC = get_problem("tsp_construct").spec


def trial(id_: int, objective: float | None, *parents: Trial, failure: str = "") -> Trial:
    return Trial(id_, f"idea {id_}", f"code_{id_} = 1", objective, parents, failure)


SEED = trial(1, 20.0)
GOOD, BAD = trial(2, 15.0, SEED), trial(3, 30.0, SEED)
MIDDLE = trial(4, 18.0, GOOD, SEED)
BROKEN = trial(5, None, GOOD, failure="timeout: 10 s of CPU time are used up")


def test_elites_contrasts_and_failures_worked_by_hand() -> None:
    """The top 30 % with their change, the widest pair of siblings, and each failure once."""
    again = trial(6, None, SEED, failure=BROKEN.failure)
    found = material([GOOD, MIDDLE, SEED, BAD], [GOOD, BAD, MIDDLE, BROKEN, again], USUAL)
    assert found is not None
    (elite,) = found.elites  # 0.3 · 4 = 1.2
    assert (elite.objective, elite.change, elite.code) == (15.0, -5.0, "code_2 = 1")
    (contrast,) = found.contrasts
    assert contrast.parent_objective == 20.0
    assert (contrast.better.objective, contrast.worse.objective) == (15.0, 30.0)
    assert [one.what for one in found.failures] == [BROKEN.failure]


def test_eight_members_give_two_elites_and_two_give_nothing() -> None:
    """0.3 · 8 = 2.4 → 2, as published; below three members nothing is asked."""
    eight = [trial(n, float(n)) for n in range(8)]
    found = material(eight, [], USUAL)
    assert found is not None and len(found.elites) == 2
    assert found.elites[0].change is None
    assert material(eight[:2], [], USUAL) is None


def test_at_most_two_contrasts_the_widest_first() -> None:
    """Of three families with two children each, the two with the widest spread are shown."""
    parents = [trial(n, 10.0) for n in (1, 2, 3)]
    children = [
        trial(10 * n + m, 10.0 - m * n, parent)
        for n, parent in enumerate(parents, start=1)
        for m in (0, 1)
    ]
    found = material(parents, children, USUAL)
    assert found is not None
    assert [one.better.objective for one in found.contrasts] == [7.0, 8.0]
    alike = [trial(50, 9.0, parents[0]), trial(51, 9.0, parents[0])]
    without = material(parents, alike, USUAL)
    assert without is not None and without.contrasts == ()


def shown(found: Material) -> str:
    interface = SPEC.interfaces["batched"]
    return render("evolution/insights", problem=SPEC, interface=interface, material=found)


def test_the_prompt_shows_scores_parents_and_changes() -> None:
    """Code, objectives, changes, both siblings and the failure are in the prompt."""
    found = material([GOOD, MIDDLE, SEED, BAD], [GOOD, BAD, MIDDLE, BROKEN], USUAL)
    assert found is not None
    text = shown(found)
    for part in (
        "objective 15.0000, change -5.0000",
        "code_2 = 1",
        "better, 15.0000 (change -5.0000): idea 2",
        "worse, 30.0000 (change +10.0000): idea 3",
        "timeout: 10 s of CPU time are used up: idea 5",
        "objective 20.0000: idea 1",
    ):
        assert part in text, part


def test_the_prompt_has_no_example_to_echo() -> None:
    """No line of the prompt reads as a lesson: a model that repeats it has said nothing."""
    import pytest

    from eurisko.prompts import ReplyError, parse_insights

    found = material([GOOD, MIDDLE, SEED, BAD], [GOOD, BAD, BROKEN], USUAL)
    assert found is not None
    with pytest.raises(ReplyError):
        parse_insights(shown(found), shown(found))


def test_long_code_is_cut_at_a_line_and_says_so() -> None:
    """Fifty kilobytes of code do not fill the prompt."""
    code = "def f():\n" + "    x = 1\n" * 5000
    long = Trial(1, "long", code, 1.0)
    found = material([long, trial(2, 2.0), trial(3, 3.0)], [], USUAL)
    assert found is not None
    kept = found.elites[0].code
    assert len(kept) < 1600 and kept.endswith("    x = 1\n# (the rest is left out here)")
