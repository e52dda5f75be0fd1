"""What every command shares: errors as one sentence, and JSON on standard output."""

import functools
import json
import math
import sys
from collections.abc import Callable
from typing import Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer

P = ParamSpec("P")
R = TypeVar("R")

Device = Annotated[
    str,
    typer.Option(
        help="Where heuristics run: cpu, cuda (any graphics processor), cuda:N, or auto (cuda where "
        "there is one, else cpu)."
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output, nothing else.")
]


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object; numbers that JSON cannot hold become null."""
    sys.stdout.write(json.dumps(_finite(value), indent=2, ensure_ascii=False, default=str) + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def fail(message: str, *, as_json: bool = False, code: int = 1) -> NoReturn:
    """End the command with one sentence on standard error."""
    if as_json:
        print_json({"error": message})
    sys.stderr.write(f"Error: {message}\n")
    raise typer.Exit(code)


def known_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions whose message is meant for the user."""
    from ..agents.acquisition.errors import OptimisationError
    from ..agents.batch.errors import BatchError
    from ..agents.evolution.errors import EvolutionError
    from ..agents.evolution.offline import NoGrammar
    from ..agents.models import ModelError
    from ..agents.routing.creation.errors import CreationError
    from ..evaluators.errors import InputError
    from ..knowledge_base import KnowledgeBaseError
    from ..sandbox import SandboxError

    return (
        BatchError,
        CreationError,
        EvolutionError,
        InputError,
        KnowledgeBaseError,
        ModelError,
        NoGrammar,
        OptimisationError,
        SandboxError,
    )


def friendly(command: Callable[P, R]) -> Callable[P, R]:
    """Turn errors that are meant for the user into one sentence and exit status 1.

    Anything else is a defect of Eurisko and keeps its traceback.
    """

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        as_json = bool(kwargs.get("as_json"))
        try:
            return command(*args, **kwargs)
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:  # sorted by kind; what is not for the user is raised again
            if isinstance(error, known_errors()):
                fail(" ".join(str(error).split()), as_json=as_json)
            if type(error).__name__ == "ValidationError" and hasattr(error, "errors"):
                fail(_settings_error(error), as_json=as_json)
            raise

    return wrapper


def _settings_error(error: Any) -> str:
    """Return pydantic's first complaint as a sentence."""
    first = error.errors()[0]
    option = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if not option:  # a rule that joins several options: it names them itself
        return f"{message[:1].upper()}{message[1:]}."
    # What a validator of ours refuses may be a secret; plain types and ranges are shown.
    given = "" if first["type"] == "value_error" else f" (got {first.get('input')!r})"
    return f"Option {option} is not usable: {message}{given}."
