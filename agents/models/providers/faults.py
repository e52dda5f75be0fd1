"""An HTTP error status becomes one of our errors, with a sentence that says what to check."""

import json
from collections.abc import Mapping
from typing import Any

from ..backoff import retry_after_s
from ..errors import (
    AccessDenied,
    ModelError,
    ModelNotFound,
    ParameterRefused,
    RateLimited,
    RequestRefused,
    ServerFault,
)
from ..redact import Secrets

_OPTIONAL = ("temperature", "seed", "max_tokens", "response_format")
_NO_CREDIT = {"insufficient_quota", "billing_hard_limit_reached"}


def refused(
    where: str,
    status: int,
    headers: Mapping[str, str],
    body: str,
    secrets: Secrets,
    left_out: set[str],
) -> ModelError:
    """Return the error for a response with an error status.

    Args:
        where: Model and endpoint, for the message.
        status: HTTP status, 400 or more.
        headers: Response headers with lower-case names.
        body: Response body as text.
        secrets: What must not appear in the message.
        left_out: Optional parameters that the server refused; grows by what it refuses now.
    """
    detail = _detail(body)
    said = secrets.in_error(_one_line(str(detail.get("message") or body)))
    said = f": {said}" if said else ""
    wait = retry_after_s(headers)
    if status == 402 or str(detail.get("code")) in _NO_CREDIT:
        return AccessDenied(
            f"{where} refuses for lack of credit ({status}){said}; check the account"
        )
    if status == 401:
        return AccessDenied(f"{where} refuses the key (401){said}; check the key's variable")
    if status == 403:
        return AccessDenied(
            f"{where} forbids the call (403){said}; check the key and what it may use"
        )
    if status == 404:
        return ModelNotFound(
            f"{where} is not found (404){said}; check the model name and --base-url"
        )
    if status == 429:
        return RateLimited(
            f"{where} is asked too often (429){said}; lower the concurrency", retry_after=wait
        )
    if status in (408, 409) or status >= 500:
        return ServerFault(f"{where} failed ({status}){said}; try again later", retry_after=wait)
    name = _refused_parameter(detail, left_out)
    if status == 400 and name:
        left_out.add(name)
        return ParameterRefused(f"{where} does not take {name} (400){said}", retry_after=0.0)
    return RequestRefused(
        f"{where} refuses the request ({status}){said}; check the model name, the length of the "
        "prompt and --base-url"
    )


def _refused_parameter(detail: Mapping[str, Any], left_out: set[str]) -> str | None:
    name = detail.get("param")
    about = str(detail.get("code") or "") + " " + str(detail.get("message") or "")
    if name in _OPTIONAL and name not in left_out and "unsupported" in about.lower():
        return str(name)
    return None


def _detail(body: str) -> Mapping[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    inner = found.get("error", found) if isinstance(found, dict) else {}
    return inner if isinstance(inner, dict) else {"message": str(inner)}


def _one_line(text: str, most: int = 300) -> str:
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else line[:most] + " ..."
