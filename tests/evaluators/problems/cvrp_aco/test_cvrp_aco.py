"""Tests of the ant colony: identical to plain Python, feasible, one rule through both interfaces."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from eurisko.agents.evolution.offline.render import render
from eurisko.evaluators import Dataset, InputError, UnknownDataset, evaluate, get_problem
from eurisko.evaluators.problems.cvrp_aco import colony
from eurisko.evaluators.problems.cvrp_aco.data import UNIFORM
from eurisko.sandbox import Limits, OutcomeKind, Sandbox

CVRP = get_problem("cvrp_aco")
FACES = CVRP.spec.interfaces
SEARCH = CVRP.dataset("uniform-50-search")
FEW = Dataset(
    "few",
    {key: array[:3] for key, array in SEARCH.arrays.items()},
    SEARCH.reference[:3],
    "the first three of the search split",
)
HEAD = {
    "batched": "import torch\ndef score_edges(distances, coordinates, demands, capacity):\n",
    "scalar": (
        "import numpy as np\ndef heuristics(distance_matrix, coordinates, demands, capacity):\n"
    ),
}


@pytest.fixture(autouse=True)
def one_thread():
    """One thread, as in the sandbox: on a busy machine threads wait for one another at each step."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def seeded_drive(drive):
    """Drivers run in this process, after the evaluator's seed as in the sandbox."""

    def run(face, code: str, data=FEW, seed: int = 0) -> np.ndarray:
        torch.manual_seed(seed)
        return drive(face, code, data)["visits"]

    return run


def tiny(seed: int, customers: int = 6, instances: int = 2) -> list[np.ndarray]:
    """Distances, demands, capacities and random desirabilities of a few small instances."""
    random = np.random.default_rng(seed)
    points = random.random((instances, customers + 1, 2))
    demands = random.integers(1, 6, (instances, customers + 1)).astype(float)
    demands[:, 0] = 0
    distances = np.linalg.norm(points[:, :, None] - points[:, None], axis=3)
    return [distances, demands, np.full(instances, 9.0), random.random(distances.shape)]


@pytest.mark.parametrize("seed", range(5))
def test_colony_decides_as_plain_python(seed: int) -> None:
    """With the same draws, one ant after the other in plain Python finds the same walks."""
    plain = pytest.importorskip("benchmarks.plain.cvrp_aco", reason="needs the repository root")
    distances, demands, capacity, answer = tiny(seed)
    ants, iterations = 4, 6
    merit = torch.from_numpy(answer + 1e-9)
    parts = map(torch.from_numpy, (distances, demands, capacity))
    batched = colony.Colony(*parts, merit, ants, seed)
    found = batched.run(iterations).tolist()
    generator = torch.Generator().manual_seed(seed)
    shape = (2 * demands.shape[1] - 2, len(demands), ants)
    draws = [
        torch.rand(shape, generator=generator, dtype=torch.float64) * (1 - 2.0**-32)
        for _ in range(iterations)
    ]
    for b, walk in enumerate(found):
        mine = [drawn[:, b].tolist() for drawn in draws]
        arguments = distances[b].tolist(), demands[b].tolist(), 9.0, answer[b].tolist(), mine
        wanted = plain.colony(*arguments)
        assert walk[: len(wanted)] == wanted and not any(walk[len(wanted) :])


def test_every_ant_is_feasible() -> None:
    """A separate naive loop over each stop of each ant finds no fault, and the same lengths."""
    distances, demands, capacity, answer = tiny(7, customers=12, instances=3)
    parts = map(torch.from_numpy, (distances, demands, capacity))
    ants = colony.Colony(*parts, torch.from_numpy(answer + 1e-9), 50, 3)
    walks, lengths = ants.build(ants.draw())
    for row, (walk, length) in enumerate(zip(walks.T.tolist(), lengths.tolist(), strict=True)):
        instance, load, total, seen = row // 50, 0.0, 0.0, []
        for last, node in pairwise(walk):
            load = load + demands[instance, node] if node else 0.0
            assert load <= 9.0 and (node or last or len(seen) == 12)
            total += distances[instance, last, node]
            seen += [node] if node else []
        assert sorted(seen) == list(range(1, 13)) and walk[0] == walk[-1] == 0
        assert total == pytest.approx(length)


def test_pheromone_by_hand() -> None:
    """Two ants of lengths 4 and 5 on three nodes: 0.9 of the old and 1 / length on driven edges."""
    three = torch.ones((1, 3, 3), dtype=torch.float64)
    demands = torch.tensor([[0.0, 1.0, 1.0]], dtype=torch.float64)
    capacity = torch.tensor([2.0], dtype=torch.float64)
    ants = colony.Colony(three, demands, capacity, three, 2, 0)
    # Ant 0 drives 0-1-2-0, ant 1 drives 0-1-0-2-0.
    walks = torch.tensor([[0, 0], [1, 1], [2, 0], [0, 2], [0, 0]])
    ants.deposit(walks, torch.tensor([4.0, 5.0], dtype=torch.float64))
    wanted = [
        [0.0, 0.9 + 0.25 + 0.2, 0.9 + 0.2],
        [0.9 + 0.2, 0.9, 0.9 + 0.25],
        [0.9 + 0.25 + 0.2, 0.9, 0.9],
    ]
    found = ants.pheromone[0].clone()
    found[0, 0] = 0  # the padding of the shorter walk lands there, and nobody chooses it
    np.testing.assert_allclose(found, wanted)


def test_seeds_agree_and_the_evaluators_seed_decides(seeded_drive) -> None:
    """Both seeds give the same routes for a seed of the evaluator, other routes for another one."""
    batched, again, other = (
        seeded_drive(FACES["batched"], FACES["batched"].seed, seed=seed) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(batched, again)
    np.testing.assert_array_equal(batched, seeded_drive(FACES["scalar"], FACES["scalar"].seed))
    assert (batched != other).any(axis=1).all()


def test_a_heuristic_cannot_choose_its_seed(seeded_drive) -> None:
    """A candidate that seeds torch inside gets the evaluator's draws all the same."""
    code = HEAD["batched"] + "    torch.manual_seed(5)\n    return 1 / distances\n"
    wanted = seeded_drive(FACES["batched"], FACES["batched"].seed)
    np.testing.assert_array_equal(seeded_drive(FACES["batched"], code), wanted)


def test_guidance_helps(seeded_drive) -> None:
    """Steeper visibility gives shorter routes than the seed, and no guidance longer ones."""
    means = [
        CVRP.score(
            FEW,
            {"visits": seeded_drive(FACES["batched"], HEAD["batched"] + f"    return {e}\n")},
        ).objective
        for e in ("distances ** -3", "1 / distances", "torch.ones_like(distances)")
    ]
    assert 0 < means[0] < means[1] < means[2]


GENOMES = (
    "near",
    "times(power(near, 3.0), power(saving, plus(1.5, 0.5)))",
    "lower(times(rank, aligned), add(power(far, -1.0), weight))",
)


@pytest.mark.parametrize("genome", GENOMES)
def test_rendered_programs_agree(genome: str, seeded_drive) -> None:
    """A genome gives the same routes through both renderings."""
    results = [
        seeded_drive(face, render(CVRP.grammar, name, genome)) for name, face in FACES.items()
    ]
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize(
    ("face", "expression", "complaint"),
    [
        ("batched", "None", "NoneType"),
        ("batched", "demands", r"shape \[3, 51\]"),
        ("batched", "distances.float()", "torch.float32"),
        ("batched", "distances * float('nan')", "is NaN"),
        ("scalar", "None", "instance 0: .*object"),
        ("scalar", "demands", r"instance 0: .*shape \[51\]"),
        ("scalar", "distance_matrix * np.nan", "is NaN"),
    ],
)
def test_bad_answers_are_named(face: str, expression: str, complaint: str, seeded_drive) -> None:
    """What is no matrix of numbers is refused and named."""
    with pytest.raises(Exception, match=complaint) as raised:
        seeded_drive(FACES[face], f"{HEAD[face]}    return {expression}\n")
    assert raised.value.outcome == "bad_result"


@pytest.mark.parametrize("answer", ["torch.zeros_like(distances)", "-distances", "distances / 0"])
def test_extreme_answers_are_cut_off(answer: str, seeded_drive) -> None:
    """Zero, negative and infinite desirabilities are cut off as documented, and routes come out."""
    flat = seeded_drive(FACES["batched"], HEAD["batched"] + "    return distances * 0 + 1\n")
    visits = seeded_drive(FACES["batched"], HEAD["batched"] + f"    return {answer}\n")
    np.testing.assert_array_equal(visits, flat)


def test_data_are_those_of_cvrp_construct() -> None:
    """Distances, references and splits are shared; the distances are those of the coordinates."""
    other = get_problem("cvrp_construct")
    assert CVRP.spec.splits == other.spec.splits and sorted(UNIFORM) == sorted(
        name for names in CVRP.spec.splits.values() for name in names
    )
    for name in UNIFORM:
        data, same = CVRP.dataset(name), other.dataset(name)
        np.testing.assert_array_equal(data.reference, same.reference)
        np.testing.assert_array_equal(data.arrays["distances"], same.arrays["distances"])
        points = data.arrays["coordinates"]
        wanted = np.linalg.norm(points[:, :, None] - points[:, None], axis=3)
        np.testing.assert_allclose(data.arrays["distances"], wanted, atol=1e-12)


def test_unknown_data_are_refused() -> None:
    """Unknown names and files are refused with one sentence."""
    with pytest.raises(UnknownDataset, match="did you mean uniform-50-test"):
        CVRP.dataset("uniform-50-tst")
    with pytest.raises(InputError, match="reads no files yet"):
        CVRP.load("x.vrp")


def test_the_protected_path_gives_the_same(seeded_drive) -> None:
    """Through the sandbox both seeds score what they score here, with the evaluator's seed."""
    visits = seeded_drive(FACES["batched"], FACES["batched"].seed, seed=11)
    wanted = CVRP.score(FEW, {"visits": visits}).raw
    with Sandbox(workers=1) as sandbox:
        for name, face in FACES.items():
            limits = Limits(cpu_s=20.0)
            result = evaluate(sandbox, CVRP, name, face.seed, FEW, limits, seed=11)
            assert result.kind is OutcomeKind.OK, result.message
            np.testing.assert_array_equal(result.raw, wanted)


@pytest.mark.parametrize("face", FACES)
def test_demos_run(face: str, capsys) -> None:
    """An exported heuristic runs on its own and prints a plausible length."""
    source = FACES[face].seed + "\n\n" + FACES[face].demo
    exec(compile(source, "demo", "exec"), {"__name__": "__main__"})
    assert 12 < float(capsys.readouterr().out.split()[-1]) < 26
