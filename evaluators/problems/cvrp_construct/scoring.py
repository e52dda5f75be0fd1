"""Trusted checks and lengths of routes; runs outside the sandbox, on the data set's own arrays."""

import numpy as np

from ...problem import Array, Infeasible


def route_lengths(data: dict[str, Array], visits: Array) -> Array:
    """Check walks ``[B, 2 * customers + 1]`` from the depot and return lengths ``[B]`` in float64.

    A walk starts and ends at the depot (node 0) and lists the nodes in the order of their visits;
    each return to the depot ends a route. It is padded with zeros at its end.

    Args:
        data: ``distances`` ``[B, N, N]``, ``demands`` ``[B, N]``, ``capacity`` ``[B]``.
        visits: node numbers.

    Raises:
        Infeasible: a node does not exist, a customer is not visited exactly once, a route is too
            heavy, or a walk does not start or end at the depot.
        ValueError: shape or type is wrong (the sandbox checks them first).
    """
    distances, demands, capacity = data["distances"], data["demands"], data["capacity"]
    nodes = distances.shape[1]
    if visits.shape != (len(distances), 2 * nodes - 1) or visits.dtype.kind != "i":
        raise ValueError(f"visits {visits.dtype}{list(visits.shape)} have the wrong form")
    lengths = np.empty(len(distances))
    for instance, walk in enumerate(visits):
        _check_visits(instance, walk, nodes)
        routes = np.cumsum(walk == 0)
        loads = np.bincount(routes, weights=demands[instance, walk])
        if loads.max() > capacity[instance]:
            raise Infeasible(
                instance,
                f"a route carries {loads.max():.0f}, the capacity is {capacity[instance]}",
            )
        lengths[instance] = distances[instance, walk[:-1], walk[1:]].sum()
    return lengths


def _check_visits(instance: int, walk: Array, nodes: int) -> None:
    outside = walk[(walk < 0) | (walk >= nodes)]
    if outside.size:
        raise Infeasible(instance, f"node {outside[0]} does not exist, nodes are 0 to {nodes - 1}")
    counts = np.bincount(walk, minlength=nodes)[1:]
    if (counts != 1).any():
        customer = int((counts != 1).argmax()) + 1
        raise Infeasible(instance, f"customer {customer} is visited {counts[customer - 1]} times")
    if walk[0] or walk[-1]:
        raise Infeasible(instance, "the walk does not start and end at the depot")
