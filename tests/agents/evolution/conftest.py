"""Shared by the tests of evolution runs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eurisko.agents.evolution import EvolutionSettings
from eurisko.knowledge_base import KnowledgeBase


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as opened:
        yield opened


@pytest.fixture
def settings(tmp_path: Path) -> Callable[..., EvolutionSettings]:
    """Return a maker of settings for a short run."""

    def make(**fields: Any) -> EvolutionSettings:
        small = {"generations": 1, "population": 3, "runs_folder": tmp_path / "runs"}
        return EvolutionSettings.model_validate({"problem": "tsp_construct", **small, **fields})

    return make
