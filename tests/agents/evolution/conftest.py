"""Shared by the tests of evolution runs."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eurisko.agents import evolution
from eurisko.agents.evolution import EvolutionSettings, RunReport
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One warm sandbox for all runs of these tests."""
    with Sandbox(workers=2) as warm:
        yield warm


@pytest.fixture
def evolve(sandbox: Sandbox) -> Callable[..., RunReport]:
    """Start runs in the shared sandbox."""
    return functools.partial(evolution.evolve, sandbox=sandbox)


@pytest.fixture
def resume(sandbox: Sandbox) -> Callable[..., RunReport]:
    """Resume runs in the shared sandbox."""
    return functools.partial(evolution.resume, sandbox=sandbox)


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as opened:
        yield opened


@pytest.fixture
def settings(tmp_path: Path) -> Callable[..., EvolutionSettings]:
    """Return a maker of settings for a short run, without tuning."""

    def make(**fields: Any) -> EvolutionSettings:
        small = {"generations": 1, "population": 3, "tune": False, "runs_folder": tmp_path / "runs"}
        return EvolutionSettings.model_validate({"problem": "tsp_construct", **small, **fields})

    return make
