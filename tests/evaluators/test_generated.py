"""Data sets of any size and seed: found again by name, and the same on every machine."""

import numpy as np
import pytest

from eurisko.evaluators import GeneratingProblem, InputError, UnknownDataset, get_problem

DIGESTS = {
    ("tsp_construct", 50): "8257fe85395a2f03",
    ("tsp_gls", 20): "92d59bd36c366e4c",
    ("cvrp_construct", 50): "52d041b2111adfea",
    ("cvrp_aco", 20): "40cdabaee204bd8c",
    ("flow_shop", "20x5"): "df009007ab8070f8",
    ("flow_shop_gls", "20x5"): "df009007ab8070f8",
    ("job_shop", "6x6"): "f77ca31c0f54c00b",
    ("bin_packing_online", 1000): "2f49ce585924c279",
}
"""First digits of the digests of 4 instances with seed 7."""


@pytest.mark.parametrize(("name", "size"), DIGESTS)
def test_they_are_the_same_everywhere_and_found_by_name(name: str, size: int | str) -> None:
    """The checksum is fixed; the name leads to equal data; another seed gives other data."""
    problem = get_problem(name)
    assert isinstance(problem, GeneratingProblem)
    data = problem.generate(size, 4, 7)
    assert data.digest.startswith(DIGESTS[name, size])
    assert data.instances == 4 and data.name.endswith(f"-{size}-4-s7")
    assert problem.dataset(data.name).digest == data.digest
    other = problem.generate(size, 4, 8)
    main = next(key for key in ("distances", "times", "items") if key in data.arrays)
    assert not any(
        np.array_equal(one, two) for one in data.arrays[main] for two in other.arrays[main]
    )


@pytest.mark.parametrize(("name", "size"), DIGESTS)
def test_more_instances_go_on_where_fewer_end(name: str, size: int | str) -> None:
    """The first instances of a larger set are those of the smaller one."""
    problem = get_problem(name)
    assert isinstance(problem, GeneratingProblem)
    for few, many in zip(
        problem.generate(size, 2, 1).arrays.values(),
        problem.generate(size, 5, 1).arrays.values(),
        strict=True,
    ):
        assert np.array_equal(few, many[:2])


@pytest.mark.parametrize(
    ("name", "size", "instances", "said"),
    [
        ("tsp_construct", 2, 4, "at least 3 cities"),
        ("tsp_construct", "50x2", 4, "size '50x2'"),
        ("tsp_construct", 5000, 400, "from 1 to 4 instances"),
        ("tsp_construct", 50, 0, "from 1 to"),
        ("flow_shop", 50, 4, "JOBSxMACHINES"),
        ("job_shop", "1000x1000", 1, "20000 at most"),
        ("bin_packing_online", "1e3", 1, "a size is ITEMS"),
    ],
)
def test_what_cannot_be_made_is_refused(
    name: str, size: int | str, instances: int, said: str
) -> None:
    """One sentence says what would be possible."""
    problem = get_problem(name)
    assert isinstance(problem, GeneratingProblem)
    with pytest.raises(InputError) as refused:
        problem.generate(size, instances, 0)
    assert said in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["uniform-050-4-s7", "uniform-50-4-s-7", "uniform-50-4-s7 "])
def test_other_spellings_are_no_second_name(name: str) -> None:
    """One data set has one name."""
    with pytest.raises(UnknownDataset):
        get_problem("tsp_construct").dataset(name)


def test_a_problem_without_a_generator_is_none() -> None:
    """Circle packing has one instance only."""
    assert not isinstance(get_problem("circle_packing"), GeneratingProblem)
