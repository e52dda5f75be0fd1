"""Asks the workflow of created solvers for a program."""

from typing import TYPE_CHECKING

from .sources import Made

if TYPE_CHECKING:
    from eurisko.evaluators.routing import Reading
    from eurisko.evaluators.routing.analysis import Analysis

    from .sources import Model


def create(source: "Model", reading: "Reading", analysis: "Analysis") -> Made:
    """Return what the model made."""
    raise NotImplementedError
