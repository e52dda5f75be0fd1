"""Tests of flow_shop_gls as a problem: data, interfaces, refusals, grammar, sandbox."""

import re
from dataclasses import replace

import numpy as np
import pytest

from eurisko.agents.evolution.offline.render import render
from eurisko.evaluators import Dataset, Infeasible, UnknownDataset, evaluate, get_problem
from eurisko.evaluators.problems.flow_shop.data import lower_bound
from eurisko.evaluators.problems.flow_shop_gls import data as gls_data
from eurisko.evaluators.problems.flow_shop_gls import solver
from eurisko.sandbox import Limits, OutcomeKind, Sandbox

GLS = get_problem("flow_shop_gls")
WHOLE = GLS.spec.interfaces
# A few iterations of the solver are enough where only the interface matters.
FACES = {
    name: replace(face, driver=face.driver.replace("ITERATIONS = 50\n", "ITERATIONS = 4\n"))
    for name, face in WHOLE.items()
}
NAMES = [name for names in GLS.spec.splits.values() for name in names]
HEAD = {name: face.signature + "\n" for name, face in FACES.items()}


@pytest.fixture(scope="module")
def small() -> Dataset:
    """Three instances of 12 jobs on 4 machines."""
    times = np.random.default_rng(1).integers(1, 60, (3, 12, 4))
    return Dataset("small", {"times": times}, lower_bound(times), "made here")


@pytest.fixture
def orders(drive, small):
    """Run a heuristic on the small set, from the same random numbers."""

    def run(face: str, code: str, faces=FACES) -> np.ndarray:
        np.random.seed(5)
        return drive(faces[face], code, small)["orders"]

    return run


def test_splits_share_no_instance() -> None:
    """No set is a part of another split's; a name that is wrong is corrected."""
    assert sorted(gls_data.PARTS) == sorted(NAMES)
    assert len({whole for whole, _ in gls_data.PARTS.values()}) == len(gls_data.PARTS)
    with pytest.raises(UnknownDataset, match="did you mean taillard-50x10"):
        GLS.dataset("taillard-50x1O")


@pytest.mark.parametrize("name", NAMES)
def test_sets_are_the_first_instances_of_flow_shop(name: str) -> None:
    """Times and references are those of flow_shop's set, and no reference is below a lower bound."""
    whole, count = gls_data.PARTS[name]
    ours, theirs = GLS.dataset(name), get_problem("flow_shop").dataset(whole)
    np.testing.assert_array_equal(ours.arrays["times"], theirs.arrays["times"][:count])
    np.testing.assert_array_equal(ours.reference, theirs.reference[:count])
    assert ours.name == name and whole in ours.origin + ours.name
    assert (ours.reference >= lower_bound(ours.arrays["times"])).all()


def test_the_texts_tell_the_constants() -> None:
    """What prompts say of iterations, jobs, moves, reach and return is what the solver does."""
    told = [int(number) for number in re.findall(r"\d+", GLS.spec.description)]
    s = solver
    assert told == [0, 1, 2, s.REACH, s.JOBS, s.ROUNDS, s.ITERATIONS, s.RETURN]
    for face in WHOLE.values():
        assert f"called {s.ITERATIONS} times" in face.notes
        assert f"first {s.JOBS} " in face.outputs


@pytest.mark.parametrize(
    ("order", "complaint"),
    [([0, 1, 1], "job 1 is done 2 times, job 2 never"), ([0, 1, 3], "job 3 does not exist")],
)
def test_what_is_no_permutation_is_infeasible(order: list[int], complaint: str) -> None:
    """Orders are checked outside, whatever the driver says."""
    data = Dataset("three", {"times": np.ones((1, 3, 2), dtype=np.int64)}, None, "made here")
    with pytest.raises(Infeasible, match=complaint):
        GLS.score(data, {"orders": np.array([order])})


BAD = {
    "batched": {
        "None": "NoneType",
        "times": "Tensor, wanted",
        "(times[:2], sequences)": r"times torch.float64 \[2, 12, 4\], wanted",
        "(times > 0, sequences)": "times torch.bool",
        "(times / 0.0, sequences)": "time inf for job 0 on machine 0 of instance 0",
        "(times, [1, 2])": "jobs <class 'list'>",
        "(times, sequences[0])": r"jobs torch.int64 \[12\]",
        "(times, times[:, :, 0])": "jobs torch.float64",
        "(times, sequences + 9)": r"job \d+ for instance 0; jobs are 0 to 11",
        "(times, sequences * 0 - 1)": "no job for instance 0",
    },
    "scalar": {
        "None": "NoneType",
        "(time_matrix.T, [1, 2])": r"instance 0: .* \[4, 12\], wanted",
        "(time_matrix * 1j, [1, 2])": "times complex128",
        "(time_matrix * float('nan'), [1])": "time nan for job 0 on machine 0 of instance 0",
        "(time_matrix, 3)": r"jobs int64 \[\]",
        "(time_matrix, [0.5])": "jobs float64",
        "(time_matrix, [])": "jobs|no job",
        "(time_matrix, [1, 12])": "job 12 for instance 0; jobs are 0 to 11",
        "(time_matrix, [1, -1])": "job -1",
    },
}


@pytest.mark.parametrize(
    ("face", "answer"), [(face, answer) for face, answers in BAD.items() for answer in answers]
)
def test_bad_results_are_named(face: str, answer: str, orders) -> None:
    """What is not finite times and known jobs is a bad result that says what is wrong."""
    with np.errstate(all="ignore"), pytest.raises(Exception, match=BAD[face][answer]) as raised:
        orders(face, f"{HEAD[face]}    return {answer}\n")
    assert raised.value.outcome == "bad_result"


def test_both_seeds_decide_the_same(orders) -> None:
    """The seeds end with the same orders in both interfaces."""
    found = [orders(name, face.seed) for name, face in FACES.items()]
    np.testing.assert_array_equal(*found)


def test_a_row_may_choose_fewer_jobs(orders) -> None:
    """-1 stands for no job: the batched rule that fills up with it is the scalar rule of two jobs."""
    rule = "    return {0} * (1.5 - {0} % 2), {1}\n"
    batched = "torch.nn.functional.pad(sequences[:, 3:5], (1, 2), value=-1)"
    found = [
        orders("batched", "import torch\n" + HEAD["batched"] + rule.format("times", batched)),
        orders("scalar", HEAD["scalar"] + rule.format("time_matrix", "current_sequence[3:5]")),
    ]
    np.testing.assert_array_equal(*found)


def test_writing_into_the_inputs_changes_nothing(orders) -> None:
    """A batched heuristic that destroys what it is given ends with the seed's orders."""
    face = FACES["batched"]
    code = face.seed.replace(
        "    return times + rise, jobs",
        "    given = times + rise\n    times.fill_(7)\n    sequences.fill_(0)\n    return given, jobs",
    )
    assert code != face.seed
    np.testing.assert_array_equal(orders("batched", code), orders("batched", face.seed))


GENOMES = (
    *(f.name for f in GLS.grammar.features),
    "add(upper(part, lower(busy, scale(odd, 1.5))), product(square(chance), root(work)))",
    "scale(add(add(noise, late), product(down, noise)), sum(1.5, -2.0))",
)


@pytest.mark.parametrize("genome", GENOMES)
def test_rendered_programs_agree(genome: str, orders) -> None:
    """A genome gives the same orders through both renderings, whatever feature it uses."""
    found = [orders(name, render(GLS.grammar, name, genome)) for name in FACES]
    np.testing.assert_array_equal(*found)


def test_the_seed_of_the_grammar_is_the_seed(orders) -> None:
    """The grammar starts from the orders of the written seed."""
    for name, face in FACES.items():
        ours = orders(name, render(GLS.grammar, name, GLS.grammar.seed))
        np.testing.assert_array_equal(ours, orders(name, face.seed))


def test_the_protected_path_gives_the_same() -> None:
    """Through the sandbox both seeds score the same, in processes of their own, and no makespan is
    below its lower bound.
    """
    times = np.random.default_rng(2).integers(1, 60, (2, 7, 3))
    data = Dataset("seven jobs", {"times": times}, lower_bound(times), "made here")
    spans = []
    with Sandbox(workers=1) as sandbox:
        for name, face in WHOLE.items():
            result = evaluate(sandbox, GLS, name, face.seed, data, Limits(cpu_s=20.0))
            assert result.kind is OutcomeKind.OK, result.message
            spans.append(result.raw.tolist())
    assert spans[0] == spans[1]
    assert (np.array(spans[0]) >= data.reference).all()


@pytest.mark.parametrize("face", FACES)
def test_demos_run(face: str, capsys) -> None:
    """An exported heuristic runs on its own and prints a plausible makespan."""
    source = FACES[face].seed + "\n\n" + FACES[face].demo
    exec(compile(source, "demo", "exec"), {"__name__": "__main__"})
    assert 800 < float(capsys.readouterr().out.split()[-1]) < 1300
