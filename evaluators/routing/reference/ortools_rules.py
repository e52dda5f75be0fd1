"""What OR-Tools models of the vocabulary here."""

from ..instance import RoutingInstance
from ..objectives import Objective
from .errors import Unmodelled

MODELLED: frozenset[str] = frozenset()


def refuse(instance: RoutingInstance, names: frozenset[str], objective: Objective) -> None:
    """Refuse what OR-Tools cannot model."""
    for name in sorted(names - MODELLED):
        raise Unmodelled(name, "OR-Tools", "there is no such rule in it")
