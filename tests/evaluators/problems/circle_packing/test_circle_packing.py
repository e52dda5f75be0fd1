"""Tests of circle packing: an exact check with tolerance zero."""

import math

import numpy as np
import pytest

from eurisko.evaluators import Infeasible, InputError, UnknownDataset, evaluate, get_problem
from eurisko.evaluators.problems.circle_packing.scoring import sum_of_radii
from eurisko.sandbox import Limits, OutcomeKind, Sandbox

PACKING = get_problem("circle_packing")
FACE = PACKING.spec.interfaces["program"]
DATA = PACKING.dataset("square-26")
HEAD = "import numpy as np\ndef pack_circles(count):\n"


def binary_grid() -> tuple[np.ndarray, np.ndarray]:
    """Sixteen circles that touch each other and the sides, in numbers without rounding."""
    places = np.arange(16)
    centres = np.stack([places % 4 * 0.25 + 0.125, places // 4 * 0.25 + 0.125], axis=1)
    return centres, np.full(16, 0.125)


def test_touching_is_allowed() -> None:
    """Circles that touch each other and the sides exactly are legal; their sum is exact."""
    assert sum_of_radii(*binary_grid()) == 2.0


@pytest.mark.parametrize("circle", range(16))
def test_the_last_digit_decides(circle: int) -> None:
    """One radius larger by the smallest possible step is an overlap or sticks out."""
    centres, radii = binary_grid()
    radii[circle] = np.nextafter(0.125, 1)
    with pytest.raises(Infeasible, match=r"overlap|sticks out"):
        sum_of_radii(centres, radii)
    radii[circle] = np.nextafter(0.125, 0)
    assert sum_of_radii(centres, radii) <= 2.0  # legal; the sum rounds to 2


def test_overlaps_that_rounding_hides_are_found() -> None:
    """Squares that float64 rounds to equality are compared exactly."""
    across = 1 / 3
    centres = np.array([[0.3, 0.5], [0.3 + across, 0.5]])
    gap = centres[1, 0] - centres[0, 0]
    half = gap / 2
    assert sum_of_radii(centres, np.array([half, gap - half])) == gap
    with pytest.raises(Infeasible, match="circles 0 and 1 overlap"):
        sum_of_radii(centres, np.array([half, np.nextafter(gap - half, 1)]))
    tiny = np.array([[0.5, 0.5], [0.5 + 3e-170, 0.5]])  # its square is zero in float64
    with pytest.raises(Infeasible, match="overlap"):
        sum_of_radii(np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([1e-170, 1e-170]))
    assert sum_of_radii(tiny, np.zeros(2)) == 0.0


@pytest.mark.parametrize(
    ("centre", "radius", "complaint"),
    [
        ((0.5, 0.5), -0.1, "circle 0 has the radius -0.1"),
        ((0.05, 0.5), 0.1, "circle 0 sticks out of the unit square by 0.05"),
        ((0.5, 0.95), 0.1, "sticks out"),
        ((math.nan, 0.5), 0.1, "not finite"),
        ((0.5, 0.5), math.inf, "not finite"),
        ((1.5, 0.5), 0.0, "sticks out of the unit square by 0.5"),
    ],
)
def test_what_is_no_circle_inside_is_refused(centre, radius: float, complaint: str) -> None:
    """Negative, outside and infinite circles are refused with the reason."""
    with pytest.raises(Infeasible, match=complaint):
        sum_of_radii(np.array([centre]), np.array([radius]))


def test_one_circle_in_the_square_is_the_known_optimum() -> None:
    """The incircle has the radius 1/2 and nothing larger fits."""
    assert sum_of_radii(np.array([[0.5, 0.5]]), np.array([0.5])) == 0.5


def test_the_seed_is_a_grid(drive) -> None:
    """The seed packs 26 circles of radius 1/12: a sum of 2.1667, 17.8 % below the reference."""
    scores = PACKING.score(DATA, drive(FACE, FACE.seed, DATA))
    assert scores.raw[0] == pytest.approx(26 / 12, rel=1e-8)
    assert scores.objective == pytest.approx(100 * (1 - 26 / 12 / 2.636), abs=1e-5)


def test_a_better_packing_has_a_smaller_objective(drive) -> None:
    """A 5 by 5 grid with a 26th circle in a gap has the sum 2.5414, which is 3.6 % below."""
    code = HEAD + (
        "    p = np.arange(25)\n"
        "    c = np.stack([p % 5 * 0.2 + 0.1, p // 5 * 0.2 + 0.1], axis=1)\n"
        "    c = np.concatenate([c, [[0.2, 0.2]]])\n"
        "    r = np.append(np.full(25, 0.1), 0.1 * (2 ** 0.5 - 1)) * (1 - 1e-9)\n"
        "    return c, r\n"
    )
    scores = PACKING.score(DATA, drive(FACE, code, DATA))
    assert scores.raw[0] == pytest.approx(2.5 + 0.1 * (2**0.5 - 1), rel=1e-8)
    assert 0 < scores.objective < 4


BAD = {
    "None": "returned NoneType",
    "np.zeros((26, 2))": "returned ndarray",
    "(np.zeros((26, 2)), np.zeros(25))": r"radii has shape \[25\]",
    "(np.zeros((25, 2)), np.zeros(26))": r"centres has shape \[25, 2\]",
    "(np.zeros((26, 2)), ['x'] * 26)": "radii",
    "(np.zeros((26, 2)), [[1], [1, 2]] + [1] * 24)": "radii",
}


@pytest.mark.parametrize(("expression", "complaint"), BAD.items())
def test_bad_results_are_named(expression: str, complaint: str, drive) -> None:
    """Anything that is not 26 centres and radii is a bad result that says what is wrong."""
    with pytest.raises(Exception, match=complaint) as raised:
        drive(FACE, f"{HEAD}    return {expression}\n", DATA)
    assert raised.value.outcome == "bad_result"


def test_the_protected_path_checks_outside() -> None:
    """Seed, cheat and infinity through the sandbox: scored, infeasible, infeasible."""
    cheat = HEAD + "    return np.full((26, 2), 0.5), np.full(26, 0.5)\n"
    endless = HEAD + "    return np.full((26, 2), 0.5), np.full(26, np.inf)\n"
    with Sandbox(workers=1) as sandbox:
        seed = evaluate(sandbox, PACKING, "program", FACE.seed, DATA, Limits(cpu_s=5.0))
        assert seed.kind is OutcomeKind.OK and seed.raw is not None
        assert seed.raw[0] == pytest.approx(26 / 12, rel=1e-8)
        for code, complaint in ((cheat, "circles 0 and 1 overlap by 1"), (endless, "finite")):
            result = evaluate(sandbox, PACKING, "program", code, DATA, Limits(cpu_s=5.0))
            assert result.kind is OutcomeKind.INFEASIBLE and result.objective is None
            assert complaint in result.message


def test_it_is_one_instance() -> None:
    """There is one data set; other names and all files are refused with one sentence."""
    assert {name for names in PACKING.spec.splits.values() for name in names} == {DATA.name}
    with pytest.raises(UnknownDataset, match="square-26"):
        PACKING.dataset("square-32")
    with pytest.raises(InputError, match="reads no file"):
        PACKING.load("anything.txt")
    assert PACKING.grammar is None


def test_the_demo_runs(capsys) -> None:
    """An exported program prints its sum."""
    exec(compile(FACE.seed + "\n\n" + FACE.demo, "demo", "exec"), {"__name__": "__main__"})
    assert "sum of radii 2.16666" in capsys.readouterr().out
