"""Asks the workflow of created solvers for a program."""

import time
from typing import TYPE_CHECKING

from .sources import Made

if TYPE_CHECKING:
    from eurisko.evaluators.routing import Reading
    from eurisko.evaluators.routing.analysis import Analysis

    from .sources import Model


def create(source: "Model", text: str, reading: "Reading", analysis: "Analysis") -> Made:
    """Return what the model made; the way in which a creation failed is its message.

    A program that the checks did not accept is returned all the same, and measured.
    """
    from eurisko.agents.models import ModelError
    from eurisko.agents.routing.creation import (
        CreateSettings,
        CreationError,
        Task,
        create_solver,
    )
    from eurisko.knowledge_base import KnowledgeBase

    source.folder.mkdir(parents=True, exist_ok=True)
    settings = CreateSettings(
        model=source.model, runs_folder=source.folder / "runs", **source.settings
    )
    begun = time.monotonic()
    with KnowledgeBase(f"sqlite:///{(source.folder / 'runs.db').absolute()}") as base:
        try:
            created = create_solver(
                Task(text, reading, analysis), settings, base, sandbox=source.sandbox
            )
        except (CreationError, ModelError) as error:
            return Made(None, f"creation failed: {error}", seconds=time.monotonic() - begun)
    return Made(created.code or None, created.stop, created.calls, created.tokens, created.seconds)
