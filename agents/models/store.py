"""A call store in memory, for runs without a knowledge base and for recording."""

import threading
from dataclasses import replace

from .recording import RecordedCall
from .types import ModelReply, ModelRequest


class MemoryStore:
    """Keeps every call of this process; safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[tuple[str, str], RecordedCall] = {}

    def find(self, key: str, prompt_hash: str) -> ModelReply | None:
        """Return the answer kept for this call, marked as cached."""
        with self._lock:
            call = self._calls.get((key, prompt_hash))
        if call is None or call.error is not None:
            return None
        return replace(call.reply(), cached=True)

    def save(self, request: ModelRequest, reply: ModelReply | None, error: str | None) -> None:
        """Keep one call; a later answer replaces an earlier failure."""
        call = RecordedCall.of(request, reply, error)
        with self._lock:
            self._calls[call.key, call.prompt_hash] = call

    def calls(self) -> list[RecordedCall]:
        """Return all calls in the order in which they first ended, for `write_recording`."""
        with self._lock:
            return list(self._calls.values())
