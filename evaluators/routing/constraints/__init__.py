"""The constraint vocabulary: one module for each rule."""

from . import (
    arcs,
    backhaul,
    battery,
    breaks,
    capacity,
    closed,
    depot,
    distance_limit,
    driving_limit,
    duration_limit,
    fleet,
    groups,
    incompatible,
    lifo,
    mixed_backhaul,
    mixed_backhaul_staged,
    multi_depot,
    open_routes,
    pickup_delivery,
    precedence,
    prizes,
    release_times,
    reloads,
    site_dependence,
    skills,
    time_windows,
    visit,
)
from .base import Constraint, Context, Probe, Verdict, Violation

_MODULES = (
    visit,
    depot,
    closed,
    open_routes,
    multi_depot,
    fleet,
    arcs,
    capacity,
    backhaul,
    mixed_backhaul,
    mixed_backhaul_staged,
    pickup_delivery,
    lifo,
    precedence,
    skills,
    site_dependence,
    incompatible,
    groups,
    prizes,
    reloads,
    distance_limit,
    duration_limit,
    driving_limit,
    breaks,
    release_times,
    time_windows,
    battery,
)

# In this order violations are reported: what a plan is made of before what follows from it.
VOCABULARY: dict[str, Constraint] = {
    module.constraint.name: module.constraint for module in _MODULES
}

__all__ = ["VOCABULARY", "Constraint", "Context", "Probe", "Verdict", "Violation"]
