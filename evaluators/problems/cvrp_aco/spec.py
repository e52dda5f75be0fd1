"""What cvrp_aco is, for users, prompts and the database."""

from importlib.resources import files

from ...problem import Interface, ProblemSpec


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


_DESCRIPTION = (
    "Guide an ant colony to short routes for vehicles of equal capacity that start and end at a "
    "depot and together visit every customer once; the demands of a route must not exceed the "
    "capacity. Ants build routes stop by stop: each draws its next stop, among the customers that "
    "fit and the depot, in proportion to pheromone times the desirability of the edge. The "
    "heuristic gives the desirability of all edges, once and before the first ant starts. The "
    "best routes that any ant finds count. The aim is a small mean gap between total lengths and "
    "the best known ones, on instances that the heuristic has not seen."
)
_NOTES = (
    "Values are drawn in proportion, so only ratios matter; values below 1e-9 count as 1e-9, those "
    "above 1e12 as 1e12, NaN is refused. The diagonal of the distances is 1, so that they can be "
    "divided by; it is never used. Distances are not scaled. "
)
_SEED = "Visibility: an edge is as desirable as it is short (one over the distance)."

# Both interfaces share one colony; they differ in how they ask.
_COLONY = _text("colony.py")

SPEC = ProblemSpec(
    name="cvrp_aco",
    version="1",
    title="Capacitated vehicle routing by an ant colony, edges weighed by the heuristic",
    description=_DESCRIPTION,
    measure="total length",
    default_interface="batched",
    seconds_per_instance=0.6,
    memory_factor=24.0,
    interfaces={
        "batched": Interface(
            name="batched",
            function="score_edges",
            parameters=("distances", "coordinates", "demands", "capacity"),
            signature="def score_edges(distances, coordinates, demands, capacity):",
            inputs=(
                "All inputs are torch tensors on one device, of B instances of N nodes; node 0 is "
                "the depot.\n"
                "distances: float64 [B, N, N], symmetric.\n"
                "coordinates: float64 [B, N, 2], in the plane.\n"
                "demands: float64 [B, N], 0 for the depot.\n"
                "capacity: float64 [B]."
            ),
            outputs=(
                "A float64 tensor [B, N, N]: how desirable it is to go from the second index to "
                "the third. It need not be symmetric."
            ),
            notes=(
                f"{_NOTES}Do not loop over instances in Python: use tensor operations. Only torch, "
                "numpy and the standard library are available."
            ),
            seed=_text("batched_seed.py"),
            seed_thought=_SEED,
            driver=_COLONY + "\n\nsolve = solve_batched\n",
            demo=_text("batched_demo.py.txt"),
        ),
        "scalar": Interface(
            name="scalar",
            function="heuristics",
            parameters=("distance_matrix", "coordinates", "demands", "capacity"),
            signature="def heuristics(distance_matrix, coordinates, demands, capacity):",
            inputs=(
                "distance_matrix: numpy float64 array [N, N], symmetric; node 0 is the depot.\n"
                "coordinates: numpy float64 array [N, 2], in the plane.\n"
                "demands: numpy float64 array [N], 0 for the depot.\n"
                "capacity: int."
            ),
            outputs=(
                "A numpy array [N, N]: how desirable it is to go from the first index to the "
                "second. It need not be symmetric."
            ),
            notes=f"{_NOTES}Only numpy, torch and the standard library are available.",
            seed=_text("scalar_seed.py"),
            seed_thought=_SEED,
            driver=_COLONY + "\n\nsolve = solve_scalar\n",
            demo=_text("scalar_demo.py.txt"),
        ),
    },
    splits={
        "search": ("uniform-50-search",),
        "validation": ("uniform-50-validation",),
        "test": ("uniform-50-test", "uniform-100-test"),
    },
)
