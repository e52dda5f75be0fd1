"""Reads the body of a chat completion, which servers fill in more or less carefully."""

import json
from collections.abc import Mapping
from typing import Any

from ..errors import BadReply, BlankAnswer, EmptyAnswer
from ..prices import Price
from ..redact import Secrets
from ..types import ModelReply, ModelRequest, estimate_tokens


def read_chat_completion(
    body: str,
    request: ModelRequest,
    *,
    where: str,
    model: str,
    price: Price | None,
    latency_s: float,
    secrets: Secrets,
) -> ModelReply:
    """Return the reply in a response body.

    Args:
        body: The response as text.
        request: What was asked, for estimating tokens that nobody counted.
        where: Model and endpoint, for messages.
        model: The model's name for the reply.
        price: The price per token, if known; a cost that the server reports goes before it.
        latency_s: How long the call took, in seconds.
        secrets: What must not be kept.

    Raises:
        BadReply: No JSON object, no choice, or no text in it.
        EmptyAnswer: The token limit was reached before the answer began.
    """
    try:
        loaded = json.loads(body)
    except (ValueError, RecursionError):
        start = secrets.in_error(" ".join(body[:80].split()))
        raise BadReply(
            f"{where} answered with something that is no JSON ({start!r}); check --base-url"
        ) from None
    choice = _first_choice(loaded, where)
    finish = choice.get("finish_reason")
    message = choice.get("message")
    text = _text_of(message if isinstance(message, dict) else {})
    if not text.strip():
        if finish == "length":
            raise EmptyAnswer(
                f"{where} used up its token limit before it wrote an answer; raise max_tokens"
            )
        raise BlankAnswer(f"{where} gave an empty answer (finish_reason {finish!r}); try again")
    usage = loaded.get("usage")
    prompt_tokens, completion_tokens, counted = _tokens(usage, request, text)
    usd = price.of(prompt_tokens, completion_tokens) if price else None
    return ModelReply(
        text=secrets.in_answer(text),
        model=model,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        usd=_reported_cost(usage, usd),
        latency_s=latency_s,
        finish_reason=finish if isinstance(finish, str) else None,
        tokens_estimated=not counted,
    )


def prompt_text(request: ModelRequest) -> str:
    """Return all that the model is told, as one text."""
    return "\n\n".join(message.content for message in request.messages)


def _first_choice(loaded: Any, where: str) -> Mapping[str, Any]:
    choices = loaded.get("choices") if isinstance(loaded, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BadReply(f"{where} answered without any choice; check --base-url and the server")
    return choices[0]


def _text_of(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):  # some servers send the text in parts
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if not content:
        content = message.get("refusal")
    return content if isinstance(content, str) else ""


def _tokens(usage: Any, request: ModelRequest, text: str) -> tuple[int, int, bool]:
    counts = usage if isinstance(usage, dict) else {}
    prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
    counted = _is_count(prompt) and _is_count(completion)
    if counted:
        return prompt, completion, True  # type: ignore[return-value]
    return estimate_tokens(prompt_text(request)), estimate_tokens(text), False


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _reported_cost(usage: Any, otherwise: float | None) -> float | None:
    cost = usage.get("cost") if isinstance(usage, dict) else None
    if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0:
        return float(cost)
    return otherwise
