"""Reference lengths of tsp_gls's own search set, by LKH as in `benchmarks.tsp_references`.

``python -m benchmarks.tsp_gls_references`` writes them into the package; needs ``elkai``. The other
sets of tsp_gls are parts of tsp_construct's and use the references stored there.
"""

import json
from importlib.metadata import version
from pathlib import Path

from benchmarks.tsp_references import LABELLINGS, RUNS, SCALE, reference_lengths
from eurisko.evaluators.problems.tsp_construct.data import euclidean, uniform_coordinates
from eurisko.evaluators.problems.tsp_gls import data

FILE = Path(data.__file__).with_name("references.json")


def main() -> None:
    found = {}
    for name, recipe in data.OWN.items():
        coordinates = uniform_coordinates(recipe.instances, recipe.cities, recipe.seed)
        lengths, disagreed = reference_lengths(euclidean(coordinates))
        print(f"{name}: mean {lengths.mean():.7f}, labellings disagreed on {disagreed}")
        found[name] = lengths.tolist()
    origin = (
        f"LKH 3.0.8 (elkai {version('elkai')}), best of {LABELLINGS} x {RUNS} runs, distances x "
        f"{SCALE} rounded, lengths recomputed in float64; not proven optimal"
    )
    FILE.write_text(json.dumps({"origin": origin, "datasets": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
