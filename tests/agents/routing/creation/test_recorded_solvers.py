"""Solvers of four problems, created by a capable model, are created again from its recorded answers.

The instances are made here by a seeded generator in the formats of the public sets. Each program is run
and verified anew; the recordings hold the model's answers only.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from recorded import recording

from benchmarks.afl.instances import make_text
from eurisko.agents.routing.creation import CreateSettings, Task, create_solver
from eurisko.agents.routing.creation.verifying import AcceptanceVerifier
from eurisko.evaluators.routing import parse_routing
from eurisko.evaluators.routing.analysis import analyse
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox

MADE = {"CVRP": (20, 1), "OCVRPLTW": (20, 2), "ECVRPTW": (12, 3), "SOP": (14, 4)}
LONGEST = {"CVRP": 6.3, "OCVRPLTW": 5.6, "ECVRPTW": 620.0, "SOP": 1850.0}
"""Costs that the programs reach easily within the short time given here; their best are 5.86, 5.23,
591.4 and 1774."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as opened:
        yield opened


@pytest.mark.parametrize("variant", MADE)
def test_a_recorded_creation_ends_with_a_verified_solver(
    variant: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Nineteen recorded answers give a program that passes every independent check, run anew."""
    text = make_text(variant, *MADE[variant])
    reading = parse_routing(text, f"{variant}.txt")
    task = Task(text, reading, analyse(reading))
    verifier = AcceptanceVerifier(
        sandbox,
        text,
        reading,
        task.analysis.names,
        task.objective,
        seconds=0.6,
        seed=0,
        probe_seconds=0.15,
    )
    model = recording(f"solvers/{variant.lower()}", tmp_path)
    settings = CreateSettings(model=model, runs_folder=tmp_path)
    with KnowledgeBase(f"sqlite:///{tmp_path / 'kb.db'}") as base:
        created = create_solver(task, settings, base, verifier=verifier)
        kept = base.solvers.get("last")
    assert created.passed, created.verified
    assert created.calls == 19 and created.repairs == 0 and created.unread == 0
    assert created.verified is not None and created.verified.values[0] <= LONGEST[variant]
    assert kept.code == created.code
