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


def _embedded(evolved: tuple[str, ...] = ()) -> dict[str, Callable[[], Strategist]]:
    """Return the strategists that need no model; rules take evolved arms after a failure, first."""
    from . import strategists

    return {
        "rules": lambda: strategists.Rules(others=(*evolved, *strategists.Rules.others)),
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
    evolved = _evolved(settings)
    for name in settings.arms:
        if name not in evolved:
            find_arm(name)
    name = settings.strategist
    if name.startswith("static:"):
        if name.removeprefix("static:") not in evolved:
            find_arm(name.removeprefix("static:"))
    elif name not in strategist_names():
        known = (*strategist_names(), *(f"static:{one}" for one in (*all_arms(), *evolved)))
        raise InputError(f"There is no strategist {name!r}: {did_you_mean(name, known)}")


def arms_of(settings: OptimisationSettings) -> tuple[str, ...]:
    """Return the acquisition functions of a run: the given ones, or the strategist's default.

    Evolved ones come besides.
    """
    if settings.strategist.startswith("static:"):
        return (settings.strategist.removeprefix("static:"),)
    usual = settings.arms or (all_arms() if settings.strategist == "lmabo" else CHEAP)
    return tuple(dict.fromkeys((*usual, *_evolved(settings))))


def _evolved(settings: OptimisationSettings) -> tuple[str, ...]:
    return tuple(one.name for one in settings.evolved)


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
        sentences = {one.name: one.help for one in settings.evolved}
        sentences |= {one: find_arm(one).help for one in arms_of(settings) if one not in sentences}
        return Lmabo(gateway, sentences, settings.recall, temperature=settings.temperature)
    if name.startswith("static:"):
        from .strategists import Static

        return Static(name.removeprefix("static:"))
    return _embedded(_evolved(settings))[name]()
