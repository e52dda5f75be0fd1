"""Tests of the job shop: classic optima never beaten, one rule through both interfaces, faults."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eurisko.agents.evolution.offline.render import render
from eurisko.evaluators import Dataset, Infeasible, InputError, evaluate, get_problem
from eurisko.evaluators.problems.job_shop import data as shop_data
from eurisko.evaluators.problems.job_shop.scoring import makespans
from eurisko.sandbox import Limits, OutcomeKind, Sandbox

SHOP = get_problem("job_shop")
FACES = SHOP.spec.interfaces
OPTIMA = {"ft06": [55], "ft10": [930], "ft20": [1165], "la01-05": [666, 655, 597, 590, 593]}
HEAD = {
    "batched": "import torch\ndef score_jobs(time, start, work, steps, load, waiting):\n",
    "scalar": "import numpy as np\ndef priority(time, start, work, steps, load):\n",
}
RULES = [
    "-time",
    "time",
    "work",
    "-work",
    "steps",
    "-start",
    "work - 2 * time",
    "-work / time",
    "0 * time",
]


def small(seed: int = 1, instances: int = 3, jobs: int = 6, machines: int = 4) -> Dataset:
    """Random instances with many ties and operations of no time."""
    random = np.random.default_rng(seed)
    times = random.integers(0, 6, (instances, jobs, machines))
    order = np.argsort(random.random(times.shape), axis=2)
    return Dataset("small", {"times": times, "machines": order}, None, "made here")


@pytest.mark.parametrize("name", OPTIMA)
def test_optima_are_the_known_ones(name: str) -> None:
    """References are the proven optima, at or above the trivial lower bound."""
    data = SHOP.dataset(name)
    assert data.reference.tolist() == OPTIMA[name]
    bound = shop_data.lower_bound(data.arrays["times"], data.arrays["machines"])
    assert (bound <= data.reference).all()


def test_classic_instances_are_the_published_ones() -> None:
    """First and last operations of ft06 and la05 are those in the literature; sums are checked."""
    six, lawrence = SHOP.dataset("ft06").arrays, SHOP.dataset("la01-05").arrays
    assert six["times"][0, 0].tolist() == [1, 3, 6, 7, 3, 6]
    assert six["machines"][0, 0].tolist() == [2, 0, 1, 3, 5, 4]
    assert six["times"].sum() == 197
    assert lawrence["times"][4, 9].tolist() == [65, 17, 90, 27, 23]
    # la05's optimum is the load of its busiest machine, as is known.
    assert shop_data.lower_bound(lawrence["times"], lawrence["machines"]).tolist()[4] == 593


def test_an_optimal_schedule_of_ft06_scores_55() -> None:
    """A search over random sequences of ft06 never gets below 55, and local search reaches it."""
    data = SHOP.dataset("ft06")
    random = np.random.default_rng(0)
    best = np.inf
    sequence = np.repeat(np.arange(6), 6)
    current = np.inf
    for _ in range(4000):
        trial = np.tile(sequence, (16, 1))
        for row in trial:
            one, two = random.integers(0, 36, 2)
            row[one], row[two] = row[two], row[one]
        times, machines = (np.repeat(data.arrays[key], 16, axis=0) for key in ("times", "machines"))
        spans = makespans(times, machines, trial)
        if spans.min() <= current + (random.random() < 0.05):
            sequence, current = trial[int(spans.argmin())], spans.min()
        best = min(best, current)
        if best <= 55:
            break
    assert best == 55


@pytest.mark.parametrize("rule", RULES)
def test_optima_are_never_beaten_and_interfaces_agree(rule: str, drive) -> None:
    """Every rule gives the same schedules through both interfaces, and none beats an optimum."""
    for name in ("ft06", "ft10", "la01-05"):
        data = SHOP.dataset(name)
        results = [
            drive(face, f"{HEAD[key]}    return {rule}\n", data)["sequence"]
            for key, face in FACES.items()
        ]
        np.testing.assert_array_equal(results[0], results[1])
        assert SHOP.score(data, {"sequence": results[0]}).gaps.min() >= 0


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_sequences_never_beat_the_optimum(seed: int) -> None:
    """No random dispatching sequence of ft10 is shorter than 930."""
    data = SHOP.dataset("ft10")
    sequence = np.random.default_rng(seed).permutation(np.repeat(np.arange(10), 10))[None]
    assert SHOP.score(data, {"sequence": sequence}).raw[0] >= 930


@pytest.mark.parametrize("rule", RULES[:6])
def test_ties_and_empty_operations_are_handled(rule: str, drive) -> None:
    """With times of 0 and many ties both interfaces agree, and the schedule is a legal one."""
    data = small()
    results = [
        drive(face, f"{HEAD[key]}    return {rule}\n", data)["sequence"]
        for key, face in FACES.items()
    ]
    np.testing.assert_array_equal(results[0], results[1])
    bound = shop_data.lower_bound(data.arrays["times"], data.arrays["machines"])
    assert (SHOP.score(data, {"sequence": results[0]}).raw >= bound).all()


def test_most_work_remaining_on_ft10_is_plausible(drive) -> None:
    """Most work remaining, an active schedule, is 10 to 35 % above the optimum of ft10."""
    data = SHOP.dataset("ft10")
    scores = SHOP.score(data, drive(FACES["batched"], FACES["batched"].seed, data))
    assert 10 < scores.objective < 35


@pytest.mark.parametrize(
    ("sequence", "complaint"),
    [
        ([0] * 24, "job 0 is dispatched 24 times, it has 4 operations"),
        ([9] + [0] * 23, "job 9 does not exist, jobs are 0 to 5"),
    ],
)
def test_wrong_sequences_are_infeasible(sequence: list[int], complaint: str) -> None:
    """A job dispatched too often or unknown is refused with its number."""
    with pytest.raises(Infeasible, match=complaint):
        SHOP.score(small(instances=1), {"sequence": np.array([sequence])})


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("expression", ["None", "time[:1][:, None]", "time * float('nan')"])
def test_bad_results_are_named(face: str, expression: str, drive) -> None:
    """What is not one number per job is a bad result that names its step."""
    with pytest.raises(Exception, match="step 0: the ") as raised:
        drive(FACES[face], f"{HEAD[face]}    return {expression}\n", small())
    assert raised.value.outcome == "bad_result"


GENOMES = (
    "rest",
    "add(rest, scale(next, -2.0))",
    "upper(over(after, delay), lower(ops, mul(queue, root(next))))",
    "add(scale(delay, sum(-0.5, -0.25)), rest)",
)


@pytest.mark.parametrize("genome", GENOMES)
def test_rendered_programs_agree(genome: str, drive) -> None:
    """A genome gives the same makespans through both renderings, up to rounded ties."""
    data = SHOP.dataset("la01-05")
    spans = [
        SHOP.score(data, drive(face, render(SHOP.grammar, name, genome), data)).raw
        for name, face in FACES.items()
    ]
    assert (spans[0] == spans[1]).sum() >= 4


def test_splits_are_complete() -> None:
    """Every data set of the splits can be made; random machine orders are permutations."""
    for names in SHOP.spec.splits.values():
        for name in names:
            data = SHOP.dataset(name)
            machines = np.sort(data.arrays["machines"], axis=2)
            assert (machines == np.arange(machines.shape[2])).all()
            assert data.arrays["times"].min() >= 1 and data.reference is not None


def test_files_are_read(tmp_path) -> None:
    """A file in the standard format gives its instance; broken ones are refused."""
    path = tmp_path / "two.jsp"
    path.write_text("# a comment\n2 2\n0 3 1 4\n1 5 0 6\n")
    data = SHOP.load(path)
    assert data.arrays["machines"].tolist() == [[[0, 1], [1, 0]]]
    assert data.arrays["times"].tolist() == [[[3, 4], [5, 6]]]
    for text in ("2 2\n0 3 1 4\n1 5 1 6\n", "2 2\n0 3\n", "x\n", "1 1\n0 0\n"):
        path.write_text(text)
        with pytest.raises(InputError):
            SHOP.load(path)


def test_the_protected_path_gives_the_same(drive) -> None:
    """Through the sandbox both seeds score what they score here."""
    data = SHOP.dataset("la01-05")
    wanted = SHOP.score(data, drive(FACES["scalar"], FACES["scalar"].seed, data)).raw
    with Sandbox(workers=1) as sandbox:
        for name, face in FACES.items():
            result = evaluate(sandbox, SHOP, name, face.seed, data, Limits(cpu_s=10.0))
            assert result.kind is OutcomeKind.OK, result.message
            np.testing.assert_array_equal(result.raw, wanted)
        broken = evaluate(sandbox, SHOP, "scalar", HEAD["scalar"] + "    return 1 / 0\n", data)
        assert (broken.kind, broken.line) == (OutcomeKind.CANDIDATE_ERROR, 3)


@pytest.mark.parametrize("face", FACES)
def test_demos_run(face: str, capsys) -> None:
    """An exported heuristic runs on its own."""
    source = FACES[face].seed + "\n\n" + FACES[face].demo
    exec(compile(source, "demo", "exec"), {"__name__": "__main__"})
    assert 450 < float(capsys.readouterr().out.split()[-1]) < 900
