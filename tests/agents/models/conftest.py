"""What the tests of the gateway share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eurisko.agents.models import Message, ModelGateway, ModelRequest
from eurisko.agents.models.providers.openai_api import OpenAIProvider


@pytest.fixture(autouse=True)
def _no_keys_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def question() -> Callable[..., ModelRequest]:
    """Return a maker of requests."""

    def make(
        key: str = "g0/i1/0/0", text: str = "Design a heuristic.", **more: Any
    ) -> ModelRequest:
        more.setdefault("role", "heuristic")
        return ModelRequest(key=key, messages=(Message("user", text),), **more)

    return make


class Naps(list[float]):
    """Records how long the gateway wanted to sleep, and does not."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def naps() -> Naps:
    """Return a sleep that records."""
    return Naps()


@pytest.fixture
def gateway_to(naps: Naps) -> Iterator[Callable[..., ModelGateway]]:
    """Return a maker of gateways to an endpoint that do not really sleep."""
    opened: list[ModelGateway] = []

    def make(base_url: str, *, timeout_s: float = 10.0, key: str | None = None, **more: Any):
        provider = OpenAIProvider("scripted", base_url=base_url, api_key=key, timeout_s=timeout_s)
        more.setdefault("sleep", naps)
        opened.append(ModelGateway(provider, **more))
        return opened[-1]

    yield make
    for gateway in opened:
        gateway.close()
