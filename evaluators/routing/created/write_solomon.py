"""Solomon's format: the line of the fleet and the table of nodes."""

from ..instance import UNLIMITED, RoutingError, RoutingInstance
from .write_text import number, numbers
from .write_vrplib_fleet import uniform


def write_solomon(instance: RoutingInstance) -> str:
    """Return the instance in Solomon's format.

    Raises:
        RoutingError: the fleet is unlimited, or the nodes have no place.
    """
    available = int(instance.fleet.available[0])
    if available == UNLIMITED or instance.coordinates is None:
        raise RoutingError("Solomon's format needs a number of vehicles and coordinates.")
    capacity = number(uniform(instance.fleet.capacity, "CAPACITY"))
    lines = [instance.name, "", "VEHICLE", "NUMBER     CAPACITY", f"  {available}  {capacity}"]
    lines += ["", "CUSTOMER"]
    lines += ["CUST NO.  XCOORD.  YCOORD.  DEMAND  READY TIME  DUE DATE  SERVICE TIME", ""]
    for row, node in enumerate(instance.node_ids):
        values = (
            *instance.coordinates[row],
            instance.deliveries[row, 0],
            *instance.windows[row, 0],
            instance.service[row],
        )
        lines.append(f"  {node} {numbers(values)}")
    return "\n".join([*lines, ""])
