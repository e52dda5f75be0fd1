"""The portfolio of acquisition functions: one file each behind one protocol."""

from importlib import import_module

from ...errors import InputError, did_you_mean
from .arm import Acquisition, Arm, ArmFailed, Belief, OutsideArm, SetScores

_MODULES = {
    "PI": "pi",
    "LogPI": "log_pi",
    "EI": "ei",
    "LogEI": "log_ei",
    "UCB": "ucb",
    "PosMean": "posterior_mean",
    "PosSTD": "posterior_sd",
    "TS": "thompson",
    "KG": "knowledge_gradient",
    "PES": "predictive_entropy",
    "JES": "joint_entropy",
    "MES": "max_value_entropy",
}


def arms() -> tuple[str, ...]:
    """Return the names of the portfolio."""
    return tuple(_MODULES)


def arm(name: str) -> Arm:
    """Return an acquisition function. Raises InputError for an unknown name."""
    if name not in _MODULES:
        raise InputError(f"There is no acquisition function {name!r}; {did_you_mean(name, arms())}")
    found: Arm = import_module(f".{_MODULES[name]}", __name__).arm
    return found


__all__ = [
    "Acquisition",
    "Arm",
    "ArmFailed",
    "Belief",
    "OutsideArm",
    "SetScores",
    "arm",
    "arms",
]
