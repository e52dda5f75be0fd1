"""Other providers through LiteLLM, against the scripted endpoint."""

import pytest
from scripted_endpoint import Stall, Status, Text

from eurisko.agents.models import UnknownModel, open_gateway
from eurisko.agents.models.errors import AccessDenied, CallTimedOut, MissingKey
from eurisko.agents.models.providers.litellm_api import LiteLLMProvider

pytestmark = pytest.mark.slow  # importing LiteLLM takes seconds

KEY = "ds-secret-0123456789"


@pytest.fixture
def provider_to():
    """Return a maker of providers that speak to a loopback server."""
    opened = []

    def make(url, **more):
        opened.append(LiteLLMProvider("deepseek/scripted", base_url=url, api_key=KEY, **more))
        return opened[-1]

    yield make
    for provider in opened:
        provider.close()


def test_an_answer(scripted_endpoint, provider_to, question, capfd):
    """Text, usage and finish reason arrive, the key is sent, and nothing is printed."""
    server = scripted_endpoint([Text("hello", usage=(12, 5))])
    reply = provider_to(server.base_url).complete(question(temperature=0.5))
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("hello", 12, 5)
    assert (reply.model, reply.finish_reason) == ("deepseek/scripted", "stop")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].body["temperature"] == 0.5
    assert capfd.readouterr() == ("", "")


def test_one_try(scripted_endpoint, provider_to, question, capfd):
    """LiteLLM does not retry by itself; the wait that the server asks for is passed on."""
    server = scripted_endpoint([Status(429, {"Retry-After": "7"})])
    with pytest.raises(Exception, match="asked too often") as caught:
        provider_to(server.base_url).complete(question())
    assert (caught.value.retryable, caught.value.retry_after) == (True, 7.0)
    assert len(server.requests) == 1
    assert capfd.readouterr() == ("", "")


def test_the_key_is_never_shown(scripted_endpoint, provider_to, question):
    """A server that echoes the key finds it in no message and no chained error."""
    server = scripted_endpoint([Status(401, body=f'{{"error": {{"message": "bad {KEY}"}}}}')])
    with pytest.raises(AccessDenied) as caught:
        provider_to(server.base_url).complete(question())
    assert KEY not in repr(caught.value) + repr(caught.value.__context__)


def test_a_stalled_server_is_left(scripted_endpoint, provider_to, question):
    """The time limit holds here, too."""
    server = scripted_endpoint([Stall(trickle=True)])
    with pytest.raises(CallTimedOut):
        provider_to(server.base_url, timeout_s=0.5).complete(question())
    assert len(server.requests) == 1


def test_an_unknown_provider():
    """A prefix that LiteLLM does not know is refused when it is opened."""
    with pytest.raises(UnknownModel, match="not known to LiteLLM"):
        open_gateway("nosuchprovider/model")


def test_a_missing_key_names_the_variable(monkeypatch):
    """The message says which variable the provider wants."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(MissingKey, match="ANTHROPIC_API_KEY"):
        open_gateway("anthropic/claude-sonnet-4-5")
