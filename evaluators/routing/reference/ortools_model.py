"""An instance as a model of OR-Tools' routing library. Source of the interface: OR-Tools 9.

Every vehicle is one of its own. Open routes end at a dummy node that is free to reach. What a
dimension adds up along a route: ``distance``; ``time`` with waiting as slack; ``driving``;
``deliver``, what is still to be delivered with pairs on board (it ends at 0); ``picked``, what was
picked up with pairs on board (it starts at 0); ``room``, both together; ``unbroken``, how much
driving is left until a break (a break after a stop is slack there, and takes its time in
``time``); ``position``.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from ..instance import RoutingInstance
from ..objectives import Objective
from .clock import Clock
from .errors import load
from .scaling import UNBOUNDED, Integers, Scales, scales_of
from .shape import VehicleStart, is_open, serves, vehicle_starts

TIMED = frozenset({"time_windows", "duration_limit", "release_times", "breaks", "precedence"})
_TIMED_MEASURES = frozenset({"duration", "makespan", "imbalance"})


@dataclass(eq=False)
class RoutingModel:
    """The model under construction.

    ``rows`` are the instance's rows of OR-Tools' nodes (None: the dummy end); ``index`` finds a
    customer's index by its row.
    """

    instance: RoutingInstance
    names: frozenset[str]
    scales: Scales
    clock: Clock
    vehicles: list[VehicleStart]
    rows: list[int | None]
    manager: Any
    routing: Any
    dimensions: dict[str, Any] = field(default_factory=dict)
    index: dict[int, int] = field(default_factory=dict)
    horizon: int = 0

    @property
    def solver(self) -> Any:
        """The constraint solver."""
        return self.routing.solver()

    def matrix(self, values: Integers, extra: Integers | None = None) -> list[list[int]]:
        """Return values ``[N, N]`` by OR-Tools' nodes, plus one of the node ``[N]`` left."""
        rows = np.array([-1 if row is None else row for row in self.rows])
        taken = values[np.ix_(rows, rows)].copy()
        taken[:, rows < 0] = 0
        taken[rows < 0] = 0
        if extra is not None:
            taken += np.where(rows < 0, 0, extra[rows])[:, None]
        found: list[list[int]] = taken.tolist()
        return found

    def vector(self, values: Integers) -> list[int]:
        """Return values ``[N]`` by OR-Tools' nodes."""
        return [0 if row is None else int(values[row]) for row in self.rows]


def start_model(
    instance: RoutingInstance, names: frozenset[str], objective: Objective
) -> RoutingModel:
    """Return a model with its vehicles, ways and dimensions of length and time.

    Raises:
        SolverMissing: OR-Tools is not installed.
    """
    library = load("ortools.constraint_solver.pywrapcp")
    vehicles = [start for start in vehicle_starts(instance, names) for _ in range(start.count)]
    places = sorted({v.start for v in vehicles} | {v.end for v in vehicles if v.end is not None})
    rows: list[int | None] = [*instance.customers.tolist(), *places]
    if is_open(names):
        rows.append(None)
    ends = [rows.index(vehicle.end) for vehicle in vehicles]
    starts = [rows.index(vehicle.start) for vehicle in vehicles]
    manager = library.RoutingIndexManager(len(rows), len(vehicles), starts, ends)
    routing = library.RoutingModel(manager)
    scales = scales_of(instance)
    clock = Clock(instance, scales, "time_windows" in names)
    model = RoutingModel(instance, names, scales, clock, vehicles, rows, manager, routing)
    for node, row in enumerate(rows):
        if row is not None and row not in places:
            model.index[row] = manager.NodeToIndex(node)
    _forbid(model)
    _serve(model)
    _distance(model)
    measured = {name for level in objective.levels for name, _ in level} & _TIMED_MEASURES
    costly = instance.fleet.duration_cost.any() and "cost" in str(objective.levels)
    if names & TIMED or measured or costly:
        _time(model)
    _driving(model)
    return model


def _forbid(model: RoutingModel) -> None:
    """Take forbidden ways out of what may come next."""
    instance, routing = model.instance, model.routing
    barred = ~(np.isfinite(instance.distances) & np.isfinite(instance.durations))
    np.fill_diagonal(barred, False)
    for row, index in model.index.items():
        gone = [model.index[int(j)] for j in np.flatnonzero(barred[row]) if int(j) in model.index]
        for number, vehicle in enumerate(model.vehicles):
            if vehicle.end is not None and barred[row, vehicle.end]:
                gone.append(routing.End(number))
        if gone:
            routing.NextVar(index).RemoveValues(gone)
    for number, vehicle in enumerate(model.vehicles):
        there = np.flatnonzero(barred[vehicle.start])
        gone = [model.index[int(j)] for j in there if int(j) in model.index]
        if gone:
            routing.NextVar(routing.Start(number)).RemoveValues(gone)


def _serve(model: RoutingModel) -> None:
    """Say which vehicles may serve whom, and how many there are of a type at several depots."""
    may = serves(model.instance, model.names)
    for row, index in model.index.items():
        allowed = [number for number, v in enumerate(model.vehicles) if may[v.kind, row]]
        if len(allowed) < len(model.vehicles):
            barred = [number for number, v in enumerate(model.vehicles) if not may[v.kind, row]]
            model.routing.VehicleVar(index).RemoveValues(barred)
    for kind in {vehicle.kind for vehicle in model.vehicles}:
        mine = [number for number, v in enumerate(model.vehicles) if v.kind == kind]
        most = max(vehicle.count for vehicle in model.vehicles if vehicle.kind == kind)
        if len(mine) > most:
            used = [model.routing.ActiveVehicleVar(number) for number in mine]
            model.solver.Add(model.solver.Sum(used) <= most)


def finite(values: Integers) -> Integers:
    """Return limits of vehicles that stay within OR-Tools' range."""
    return np.minimum(values, 2**50)


def _distance(model: RoutingModel) -> None:
    instance, routing = model.instance, model.routing
    known = np.where(np.isfinite(instance.distances), instance.distances, 0.0)
    transit = routing.RegisterTransitMatrix(model.matrix(model.scales.distance.up(known)))
    limits = model.scales.distance.down(instance.fleet.max_distance)
    if "distance_limit" not in model.names:
        limits = np.full_like(limits, UNBOUNDED)
    limits = finite(limits)
    most = [int(limits[vehicle.kind]) for vehicle in model.vehicles]
    routing.AddDimensionWithVehicleCapacity(transit, 0, most, True, "distance")
    model.dimensions["distance"] = routing.GetDimensionOrDie("distance")


def _time(model: RoutingModel) -> None:
    instance, routing, clock = model.instance, model.routing, model.clock
    scale = model.scales.time
    known = np.where(np.isfinite(instance.durations), instance.durations, 0.0)
    ways, service = scale.up(known), scale.up(instance.service)
    spans = [window for node in range(instance.size) for window in clock.windows(node)]
    ends = [number for span in spans for number in span if number < 2**50]
    breaks = int(finite(scale.up(instance.fleet.break_length)).max())
    model.horizon = int(max(ends, default=0) + service.sum() + instance.size * breaks)
    model.horizon += int(ways.max() * (instance.size + 1))
    transit = routing.RegisterTransitMatrix(model.matrix(ways, service))
    routing.AddDimension(transit, model.horizon, model.horizon, False, "time")
    time = routing.GetDimensionOrDie("time")
    model.dimensions["time"] = time
    for row, index in model.index.items():
        _within(time.CumulVar(index), clock.windows(row))
        routing.AddToAssignment(time.CumulVar(index))
    for number, vehicle in enumerate(model.vehicles):
        _shift(model, number, vehicle, time)


def _within(variable: Any, windows: list[tuple[int, int]]) -> None:
    variable.SetMin(windows[0][0])
    variable.SetMax(min(windows[-1][1], variable.Max()))
    for (_, closed), (opens, _) in pairwise(windows):
        if opens > closed + 1:
            variable.RemoveInterval(closed + 1, opens - 1)


def _shift(model: RoutingModel, number: int, vehicle: VehicleStart, time: Any) -> None:
    fleet, routing, clock = model.instance.fleet, model.routing, model.clock
    begins, ends = time.CumulVar(routing.Start(number)), time.CumulVar(routing.End(number))
    _within(begins, clock.windows(vehicle.start))
    shift = clock.span(*(float(limit) for limit in fleet.shift[vehicle.kind]))
    begins.SetMin(max(shift[0], begins.Min()))
    if vehicle.end is not None:
        _within(ends, clock.windows(vehicle.end))
    if "time_windows" in model.names:
        ends.SetMax(min(shift[1], ends.Max()))
    longest = fleet.max_duration[vehicle.kind]
    if "duration_limit" in model.names and np.isfinite(longest):
        most = int(model.scales.time.down(longest))
        time.SetSpanUpperBoundForVehicle(min(most, model.horizon), number)


def _driving(model: RoutingModel) -> None:
    instance, routing, scale = model.instance, model.routing, model.scales.time
    known = np.where(np.isfinite(instance.durations), instance.durations, 0.0)
    ways = scale.up(known)
    if "driving_limit" in model.names:
        transit = routing.RegisterTransitMatrix(model.matrix(ways))
        limits = finite(scale.down(instance.fleet.max_driving))
        most = [int(limits[vehicle.kind]) for vehicle in model.vehicles]
        routing.AddDimensionWithVehicleCapacity(transit, 0, most, True, "driving")
    if "breaks" not in model.names:
        return
    transit = routing.RegisterTransitMatrix(model.matrix(-ways))
    limits = finite(scale.down(instance.fleet.max_driving_unbroken))
    limits = np.minimum(limits, int(ways.sum()) + 1)
    most = [int(limits[vehicle.kind]) for vehicle in model.vehicles]
    routing.AddDimensionWithVehicleCapacity(transit, max(most), most, False, "unbroken")
    left, time = routing.GetDimensionOrDie("unbroken"), model.dimensions["time"]
    model.dimensions["unbroken"] = left
    rest = int(scale.up(instance.fleet.break_length).max())
    for number in range(len(model.vehicles)):
        start = routing.Start(number)
        left.CumulVar(start).SetValue(most[number])
        left.SlackVar(start).SetValue(0)
    for index in model.index.values():
        taken = model.solver.IsGreaterCstVar(left.SlackVar(index), 0)
        routing.AddVariableMinimizedByFinalizer(left.SlackVar(index))
        routing.AddToAssignment(left.SlackVar(index))
        model.solver.Add(time.SlackVar(index) >= rest * taken)
