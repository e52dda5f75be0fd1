"""The gateway's store of calls, kept in the knowledge base."""

from dataclasses import dataclass
from typing import Any

from ...knowledge_base import KnowledgeBase
from ..models import ModelReply, ModelRequest


@dataclass(frozen=True)
class StoredCalls:
    """Model calls of one run: an answer is stored before it is used, and asked for only once."""

    knowledge_base: KnowledgeBase
    run_id: str
    model: str

    def find(self, key: str, prompt_hash: str) -> ModelReply | None:
        """Return the stored answer to this question of this step, or None."""
        call = self.knowledge_base.find_call(self.run_id, key, prompt_hash)
        if call is None or call.text is None:
            return None
        return ModelReply(
            text=call.text,
            model=call.model,
            prompt_tokens=call.prompt_tokens,
            completion_tokens=call.completion_tokens,
            tokens_estimated=call.tokens_estimated,
            usd=call.usd,
            latency_s=call.latency_s,
            cached=True,
            attempts=call.attempts,
            finish_reason=call.finish_reason,
        )

    def save(self, request: ModelRequest, reply: ModelReply | None, error: str | None) -> None:
        """Store an answer, or why there is none."""
        messages = [{"role": one.role, "content": one.content} for one in request.messages]
        fields: dict[str, Any] = {
            "run_id": self.run_id,
            "key": request.key,
            "role": request.role,
            "model": self.model if reply is None else reply.model,
            "prompt_hash": request.prompt_hash,
            "request": {"messages": messages, "temperature": request.temperature},
            "error": error,
        }
        if reply is not None:
            fields |= {
                "text": reply.text,
                "finish_reason": reply.finish_reason,
                "prompt_tokens": reply.prompt_tokens,
                "completion_tokens": reply.completion_tokens,
                "tokens_estimated": reply.tokens_estimated,
                "usd": reply.usd,
                "latency_s": reply.latency_s,
                "attempts": reply.attempts,
            }
        self.knowledge_base.add_call(**fields)
