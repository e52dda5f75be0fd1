"""The sixteen faults of published platforms inside a whole run: one bad candidate harms nobody."""

import socket
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.faults import FAULTS, HARMLESS
from support.scripted_endpoint import ScriptedEndpoint

from eurisko.agents.evolution import EvolutionSettings, RunReport, evolve
from eurisko.evaluators import get_problem
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox

BAD = 3
"""Which of the model's answers carries the fault."""
HERE = {"overwrite the input": "distances.zero_()\nunvisited.fill_(True)\ncurrent.zero_()"}


def program(index: int, body: str = "pass") -> str:
    """Return an answer whose program first runs ``body``; its rule depends on ``index``."""
    return (
        f"{{Near the current city, weight {index}.}}\n```python\nimport torch\n\n"
        "def score_next(current, start, unvisited, distances):\n"
        "    rows = torch.arange(len(current))\n"
        f"    scores = {index / 20} * distances[rows, start] - distances[rows, current]\n"
        f"{textwrap.indent(body, '    ')}\n    return scores\n```\n"
    )


@pytest.fixture(scope="module")
def open_sandbox() -> Iterator[Sandbox]:
    """A sandbox without the static policy, so that the faults reach the wall."""
    with Sandbox(workers=2, policy=None) as warm:
        yield warm


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(f"sqlite:///{tmp_path_factory.mktemp('faults') / 'kb.db'}") as base:
        yield base


@pytest.fixture(scope="module")
def run(
    open_sandbox: Sandbox, shared: KnowledgeBase, tmp_path_factory: Any
) -> Callable[[str], Any]:
    """Return a maker of runs whose answer number ``BAD`` runs a fault."""

    def make(body: str) -> RunReport:
        def reply(_messages: Any, index: int) -> str:
            return program(index, body if index == BAD else "pass")

        with ScriptedEndpoint(reply) as endpoint:
            settings = EvolutionSettings(
                problem="tsp_construct",
                strategy="eoh",
                repair=False,
                generations=0,
                population=4,
                model="openai/scripted",
                base_url=endpoint.base_url,
                concurrency=1,
                cpu_s=0.5,
                runs_folder=tmp_path_factory.getbasetemp() / "runs",
            )
            return evolve(settings, shared, sandbox=open_sandbox)

    return make


def scores(base: KnowledgeBase, report: RunReport) -> dict[str, Any]:
    """Return outcome, objective and every instance's length by candidate."""
    data = get_problem("tsp_construct").dataset("uniform-50-search")
    candidates = base.run_candidates(report.run.id)
    results = base.evaluations({one.hash for one in candidates}, data.digest, "batched")
    found = {one.key: results[one.hash] for one in candidates}
    return {
        key: (one.kind.value, one.objective, None if one.raw is None else one.raw.tobytes())
        for key, one in found.items()
    }


@pytest.fixture(scope="module")
def undisturbed(run: Callable[[str], Any], shared: KnowledgeBase) -> dict[str, Any]:
    return scores(shared, run("pass"))


@pytest.mark.parametrize("name", FAULTS)
def test_one_bad_candidate_harms_nobody(
    run: Callable[[str], Any],
    shared: KnowledgeBase,
    undisturbed: dict[str, Any],
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The run completes, all other scores are bit for bit as without it, and nothing leaks or stays."""
    monkeypatch.setenv("EURISKO_TEST_API_KEY", "sk-canary")
    tmp_path.chmod(0o777)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        port = str(listener.getsockname()[1])
        body = HERE.get(name, FAULTS[name]).replace("{home!r}", repr(str(tmp_path)))
        report = run(body.replace("{port}", port))
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert list(tmp_path.iterdir()) == []
    assert report.run.status == "finished"
    seen = scores(shared, report)
    bad = f"g0/i1/{BAD}"
    assert {k: v for k, v in seen.items() if k != bad} == {
        k: v for k, v in undisturbed.items() if k != bad
    }
    if name in HARMLESS:
        assert seen[bad] == undisturbed[bad]
    elif name in HERE:
        assert seen[bad][1] is None or seen[bad][1] >= 0  # it can only mislead itself
    else:
        assert seen[bad][0] not in ("ok", "sandbox_failure") and seen[bad][1] is None
    assert (report.best is not None and report.best.key != bad) or name in HARMLESS
