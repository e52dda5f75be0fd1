"""What the makers of probes share: candidates, and limits between two needs."""

import numpy as np

from ..instance import RoutingInstance
from ..plan import Plan

Candidate = tuple[str, RoutingInstance, Plan, Plan]
"""Kind of breach, instance, plan to be accepted, plan to be rejected."""


def between(low: float, high: float, integer: bool) -> float | None:
    """Return a limit that ``low`` keeps and ``high`` breaks by a clear margin, or None."""
    if integer:
        limit = float(np.ceil(low - 1e-9))
        return limit if limit + 1e-6 < high else None
    if high - low < 0.02 * max(abs(high), 1e-9):
        return None
    limit = (low + high) / 2
    return float(f"{limit:.5g}")
