"""Proves that the stored reference lengths of tsp_construct are optimal, or names where not.

    python -m benchmarks.tsp_optimality [--write] [DATASET ...]

For each instance: the linear programme of Dantzig, Fulkerson and Johnson (1954) with subtour
constraints added as minimum cuts violate them, edges fixed by their reduced costs against the
stored length, then branch and bound with subtour constraints added until the solution is one tour.
Its lower bound equals the stored length up to the solver's tolerance, or the instance is named;
--write stores how many are proven beside the lengths.
Needs `highspy` (HiGHS, MIT licence), which is not installed with Eurisko: pip install highspy.
A few minutes for all sets, most of it for 200 cities.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

import networkx
import numpy as np

from eurisko.evaluators.problem import Array
from eurisko.evaluators.problems.tsp_construct import data

from .tsp_references import STORED

TOLERANCE = 1e-6  # relative: the solver's own tolerances are of this order


class Relaxation:
    """The linear programme over all edges of one instance, tightened by subtour constraints."""

    def __init__(self, distances: Array) -> None:
        import highspy

        self.cities = len(distances)
        self.tail, self.head = np.triu_indices(self.cities, 1)
        self.costs = distances[self.tail, self.head]
        self.integer = highspy.HighsVarType.kInteger
        self.solver = highspy.Highs()
        for option, value in (("output_flag", False), ("threads", 1)):
            self.solver.setOptionValue(option, value)
        edges = np.arange(len(self.costs), dtype=np.int32)
        for _ in edges:
            self.solver.addVar(0.0, 1.0)
        self.solver.changeColsCost(len(edges), edges, self.costs)
        for city in range(self.cities):
            self._add_row(2.0, 2.0, (self.tail == city) | (self.head == city))

    def cut(self, side: Iterable[int]) -> None:
        """Demand two edges between a set of cities and the others."""
        inside = np.zeros(self.cities, dtype=bool)
        inside[list(side)] = True
        self._add_row(2.0, float("inf"), inside[self.tail] != inside[self.head])

    def _add_row(self, low: float, high: float, edges: Array) -> None:
        chosen = np.flatnonzero(edges).astype(np.int32)
        self.solver.addRow(low, high, len(chosen), chosen, np.ones(len(chosen)))

    def solve(self) -> tuple[Array, networkx.Graph]:
        """Solve and return the values of the edges, and the graph of those above zero."""
        import highspy

        self.solver.run()
        if self.solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"HiGHS ended with {self.solver.getModelStatus()}")
        values = np.array(self.solver.getSolution().col_value)
        graph = networkx.Graph()
        graph.add_nodes_from(range(self.cities))
        for edge in np.flatnonzero(values > 1e-7):
            ends = int(self.tail[edge]), int(self.head[edge])
            graph.add_edge(*ends, weight=float(values[edge]))
        return values, graph

    def fix_edges(self, values: Array, bound: float, length: float) -> None:
        """Fix every edge whose change would make any tour longer than the known one."""
        reduced = np.array(self.solver.getSolution().col_dual)
        limit = length * (1 + 0.1 * TOLERANCE)
        for edge in np.flatnonzero((values < 0.5) & (bound + reduced > limit)):
            self.solver.changeColBounds(int(edge), 0.0, 0.0)
        for edge in np.flatnonzero((values > 0.5) & (bound - reduced > limit)):
            self.solver.changeColBounds(int(edge), 1.0, 1.0)


def violated(graph: networkx.Graph) -> list[Any]:
    """Return sets of cities with less than two edges leaving them; none only if there are none."""
    parts = []
    for threshold in (0.3, 0.5, 0.7, 0.9):  # quick: the parts that only weak edges connect
        strong = networkx.Graph()
        strong.add_edges_from((a, b) for a, b, w in graph.edges(data="weight") if w > threshold)
        for part in networkx.connected_components(strong):
            leaving = networkx.cut_size(graph, part, weight="weight")
            if len(part) < len(graph) and leaving < 2 - TOLERANCE:
                parts.append(part)
    if not parts:
        weight, sides = networkx.stoer_wagner(graph)
        parts = [min(sides, key=len)] if weight < 2 - TOLERANCE else []
    return parts


def lower_bound(distances: Array, length: float) -> float:
    """Return a lower bound on every tour that is not longer than the known one."""
    relaxation = Relaxation(distances)
    while True:
        values, graph = relaxation.solve()
        parts: list[Any] = list(networkx.connected_components(graph))
        if len(parts) == 1:
            parts = violated(graph)
        if not parts:
            break
        for part in parts:
            relaxation.cut(part)
    bound = float(relaxation.solver.getInfo().objective_function_value)
    relaxation.fix_edges(values, bound, length)
    for edge in range(len(values)):
        relaxation.solver.changeColIntegrality(edge, relaxation.integer)
    for option in ("mip_rel_gap", "mip_abs_gap"):
        relaxation.solver.setOptionValue(option, 1e-9)
    while True:
        _, graph = relaxation.solve()
        parts = list(networkx.connected_components(graph))
        if len(parts) == 1:
            return float(relaxation.solver.getInfo().mip_dual_bound)
        for part in parts:
            relaxation.cut(part)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=list(data.UNIFORM), metavar="DATASET")
    parser.add_argument("--write", action="store_true", help="store what was proven")
    arguments = parser.parse_args()
    stored = data.references()
    unproven = 0
    for name in arguments.datasets:
        recipe, lengths = data.UNIFORM[name], stored["datasets"][name]["lengths"]
        points = data.uniform_coordinates(recipe.instances, recipe.cities, recipe.seed)
        matrices = data.euclidean(points)
        bounds = np.array([lower_bound(*pair) for pair in zip(matrices, lengths, strict=True)])
        open_ones = np.flatnonzero(bounds < np.array(lengths) * (1 - TOLERANCE))
        unproven += len(open_ones)
        stored["datasets"][name]["proven_optimal"] = len(lengths) - len(open_ones)
        print(f"{name}: {len(lengths) - len(open_ones)} of {len(lengths)} proven optimal", end="")
        print(f"; not proven: {open_ones.tolist()}" if len(open_ones) else "", flush=True)
    if arguments.write:
        stored["origin"]["proof"] = (
            f"lower bounds by python -m benchmarks.tsp_optimality (HiGHS {version('highspy')}), "
            f"relative tolerance {TOLERANCE}"
        )
        STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    return int(unproven > 0)


if __name__ == "__main__":
    sys.exit(main())
