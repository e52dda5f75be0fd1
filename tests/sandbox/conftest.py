"""One warm sandbox for all tests of this folder."""

from collections.abc import Iterator

import pytest
from support.trials import VALUES, Try

from eurisko.sandbox import Inputs, Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=4, policy=None) as warm:
        yield warm


@pytest.fixture(scope="session")
def inputs() -> Iterator[Inputs]:
    with Inputs({"values": VALUES}) as arrays:
        yield arrays


@pytest.fixture(scope="session")
def attempt(sandbox: Sandbox, inputs: Inputs) -> Try:
    return Try(sandbox, inputs)
