"""VRPLIB, TSPLIB, SOP and electric-vehicle text with exactly the headers and sections of a file."""

from collections.abc import Callable

import numpy as np

from ..instance import UNLIMITED, Floats, RoutingError, RoutingInstance
from ..reading import Reading
from ..vrplib_distances import SOP_FORBIDDEN
from ..vrplib_text import SECTIONS
from .write_text import matrix_lines, number, numbers
from .write_vrplib_fleet import FLEET_SECTIONS, uniform, vehicle_lines


def write_vrplib(reading: Reading, instance: RoutingInstance) -> str:
    """Return the instance as text with the headers and sections of the reading's file.

    Sections that no reader knows have no effect and are left out.

    Raises:
        RoutingError: the file's sections cannot hold something of the instance.
    """
    writer = _Writer(reading, instance)
    lines = [f"{key} : {value}" for key, value in writer.headers()]
    lines += [f"COMMENT : {text}" for text in reading.facts.comments]
    for name in reading.facts.fields:
        if name.endswith("_SECTION") and name in SECTIONS:
            lines += [name, *writer.section(name)]
    return "\n".join([*lines, "EOF", ""])


class _Writer:
    """Turns arrays into lines; nodes have the numbers of the file, or run from 1."""

    def __init__(self, reading: Reading, instance: RoutingInstance) -> None:
        self.facts = reading.facts
        self.instance = instance
        plain = all(name.lstrip("-").isdigit() for name in instance.node_ids)
        mapped = "MAP_SECTION" in self.facts.fields
        self.ids = (
            list(instance.node_ids)
            if plain and not mapped
            else [str(row) for row in range(1, instance.size + 1)]
        )

    def headers(self) -> list[tuple[str, str]]:
        """Return the file's headers in their order, with the values of this instance."""
        return [(key, self._header(key, value)) for key, value in self.facts.headers.items()]

    def _header(self, key: str, value: str) -> str:
        instance, fleet = self.instance, self.instance.fleet
        timed = key == "DISTANCE" and "SERVICE_TIME" in self.facts.headers
        if key == "NAME":
            return instance.name
        if key == "DIMENSION":
            return str(instance.size)
        if key == "NUM_DEPOTS":
            return str(len(instance.depots))
        if key == "CAPACITY" and "CAPACITY_SECTION" not in self.facts.fields:
            return number(uniform(fleet.capacity, key))
        if key in ("VEHICLES_MAX_DURATION",) or timed:
            return number(uniform(fleet.max_duration, key))
        if key in ("DISTANCE", "DISTANCE_LIMIT", "VEHICLES_MAX_DISTANCE"):
            return number(uniform(fleet.max_distance, key))
        if key == "VEHICLES" and fleet.types > 1:
            return str(fleet.types)
        if key == "VEHICLES" and int(fleet.available[0]) != UNLIMITED:
            return str(int(fleet.available[0]))
        if key == "SERVICE_TIME" and "SERVICE_TIME_SECTION" not in self.facts.fields:
            return number(uniform(instance.service[instance.customers], key))
        battery = instance.battery
        if battery is not None and key in ("FUEL_CAPACITY", "FUEL_CONSUMPTION_RATE", "REFUEL_RATE"):
            values = (battery.capacity, battery.consumption, battery.recharge_time)
            names = ("FUEL_CAPACITY", "FUEL_CONSUMPTION_RATE", "REFUEL_RATE")
            return number(values[names.index(key)])
        return value

    def section(self, name: str) -> list[str]:
        """Return the lines of one section.

        Raises:
            RoutingError: no instance holds what such a section says.
        """
        if name in FLEET_SECTIONS:
            return vehicle_lines(name, self.instance, self.ids)
        makers: dict[str, Callable[[], list[str]]] = {
            "NODE_COORD_SECTION": self._coordinates,
            "DISPLAY_DATA_SECTION": self._coordinates,
            "EDGE_WEIGHT_SECTION": self._weights,
            "DEPOT_SECTION": lambda: [*(self.ids[row] for row in self.instance.depots), "-1"],
            "STATION_SECTION": lambda: [*(self.ids[row] for row in self.instance.stations), "-1"],
            "MAP_SECTION": self._names,
            "MUTUALLY_EXCLUSIVE_GROUP_SECTION": self._groups,
        }
        if name in makers:
            return makers[name]()
        table = self._table(name)
        return [f"{node} {numbers(row)}" for node, row in zip(self.ids, table, strict=True)]

    def _table(self, name: str) -> Floats:
        instance = self.instance
        if name == "DEMAND_SECTION":
            apart = "BACKHAUL_SECTION" in self.facts.fields
            return instance.deliveries if apart else instance.deliveries - instance.pickups
        if name == "TIME_WINDOW_SECTION":
            return instance.windows.reshape(instance.size, -1)
        if name == "PICKUP_AND_DELIVERY_SECTION":
            return self._pairs()
        columns = {
            "BACKHAUL_SECTION": instance.pickups,
            "SERVICE_TIME_SECTION": instance.service[:, None],
            "RELEASE_TIME_SECTION": instance.release[:, None],
            "PRIZE_SECTION": instance.prizes[:, None],
        }
        if name not in columns:
            raise RoutingError(f"{name} cannot be written from an instance.")
        return columns[name]

    def _pairs(self) -> Floats:
        instance = self.instance
        table = np.zeros((instance.size, 6))
        table[:, 0] = instance.pickups[:, 0] - instance.deliveries[:, 0]
        table[:, 1:3] = instance.windows[:, 0]
        table[:, 3] = instance.service
        for pickup, delivery in instance.pairs:
            table[delivery, 4] = float(self.ids[pickup])
            table[pickup, 5] = float(self.ids[delivery])
        return table

    def _coordinates(self) -> list[str]:
        points = self.instance.coordinates
        if points is None:
            raise RoutingError("the file lists coordinates, the instance has none.")
        return [f"{node} {numbers(point)}" for node, point in zip(self.ids, points, strict=True)]

    def _weights(self) -> list[str]:
        matrix = self.instance.distances
        form = (self.facts.headers.get("EDGE_WEIGHT_FORMAT", "").split() or ["FULL_MATRIX"])[0]
        if self.facts.type_name != "SOP":
            return matrix_lines(form.upper(), matrix)
        listed = np.where(np.isfinite(matrix), matrix, SOP_FORBIDDEN)
        for before, after in self.instance.precedence:
            listed[after, before] = -1.0
        return [str(self.instance.size), *matrix_lines(form.upper(), listed)]

    def _names(self) -> list[str]:
        names = self.instance.node_ids
        return [f"{name} {node}" for name, node in zip(names, self.ids, strict=True)]

    def _groups(self) -> list[str]:
        return [
            f"{index} {' '.join(self.ids[row] for row in group)} -1"
            for index, group in enumerate(self.instance.groups, start=1)
        ]
