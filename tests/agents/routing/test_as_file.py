"""A changed problem as a JSON file: reading it gives the same problem."""

import os
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from support.routing_changes import SAMPLES, TEXT

from eurisko.agents.routing.changes import ANY_CHANGE
from eurisko.agents.routing.session import RoutingSession, SessionData
from eurisko.agents.routing.session.as_file import FAR, task_json
from eurisko.evaluators.routing import RoutingError, RoutingInstance

LEFT_OUT = ("name", "units")


def differences(one: RoutingInstance, other: RoutingInstance) -> list[str]:
    """Names of the arrays that differ; windows that never end may end at FAR."""
    found = []
    parts = [(one, other, "")]
    while parts:
        first, second, prefix = parts.pop()
        for part in fields(first):
            a, b = getattr(first, part.name), getattr(second, part.name)
            if part.name == "fleet":
                parts.append((a, b, "fleet."))
            elif part.name == "battery" or part.name in LEFT_OUT:
                continue
            elif part.name in ("windows", "shift"):
                a = np.where(a == np.inf, FAR, a) if part.name == "shift" else a
                closing = a[..., 1] if part.name == "windows" else a
                unlimited = (closing == np.inf) if part.name == "windows" else (closing == FAR)
                other_end = b[..., 1] if part.name == "windows" else b
                same = np.where(unlimited, other_end >= FAR, closing == other_end).all()
                same = same and np.array_equal(a[..., 0], b[..., 0])
                found += [] if same else [prefix + part.name]
            elif part.name == "end_depot":
                start = first.start_depot
                found += [] if np.array_equal(np.where(a < 0, start, a), b) else ["end_depot"]
            elif not (np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b):
                found.append(prefix + part.name)
    return found


def reread(session: RoutingSession) -> RoutingSession:
    return RoutingSession(SessionData(path="again.json", text=task_json(session.task)))


@pytest.mark.parametrize("seed", range(8))
def test_random_changes_survive(seed: int) -> None:
    """After random changes the written file has the same arrays and rules."""
    rng = np.random.default_rng(seed)
    session = RoutingSession(SessionData(path="line.json", text=TEXT))
    for index in rng.permutation(len(SAMPLES))[:9]:
        try:
            session.change(ANY_CHANGE.validate_python(SAMPLES[index]))
        except RoutingError:
            continue
    again = reread(session)
    assert differences(session.task.instance, again.task.instance) == []
    assert again.task.names == session.task.names


def test_public_files_survive() -> None:
    """Every public file that is small enough, in whatever format, comes back as the same problem."""
    shared = Path(os.environ.get("EURISKO_SHARED", Path(__file__).resolve().parents[4] / "shared"))
    files = [
        file
        for folder in ("evrptw", "sop", "mtvrp", "pyvrp_instances")
        for file in sorted((shared / "data" / folder).rglob("*"))
        if file.suffix in (".vrp", ".txt", ".sop", ".json")
    ]
    if not files:
        pytest.skip(f"no public instance files at {shared}; set EURISKO_SHARED")
    seen = set()
    for file in files[::5]:
        try:
            session = RoutingSession.load(file)
        except RoutingError:
            continue
        if session.task.instance.size > 110:
            continue
        again = reread(session)
        assert differences(session.task.instance, again.task.instance) == [], file.name
        assert again.task.names == session.task.names, file.name
        seen |= session.task.names
    assert {"battery", "precedence", "backhaul", "time_windows", "multi_depot"} <= seen
