"""What tsp_gls is, for users, prompts and the database."""

from importlib.resources import files

from ...problem import Interface, ProblemSpec


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _driver(interface: str) -> str:
    """Return the solver, which both interfaces share, with a ``solve`` that calls the heuristic."""
    return _text("solver.py") + (
        "\n\ndef solve(heuristic, inputs, device):\n"
        f"    return search({interface}_guide(heuristic), inputs, device)\n"
    )


_DESCRIPTION = (
    "Guide a local search to short closed tours of a symmetric travelling salesman problem. The "
    "search (2-opt and relocation of single cities) has reached a local optimum; the heuristic "
    "returns a guide matrix, that is, changed distances under which other tours look better. The 5 "
    "edges of the tour whose distances the guide raises most are penalised (their counts grow by "
    "1), the tour is changed by moves around their ends that are improvements under the guide, at "
    "most 20, and then the local search goes on with true distances. This is done 100 times from a "
    "nearest-neighbour tour; every 50th time the best tour so far is taken up again. The aim is a "
    "small mean gap between the lengths of the best tours and the shortest known tours, on "
    "instances that the heuristic has not seen."
)
_NOTES = (
    "The function is called 100 times{unit}. The matrix must be finite; its mean with its transpose "
    "is used, its diagonal is not. Distances are not scaled: raise distances in proportion to "
    "distances. A guide that raises nothing leaves the tour as it is. Use no randomness. Only "
    "torch, numpy and the standard library are available."
)
_SEED = "Guided local search: raise each edge of the tour by its distance over 1 + its penalty."

SPEC = ProblemSpec(
    name="tsp_gls",
    version="1",
    title="Travelling salesman problem, guided local search",
    description=_DESCRIPTION,
    measure="tour length",
    default_interface="batched",
    seconds_per_instance=1.0,
    memory_factor=12.0,
    interfaces={
        "batched": Interface(
            name="batched",
            function="update_guide",
            parameters=("distances", "tours", "penalties"),
            signature="def update_guide(distances, tours, penalties):",
            inputs=(
                "All inputs are torch tensors on one device; B instances of N cities advance "
                "together.\n"
                "distances: float64 [B, N, N], symmetric, zero diagonal.\n"
                "tours: int64 [B, N], the locally optimal tours, cities in their order.\n"
                "penalties: float64 [B, N, N], symmetric: how often each edge has been penalised."
            ),
            outputs="A float64 tensor [B, N, N]: the guide, distances changed as you see fit.",
            notes=_NOTES.format(unit=", for all instances: use tensor operations"),
            seed=_text("batched_seed.py"),
            seed_thought=_SEED,
            driver=_driver("batched"),
            demo=_text("batched_demo.py.txt"),
        ),
        "scalar": Interface(
            name="scalar",
            function="update_edge_distance",
            parameters=("edge_distance", "local_opt_tour", "edge_n_used"),
            signature="def update_edge_distance(edge_distance, local_opt_tour, edge_n_used):",
            inputs=(
                "edge_distance: numpy float64 array [N, N], symmetric, zero diagonal.\n"
                "local_opt_tour: numpy int64 array [N], the locally optimal tour.\n"
                "edge_n_used: numpy float64 array [N, N], symmetric: how often each edge has been "
                "penalised."
            ),
            outputs="A numpy array [N, N]: the guide, distances changed as you see fit.",
            notes=_NOTES.format(unit=" per instance"),
            seed=_text("scalar_seed.py"),
            seed_thought=_SEED,
            driver=_driver("scalar"),
            demo=_text("scalar_demo.py.txt"),
        ),
    },
    splits={
        "search": ("uniform-100x16-search",),
        "validation": ("uniform-100x16-validation",),
        "test": ("uniform-100x32-test", "uniform-200x16-test"),
    },
)
