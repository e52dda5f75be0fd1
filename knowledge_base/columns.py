"""Types of columns that keep the same values on every database, and JSON that holds any number."""

import json
import math
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, Integer, TypeDecorator
from sqlalchemy import String as PlainString
from sqlalchemy import Text as PlainText

BigId = BigInteger().with_variant(Integer, "sqlite")
"""SQLite autoincrements only an INTEGER primary key."""

_NUMBER = "__float__"
"""The key of what stands in JSON for a number that JSON cannot hold."""
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class UtcDateTime(TypeDecorator[datetime]):
    """An instant: aware and in UTC in Python, whatever the database keeps."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Refuse naive times; store UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time must carry its time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Mark what SQLite returns as UTC; a server answers in its own time zone."""
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def clean(text: str) -> str:
    """Return a text without what databases refuse: NUL (PostgreSQL) and lone surrogates (all)."""
    if "\0" in text:
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(
            "\N{REPLACEMENT CHARACTER}" if "\ud800" <= c <= "\udfff" else c for c in text
        )
    return text


class String(TypeDecorator[str]):
    """A short text; programs and models wrote it, so it is cleaned."""

    impl = PlainString
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """Clean what is stored or looked for."""
        return None if value is None else clean(value)


class Cut(String):
    """A short text that only describes: cut where SQLite would not care and PostgreSQL refuse."""

    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """Clean and cut what is stored or looked for."""
        length: int | None = getattr(self.impl_instance, "length", None)
        return None if value is None else clean(value)[:length]


class Text(TypeDecorator[str]):
    """A long text; programs and models wrote it, so it is cleaned."""

    impl = PlainText
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """Clean what is stored or looked for."""
        return None if value is None else clean(value)


def to_json(value: Any) -> str:
    """Return JSON that every database takes: PostgreSQL refuses Python's NaN and Infinity."""
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        return json.dumps(_marked(value), allow_nan=False)


def from_json(text: str | bytes) -> Any:
    """Return what :func:`to_json` was given; the NaN of older versions' rows is read too."""
    marked = (_NUMBER if isinstance(text, str) else _NUMBER.encode()) in text  # type: ignore[operator]
    return json.loads(text, object_hook=_number) if marked else json.loads(text)


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _marked(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_marked(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {_NUMBER: repr(float(value))}
    return value


def _number(found: dict[str, Any]) -> Any:
    if len(found) == 1 and found.get(_NUMBER) in _NOT_FINITE:
        return _NOT_FINITE[found[_NUMBER]]
    return found
