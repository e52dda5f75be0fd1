"""The contract of created solvers: eight functions of one module of text."""

from dataclasses import dataclass

from ..instance import RoutingInstance

ROUTE_VEHICLES = "route_vehicles"
"""Key that the caller of ``validate`` adds to the instance: the vehicle type of each route.

Only there where the fleet has several types, as ``validate`` has no argument for it.
"""


@dataclass(frozen=True)
class FunctionContract:
    """One function of a created solver: its exact signature, and what it must do."""

    name: str
    signature: str
    purpose: str


FUNCTIONS = (
    FunctionContract(
        "read_instance",
        "def read_instance(text: str) -> dict",
        "Parses the whole text of an instance file into a dictionary with exactly the input fields; "
        "values are plain lists, numbers or numpy arrays; nodes stand in the order of the file, the "
        "first is row 0.",
    ),
    FunctionContract(
        "distance_matrix",
        "def distance_matrix(instance: dict) -> np.ndarray",
        "Returns the float matrix [N, N] of distances from row to column: the file's own weights "
        "where it lists them (infinite where no way leads), else computed from coordinates under "
        "the stated rounding.",
    ),
    FunctionContract(
        "cost",
        "def cost(routes: list[list[int]], instance: dict, D: np.ndarray) -> float",
        "Returns the objective's value of routes.",
    ),
    FunctionContract(
        "initial",
        "def initial(instance: dict, D: np.ndarray, rng: np.random.Generator) -> list[list[int]]",
        "Builds a first solution that keeps every constraint, by greedy insertion.",
    ),
    FunctionContract(
        "destroy",
        "def destroy(routes: list[list[int]], instance: dict, D: np.ndarray, ratio: float, "
        "rng: np.random.Generator) -> tuple[list[list[int]], list[int]]",
        "Removes about ratio of the customers, near one another; returns the partial routes "
        "(without those that became empty) and the removed customers; depots are never removed.",
    ),
    FunctionContract(
        "insert",
        "def insert(routes: list[list[int]], removed: list[int], instance: dict, D: np.ndarray, "
        "rng: np.random.Generator) -> list[list[int]]",
        "Puts every removed customer back where it is cheapest and keeps every constraint; opens a "
        "new route where that is needed or better.",
    ),
    FunctionContract(
        "validate",
        "def validate(routes: list[list[int]], instance: dict, D: np.ndarray) -> tuple[bool, str]",
        "Checks every constraint, windows of depots and stations included, and that each customer "
        "is served; returns (True, '') or (False, the violated rule and where).",
    ),
    FunctionContract(
        "solve",
        "def solve(text: str, seconds: float, seed: int) -> dict",
        "Ruins and recreates with simulated annealing until the time is up (temperature relative to "
        "the cost's scale); returns {'routes': best routes, 'cost': their cost, and for several "
        "vehicle types 'vehicles': the type of each route}. Prints nothing, opens no file.",
    ),
)
NAMES = tuple(function.name for function in FUNCTIONS)


def route_bound(instance: RoutingInstance) -> int:
    """Return the largest number of routes that is read from a program."""
    return len(instance.customers) + 8


def stop_bound(instance: RoutingInstance) -> int:
    """Return the largest number of stops of all routes together that is read from a program.

    Room for plans that are wrong in ways worth naming: every node three times, and both ends of
    every route.
    """
    return 3 * instance.size + 2 * route_bound(instance) + 64
