"""A background event loop on which calls run with a time limit that really ends them.

HTTP clients limit the wait for the next byte; a server that sends one byte now and then keeps
such a call alive for ever. Cancelling a coroutine ends it wherever it waits: connecting, in the
headers or in the body.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from ..errors import GatewayClosed

T = TypeVar("T")


class DeadlineLoop:
    """Runs coroutines from any thread, each with its own time limit."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    def run(self, call: Coroutine[Any, Any, T], limit_s: float) -> T:
        """Return the result of ``call``.

        Raises:
            TimeoutError: ``call`` took longer than ``limit_s`` seconds and was ended.
            GatewayClosed: The loop was closed before or meanwhile.
        """
        try:
            loop = self._running_loop()
        except GatewayClosed:
            call.close()
            raise
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(call, limit_s), loop)
        try:
            return future.result()
        except CancelledError:
            raise GatewayClosed("the model gateway was closed while a call was under way") from None
        except KeyboardInterrupt:
            future.cancel()
            raise

    def close(self, cleanup: Callable[[], Coroutine[Any, Any, object]] | None = None) -> None:
        """End the calls under way, run ``cleanup`` if the loop ever ran, and end the loop."""
        with self._lock:
            self._closed = True
            loop, self._loop = self._loop, None
        if loop is not None:
            asyncio.run_coroutine_threadsafe(_finish(cleanup), loop).result(timeout=10)
            loop.call_soon_threadsafe(loop.stop)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise GatewayClosed("the model gateway is closed; open a new one")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=_serve, args=(self._loop,), name="eurisko-models", daemon=True
                ).start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _finish(cleanup: Callable[[], Coroutine[Any, Any, object]] | None) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    if cleanup is not None:
        await cleanup()
