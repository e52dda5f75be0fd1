"""Routes as a picture: PNG, SVG or PDF by the name's ending."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..instance import Floats, Kind, RoutingError, RoutingInstance
from ..plan import Plan
from .layout import colours, positions

_ENDINGS = (".png", ".svg", ".pdf")
_NAMED = 60  # nodes whose names still fit
_LISTED = 18  # routes that the legend lists
_STYLES = ("-", "--", ":", "-.")


def plot_routes(instance: RoutingInstance, plan: Plan, path: str | Path) -> Path:
    """Draw a plan: depots, stations, customers, and routes with their directions.

    A customer that no route visits is a grey cross; a route that does not return ends in a ring.

    Raises:
        RoutingError: the ending of ``path`` is no format of pictures.
        OSError: the file cannot be written.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    file = Path(path)
    if file.suffix.lower() not in _ENDINGS:
        raise RoutingError(f"{file.name}: a picture ends in {', '.join(_ENDINGS)}.")
    places, made_up = positions(instance)
    with rc_context({"svg.hashsalt": "eurisko", "svg.fonttype": "none"}):
        figure = Figure(figsize=(10.5, 7.5), layout="constrained")
        axes = figure.add_subplot()
        _draw_routes(axes, instance, plan, places)
        _draw_nodes(axes, instance, plan, places)
        _dress(axes, instance, plan, made_up)
        metadata = {"Date": None} if file.suffix.lower() == ".svg" else None
        figure.savefig(file, dpi=130, metadata=metadata)
    return file


def _draw_routes(axes: Any, instance: RoutingInstance, plan: Plan, places: Floats) -> None:
    shades = colours(len(plan.routes))
    for number, route in enumerate(plan.routes):
        points = places[list(route.stops)]
        visits = sum(instance.kinds[stop] == Kind.CUSTOMER for stop in route.stops)
        label = (
            f"{number + 1}: vehicle {route.vehicle}, {visits} customer{'s' if visits != 1 else ''}"
        )
        if number >= _LISTED:
            label = f"… {len(plan.routes) - _LISTED} more" if number == _LISTED else "_"
        style = _STYLES[number // 8 % len(_STYLES)]
        axes.plot(*points.T, style, color=shades[number], linewidth=1.6, label=label, zorder=2)
        for here, there in pairwise(points):
            _arrow(axes, here, there, shades[number])
        if instance.kinds[route.stops[-1]] != Kind.DEPOT:
            axes.plot(
                *points[-1], "o", markersize=15, fillstyle="none", color=shades[number], zorder=3
            )


def _arrow(axes: Any, here: Floats, there: Floats, shade: str) -> None:
    """Put an arrowhead just past the middle of a leg."""
    if np.allclose(here, there):
        return
    tail, head = here + (there - here) * 0.52, here + (there - here) * 0.56
    axes.annotate(
        "",
        xy=head,
        xytext=tail,
        arrowprops={"arrowstyle": "-|>", "color": shade, "linewidth": 0, "mutation_scale": 13},
        zorder=2,
    )


def _draw_nodes(axes: Any, instance: RoutingInstance, plan: Plan, places: Floats) -> None:
    visited = {stop for route in plan.routes for stop in route.stops}
    seen = [row for row in instance.customers.tolist() if row in visited]
    missed = [row for row in instance.customers.tolist() if row not in visited]
    marks = (
        (seen, "o", "customer", {"markersize": 5.5, "color": "#1d2430"}),
        (missed, "x", "not visited", {"markersize": 7, "color": "#8a8f98"}),
        (instance.stations.tolist(), "D", "station", {"markersize": 7, "color": "#b8a300"}),
        (instance.depots.tolist(), "s", "depot", {"markersize": 11, "color": "#b4161f"}),
    )
    for rows, mark, label, style in marks:
        if rows:
            axes.plot(*places[rows].T, mark, linestyle="none", label=label, zorder=4, **style)
    if instance.size > _NAMED:
        return
    for row, name in enumerate(instance.node_ids):
        axes.annotate(
            name if len(name) <= 24 else f"{name[:23]}…",
            places[row],
            xytext=(6, 5),
            textcoords="offset points",
            fontsize=8,
            zorder=5,
            parse_math=False,
            bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "alpha": 0.7, "linewidth": 0},
        )


def _dress(axes: Any, instance: RoutingInstance, plan: Plan, made_up: bool) -> None:
    count = len(plan.routes)
    title = f"{instance.name}: {count} route{'s' if count != 1 else ''}"
    axes.set_title(title, parse_math=False, loc="left", fontsize=12)
    unit = instance.units.get("distance", "")
    if made_up:
        axes.set_xlabel("places made from the distances; only nearness means something")
        axes.set_xticks([])
        axes.set_yticks([])
    elif unit:
        axes.set_xlabel(unit, parse_math=False)
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(color="#e4e1d9", linewidth=0.6, zorder=0)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=9)
