"""What happens, for those who watch: structured log lines and OpenTelemetry spans. Imports no room.

Both are off by default and then cost nothing: ``opentelemetry`` is not even imported. They carry
ids, names, numbers and outcomes, never prompts, programs, messages or keys.
"""

import json
import logging
import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

Value = str | int | float | bool | None

EVENTS = "eurisko.events"
"""The logger that hears every event, with its fields in the record's ``fields``."""
_log = logging.getLogger(EVENTS)


def active() -> bool:
    """Return whether anybody listens, where a field costs something to know."""
    return _log.isEnabledFor(logging.INFO) or tracer() is not None


def event(name: str, **fields: Value) -> None:
    """Log that something happened."""
    if _log.isEnabledFor(logging.INFO):
        known = {key: value for key, value in fields.items() if _tellable(value)}
        text = " ".join([name, *(f"{key}={_word(value)}" for key, value in known.items())])
        _log.info("%s", text, extra={"event": name, "fields": known})


def _tellable(value: Value) -> bool:
    """Return whether there is a value that JSON has, too."""
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))


def _word(value: Value) -> str:
    """Return a value that cannot begin another line."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)


@contextmanager
def observed(name: str, **fields: Value) -> Iterator[dict[str, Value]]:
    """Observe what happens inside: one event and one span when it ends.

    Args:
        name: what it is, for example ``evaluation``.
        fields: what is known before; more may be put into the dictionary that is yielded. An
            exception becomes the ``outcome`` by its type; its text stays out.
    """
    found = dict(fields)
    used = tracer()
    begun = time.perf_counter()
    # An exception's text may quote a program or an answer: the span keeps its type only.
    span = (
        nullcontext()
        if used is None
        else used.start_as_current_span(
            f"eurisko.{name}", record_exception=False, set_status_on_exception=False
        )
    )
    with span as current:
        try:
            yield found
        except BaseException as error:
            found["outcome"] = type(error).__name__
            if current is not None:
                from opentelemetry.trace import StatusCode

                current.set_status(StatusCode.ERROR)
            raise
        finally:
            if current is not None:
                for key, value in found.items():
                    if value is not None:
                        current.set_attribute(f"eurisko.{key}", value)
            event(name, seconds=round(time.perf_counter() - begun, 6), **found)


@cache
def tracer() -> "Tracer | None":
    """Return where spans go; None unless EURISKO_OTEL or OTEL_EXPORTER_OTLP_ENDPOINT asks for them.

    A tracer provider that the application has set is used; otherwise spans are exported by OTLP
    over HTTP. Without the packages of the extra ``telemetry`` a warning says so, once.
    """
    wanted = os.environ.get("EURISKO_OTEL", "")
    if wanted.lower() in ("0", "false", "no"):
        return None
    if not wanted and not os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        return None
    try:
        return _open_tracer()
    except ModuleNotFoundError as error:
        logging.getLogger(__name__).warning(
            "Spans are asked for, and %s is not installed: pip install 'eurisko[telemetry]'.",
            error.name,
        )
        return None


def _open_tracer() -> "Tracer":
    from opentelemetry import trace

    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        name = os.environ.get("OTEL_SERVICE_NAME", "eurisko")
        provider = TracerProvider(resource=Resource.create({"service.name": name}))
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(provider)
    return trace.get_tracer("eurisko")


class JsonLines(logging.Formatter):
    """Formats an event as one line of JSON: time (UTC), event, and its fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields: dict[str, Any] = getattr(record, "fields", {})
        line = {"time": when, "event": getattr(record, "event", record.name), **fields}
        return json.dumps(line, ensure_ascii=False)


class _ToStderr(logging.Handler):
    """Writes to what standard error is at that moment, not to what it was at the start."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(f"{self.format(record)}\n")
        except (OSError, ValueError):  # closed or full: logging's own way of saying so
            self.handleError(record)


def log_events(form: str) -> None:
    """Write every event to standard error, as ``json`` or ``text``."""
    handler = _ToStderr()
    handler.setFormatter(
        JsonLines() if form == "json" else logging.Formatter("%(asctime)s %(message)s")
    )
    _log.handlers = [handler]
    _log.setLevel(logging.INFO)
    _log.propagate = False
