"""The gateway: one ``ask`` for every call to a model, whoever answers it."""

import logging
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType

from ...telemetry import observed
from .backoff import delay_s
from .budget import Budget, Ledger
from .errors import GatewayClosed, ModelError
from .store import MemoryStore
from .types import CallStore, ModelReply, ModelRequest, Provider
from .usage import Usage

_log = logging.getLogger(__name__)


class ModelGateway:
    """Asks a model, with a store, budgets, limits, retries and a fallback; thread-safe.

    The order: an answer in the store; then, request by request, a free place, a booking in the
    budget, and the provider. Failures that may pass are retried with jittered back-off; when that
    does not help, the fallback model is asked in the same way. The answer is stored before it is
    returned.

    Args:
        provider: Who answers.
        budget: Limits of the run, or the ledger that keeps them.
        concurrency: How many requests may be under way at once.
        retries: How often a failed request is sent again.
        fallback: Who answers when ``provider`` does not.
        store: Where answers are found and kept; in memory by default.
        temperature: Used where a request has none.
        sleep: Waits some seconds; returns early with True when the gateway is closed. For tests.
        rng: Jitter of the back-off; never a stream of the run.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        budget: Budget | Ledger = Budget(),  # noqa: B008  (frozen)
        concurrency: int = 4,
        retries: int = 4,
        fallback: Provider | None = None,
        store: CallStore | None = None,
        temperature: float | None = None,
        sleep: Callable[[float], object] | None = None,
        rng: random.Random | None = None,
    ) -> None:
        if concurrency < 1:
            raise ValueError(f"concurrency must be at least 1, not {concurrency}")
        if retries < 0:
            raise ValueError(f"retries must not be negative, not {retries}")
        self._provider = provider
        self._fallback = fallback
        self._ledger = budget if isinstance(budget, Ledger) else Ledger(budget)
        self._places = threading.BoundedSemaphore(concurrency)
        self._retries = retries
        self._store = store if store is not None else MemoryStore()
        self._temperature = temperature
        self._closed = threading.Event()
        self._sleep = sleep if sleep is not None else self._closed.wait
        self._rng = rng if rng is not None else random.Random()
        self._given_up: str | None = None

    @property
    def model(self) -> str:
        """The name of the model that is asked first."""
        return self._provider.name

    @property
    def ledger(self) -> Ledger:
        """Who keeps the budget; another gateway of the run can share it."""
        return self._ledger

    @property
    def usage(self) -> Usage:
        """What the run used so far."""
        return self._ledger.usage()

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the answer to ``request``.

        Raises:
            ModelError: There is none, and retries and fallback did not help; stored as a failure.
            BudgetExhausted: The budget does not allow another request; nothing is stored.
        """
        if request.temperature is None and self._temperature is not None:
            request = replace(request, temperature=self._temperature)
        with observed("model_call", key=request.key, role=request.role, model=self.model) as seen:
            reply = self._answer(request)
            seen.update(
                model=reply.model,
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
                usd=reply.usd,
                latency_s=reply.latency_s,
                cached=reply.cached,
                attempts=reply.attempts,
                outcome="ok",
            )
            return reply

    def _answer(self, request: ModelRequest) -> ModelReply:
        stored = self._store.find(request.key, request.prompt_hash)
        if stored is not None:
            stored = replace(stored, cached=True)
            self._ledger.settle(request.role, stored)
            return stored
        try:
            reply = self._ask_anyone(request)
        except GatewayClosed:
            raise  # nothing was learnt about the call; a resumed run asks again
        except ModelError as error:
            self._store.save(request, None, str(error))
            raise
        self._store.save(request, reply, None)
        return reply

    def close(self) -> None:
        """End waiting and the calls under way; may be called twice."""
        self._closed.set()
        self._provider.close()
        if self._fallback is not None:
            self._fallback.close()

    def __enter__(self) -> "ModelGateway":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ask_anyone(self, request: ModelRequest) -> ModelReply:
        if self._fallback is None:
            return self._ask_with_retries(self._provider, request)
        first = self._given_up
        if first is None:
            try:
                return self._ask_with_retries(self._provider, request)
            except GatewayClosed:
                raise
            except ModelError as error:
                first = str(error)
                if error.fatal:
                    self._given_up = first
                _log.warning("%s; asking %s instead", first, self._fallback.name)
        try:
            return self._ask_with_retries(self._fallback, request)
        except GatewayClosed:
            raise
        except ModelError as error:
            both = type(error)(f"{first}; the fallback failed too: {error}")
            raise both from None

    def _ask_with_retries(self, provider: Provider, request: ModelRequest) -> ModelReply:
        attempt = 0
        while True:
            attempt += 1
            try:
                reply = self._send(provider, request)
            except ModelError as error:
                if not error.retryable or attempt > self._retries:
                    raise _after(attempt, error) from None
                wait_s = delay_s(attempt, error.retry_after, self._rng)
                _log.info("%s; try %d in %.1f s", error, attempt + 1, wait_s)
                self._ledger.check_time(wait_s)
                if wait_s > 0:
                    self._sleep(wait_s)
                continue
            return replace(reply, attempts=reply.attempts + attempt - 1)

    def _send(self, provider: Provider, request: ModelRequest) -> ModelReply:
        with self._places:
            if self._closed.is_set():
                raise GatewayClosed("the model gateway is closed; open a new one")
            self._ledger.reserve(request.role)
            reply = provider.complete(request)
            self._ledger.settle(request.role, reply)
            return reply


def _after(attempts: int, error: ModelError) -> ModelError:
    if attempts == 1:
        return error
    return type(error)(f"{error} (sent {attempts} times)", retry_after=error.retry_after)
