"""Secrets: where keys come from, and how they stay out of every text that we show or keep."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

HIDDEN = "[key hidden]"
_SHORTEST_IN_ERRORS = 4
_SHORTEST_IN_ANSWERS = 8  # shorter "keys" are words such as EMPTY, which code may well contain
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)


class Secrets:
    """Values that must never be shown. Its own repr shows none.

    Args:
        values: The secrets; empty ones are ignored.
    """

    def __init__(self, values: Iterable[str | None] = ()) -> None:
        found = {value for value in values if value}
        found |= {quote(value, safe="") for value in found}
        self._values = sorted(found, key=len, reverse=True)

    def __repr__(self) -> str:
        return f"Secrets({len(self._values)} hidden)"

    def in_error(self, text: str) -> str:
        """Return ``text`` without any secret."""
        return self._hide(text, _SHORTEST_IN_ERRORS)

    def in_answer(self, text: str) -> str:
        """Return a model's answer without any secret long enough not to be a plain word."""
        return self._hide(text, _SHORTEST_IN_ANSWERS)

    def _hide(self, text: str, shortest: int) -> str:
        for value in self._values:
            if len(value) >= shortest:
                text = text.replace(value, HIDDEN)
        return text


def settings() -> Mapping[str, str]:
    """Return the environment over what a ``.env`` file here or in a parent folder says.

    The values of the file are not put into the environment, so child processes do not see them.
    """
    from dotenv import dotenv_values, find_dotenv

    path = find_dotenv(usecwd=True)
    from_file = dotenv_values(path) if path and Path(path).is_file() else {}
    return {**{k: v for k, v in from_file.items() if v is not None}, **os.environ}


def secrets_among(values: Mapping[str, str]) -> list[str]:
    """Return the values whose names say that they are secret (``..._KEY``, ``..._TOKEN``)."""
    return [value for name, value in values.items() if _SECRET_NAME.search(name)]


def public_url(url: str) -> str:
    """Return ``url`` without user, password, query and fragment: fit for messages."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, "", ""))
    except ValueError:
        return "the given base URL"
