"""Reference lengths of cvrp_construct, by hybrid genetic search (PyVRP).

``python -m benchmarks.cvrp_references --write`` stores them in the package; needs ``pyvrp``.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from eurisko.evaluators.problems.cvrp_construct import data as instances
from eurisko.evaluators.problems.cvrp_construct.scoring import route_lengths

SCALE = 10_000  # PyVRP caps its penalties: at larger scales an overload is cheaper than a detour
FILE = Path(instances.__file__).with_name("references.json")


def solve(distances: np.ndarray, demands: np.ndarray, capacity: int, seconds: float) -> list[int]:
    """Return a good walk from the depot through all routes."""
    from pyvrp import Model
    from pyvrp.stop import MaxRuntime

    model = Model()
    nodes = [model.add_location(0, 0) for _ in demands]
    model.add_depot(nodes[0])
    for node, demand in zip(nodes[1:], demands[1:], strict=True):
        model.add_client(node, delivery=[int(demand)])
    model.add_vehicle_type(len(demands), capacity=[int(capacity)])
    scaled = np.rint(distances * SCALE).astype(int)
    for i, one in enumerate(nodes):
        for j, other in enumerate(nodes):
            model.add_edge(one, other, distance=int(scaled[i, j]))
    best = model.solve(MaxRuntime(seconds), seed=1, display=False).best
    walk = [0]
    for route in best.routes():
        walk += [*visited(route), 0]
    return walk


def visited(route: object) -> list[int]:
    """Return the client numbers of a route, counted after the depot."""
    return [step.idx + 1 for step in route if step.is_client()]  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the results in the package")
    parser.add_argument("--seconds", type=float, default=3.0, help="per instance of 50 customers")
    options = parser.parse_args()
    found = {}
    for name, recipe in instances.UNIFORM.items():
        arrays = instances.uniform_arrays(recipe)
        visits = np.zeros((recipe.instances, 2 * recipe.customers + 1), dtype=np.int64)
        seconds = options.seconds * recipe.customers / 50
        for instance in range(recipe.instances):
            parts = (arrays[key][instance] for key in ("distances", "demands", "capacity"))
            walk = solve(*parts, seconds)
            visits[instance, : len(walk)] = walk
        found[name] = route_lengths(arrays, visits).tolist()
        print(name, np.mean(found[name]), flush=True)
    if options.write:
        origin = (
            f"PyVRP, one run of {options.seconds:g} s per 50 customers, seed 1, distances x "
            f"{SCALE} rounded; lengths recomputed in float64; not proven optimal"
        )
        FILE.write_text(json.dumps({"origin": origin, "datasets": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
