"""What OR-Tools' routing library models of the vocabulary, as it is used here."""

from ..instance import RoutingInstance
from ..objectives import Objective
from .errors import Unmodelled

MODELLED = frozenset(
    {
        "visit", "depot", "closed", "open", "multi_depot", "fleet", "arcs", "capacity", "backhaul",
        "mixed_backhaul", "mixed_backhaul_staged", "pickup_delivery", "lifo", "precedence",
        "skills", "site_dependence", "incompatible", "groups", "prizes", "distance_limit",
        "duration_limit", "driving_limit", "breaks", "release_times", "time_windows",
    }
)  # fmt: skip


def refuse(instance: RoutingInstance, names: frozenset[str], objective: Objective) -> None:
    """Refuse what OR-Tools cannot model.

    Raises:
        Unmodelled: with the rule and the reason.
    """
    unknown = sorted(names - MODELLED)
    if unknown:
        raise Unmodelled(unknown[0], "OR-Tools", "there is no such rule in it")
    members = [node for group in instance.groups for node in group]
    if instance.prizes[members].any():
        raise Unmodelled("groups", "OR-Tools", "customers of a group have prizes")
    if len(instance.pairs) and (instance.pickups[instance.pairs[:, 1]] != 0).any():
        raise Unmodelled("pickup_delivery", "OR-Tools", "a pair's delivery is also a pickup")
    for level in objective.levels:
        for name, weight in level:
            if weight < 0:
                raise Unmodelled(name, "OR-Tools", "its weight is negative")
            if name == "imbalance" and not instance.required.any():
                raise Unmodelled(name, "OR-Tools", "no customer has to be visited")
