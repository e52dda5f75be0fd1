"""The sixteen faults of published platforms: sixteen of sixteen contained."""

import os
import socket
import textwrap
from pathlib import Path

import numpy as np
import pytest
from support.faults import FAULTS, HARMLESS

from eurisko.sandbox import Limits

from .conftest import VALUES, Try


def test_there_are_sixteen() -> None:
    """The list is the published one."""
    assert len(FAULTS) == 16


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_contained(
    attempt: Try, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fails alone or changes nothing: no score, file, connection, process or later result."""
    monkeypatch.setenv("EURISKO_TEST_API_KEY", "sk-canary")
    tmp_path.chmod(0o777)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        places = {"{home!r}": repr(str(tmp_path)), "{port}": str(listener.getsockname()[1])}
        body = FAULTS[name]
        for place, value in places.items():
            body = body.replace(place, value)
        code = "def heuristic(values):\n" + textwrap.indent(body, "    ") + "\n    return values\n"
        outcome = attempt(code, Limits(cpu_s=0.3, wall_s=5.0))
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert outcome.ok == (name in HARMLESS), outcome
    assert outcome.kind != "sandbox_failure"
    if outcome.ok:
        np.testing.assert_array_equal(outcome.arrays["answer"], VALUES)
    assert list(tmp_path.iterdir()) == []
    assert os.getpid() > 1
    after = attempt("def heuristic(values): return values * 3")
    np.testing.assert_array_equal(after.arrays["answer"], VALUES * 3)
