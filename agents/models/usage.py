"""What the model calls of a run used, in all and by role."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .types import ModelReply


@dataclass(frozen=True)
class RoleUsage:
    """Totals of one role (or of all).

    Args:
        calls: Requests sent to a model, retries included.
        answered: Requests that gave an answer.
        cached: Answers that came from the store and cost nothing.
        prompt_tokens: Tokens of the prompts of answered requests.
        completion_tokens: Tokens of the answers.
        known_usd: Money of the answers whose price is known.
        unpriced: Answers whose price is not known.
    """

    calls: int = 0
    answered: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    known_usd: float = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        """Prompt and answer together."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def usd(self) -> float | None:
        """The money spent; ``None`` where one price is not known, for then the sum is not."""
        return None if self.unpriced else self.known_usd

    def sent(self) -> "RoleUsage":
        """Return the totals after one more request went out."""
        return replace(self, calls=self.calls + 1)

    def with_reply(self, reply: ModelReply) -> "RoleUsage":
        """Return the totals after ``reply`` came back."""
        if reply.cached:
            return replace(self, cached=self.cached + 1)
        return replace(
            self,
            answered=self.answered + 1,
            prompt_tokens=self.prompt_tokens + reply.prompt_tokens,
            completion_tokens=self.completion_tokens + reply.completion_tokens,
            known_usd=self.known_usd + (reply.usd or 0.0),
            unpriced=self.unpriced + (reply.usd is None),
        )


@dataclass(frozen=True)
class Usage(RoleUsage):
    """Totals of a run, with the same totals by role."""

    by_role: Mapping[str, RoleUsage] = field(default_factory=dict)
    seconds: float = 0.0
