"""Instances of the paper's 20 variants in the formats of its data, all made here.

The kinds of numbers follow the public sets (unit square and capacity 1 for the standard ones, as in
RouteFinder's data by Berto et al. 2025; stations and full recharging as in Schneider et al. 2014);
every number is drawn by a seeded generator.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STANDARD = ("CVRP", "CVRPL", "CVRPTW", "OCVRP", "CVRPLTW", "OCVRPL", "OCVRPTW", "OCVRPLTW")
ELECTRIC = (
    "ECVRP", "ECVRPL", "ECVRPTW", "EOCVRP", "ECVRPLTW", "EOCVRPL", "EOCVRPTW", "EOCVRPLTW",
)  # fmt: skip
CLASSICAL = ("TSP", "ATSP", "ACVRP", "SOP")
VARIANTS = (*STANDARD, *ELECTRIC, *CLASSICAL)
"""The 20 variants that the paper specifies one by one (appendix B), in its order."""


def make_text(variant: str, customers: int, seed: int) -> str:
    """Return the text of an instance file.

    Args:
        variant: one of ``VARIANTS``.
        customers: at least 4; for TSP, ATSP and SOP the number of cities is one more.
        seed: of the numbers; the same seed gives the same text.

    Raises:
        ValueError: the variant is not known, or there are too few customers.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant {variant!r} is not known; known are {', '.join(VARIANTS)}")
    if customers < 4:
        raise ValueError(f"at least 4 customers are needed, got {customers}")
    rng = np.random.default_rng([seed, VARIANTS.index(variant)])
    if variant in ELECTRIC:
        return _electric(variant, customers, rng)
    if variant in STANDARD:
        return _standard(variant, customers, rng)
    return {"TSP": _tsp, "ATSP": _atsp, "ACVRP": _acvrp, "SOP": _sop}[variant](customers, rng)


def _lines(values: Floats, digits: int) -> list[str]:
    rows = np.round(values.reshape(len(values), -1), digits)
    return [f"{at} {' '.join(f'{v:g}' for v in row)}" for at, row in enumerate(rows, 1)]


def _header(variant: str, nodes: int, **more: object) -> list[str]:
    lines = [f"NAME : {variant.lower()}-{nodes}", f"TYPE : {variant}", f"DIMENSION : {nodes}"]
    return lines + [f"{key} : {value}" for key, value in more.items()]


def _standard(variant: str, customers: int, rng: np.random.Generator) -> str:
    """Unit square, capacity 1, horizon 4.6; a limit beyond twice the farthest customer."""
    points = np.round(rng.random((customers + 1, 2)), 6)
    away = np.sqrt(((points - points[0]) ** 2).sum(axis=1))
    more: dict[str, object] = {"CAPACITY": 1}
    if "L" in variant.replace("CVRP", ""):
        more["DISTANCE_LIMIT"] = f"{float(rng.uniform(2 * away.max() + 0.05, 2.9)):.6f}"
    more["EDGE_WEIGHT_TYPE"] = "EUC_2D"
    demand = np.append(0.0, rng.integers(1, 10, customers) / (30.0 + customers / 5.0))
    lines = [*_header(variant, customers + 1, **more), "NODE_COORD_SECTION", *_lines(points, 6)]
    lines += ["DEMAND_SECTION", *_lines(demand, 6)]
    if "TW" in variant:
        service = np.append(0.0, rng.uniform(0.15, 0.18, customers))
        width = rng.uniform(0.18, 0.4, customers + 1)
        opening = away + rng.random(customers + 1) * (4.5 - 2 * away - service - width)
        windows = np.stack([opening, opening + width], axis=1)
        windows[0] = (0.0, 4.6)
        lines += ["TIME_WINDOW_SECTION", *_lines(windows, 5)]
        lines += ["SERVICE_TIME_SECTION", *_lines(service, 5)]
    return "\n".join([*lines, "DEPOT_SECTION", "1", "-1", "EOF", ""])


def _electric(variant: str, customers: int, rng: np.random.Generator) -> str:
    """A square of 100 with a depot in the middle and stations at the centres of its quarters.

    Nobody is farther than 36 from a charger, and the battery lasts for 80.
    """
    stations = np.array([[25, 25], [25, 75], [75, 25], [75, 75]], dtype=float)
    clients = np.round(rng.uniform(0, 100, (customers, 2)))
    points = np.concatenate([[[50.0, 50.0]], stations, clients])
    nodes, first = len(points), 1 + len(stations)
    more: dict[str, object] = {
        "CAPACITY": 100.0,
        "FUEL_CAPACITY": 80.0,
        "FUEL_CONSUMPTION_RATE": 1.0,
        "REFUEL_RATE": 0.4,
        "VEHICLE_SPEED": 1.0,
    }
    if "L" in variant.replace("CVRP", ""):
        more["DISTANCE_LIMIT"] = 260.0
    demand = np.append(np.zeros(first), rng.integers(5, 30, customers))
    lines = [*_header(variant, nodes, **more), "NODE_COORD_SECTION", *_lines(points, 1)]
    lines += ["DEMAND_SECTION", *_lines(demand, 0)]
    if "TW" in variant:
        opening = rng.integers(120, 500, nodes).astype(float)
        windows = np.stack([opening, opening + rng.integers(60, 160, nodes)], axis=1)
        windows[:first] = (0.0, 1000.0)
        service = np.append(np.zeros(first), np.full(customers, 10.0))
        lines += ["TIME_WINDOW_SECTION", *_lines(windows, 0)]
        lines += ["SERVICE_TIME_SECTION", *_lines(service, 0)]
    lines += ["DEPOT_SECTION", "1", "-1", "STATION_SECTION"]
    lines += [*(str(row + 1) for row in range(1, first)), "-1"]
    return "\n".join([*lines, "EOF", ""])


def _tsp(customers: int, rng: np.random.Generator) -> str:
    points = rng.integers(0, 1000, (customers + 1, 2)).astype(float)
    header = _header("TSP", customers + 1, EDGE_WEIGHT_TYPE="EUC_2D")
    return "\n".join([*header, "NODE_COORD_SECTION", *_lines(points, 0), "EOF", ""])


def _directed(nodes: int, rng: np.random.Generator) -> Floats:
    """Draw whole distances that depend on the direction, and close them under detours."""
    matrix = rng.integers(10, 1000, (nodes, nodes)).astype(float)
    np.fill_diagonal(matrix, 0.0)
    for middle in range(nodes):
        matrix = np.minimum(matrix, matrix[:, middle : middle + 1] + matrix[middle : middle + 1, :])
    return matrix


def _matrix(matrix: Floats) -> list[str]:
    return ["EDGE_WEIGHT_SECTION", *(" ".join(f"{v:.0f}" for v in row) for row in matrix)]


def _atsp(customers: int, rng: np.random.Generator) -> str:
    explicit = {"EDGE_WEIGHT_TYPE": "EXPLICIT", "EDGE_WEIGHT_FORMAT": "FULL_MATRIX"}
    header = _header("ATSP", customers + 1, **explicit)
    return "\n".join([*header, *_matrix(_directed(customers + 1, rng)), "EOF", ""])


def _acvrp(customers: int, rng: np.random.Generator) -> str:
    explicit = {"EDGE_WEIGHT_TYPE": "EXPLICIT", "EDGE_WEIGHT_FORMAT": "FULL_MATRIX"}
    lines = _header("ACVRP", customers + 1, CAPACITY=50, **explicit)
    lines += _matrix(_directed(customers + 1, rng))
    demand = np.append(0.0, rng.integers(1, 12, customers))
    lines += ["DEMAND_SECTION", *_lines(demand, 0), "DEPOT_SECTION", "1", "-1", "EOF", ""]
    return "\n".join(lines)


def _sop(customers: int, rng: np.random.Generator) -> str:
    """A matrix with -1 from i to j where j comes before i: drawn along a hidden order, closed."""
    nodes = customers + 1
    matrix = _directed(nodes, rng)
    order = [0, *(1 + rng.permutation(nodes - 2)).tolist(), nodes - 1]
    before = _hidden_rules(order, rng)
    matrix[before.T] = -1.0
    matrix[0, nodes - 1] = 1_000_000.0
    explicit = {"EDGE_WEIGHT_TYPE": "EXPLICIT", "EDGE_WEIGHT_FORMAT": "FULL_MATRIX"}
    lines = [*_header("SOP", nodes, **explicit), "EDGE_WEIGHT_SECTION", str(nodes)]
    return "\n".join([*lines, *_matrix(matrix)[1:], "EOF", ""])


def _hidden_rules(order: Sequence[int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return ``[N, N]``, row before column: the first before all, all before the last, some others."""
    nodes = len(order)
    before = np.zeros((nodes, nodes), dtype=bool)
    before[order[0], order[1:]] = True
    before[order[:-1], order[-1]] = True
    for _ in range(math.ceil(nodes / 3)):
        early, late = sorted(rng.choice(np.arange(1, nodes - 1), 2, replace=False).tolist())
        before[order[early], order[late]] = True
    for middle in range(nodes):
        before |= before[:, middle : middle + 1] & before[middle : middle + 1, :]
    return before
