"""Tests of tsp_gls as a problem: data, interfaces, refusals, grammar, sandbox."""

from dataclasses import replace

import numpy as np
import pytest
from tsp import small_uniform

from eurisko.agents.evolution.offline.render import render
from eurisko.evaluators import Infeasible, UnknownDataset, evaluate, get_problem
from eurisko.evaluators.problems.tsp_construct.data import UNIFORM
from eurisko.evaluators.problems.tsp_gls import data as gls_data
from eurisko.sandbox import Limits, OutcomeKind, Sandbox

GLS = get_problem("tsp_gls")
WHOLE = GLS.spec.interfaces
# A few iterations of the solver are enough where only the interface matters.
FACES = {
    name: replace(face, driver=face.driver.replace("ITERATIONS = 100\n", "ITERATIONS = 6\n"))
    for name, face in WHOLE.items()
}
NAMES = sorted(name for names in GLS.spec.splits.values() for name in names)
HEAD = {name: face.signature + "\n" for name, face in FACES.items()}


@pytest.fixture(scope="module")
def small():
    """Three instances of 14 cities."""
    return small_uniform(3, 14)


def test_splits_share_no_instance() -> None:
    """The search set has a seed of its own, and no set is a part of another split's."""
    assert sorted({**gls_data.OWN, **gls_data.PARTS}) == NAMES
    seeds = {recipe.seed for recipe in UNIFORM.values()}
    assert not seeds & {recipe.seed for recipe in gls_data.OWN.values()}
    assert len({whole for whole, _ in gls_data.PARTS.values()}) == len(gls_data.PARTS)
    with pytest.raises(UnknownDataset, match="did you mean uniform-200x16-test"):
        GLS.dataset("uniform-200x16-tst")


@pytest.mark.parametrize("name", NAMES)
def test_references_are_as_good_as_theory_expects(name: str) -> None:
    """The mean reference is within 2 % of what the literature gives for optimal tours."""
    data = GLS.dataset(name)
    cities = data.arrays["distances"].shape[1]
    assert data.reference is not None and len(data.reference) == data.instances
    assert data.reference.mean() == pytest.approx({100: 7.76, 200: 10.7}[cities], rel=0.02)
    assert "LKH" in data.origin


def test_parts_are_the_instances_of_tsp_construct() -> None:
    """The test set has the distances and references of the first instances of tsp_construct's."""
    ours = GLS.dataset("uniform-200x16-test")
    theirs = get_problem("tsp_construct").dataset("uniform-200-test")
    np.testing.assert_array_equal(ours.arrays["distances"], theirs.arrays["distances"][:16])
    np.testing.assert_array_equal(ours.reference, theirs.reference[:16])


@pytest.mark.parametrize(
    ("tour", "complaint"),
    [
        ([0, 1, 1, 3], "city 1 is visited 2 times, city 2 never"),
        ([0, 1, 2, 4], "city 4 does not exist"),
        ([1, 0, 2, 3], "the tour starts at city 1"),
    ],
)
def test_what_is_no_tour_is_infeasible(tour: list[int], complaint: str) -> None:
    """Tours are checked outside, whatever the driver says."""
    with pytest.raises(Infeasible, match=complaint):
        GLS.score(small_uniform(1, 4), {"tours": np.array([tour])})


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(
    "answer", ["None", "{0}[:2, :2]", "{0} > 0", "{0} * float('nan')", "{0} / 0.0", "{0} * 1j"]
)
def test_bad_guides_are_named(face: str, answer: str, drive, small) -> None:
    """What is not a finite matrix of numbers of the right shape is a bad result."""
    body = f"    return {answer.format(FACES[face].parameters[0])}\n"
    with np.errstate(all="ignore"), pytest.raises(Exception, match=r"instance|returned") as raised:
        drive(FACES[face], HEAD[face] + body, small)
    assert raised.value.outcome == "bad_result"


@pytest.mark.parametrize("face", FACES)
def test_writing_into_the_inputs_changes_nothing(face: str, drive, small) -> None:
    """A heuristic that destroys what it is given, after copying, ends with the seed's tours."""
    code = FACES[face].seed.replace("    return", "    {0}.{1}(7)\n    {2}.{1}(9)\n    return")
    fill = "fill_" if face == "batched" else "fill"
    code = code.format(FACES[face].parameters[0], fill, FACES[face].parameters[2])
    wanted = drive(FACES[face], FACES[face].seed, small)["tours"]
    np.testing.assert_array_equal(drive(FACES[face], code, small)["tours"], wanted)


GENOMES = (
    GLS.grammar.seed,
    *(f"add(scale(edge, {f.name}), edge)" for f in GLS.grammar.features if f.type == "ratio"),
    *(f"add({f.name}, edge)" for f in GLS.grammar.features if f.type == "length"),
    "scale(over(lower(edge, beside), times(root(used), part(nearest, average))), plus(worn, 2.5))",
)


@pytest.mark.parametrize("genome", GENOMES)
def test_rendered_programs_agree(genome: str, drive, small) -> None:
    """A genome gives the same tours through both renderings, whatever feature it uses."""
    tours = [
        drive(face, render(GLS.grammar, name, genome), small)["tours"]
        for name, face in FACES.items()
    ]
    np.testing.assert_array_equal(*tours)


@pytest.mark.parametrize("feature", [f.name for f in GLS.grammar.features if f.type == "length"])
def test_every_length_alone_is_a_program(feature: str, drive, small) -> None:
    """The lines that closing needs are there even where only one feature is used."""
    for name, face in FACES.items():
        assert drive(face, render(GLS.grammar, name, feature), small)["tours"].shape == (3, 14)


def test_the_seed_of_the_grammar_is_the_seed(drive, small) -> None:
    """The grammar starts from the tours of the written seed."""
    for name, face in FACES.items():
        ours = drive(face, render(GLS.grammar, name, GLS.grammar.seed), small)["tours"]
        np.testing.assert_array_equal(ours, drive(face, face.seed, small)["tours"])


def test_the_protected_path_gives_the_same(drive, small) -> None:
    """Through the sandbox both seeds score what they score here."""
    wanted = GLS.score(small, drive(WHOLE["scalar"], WHOLE["scalar"].seed, small)).raw
    with Sandbox(workers=1) as sandbox:
        for name, face in FACES.items():
            result = evaluate(sandbox, GLS, name, face.seed, small, Limits(cpu_s=20.0))
            assert result.kind is OutcomeKind.OK, result.message
            np.testing.assert_array_equal(result.raw, wanted)


@pytest.mark.parametrize("face", FACES)
def test_demos_run(face: str, capsys) -> None:
    """An exported heuristic runs on its own and prints a plausible length."""
    source = FACES[face].seed + "\n\n" + FACES[face].demo
    exec(compile(source, "demo", "exec"), {"__name__": "__main__"})
    assert 5 < float(capsys.readouterr().out.split()[-1]) < 6.5
