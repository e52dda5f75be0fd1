"""Reference solutions of a folder of routing files, each verified by the checker.

``python -m benchmarks.routing_reference FOLDER`` prints a table: constraints by analysis alone,
solver, cost, whether every rule is kept, and for RouteFinder's variants (Berto et al. 2025) the
mean cost of HGS-PyVRP over 1,000 instances of 50 customers, as Zhang et al. (2025, arXiv
2510.16701, table 3) print it. One file is one instance: the mean only gives the magnitude.
"""

import argparse
from pathlib import Path

from eurisko.evaluators.routing import RoutingError, read_routing
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.reference import solve_reference

PUBLISHED = {
    "CVRP": 10.37, "CVRPL": 10.59, "CVRPTW": 16.03, "OCVRP": 6.51, "CVRPLTW": 16.36,
    "OCVRPL": 6.51, "OCVRPTW": 10.51, "OCVRPLTW": 10.51, "CVRPB": 9.69, "CVRPBL": 10.19,
    "CVRPBTW": 18.29, "OCVRPB": 6.90, "CVRPBLTW": 18.36, "OCVRPBL": 6.90, "OCVRPBTW": 11.67,
    "OCVRPBLTW": 11.67,
}  # fmt: skip
_BASIC = {"visit", "depot"}


def row(path: Path, seconds: float) -> str:
    """Return one line of the table."""
    reading = read_routing(path)
    names = analyse(reading).names
    kind = reading.facts.type_name
    mean = f"{PUBLISHED[kind]:.2f}" if kind in PUBLISHED else ""
    rules = ", ".join(sorted(names - _BASIC))
    try:
        found = solve_reference(reading.instance, names, seconds=seconds, seed=1)
    except RoutingError as error:
        return f"| {path.stem} | {kind} | {rules} | {error} | | | {mean} |"
    kept = "yes" if found.found else "no"
    cost = f"{found.cost:.4f}"
    return f"| {path.stem} | {kind} | {rules} | {found.solver} | {cost} | {kept} | {mean} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each file")
    options = parser.parse_args()
    print("| file | type | constraints | solver | cost | verified | published mean |")
    print("|---|---|---|---|---|---|---|")
    for path in sorted(options.folder.iterdir()):
        if path.suffix in (".vrp", ".sop", ".txt", ".tsp"):
            print(row(path, options.seconds), flush=True)


if __name__ == "__main__":
    main()
