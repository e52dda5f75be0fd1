"""What a prompt for a rule shows of an instance: names and kinds of nodes, not its matrices."""

from typing import Any

from ....evaluators.routing import Kind, RoutingInstance

_SHOWN = 40
_WORDS = {int(Kind.DEPOT): "depot", int(Kind.CUSTOMER): "customer", int(Kind.STATION): "station"}


def instance_facts(instance: RoutingInstance) -> dict[str, Any]:
    """Return ``summary``, one sentence, and ``nodes``, a line for each of the first nodes."""
    counts = f"{len(instance.depots)} depots, {len(instance.customers)} customers"
    stations = f", {len(instance.stations)} stations" if len(instance.stations) else ""
    units = ", ".join(f"{kind} in {unit}" for kind, unit in sorted(instance.units.items()))
    types = instance.fleet.types
    summary = f"There are {counts}{stations} and {types} vehicle types"
    lines = [_node(instance, row) for row in range(min(instance.size, _SHOWN))]
    if instance.size > _SHOWN:
        lines.append(f"... ({instance.size - _SHOWN} more) ...")
        lines.append(_node(instance, instance.size - 1))
    return {"summary": f"{summary}{f'; {units}' if units else ''}.", "nodes": lines}


def _node(instance: RoutingInstance, row: int) -> str:
    said = [f"row {row}: {instance.node_ids[row]}, {_WORDS[int(instance.kinds[row])]}"]
    if instance.deliveries[row].any():
        said.append(f"delivery {_numbers(instance.deliveries[row])}")
    if instance.pickups[row].any():
        said.append(f"pickup {_numbers(instance.pickups[row])}")
    if instance.service[row]:
        said.append(f"service {instance.service[row]:g}")
    return ", ".join(said)


def _numbers(values: Any) -> str:
    return " ".join(f"{value:g}" for value in values)
