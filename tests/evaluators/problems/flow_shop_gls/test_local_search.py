"""Tests of the tensor local search: against brute force, and against a plain loop."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from eurisko.evaluators import get_problem
from eurisko.evaluators.problems.flow_shop_gls import solver

plain = pytest.importorskip("benchmarks.plain.flow_shop_gls", reason="needs the repository root")
insertions, makespan, neh, swaps = plain.insertions, plain.makespan, plain.neh, plain.swaps
plain_flow_gls = plain.plain_flow_gls

GLS = get_problem("flow_shop_gls")
SETTINGS = {"iterations": 10, "jobs": 3, "rounds": 4, "reach": 4, "back": 4}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Constants of the solver for small instances: few jobs, and a return within the run."""
    monkeypatch.setattr(solver, "ITERATIONS", SETTINGS["iterations"])
    monkeypatch.setattr(solver, "JOBS", SETTINGS["jobs"])
    monkeypatch.setattr(solver, "ROUNDS", SETTINGS["rounds"])
    monkeypatch.setattr(solver, "REACH", SETTINGS["reach"])
    monkeypatch.setattr(solver, "RETURN", SETTINGS["back"])
    yield


def drawn(instances: int, jobs: int, machines: int, high: int, seed: int = 3) -> np.ndarray:
    """Random integer times [instances, jobs, machines], with many equal makespans if few."""
    return np.random.default_rng(seed).integers(1, high, (instances, jobs, machines))


def shuffled(instances: int, jobs: int, seed: int = 4) -> torch.Tensor:
    """Random orders."""
    random = np.random.default_rng(seed)
    return torch.from_numpy(np.stack([random.permutation(jobs) for _ in range(instances)]))


def seed_of(interface: str):
    """The seed heuristic of an interface as a function."""
    face, names = GLS.spec.interfaces[interface], {}
    exec(face.seed, names)
    return names[face.function]


@pytest.mark.parametrize("high", [4, 100])
@pytest.mark.parametrize("chosen", [[0, 1, 2, 3, 4, 5, 6], [4, 0, -1, 6]])
def test_best_moves_are_those_of_brute_force(chosen: list[int], high: int, few: None) -> None:
    """For random orders the chosen insertion and swap are the first best ones of all that are tried
    out, job 0 moves like any other, and their makespans are the definition's.
    """
    times, orders = drawn(60, 7, 3, high), shuffled(60, 7)
    jobs = torch.tensor(chosen).expand(60, -1)
    tensors = torch.from_numpy(times).double()
    inserted = solver.best_insertions(tensors, orders, jobs)
    swapped = solver.best_swaps(tensors, orders, jobs)
    moved = set()
    for i, order in enumerate(orders.tolist()):
        listed = [job for job in chosen if job >= 0]
        every = (
            (inserted, insertions(order, listed)),
            (swapped, swaps(order, listed, SETTINGS["reach"], len(chosen) == 7)),
        )
        for (spans, after), neighbours in every:
            wanted = min(neighbours, key=lambda one, t=times[i]: makespan(t, one))
            assert after[i].tolist() == wanted
            assert spans[i] == makespan(times[i], wanted)
        moved |= {job for job in listed if inserted[1][i].tolist().index(job) != order.index(job)}
    assert 0 in moved


def test_the_result_is_a_local_optimum(few: None) -> None:
    """After the local search no insertion and no swap within reach makes the makespan smaller,
    each tried out on the whole order.
    """
    times, start = drawn(10, 12, 4, 100), shuffled(10, 12)
    everyone = torch.arange(12).expand(10, -1)
    ends = solver.descend(torch.from_numpy(times).double(), start, everyone, None)
    for i, order in enumerate(ends.tolist()):
        assert sorted(order) == list(range(12))
        span = makespan(times[i], order)
        assert span < makespan(times[i], start[i].tolist())
        tried = insertions(order, order) + swaps(order, order, SETTINGS["reach"], True)
        assert min(makespan(times[i], one) for one in tried) >= span


# The published heuristics have this form: fractions of the jobs, a list or an array of jobs, more
# of them than are used.
HEURISTICS = {
    "seed": GLS.spec.interfaces["scalar"].seed,
    "published style": """
import numpy as np

def get_matrix_and_jobs(current_sequence, time_matrix, m, n):
    machine_loads = time_matrix.sum(axis=0)
    critical_machine = int(np.argmax(machine_loads))
    new_matrix = time_matrix.copy()
    new_matrix[:, critical_machine] *= 1.2
    positions = [current_sequence.index(job) for job in range(n)]
    delay = time_matrix[:, critical_machine] * (1 + np.array(positions) / n)
    perturb_jobs = np.argsort(delay)[-int(0.5 * n):]
    new_matrix[perturb_jobs[:, np.newaxis], [0, m - 1]] *= np.random.uniform(0.5, 1.5)
    return new_matrix, perturb_jobs
""",
    "inputs spoilt, negative times, one job": """
def get_matrix_and_jobs(current_sequence, time_matrix, m, n):
    first = current_sequence[len(current_sequence) // 2]
    time_matrix[:, 0] -= 60
    current_sequence.clear()
    return time_matrix, [first]
""",
}


@pytest.mark.parametrize("name", HEURISTICS)
def test_decisions_are_those_of_a_plain_loop(name: str, few: None) -> None:
    """A whole search ends with the order of a plain search with every makespan by definition, and
    published heuristics run in it as they are.
    """
    heuristic: dict = {}
    exec(HEURISTICS[name], heuristic)
    call = heuristic["get_matrix_and_jobs"]
    for seed in range(2):
        times = drawn(1, 10, 4, 100, seed)
        np.random.seed(seed)
        found = solver.search(solver.scalar_guide(call), {"times": times}, "cpu")["orders"]
        np.random.seed(seed)
        assert found[0].tolist() == plain_flow_gls(times[0], call, **SETTINGS)


def test_instances_do_not_see_each_other(few: None) -> None:
    """Each instance of a batch ends as it does alone."""

    def guide(orders, times):
        return times * (1 + 0.1 * orders.argsort(1)[:, :, None]), orders[:, 3:6]

    times = drawn(5, 12, 4, 60)
    together = solver.search(guide, {"times": times}, "cpu")["orders"]
    alone = [solver.search(guide, {"times": one[None]}, "cpu")["orders"][0] for one in times]
    np.testing.assert_array_equal(together, alone)


def test_optima_are_reached_and_never_beaten(few: None) -> None:
    """On instances of 7 jobs the search ends at the best of all 5040 orders, or seldom above."""
    times = drawn(12, 7, 4, 100)
    every = np.array(list(itertools.permutations(range(7))))
    best = []
    for one in times:
        free = np.zeros((len(every), 4))
        for place in range(7):
            left = 0
            for machine in range(4):
                left = np.maximum(free[:, machine], left) + one[every[:, place], machine]
                free[:, machine] = left
        best.append(free[:, -1].min())
    np.random.seed(0)
    guide = solver.batched_guide(seed_of("batched"))
    found = solver.search(guide, {"times": times}, "cpu")["orders"]
    spans = np.array([makespan(t, o.tolist()) for t, o in zip(times, found, strict=True)])
    assert (spans >= best).all()
    assert (spans == best).sum() >= 11


def test_the_search_gets_better_than_neh_and_never_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a group of Taillard's no makespan is above NEH's, their mean gap is below half of NEH's
    after 5 iterations, and none is below the published upper bound, which is optimal there.
    """
    monkeypatch.setattr(solver, "ITERATIONS", 5)
    data = GLS.dataset("taillard-20x10")
    np.random.seed(0)
    guide = solver.batched_guide(seed_of("batched"))
    gaps = GLS.score(data, solver.search(guide, dict(data.arrays), "cpu")).gaps
    start = GLS.score(data, {"orders": np.array([neh(t) for t in data.arrays["times"]])}).gaps
    assert (gaps <= start).all() and gaps.min() >= 0
    assert gaps.mean() < start.mean() / 2


def test_times_that_do_not_change_move_nobody(few: None) -> None:
    """A heuristic that returns the true times ends with the first local optimum."""
    times = drawn(4, 12, 4, 60)
    found = solver.search(lambda orders, t: (t, orders[:, :3]), {"times": times}, "cpu")["orders"]
    start = torch.tensor([neh(one) for one in times])
    everyone = torch.arange(12).expand(4, -1)
    wanted = solver.descend(torch.from_numpy(times).double(), start, everyone, None)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(("jobs", "machines"), [(1, 3), (2, 1), (2, 3), (3, 1), (4, 2)])
def test_few_jobs_and_machines(jobs: int, machines: int) -> None:
    """Tiny instances, and times of 0, give orders, not errors."""
    times = drawn(2, jobs, machines, 9)
    times[0] = 0
    times[0, 0, 0] = 5
    for face in GLS.spec.interfaces.values():
        given: dict = {}
        exec(face.driver.replace("ITERATIONS = 50\n", "ITERATIONS = 3\n"), given)
        exec(face.seed, given)
        orders = given["solve"](given[face.function], {"times": times}, "cpu")["orders"]
        assert np.sort(orders, axis=1).tolist() == [list(range(jobs))] * 2
