"""What all tests share."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

# No test may fail because the machine is busy.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
sys.path.insert(0, str(Path(__file__).parent / "support"))  # helpers are imported by plain name
pytest_plugins = ["support.postgres"]

if TYPE_CHECKING:
    from scripted_endpoint import Script, ScriptedEndpoint


@pytest.fixture
def scripted_endpoint() -> "Iterator[Callable[[Script], ScriptedEndpoint]]":
    """Return a factory of running model servers on loopback; they end with the test."""
    from scripted_endpoint import ScriptedEndpoint

    with ExitStack() as stack:
        yield lambda replies: stack.enter_context(ScriptedEndpoint(replies))
