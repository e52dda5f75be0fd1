"""Tests of the data sets and their references."""

import numpy as np
import pytest

from eurisko.evaluators import InputError, UnknownDataset, get_problem
from eurisko.evaluators.problems.tsp_construct import data as tsp_data

TSP = get_problem("tsp_construct")
NAMES = sorted(name for names in TSP.spec.splits.values() for name in names)


def test_nearest_neighbour_scores_what_llm4ad_measures(drive) -> None:
    """Both seeds on the search split have mean length 6.9867137, measured on LLM4AD itself."""
    data = TSP.dataset("uniform-50-search")
    for interface in TSP.spec.interfaces.values():
        tours = drive(interface, interface.seed, data)
        assert TSP.score(data, tours).raw.mean() == pytest.approx(6.9867137, abs=5e-8)


def test_search_split_is_the_stream_of_the_global_seed() -> None:
    """The search instances are those of numpy.random.seed(2024) and rand(50, 2) one by one."""
    before = np.random.get_state()
    try:
        np.random.seed(2024)
        points = np.array([np.random.rand(50, 2) for _ in range(64)])
    finally:
        np.random.set_state(before)
    distances = np.linalg.norm(points[:, :, None] - points[:, None], axis=-1)
    ours = TSP.dataset("uniform-50-search").arrays["distances"]
    np.testing.assert_allclose(ours, distances, rtol=1e-14)


def test_generation_leaves_the_global_generator_alone() -> None:
    """Making data never draws from NumPy's global stream."""
    before = np.random.get_state()[1].tobytes()
    tsp_data.uniform_coordinates(2, 5, seed=1)
    assert np.random.get_state()[1].tobytes() == before


def test_splits_are_disjoint_and_complete() -> None:
    """Every data set belongs to one split, has its own seed and its announced shape."""
    assert sorted(tsp_data.UNIFORM) == NAMES
    assert len({recipe.seed for recipe in tsp_data.UNIFORM.values()}) == len(NAMES)
    for name in NAMES:
        _, cities, split = name.split("-")
        distances = TSP.dataset(name).arrays["distances"]
        assert distances.shape == (64, int(cities), int(cities))
        assert name in TSP.spec.splits[split]
        np.testing.assert_array_equal(distances, distances.transpose(0, 2, 1))


def test_unknown_data_set_is_named() -> None:
    """A misspelt data set gives one sentence with the one that was meant."""
    with pytest.raises(UnknownDataset, match="'uniform-50-tst': did you mean uniform-50-test"):
        TSP.dataset("uniform-50-tst")


@pytest.mark.parametrize("name", NAMES)
def test_references_are_as_good_as_theory_expects(name: str) -> None:
    """Mean reference is within 2 % of the mean optimum that the literature gives for this size.

    Papers on learned solvers agree on 5.69-5.71, 7.75-7.77 and 10.7 for uniform instances.
    """
    cities = tsp_data.UNIFORM[name].cities
    reference = TSP.dataset(name).reference
    assert reference is not None and reference.shape == (64,)
    assert reference.mean() == pytest.approx({50: 5.70, 100: 7.76, 200: 10.7}[cities], rel=0.02)


@pytest.mark.parametrize("name", NAMES)
def test_no_tour_of_the_seed_beats_a_reference(name: str, drive) -> None:
    """Nearest neighbour is longer than every reference, by 15 to 35 % on average."""
    data = TSP.dataset(name)
    scores = TSP.score(data, drive(TSP.spec.interfaces["batched"], seed_of("batched"), data))
    assert scores.gaps is not None
    assert scores.gaps.min() > 0.0
    assert 15.0 < scores.objective < 35.0


def seed_of(interface: str) -> str:
    """Source of a seed."""
    return TSP.spec.interfaces[interface].seed


def test_references_say_where_they_come_from() -> None:
    """Solver, version, settings and date are stored and reach the data set's origin."""
    origin = tsp_data.references()["origin"]
    assert set(origin) >= {"method", "settings", "made_by", "date"}
    assert "LKH" in TSP.dataset("uniform-50-test").origin


@pytest.mark.parametrize("name", NAMES)
def test_stored_references_are_what_lkh_finds(name: str) -> None:
    """A fresh run of LKH on two instances of each set finds no tour shorter than stored."""
    elkai = pytest.importorskip("elkai", reason="LKH comes with the package elkai")
    data = TSP.dataset(name)
    assert data.reference is not None
    for instance in (0, 63):
        distances = data.arrays["distances"][instance]
        scaled = np.rint(distances * 1e6).astype(np.int64).tolist()
        tour = elkai.DistanceMatrix(scaled).solve_tsp(runs=2)
        length = distances[tour[:-1], tour[1:]].sum()
        assert length >= data.reference[instance] * (1 - 1e-9)
        assert length == pytest.approx(data.reference[instance], rel=2e-3)


def held_karp(distances: np.ndarray) -> float:
    """Length of the shortest tour by dynamic programming over subsets."""
    cities = len(distances)
    best = {(1 << j, j): distances[0, j] for j in range(1, cities)}
    for subset in range(2, 1 << cities, 2):
        for j in range(1, cities):
            rest = subset & ~(1 << j)
            if subset >> j & 1 and rest:
                best[subset, j] = min(
                    best[rest, k] + distances[k, j] for k in range(1, cities) if rest >> k & 1
                )
    full = (1 << cities) - 2
    return min(best[full, j] + distances[j, 0] for j in range(1, cities))


def test_the_reference_pipeline_is_exact_on_small_instances() -> None:
    """Scaling, LKH and recomputed lengths give the optimum of dynamic programming for n = 9."""
    pytest.importorskip("elkai", reason="LKH comes with the package elkai")
    tool = pytest.importorskip("benchmarks.tsp_references", reason="needs the repository root")
    distances = tsp_data.euclidean(tsp_data.uniform_coordinates(4, 9, seed=5))
    lengths, disagreed = tool.reference_lengths(distances)
    np.testing.assert_allclose(lengths, [held_karp(matrix) for matrix in distances], rtol=1e-12)
    assert disagreed == 0


SQUARE = """NAME : square
TYPE : TSP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 10 0
3 10 10
4 0 10
EOF
"""


def test_a_file_without_tour_has_no_gap(tmp_path) -> None:
    """Without an optimal tour beside it the objective of a file is the length itself."""
    path = tmp_path / "square.tsp"
    path.write_text(SQUARE)
    data = TSP.load(path)
    scores = TSP.score(data, {"tours": np.array([[0, 2, 1, 3]])})
    assert (scores.gaps, scores.objective) == (None, 48.0)
    assert "no reference: there is no square.opt.tour beside it" in data.origin


def test_a_tour_beside_the_file_is_the_reference(tmp_path) -> None:
    """The reference is the length of the tour file, recomputed in the file's own rounding."""
    path = tmp_path / "square.tsp"
    path.write_text(SQUARE)
    (tmp_path / "square.opt.tour").write_text("TYPE : TOUR\nTOUR_SECTION\n3 2 1 4 -1\nEOF\n")
    data = TSP.load(path)
    assert data.reference is not None and data.reference.tolist() == [40.0]
    assert TSP.score(data, {"tours": np.array([[0, 2, 1, 3]])}).objective == pytest.approx(20.0)


def test_a_tour_of_length_zero_allows_no_gap(tmp_path) -> None:
    """Where all cities coincide no gap can be measured, and the lengths still can."""
    path = tmp_path / "point.tsp"
    path.write_text(SQUARE.replace("10", "0"))
    (tmp_path / "point.opt.tour").write_text("TYPE : TOUR\nTOUR_SECTION\n3 2 1 4 -1\nEOF\n")
    assert TSP.load(path).reference is None


def test_files_that_do_not_fit_are_refused(tmp_path) -> None:
    """More than 5,000 cities and fewer than 3 each give one sentence, before any matrix is made."""
    path = tmp_path / "big.tsp"
    path.write_text(SQUARE.replace("DIMENSION : 4", "DIMENSION : 5001"))
    with pytest.raises(InputError, match="5001, matrices of more than 5000 cities do not fit"):
        TSP.load(path)
    path.write_text(
        SQUARE.replace("DIMENSION : 4", "DIMENSION : 2").replace("3 10 10\n4 0 10\n", "")
    )
    with pytest.raises(InputError, match="has 2 cities: a tour to choose needs at least 3"):
        TSP.load(path)


def test_seeds_run_on_a_public_file(tsplib_folder, drive) -> None:
    """Both seeds build the same tour of pcb442, far above its optimum of 50778."""
    data = TSP.load(tsplib_folder / "pcb442.tsp")
    assert data.reference is not None and data.reference.tolist() == [50778.0]
    tours = [
        drive(interface, interface.seed, data)["tours"]
        for interface in TSP.spec.interfaces.values()
    ]
    np.testing.assert_array_equal(tours[0], tours[1])
    assert 15.0 < TSP.score(data, {"tours": tours[0]}).objective < 35.0
