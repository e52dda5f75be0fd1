"""MLflow hears of a run: settings, a metric for each generation, and the best program."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eurisko.agents.evolution import EvolutionSettings
from eurisko.agents.evolution.events import Progress
from eurisko.agents.evolution.tracking import MlflowListener, flat
from eurisko.knowledge_base import KnowledgeBase


def test_settings_become_flat() -> None:
    """Nested names are joined by dots."""
    assert flat({"a": 1, "b": {"c": 2, "d": {"e": 3}}}) == {"a": 1, "b.c": 2, "b.d.e": 3}


def test_a_run_is_logged(
    base: KnowledgeBase,
    settings: Callable[..., EvolutionSettings],
    evolve: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A real offline run, read back by MLflow's own client."""
    mlflow = pytest.importorskip("mlflow", reason="tracking needs the extra 'mlflow'")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    uri = (tmp_path / "mlruns").as_uri()
    seen: list[Progress] = []
    with MlflowListener(base, uri) as listener:

        def both(kind: str, progress: Progress) -> None:
            listener(kind, progress)  # type: ignore[arg-type]
            seen.append(progress)

        evolve(settings(generations=1, population=3), base, listener=both)
        name = listener.run_id
    assert name is not None
    client = mlflow.MlflowClient(uri)
    run = client.get_run(name)
    history = client.get_metric_history(name, "best")
    assert run.info.status == "FINISHED" and run.info.run_name == seen[-1].run
    assert run.data.params["problem"] == "tsp_construct"
    assert [one.step for one in history] == list(range(len(seen[-1].history)))
    assert [one.value for one in history] == [best for best, _ in seen[-1].history]
    assert [one.path for one in client.list_artifacts(name)] == ["best.py"]
