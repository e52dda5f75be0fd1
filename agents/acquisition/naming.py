"""Strategists by name, and which acquisition functions each may choose from."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...evaluators.bayesopt.arms import arm as find_arm
from ...evaluators.bayesopt.arms import arms as all_arms
from ...evaluators.errors import InputError, did_you_mean
from .choice import Strategist
from .settings import OptimisationSettings

if TYPE_CHECKING:
    from ..models import ModelGateway

CHEAP = ("LogEI", "EI", "UCB", "TS", "PosMean", "PosSTD")
"""What bandits and lots choose from: each of them asks every one at every step."""


def _embedded() -> dict[str, Callable[[], Strategist]]:
    """Return the strategists that need no model."""
    from . import strategists

    return {
        "rules": strategists.Rules,
        "hedge": strategists.Hedge,
        "no-past": strategists.NoPast,
        "setup": strategists.Setup,
        "esp": strategists.EntropySearch,
        "random": strategists.Lot,
        "alternate": strategists.Alternate,
    }


def strategist_names() -> tuple[str, ...]:
    """Return what a user may write, beside ``static:ARM``."""
    return ("lmabo", *_embedded())


def check_names(settings: OptimisationSettings) -> None:
    """Refuse unknown names before anything is stored.

    Raises:
        InputError: an unknown strategist or acquisition function.
    """
    for name in settings.arms:
        find_arm(name)
    name = settings.strategist
    if name.startswith("static:"):
        find_arm(name.removeprefix("static:"))
    elif name not in strategist_names():
        known = (*strategist_names(), *(f"static:{one}" for one in all_arms()))
        raise InputError(f"There is no strategist {name!r}: {did_you_mean(name, known)}")


def arms_of(settings: OptimisationSettings) -> tuple[str, ...]:
    """Return the acquisition functions of a run: the given ones, or the strategist's default."""
    if settings.strategist.startswith("static:"):
        return (settings.strategist.removeprefix("static:"),)
    if settings.arms:
        return settings.arms
    return all_arms() if settings.strategist == "lmabo" else CHEAP


def make_strategist(
    settings: OptimisationSettings, gateway: "ModelGateway | None" = None
) -> Strategist:
    """Return the strategist of a run.

    Args:
        settings: of the run.
        gateway: of the model, for ``lmabo``.

    Raises:
        InputError: there is no such strategist.
    """
    check_names(settings)
    name = settings.strategist
    if name == "lmabo":
        from .strategists.lmabo import Lmabo

        assert gateway is not None
        sentences = {one: find_arm(one).help for one in arms_of(settings)}
        return Lmabo(gateway, sentences, settings.recall, temperature=settings.temperature)
    if name.startswith("static:"):
        from .strategists import Static

        return Static(name.removeprefix("static:"))
    return _embedded()[name]()
