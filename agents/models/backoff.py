"""How long to wait before the next try."""

import math
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_S = 1.0
CAP_S = 60.0


def delay_s(attempt: int, retry_after: float | None, rng: random.Random) -> float:
    """Return the seconds to wait after try number ``attempt`` (from 1) failed.

    What the server asks for counts, up to a minute; otherwise exponential back-off with jitter,
    so that callers that failed together do not come back together.
    """
    if retry_after is not None:
        return min(max(retry_after, 0.0), CAP_S)
    ceiling = min(CAP_S, FIRST_S * 2.0 ** min(attempt - 1, 16))
    return ceiling * (0.5 + 0.5 * rng.random())


def retry_after_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Read ``retry-after-ms`` or ``Retry-After`` (seconds or an HTTP date, RFC 9110 10.2.3).

    Args:
        headers: Response headers with lower-case names.
        now: The present moment, for a date.
    """
    try:
        return _finite(float(headers["retry-after-ms"]) / 1000.0)
    except (KeyError, ValueError):
        pass
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return _finite(float(value))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())


def _finite(seconds: float) -> float | None:
    return max(0.0, seconds) if math.isfinite(seconds) else None
