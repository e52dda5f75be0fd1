"""Computes the reference lengths of tsp_construct's uniform data sets with LKH, or checks them.

    python -m benchmarks.tsp_references            recompute and compare with the stored file
    python -m benchmarks.tsp_references --write    recompute and store

LKH comes from the package `elkai` (free for non-commercial use; only needed here). Coordinates in
the unit square give distances of at most 1.42; they are scaled by 10^6 and rounded, because LKH
works on integers, and the closed length of its tour is then computed in float64 from the unrounded
distances. Each instance is solved with several independent labellings of its cities, which lead LKH
through different searches; the shortest tour counts, and the file says how many instances had
a labelling that fell short of it. About ten minutes on one core.
"""

import argparse
import json
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from eurisko.evaluators.problem import Array
from eurisko.evaluators.problems.tsp_construct import data
from eurisko.evaluators.problems.tsp_construct.scoring import check_tours, tour_lengths

SCALE = 1_000_000
RUNS = 10
LABELLINGS = 2
STORED = Path(data.__file__).with_name("references.json")


def lkh_tour(distances: Array, labels: Array) -> Array:
    """Solve one instance with its cities renamed by ``labels`` and return the tour from city 0."""
    import elkai

    scaled = np.rint(distances * SCALE).astype(np.int64)[np.ix_(labels, labels)]
    found = elkai.DistanceMatrix(scaled.tolist()).solve_tsp(runs=RUNS)[:-1]
    tour = labels[np.array(found)]
    return np.roll(tour, -int(np.argmin(tour)))


def reference_lengths(distances: Array) -> tuple[Array, int]:
    """Return the best length of each instance, and in how many instances labellings disagreed."""
    instances, cities = distances.shape[:2]
    random = np.random.RandomState(0)
    lengths = np.empty((LABELLINGS, instances))
    for labelling in range(LABELLINGS):
        labels = np.arange(cities) if labelling == 0 else random.permutation(cities)
        tours = np.array([lkh_tour(matrix, labels) for matrix in distances])
        check_tours(tours, instances, cities)
        lengths[labelling] = tour_lengths(distances, tours)
    best = lengths.min(axis=0)
    return best, int((lengths > best + 1e-9).any(axis=0).sum())


def compute() -> dict[str, Any]:
    """Solve every data set."""
    datasets = {}
    for name, recipe in data.UNIFORM.items():
        coordinates = data.uniform_coordinates(recipe.instances, recipe.cities, recipe.seed)
        lengths, disagreed = reference_lengths(data.euclidean(coordinates))
        print(f"{name}: mean {lengths.mean():.7f}, labellings disagreed on {disagreed}", flush=True)
        datasets[name] = {
            "instances": recipe.instances,
            "cities": recipe.cities,
            "seed": recipe.seed,
            "labellings_disagreed": disagreed,
            "mean": float(lengths.mean()),
            "lengths": lengths.tolist(),
        }
    origin = {
        "method": f"LKH 3.0.8 (elkai {version('elkai')}), best of {LABELLINGS} x {RUNS} runs",
        "settings": f"distances x {SCALE} rounded; RUNS = {RUNS}, other parameters at their "
        f"defaults; {LABELLINGS} labellings of the cities; lengths recomputed in float64",
        "made_by": "python -m benchmarks.tsp_references --write",
        "date": date.today().isoformat(),
    }
    return {"origin": origin, "datasets": datasets}


def compare(fresh: dict[str, Any]) -> int:
    """Print the differences from the stored file; return 1 if a stored length is beaten or lost."""
    stored = data.references()["datasets"]
    worst = 0.0
    for name, entry in fresh["datasets"].items():
        difference = np.array(entry["lengths"]) / np.array(stored[name]["lengths"]) - 1.0
        worst = max(worst, float(np.abs(difference).max()))
        print(
            f"{name}: shorter by at most {max(0.0, -difference.min()):.2e}, "
            f"longer by at most {max(0.0, difference.max()):.2e} (relative)"
        )
    return int(worst > 1e-9)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store what was computed")
    arguments = parser.parse_args()
    fresh = compute()
    if not arguments.write:
        return compare(fresh)
    STORED.write_text(json.dumps(fresh, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
