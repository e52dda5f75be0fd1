"""The gateway against a real server on loopback that misbehaves."""

import logging
import time
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from scripted_endpoint import Body, Cut, Stall, Status, Text

from eurisko.agents.models import MemoryStore, ModelError, open_gateway
from eurisko.agents.models.errors import (
    AccessDenied,
    BadReply,
    CallTimedOut,
    ConnectionFailed,
    EmptyAnswer,
    ModelNotFound,
    RequestRefused,
    ServerFault,
)

KEY = "sk-secret-0123456789/abc+def"


def test_answer_and_usage(scripted_endpoint, gateway_to, question):
    """An ordinary call returns the text and counts the tokens that the server reports."""
    server = scripted_endpoint([Text("hello", usage=(12, 5))])
    gateway = gateway_to(server.base_url)
    reply = gateway.ask(question(temperature=0.5, seed=2**40 + 7, max_tokens=99))
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("hello", 12, 5)
    assert (reply.usd, reply.finish_reason, reply.cached) == (None, "stop", False)
    body = server.requests[0].body
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("scripted", 0.5, 99)
    assert body["seed"] == (2**40 + 7) % 2**31
    assert server.requests[0].path == "/v1/chat/completions"
    usage = gateway.usage
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (1, 12, 5)
    assert usage.usd is None, "an unknown price is not zero"


def test_open_gateway_without_a_key(scripted_endpoint, question):
    """An http endpoint of one's own works without any key."""
    server = scripted_endpoint(["fine"])
    with open_gateway("openai/local", base_url=server.base_url) as gateway:
        assert gateway.ask(question()).text == "fine"


def test_waits_as_long_as_the_server_asks(scripted_endpoint, gateway_to, question, naps):
    """A 429 with Retry-After in seconds is tried again after just that time."""
    server = scripted_endpoint([Status(429, {"Retry-After": "7"}), "ok"])
    reply = gateway_to(server.base_url).ask(question())
    assert (reply.text, reply.attempts) == ("ok", 2)
    assert naps == [7.0]


def test_waits_until_a_date(scripted_endpoint, gateway_to, question, naps):
    """Retry-After may be an HTTP date."""
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    server = scripted_endpoint([Status(503, {"Retry-After": when}), "ok"])
    assert gateway_to(server.base_url).ask(question()).text == "ok"
    assert 15 < naps[0] <= 20


def test_the_asked_wait_is_capped(scripted_endpoint, gateway_to, question, naps):
    """A server that asks for an hour gets a minute."""
    server = scripted_endpoint([Status(429, {"Retry-After": "3600"}), "ok"])
    gateway_to(server.base_url).ask(question())
    assert naps == [60.0]


@pytest.mark.parametrize("code", [408, 409, 429, 500, 502, 503, 529])
def test_passing_faults_are_retried(code, scripted_endpoint, gateway_to, question, naps):
    """Each status that may pass is tried again, with growing jittered waits."""
    server = scripted_endpoint([Status(code), Status(code), Status(code), "ok"])
    assert gateway_to(server.base_url).ask(question()).attempts == 4
    assert [0.5 * 2**n <= nap <= 2**n for n, nap in enumerate(naps)] == [True] * 3


@pytest.mark.parametrize(
    ("code", "kind", "hint"),
    [
        (400, RequestRefused, "model name"),
        (401, AccessDenied, "key"),
        (403, AccessDenied, "key"),
        (404, ModelNotFound, "--base-url"),
    ],
)
def test_lasting_faults_are_not(code, kind, hint, scripted_endpoint, gateway_to, question, naps):
    """A refused key, path or request is said at once, with what to check."""
    server = scripted_endpoint([Status(code)])
    with pytest.raises(kind, match=hint):
        gateway_to(server.base_url).ask(question())
    assert len(server.requests) == 1
    assert naps == []


def test_no_credit_is_not_retried(scripted_endpoint, gateway_to, question):
    """A 429 that means an empty account does not pass, so it is not tried again."""
    body = '{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}'
    server = scripted_endpoint([Status(429, body=body)])
    with pytest.raises(AccessDenied, match="credit"):
        gateway_to(server.base_url).ask(question())
    assert len(server.requests) == 1


def test_gives_up_after_the_retries(scripted_endpoint, gateway_to, question):
    """The number of tries is the first one and the retries, and the message says so."""
    server = scripted_endpoint([Status(500)])
    with pytest.raises(ServerFault, match="sent 3 times"):
        gateway_to(server.base_url, retries=2).ask(question())
    assert len(server.requests) == 3


def test_a_refused_parameter_is_left_out(scripted_endpoint, gateway_to, question, naps):
    """A model that takes no temperature is asked without one, now and later."""
    body = '{"error": {"message": "Unsupported value", "param": "temperature"}}'
    server = scripted_endpoint([Status(400, body=body), "one", "two"])
    gateway = gateway_to(server.base_url, temperature=0.7)
    assert gateway.ask(question("a")).text == "one"
    assert gateway.ask(question("b")).text == "two"
    assert ["temperature" in seen.body for seen in server.requests] == [True, False, False]
    assert naps == []


@pytest.mark.parametrize("stall", [Stall(), Stall(trickle=True)])
def test_a_stalled_server_is_left(stall, scripted_endpoint, gateway_to, question):
    """The time limit ends a silent server, and one that sends a byte now and then."""
    server = scripted_endpoint([stall])
    started = time.monotonic()
    with pytest.raises(CallTimedOut, match=r"within 0\.4 s"):
        gateway_to(server.base_url, timeout_s=0.4, retries=1).ask(question())
    assert len(server.requests) == 2
    assert time.monotonic() - started < 15, "the stalls last 30 s each"


@pytest.mark.parametrize("cut", [Cut(), Cut(in_body=True)])
def test_a_cut_connection_is_retried(cut, scripted_endpoint, gateway_to, question):
    """A connection cut before or inside the answer is tried again."""
    server = scripted_endpoint([cut, "ok"])
    reply = gateway_to(server.base_url).ask(question())
    assert (reply.text, reply.attempts) == ("ok", 2)


def test_nobody_listens(gateway_to, question, scripted_endpoint):
    """A server that is not there gives one sentence with the address and what to check."""
    from scripted_endpoint import ScriptedEndpoint

    with ScriptedEndpoint(["never"]) as gone:
        url = gone.base_url
    with pytest.raises(ConnectionFailed, match="check that the server runs") as caught:
        gateway_to(url, retries=0).ask(question())
    assert url in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        Body('{"choices": [{"message": {"conte'),
        Body("<html>login</html>", "text/html"),
        Body('{"choices": []}'),
        Body('{"choices": null}'),
        Body("[]"),
        Body("null"),
        Body('{"choices": [null]}'),
        Body('{"choices": [{"message": null}]}'),
        Text(None),
        Text("  \n"),
    ],
)
def test_broken_answers_are_retried(body, scripted_endpoint, gateway_to, question):
    """No JSON, no choice or no text is a fault of the server that may pass."""
    server = scripted_endpoint([body, "ok"])
    assert gateway_to(server.base_url).ask(question()).text == "ok"
    server = scripted_endpoint([body])
    with pytest.raises(BadReply):
        gateway_to(server.base_url, retries=0).ask(question())


def test_text_in_parts(scripted_endpoint, gateway_to, question):
    """Content that comes as a list of parts is put together."""
    parts = '[{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]'
    server = scripted_endpoint([Body(f'{{"choices": [{{"message": {{"content": {parts}}}}}]}}')])
    reply = gateway_to(server.base_url).ask(question())
    assert reply.text == "one two"
    assert reply.tokens_estimated, "and there is no usage in that answer"


def test_nothing_before_the_token_limit(scripted_endpoint, gateway_to, question):
    """A model that spent its limit on reasoning is not asked the same again."""
    server = scripted_endpoint([Text("", finish_reason="length")])
    with pytest.raises(EmptyAnswer, match="max_tokens"):
        gateway_to(server.base_url).ask(question())
    assert len(server.requests) == 1


def test_a_cut_off_answer_says_so(scripted_endpoint, gateway_to, question):
    """A truncated answer is an answer, marked with its finish reason."""
    server = scripted_endpoint([Text("def f(", finish_reason="length")])
    assert gateway_to(server.base_url).ask(question()).finish_reason == "length"


def test_no_usage_is_estimated(scripted_endpoint, gateway_to, question):
    """Without reported usage the tokens are estimated, so that a token budget still counts."""
    server = scripted_endpoint([Text("x" * 400, usage=None)])
    gateway = gateway_to(server.base_url)
    reply = gateway.ask(question(text="y" * 40))
    assert (reply.prompt_tokens, reply.completion_tokens) == (10, 100)
    assert reply.tokens_estimated
    assert gateway.usage.tokens == 110


def test_a_reported_cost_counts(scripted_endpoint, gateway_to, question):
    """What the server says the call cost is what it cost."""
    usage = '{"prompt_tokens": 1, "completion_tokens": 2, "cost": 0.25}'
    body = f'{{"choices": [{{"message": {{"content": "a"}}}}], "usage": {usage}}}'
    server = scripted_endpoint([Body(body)])
    gateway = gateway_to(server.base_url)
    assert gateway.ask(question()).usd == 0.25
    assert gateway.usage.usd == 0.25


@pytest.mark.parametrize("code", [400, 401, 403, 404, 429, 500])
def test_the_key_is_never_shown(code, scripted_endpoint, gateway_to, question, caplog):
    """A server that echoes the key finds it in no message, log, repr, trace or stored row."""
    from urllib.parse import quote

    echo = f'{{"error": {{"message": "bad key {KEY} or {quote(KEY, safe="")}"}}}}'
    server = scripted_endpoint([Status(code, body=echo)])
    store = MemoryStore()
    caplog.set_level(logging.DEBUG)
    gateway = gateway_to(server.base_url, key=KEY, retries=1, store=store)
    with pytest.raises(ModelError) as caught:
        gateway.ask(question())
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}", "it was really sent"
    shown = [
        str(caught.value),
        repr(caught.value),
        "".join(traceback.format_exception(caught.value)),
        repr(caught.value.__cause__) + repr(caught.value.__context__),
        repr(vars(gateway)),
        caplog.text,
        repr(store.calls()),
    ]
    assert "bad key" in shown[0], "the server's reason is kept"
    for text in shown:
        assert KEY not in text
        assert quote(KEY, safe="") not in text


def test_the_key_is_not_kept_from_an_answer(scripted_endpoint, gateway_to, question):
    """A model that repeats the key in its answer does not get it into the store."""
    server = scripted_endpoint([f"your key is {KEY}"])
    assert KEY not in gateway_to(server.base_url, key=KEY).ask(question()).text


def test_the_password_of_a_url_is_not_shown(gateway_to, question):
    """A password inside the base URL stays out of the message."""
    gateway = gateway_to("http://me:hunter22@127.0.0.1:9/v1", retries=0)
    with pytest.raises(ConnectionFailed) as caught:
        gateway.ask(question())
    assert "hunter22" not in str(caught.value) + repr(vars(gateway))
