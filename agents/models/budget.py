"""Budgets that stop a run cleanly, and the ledger that keeps them under concurrency."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from types import MappingProxyType

from .errors import BudgetExhausted
from .types import ModelReply
from .usage import RoleUsage, Usage


@dataclass(frozen=True)
class Budget:
    """Limits of a whole run; ``None`` means no limit.

    Args:
        calls: Requests sent to models, retries included. Never overshot.
        tokens: Prompt and answer tokens. Checked before each request, so it can be overshot by
            the requests then under way.
        usd: Money, in US dollars; checked like tokens.
        seconds: Wall-clock time since the run's gateway opened; checked before each request.

    Raises:
        ValueError: A limit is not a positive number.
    """

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ValueError(f"budget {limit.name} must be a positive number, not {value!r}")


class Ledger:
    """Counts what is used and refuses what would exceed the budget; safe for many threads.

    Args:
        budget: The limits.
        spent: What earlier processes of the same run used already.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        budget: Budget,
        spent: Usage | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._budget = budget
        self._clock = clock
        self._lock = threading.Lock()
        before = spent or Usage()
        self._started = clock() - before.seconds
        self._by_role = dict(before.by_role)
        self._total = RoleUsage(**{f.name: getattr(before, f.name) for f in fields(RoleUsage)})

    def reserve(self, role: str) -> None:
        """Book one request before it is sent.

        Raises:
            BudgetExhausted: The request would exceed the budget; nothing is booked.
        """
        with self._lock:
            used = self._total
            for limit, amount in (
                ("calls", used.calls),
                ("tokens", used.tokens),
                ("usd", used.known_usd),
                ("seconds", self._clock() - self._started),
            ):
                allowed = getattr(self._budget, limit)
                if allowed is not None and amount >= allowed:
                    raise BudgetExhausted(limit, amount, allowed)
            self._total = used.sent()
            self._by_role[role] = self._by_role.get(role, RoleUsage()).sent()

    def settle(self, role: str, reply: ModelReply) -> None:
        """Book what an answer used."""
        with self._lock:
            self._total = self._total.with_reply(reply)
            self._by_role[role] = self._by_role.get(role, RoleUsage()).with_reply(reply)

    def check_time(self, ahead_s: float = 0.0) -> None:
        """Refuse to wait ``ahead_s`` seconds if the time budget ends before.

        Raises:
            BudgetExhausted: It does.
        """
        allowed = self._budget.seconds
        used = self._clock() - self._started
        if allowed is not None and used + ahead_s >= allowed:
            raise BudgetExhausted("seconds", used, allowed)

    def usage(self) -> Usage:
        """Return the totals so far."""
        with self._lock:
            total = {f.name: getattr(self._total, f.name) for f in fields(RoleUsage)}
            by_role = MappingProxyType(dict(self._by_role))
            return Usage(**total, by_role=by_role, seconds=self._clock() - self._started)
