"""Why a model did not answer. Each message is one sentence: what, where, and what to do."""


class ModelError(RuntimeError):
    """A model call that gave no answer.

    Attributes:
        retryable: The same request may succeed later.
        fatal: No request to this model can succeed until somebody changes the set-up.
        retry_after: Seconds that the server asked to wait, if it did.
    """

    retryable = False
    fatal = False

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnknownModel(ModelError):
    """The model string cannot be understood, or its provider is not known."""

    fatal = True


class MissingKey(ModelError):
    """The provider needs a key and none was found."""

    fatal = True


class UnknownPrice(ModelError):
    """A money budget was asked for, and the model's price is not known."""

    fatal = True


class AccessDenied(ModelError):
    """The server refused the key (401, 403), or the account has no credit left."""

    fatal = True


class ModelNotFound(ModelError):
    """The server does not know the model or the path (404)."""

    fatal = True


class RequestRefused(ModelError):
    """The server refused this request (400, 413, 422); the same request would fail again."""


class ParameterRefused(ModelError):
    """The server refused one optional parameter; the next try leaves it out."""

    retryable = True


class RateLimited(ModelError):
    """Too many requests (429)."""

    retryable = True


class ServerFault(ModelError):
    """The server failed (408, 409, 5xx)."""

    retryable = True


class ConnectionFailed(ModelError):
    """The server could not be reached or cut the connection."""

    retryable = True


class CallTimedOut(ModelError):
    """No complete answer within the time limit of a call."""

    retryable = True


class BadReply(ModelError):
    """The server's answer is not what the protocol promises: no JSON, no choices, no text."""

    retryable = True


class BlankAnswer(BadReply):
    """The protocol was kept, and the answer holds no text."""


class EmptyAnswer(ModelError):
    """The model spent its whole token limit before it wrote an answer."""


class NoRecordedAnswer(ModelError):
    """A replay has no answer to this call."""

    fatal = True


class RecordedFailure(ModelError):
    """The call failed in the recorded run, and so it does in the replay."""


class BadRecording(ModelError):
    """A recording cannot be read."""

    fatal = True


class ManualFolderError(ModelError):
    """The folder of the manual provider cannot be used, or holds another run's files."""

    fatal = True


class GatewayClosed(ModelError):
    """The gateway was closed while the call waited."""


class BudgetExhausted(Exception):
    """A budget is used up: not a failure, a clean stop. Deliberately no `ModelError`.

    Args:
        limit: ``calls``, ``tokens``, ``usd`` or ``seconds``.
        used: What was used of it.
        allowed: What the budget allows.
    """

    def __init__(self, limit: str, used: float, allowed: float) -> None:
        super().__init__(
            f"the model budget is used up: {_amount(limit, used)} of {_amount(limit, allowed)}"
        )
        self.limit = limit
        self.used = used
        self.allowed = allowed


def _amount(limit: str, value: float) -> str:
    return f"${value:.4f}" if limit == "usd" else f"{value:,.0f} {limit}"
