"""What goes into a model call and what comes out of it: plain frozen values."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Message:
    """One turn of a conversation; ``role`` is ``system``, ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True)
class ModelRequest:
    """One question to a model.

    Args:
        key: Unique within a run (``g3/e1/5/0``); names manual files and rows of the store.
        role: What the answer is for (``heuristic``); usage is accounted by it.
        messages: The conversation, oldest first.
        temperature: Sampling temperature; the provider's default where ``None``.
        seed: Sampling seed, for providers that take one.
        max_tokens: Upper limit of the answer's length, in tokens.
        json_schema: JSON schema that the answer must follow, for providers that take one.
    """

    key: str
    role: str
    messages: tuple[Message, ...]
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    json_schema: Mapping[str, Any] | None = None

    @property
    def prompt_hash(self) -> str:
        """SHA-256 over what the model is told: messages and schema, not the sampling settings."""
        told = {
            "messages": [[message.role, message.content] for message in self.messages],
            "json_schema": self.json_schema,
        }
        text = json.dumps(told, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class ModelReply:
    """One answer of a model.

    Args:
        text: The answer.
        model: The model that gave it (the fallback's name where that one answered).
        prompt_tokens: Tokens of the prompt.
        completion_tokens: Tokens of the answer.
        usd: What the call cost; ``None`` where the price is not known, which is not zero.
        latency_s: Wall-clock seconds of the successful try.
        cached: True where the store answered and no model was asked.
        attempts: Requests sent until this answer came.
        finish_reason: Why the model stopped (``stop``, ``length``, ...), if it said so.
        tokens_estimated: True where the provider reported no usage and the tokens are
            estimated from the length of the text.
    """

    text: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    latency_s: float
    cached: bool = False
    attempts: int = 1
    finish_reason: str | None = None
    tokens_estimated: bool = False


class Provider(Protocol):
    """Something that answers one request, in one try.

    ``complete`` raises a `ModelError`; its ``retryable`` and ``retry_after`` tell the gateway
    what to do. ``close`` ends the calls under way.
    """

    name: str

    def complete(self, request: ModelRequest) -> ModelReply:
        """Answer ``request`` or raise a `ModelError`."""
        ...

    def close(self) -> None:
        """End the calls under way and free what the provider holds; may be called twice."""
        ...


class CallStore(Protocol):
    """Where answers are kept before they are used, so that a resumed run asks nothing twice."""

    def find(self, key: str, prompt_hash: str) -> ModelReply | None:
        """Return the stored answer to exactly this call, or ``None``; failures do not count."""
        ...

    def save(self, request: ModelRequest, reply: ModelReply | None, error: str | None) -> None:
        """Keep the outcome of one call: its answer, or the sentence why there is none."""
        ...


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of ``text`` where nobody counted them: four characters each."""
    return (len(text) + 3) // 4
