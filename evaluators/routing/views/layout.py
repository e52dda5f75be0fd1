"""Where nodes are drawn, and in which colours."""

import colorsys

import numpy as np

from ..instance import Floats, RoutingInstance

# Okabe and Ito's colours, told apart by most colour-blind readers; more are taken from the circle.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5cc2", "#9c6b3f")
DASHES = ("solid", "dash", "dot", "dashdot")


def colours(count: int) -> list[str]:
    """Return a colour for each route."""
    more = []
    for number in range(max(0, count - len(_COLOURS))):
        hue = (number * 0.618034) % 1.0
        red, green, blue = colorsys.hls_to_rgb(hue, 0.35 + 0.15 * (number % 2), 0.65)
        more.append(f"#{int(red * 255):02x}{int(green * 255):02x}{int(blue * 255):02x}")
    return [*_COLOURS, *more][:count]


def positions(instance: RoutingInstance) -> tuple[Floats, bool]:
    """Return places ``[N, 2]``, and whether they were made up from the distances.

    Without coordinates, classical scaling of the symmetrised distances (Torgerson 1952) puts
    nodes near one another that are near; a forbidden way counts as long as the one back, or the
    longest.
    """
    if instance.coordinates is not None and np.isfinite(instance.coordinates).all():
        return np.asarray(instance.coordinates, dtype=np.float64), False
    distances = instance.distances
    finite = np.isfinite(distances)
    longest = float(distances[finite].max(initial=1.0)) if finite.any() else 1.0
    known = np.where(finite, distances, np.where(finite.T, distances.T, longest))
    squared = ((known + known.T) / 2) ** 2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    top = np.argsort(-values)[:2]
    places = vectors[:, top] * np.sqrt(np.clip(values[top], 0.0, None))
    if places.shape[1] < 2:
        places = np.pad(places, ((0, 0), (0, 2 - places.shape[1])))
    return places, True
