"""One sandbox for the tests of sessions."""

from collections.abc import Iterator

import pytest

from eurisko.sandbox import Sandbox


class Lent:
    """A sandbox that is not closed by its borrower."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox

    def __call__(self) -> "Lent":
        return self

    def __enter__(self) -> Sandbox:
        return self.sandbox

    def __exit__(self, *args: object) -> None:
        return None


@pytest.fixture(scope="session")
def lent() -> Iterator[Lent]:
    """Opens the one sandbox, as often as asked."""
    with Sandbox(workers=1, allow_unsafe=True) as opened:
        yield Lent(opened)
