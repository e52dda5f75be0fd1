"""Any OpenAI-compatible endpoint, through the ``openai`` client."""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import CallTimedOut, ConnectionFailed, MissingKey, ModelError
from ..prices import Price, price_of
from ..redact import Secrets, public_url
from ..types import ModelReply, ModelRequest
from .answers import read_chat_completion
from .deadline import DeadlineLoop
from .faults import refused

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT_BASE_URL = "https://api.openai.com/v1"
CONNECT_S = 10.0
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_SEED_RANGE = 2**31  # some servers hold a seed in 32 bits


class OpenAIProvider:
    """Asks ``/chat/completions`` of one endpoint for one model.

    Args:
        model: The model's name at the endpoint.
        base_url: The endpoint; OpenAI's own where ``None``.
        api_key: The key; an endpoint with a base URL of its own may need none.
        timeout_s: Wall-clock limit of one try, all in all.
        extra_secrets: Further values to keep out of messages.

    Raises:
        MissingKey: OpenAI's own endpoint without a key.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 120.0,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.name = f"openai/{model}"
        self._model = model
        self._base_url = base_url or DEFAULT_BASE_URL
        host = urlsplit(self._base_url).hostname or ""
        self._is_openai = host == "api.openai.com" or host.endswith(".api.openai.com")
        if self._is_openai and not api_key:
            raise MissingKey(
                f"no key for {self.name}: set OPENAI_API_KEY in the environment or in .env, or "
                "name another endpoint with --base-url"
            )
        self._key = api_key
        password = urlsplit(self._base_url).password
        self._secrets = Secrets([api_key, password])
        self._where = f"{self.name} at {public_url(self._base_url)}"
        self._timeout_s = timeout_s
        self._clock = clock
        self._local = host in _LOOPBACK
        self._loop = DeadlineLoop()
        self._lock = threading.Lock()
        self._client: AsyncOpenAI | None = None
        self._left_out: set[str] = set()

    def __repr__(self) -> str:
        return f"OpenAIProvider({self._where!r})"

    @property
    def price(self) -> Price | None:
        """The list price, where the endpoint is OpenAI's own; others set their own prices."""
        return price_of("openai", self._model) if self._is_openai else None

    def complete(self, request: ModelRequest) -> ModelReply:
        """Send one request and read the answer.

        Raises:
            ModelError: What went wrong, by kind; no message holds the key.
        """
        started = self._clock()
        failure: ModelError
        try:
            status, headers, text = self._loop.run(self._post(request), self._timeout_s)
        except TimeoutError:
            failure = self._timed_out()
        except _client_errors() as error:
            failure = self._unreachable(error)
        else:
            where = self._where
            if status >= 400:
                raise refused(where, status, headers, text, self._secrets, self._left_out)
            return read_chat_completion(
                text,
                request,
                where=where,
                model=self.name,
                price=self.price,
                latency_s=self._clock() - started,
                secrets=self._secrets,
            )
        raise failure  # outside the handler: the client's error, which may hold the key, stays out

    def close(self) -> None:
        """End the calls under way and the connections."""
        self._loop.close(self._client.close if self._client is not None else None)

    async def _post(self, request: ModelRequest) -> tuple[int, dict[str, str], str]:
        from openai import APIStatusError

        client = self._connected()
        try:
            raw = await client.chat.completions.with_raw_response.create(**self._body(request))
            response = raw.http_response
        except APIStatusError as error:
            response = error.response
        headers = {name.lower(): value for name, value in response.headers.items()}
        return response.status_code, headers, response.text

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        }
        optional: dict[str, Any] = {
            "temperature": request.temperature,
            "seed": None if request.seed is None else request.seed % _SEED_RANGE,
            "max_tokens": request.max_tokens,
        }
        if request.json_schema is not None:
            schema = {"name": "answer", "schema": dict(request.json_schema), "strict": True}
            optional["response_format"] = {"type": "json_schema", "json_schema": schema}
        if request.max_tokens is not None and "max_tokens" in self._left_out:
            optional["max_completion_tokens"] = request.max_tokens
        body |= {
            name: value
            for name, value in optional.items()
            if value is not None and name not in self._left_out
        }
        return body

    def _connected(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

        with self._lock:
            if self._client is None:
                self._client = AsyncOpenAI(
                    api_key=self._key or "none-needed",
                    base_url=self._base_url,
                    max_retries=0,  # the gateway retries, and counts what it sends
                    timeout=Timeout(self._timeout_s, connect=min(CONNECT_S, self._timeout_s)),
                    # a proxy for the internet must not see calls to this machine
                    http_client=DefaultAsyncHttpxClient(trust_env=not self._local),
                )
            return self._client

    def _timed_out(self) -> CallTimedOut:
        return CallTimedOut(
            f"{self._where} gave no complete answer within {self._timeout_s:g} s; "
            "check that the server is well, or allow more time per call"
        )

    def _unreachable(self, error: BaseException) -> ModelError:
        from openai import APITimeoutError

        if isinstance(error, APITimeoutError):
            return self._timed_out()
        reason = self._secrets.in_error(str(error.__cause__ or error)).strip() or "no reason given"
        return ConnectionFailed(
            f"no connection to {self._where} ({reason[:200]}); check that the server runs and "
            "that --base-url is right"
        )


def _client_errors() -> tuple[type[BaseException], ...]:
    from openai import APIError

    return (APIError,)
