"""Events and spans: what they carry, what they never carry, and that they cost nothing when off."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from eurisko import telemetry

SECRET = "def heuristic(): 'prompt and sk-secret'"


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """Log events as JSON; yield a function that returns those so far."""
    log = logging.getLogger(telemetry.EVENTS)
    before = log.handlers, log.level, log.propagate
    telemetry.log_events("json")
    yield lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    log.handlers, log.propagate = before[0], before[2]
    log.setLevel(before[1])


def ask_a_model(text: str) -> None:
    """Ask a made-up model something secret."""
    from eurisko.agents.models.gateway import ModelGateway
    from eurisko.agents.models.types import Message, ModelReply, ModelRequest

    class Echo:
        name = "echo"

        def complete(self, request: ModelRequest) -> ModelReply:
            if text == "fail":
                from eurisko.agents.models.errors import ModelError

                raise ModelError(SECRET)
            return ModelReply(SECRET, "echo", 11, 5, None, 0.1)

        def close(self) -> None:
            pass

    with ModelGateway(Echo(), retries=0) as gateway:
        gateway.ask(ModelRequest("g1/e1/0/0", "heuristic", (Message("user", SECRET),)))


def test_a_model_call_is_one_line(lines: Any) -> None:
    """Ids, tokens and outcome; neither prompt nor answer, nor an error's text."""
    from eurisko.agents.models.errors import ModelError

    ask_a_model("work")
    with pytest.raises(ModelError):
        ask_a_model("fail")
    good, bad = lines()
    assert good["event"] == "model_call" and good["outcome"] == "ok"
    assert (good["key"], good["role"], good["model"]) == ("g1/e1/0/0", "heuristic", "echo")
    assert (good["prompt_tokens"], good["completion_tokens"]) == (11, 5) and "usd" not in good
    assert bad["outcome"] == "ModelError" and bad["seconds"] >= 0
    assert "secret" not in json.dumps([good, bad])


def test_an_event_is_one_line_whatever_it_says(lines: Any) -> None:
    """Line breaks in names are escaped, and numbers that JSON lacks are left out."""
    telemetry.event("job_item", label="a\nb 🚀", best=float("nan"))
    (one,) = lines()
    assert one["label"] == "a\nb 🚀" and "best" not in one


def test_spans_of_calls_and_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the SDK's in-memory exporter: attributes, error status, no text of anybody."""
    pytest.importorskip("opentelemetry.sdk", reason="spans need the extra 'telemetry'")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from opentelemetry.trace import StatusCode

    from eurisko.agents.models.errors import ModelError
    from eurisko.evaluators import evaluate, get_problem
    from eurisko.sandbox import Outcome, OutcomeKind

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(telemetry, "tracer", lambda: provider.get_tracer("test"))

    class Refusing:
        def run(self, *_: Any, **__: Any) -> Outcome:
            return Outcome(OutcomeKind.TIMEOUT, message=SECRET)

    ask_a_model("work")
    with pytest.raises(ModelError):
        ask_a_model("fail")
    problem = get_problem("job_shop")
    evaluate(Refusing(), problem, "batched", SECRET, problem.dataset("ft06"))  # type: ignore[arg-type]
    call, failed, evaluation = exporter.get_finished_spans()
    assert call.name == "eurisko.model_call" and call.attributes is not None
    assert call.attributes["eurisko.completion_tokens"] == 5
    assert failed.status.status_code is StatusCode.ERROR and not failed.events
    assert evaluation.attributes is not None
    told = {key.removeprefix("eurisko."): value for key, value in evaluation.attributes.items()}
    assert (told["problem"], told["dataset"], told["outcome"]) == ("job_shop", "ft06", "timeout")
    assert not any("secret" in one.to_json() for one in (call, failed, evaluation))


def test_off_means_not_imported() -> None:
    """Without the variables neither calls nor evaluations import opentelemetry."""
    code = (
        "import sys\nfrom eurisko.telemetry import observed\n"
        "with observed('evaluation'): pass\n"
        "assert not any(name.startswith('opentelemetry') for name in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=_plain(), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_the_variable_turns_spans_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """EURISKO_OTEL gives a tracer, and 0 none even where an endpoint is named."""
    pytest.importorskip("opentelemetry.sdk", reason="spans need the extra 'telemetry'")
    opened: list[int] = []
    monkeypatch.setattr(telemetry, "_open_tracer", lambda: opened.append(1))
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:1")
    for value, count in (("0", 0), ("", 1), ("1", 2)):
        monkeypatch.setenv("EURISKO_OTEL", value)
        telemetry.tracer.cache_clear()
        telemetry.tracer()
        assert len(opened) == count
    telemetry.tracer.cache_clear()


def _plain() -> dict[str, str]:
    import os

    return {
        key: value for key, value in os.environ.items() if not key.startswith(("OTEL_", "EURISKO_"))
    }
