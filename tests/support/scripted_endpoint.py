"""A model server on loopback that answers as a test tells it to: real HTTP, scripted replies."""

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Text:
    """An ordinary answer; ``usage`` is (prompt tokens, completion tokens), or None for no usage."""

    text: str | None
    usage: tuple[int, int] | None = (100, 50)
    finish_reason: str = "stop"
    delay_s: float = 0.0


@dataclass(frozen=True)
class Status:
    """An error status with headers and a body."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = '{"error": {"message": "scripted fault"}}'


@dataclass(frozen=True)
class Body:
    """A 200 answer with exactly this body."""

    body: str
    content_type: str = "application/json"


@dataclass(frozen=True)
class Stall:
    """No answer for so long; with ``trickle`` one byte of the body now and then."""

    seconds: float = 30.0
    trickle: bool = False


@dataclass(frozen=True)
class Cut:
    """The connection is cut: before the answer, or in the middle of it."""

    in_body: bool = False


Answer = str | Text | Status | Body | Stall | Cut
Script = Sequence[Answer] | Callable[[list[dict[str, str]], int], Answer]


@dataclass(frozen=True)
class Seen:
    """One request as the server saw it."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        """The conversation in the request."""
        return self.body["messages"]


class ScriptedEndpoint:
    """An OpenAI-compatible endpoint for tests, as a context manager.

    Args:
        replies: Answers in the order of the requests (the last one repeats), or a function of
            the messages and the number of the request from 0. A plain string is an ordinary
            answer.
        together: No answer is given before so many requests have been under way at once, or ten
            seconds have passed: ``most_at_once`` then does not depend on who is fast.
    """

    def __init__(self, replies: Script, together: int = 1) -> None:
        self._replies = replies
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._together = together
        self._met = threading.Event()
        self.requests: list[Seen] = []
        self.most_at_once = 0
        self._at_once = 0
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                endpoint._serve(self)

            def log_message(self, format: str, *args: object) -> None:
                """Stay quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def base_url(self) -> str:
        """What to give as the base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "ScriptedEndpoint":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length", 0))
        body = json.loads(handler.rfile.read(length))
        seen = Seen(handler.path, {k.lower(): v for k, v in handler.headers.items()}, body)
        with self._lock:
            number = len(self.requests)
            self.requests.append(seen)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            if self.most_at_once >= self._together:
                self._met.set()
        self._met.wait(10)
        self._met.set()
        try:
            self._answer(handler, self._reply_to(seen, number))
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True  # the client gave up, as it should
        finally:
            with self._lock:
                self._at_once -= 1

    def _reply_to(self, seen: Seen, number: int) -> Answer:
        if callable(self._replies):
            return self._replies(seen.messages, number)
        return self._replies[min(number, len(self._replies) - 1)]

    def _answer(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        if isinstance(answer, str):
            answer = Text(answer)
        if isinstance(answer, Cut):
            self._cut(handler, answer)
        elif isinstance(answer, Stall):
            self._stall(handler, answer)
        elif isinstance(answer, Status):
            _send(handler, answer.code, answer.body, headers=answer.headers)
        elif isinstance(answer, Body):
            _send(handler, 200, answer.body, content_type=answer.content_type)
        else:
            self._over.wait(answer.delay_s)
            _send(handler, 200, json.dumps(completion(answer)))

    def _stall(self, handler: BaseHTTPRequestHandler, answer: Stall) -> None:
        handler.close_connection = True
        end = time.monotonic() + answer.seconds
        if answer.trickle:
            handler.send_response(200)
            handler.send_header("content-type", "application/json")
            handler.send_header("content-length", "100000")
            handler.end_headers()
        while time.monotonic() < end and not self._over.wait(0.05):
            if answer.trickle:
                handler.wfile.write(b" ")
                handler.wfile.flush()

    def _cut(self, handler: BaseHTTPRequestHandler, answer: Cut) -> None:
        handler.close_connection = True
        if answer.in_body:
            handler.send_response(200)
            handler.send_header("content-type", "application/json")
            handler.send_header("content-length", "100000")
            handler.end_headers()
            handler.wfile.write(b'{"choices": [{"mess')
            handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)


def completion(answer: Text) -> dict[str, Any]:
    """Return the body of a chat completion."""
    message = {"role": "assistant", "content": answer.text}
    found: dict[str, Any] = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
    }
    if answer.usage is not None:
        prompt, done = answer.usage
        found["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": done,
            "total_tokens": prompt + done,
        }
    return found


def _send(
    handler: BaseHTTPRequestHandler,
    code: int,
    body: str,
    *,
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> None:
    data = body.encode()
    handler.send_response(code)
    handler.send_header("content-type", content_type)
    handler.send_header("content-length", str(len(data)))
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)
