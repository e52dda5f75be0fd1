"""An instance's times for solvers."""

from ..instance import RoutingInstance
from .scaling import Scales
from .shape import window_list


class Clock:
    """Times as integers that are never negative; ``closing``: whether windows close."""

    def __init__(self, instance: RoutingInstance, scales: Scales, closing: bool) -> None:
        self.instance, self.scale, self.closing = instance, scales.time, closing
        self.zero = scales.zero

    def windows(self, node: int) -> list[tuple[int, int]]:
        """Return a node's windows in order."""
        return [self.span(*window) for window in window_list(self.instance, node, self.closing)]

    def span(self, opening: float, closing: float) -> tuple[int, int]:
        """Return a span of time, ``UNBOUNDED`` where it never ends."""
        begin = int(self.scale.up(max(opening - self.zero, 0.0)))
        return begin, int(self.scale.down(max(closing - self.zero, 0.0)))

    def service(self, node: int) -> int:
        """Return a node's time of service."""
        return int(self.scale.up(self.instance.service[node]))

    def release(self, node: int) -> int:
        """Return when a node's goods are released."""
        later = float(self.instance.release[node])
        return int(self.scale.up(max(later - self.zero, 0.0))) if later > 0 else 0
