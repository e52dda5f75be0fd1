"""What chat and solve share: options of the model and of tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..agents.models import ModelGateway
    from ..agents.routing.creation import CreateSettings

Model = Annotated[
    str | None,
    typer.Option(
        envvar="EURISKO_MODEL",
        help="openai/NAME, PROVIDER/NAME through LiteLLM, replay:FILE or manual:FOLDER.",
    ),
]
BaseUrl = Annotated[
    str | None, typer.Option(envvar="EURISKO_BASE_URL", help="Address of the model's endpoint.")
]
KeyVariable = Annotated[
    str | None, typer.Option(help="Name of the environment variable that holds the model's key.")
]
ModelTimeout = Annotated[float, typer.Option(help="Seconds that one model call may take.")]

AllowUnsafe = Annotated[
    bool,
    typer.Option("--allow-unsafe-sandbox", help="Run even where programs are not confined."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", help="CSV: FIELD=COLUMN, such as delivery=boxes; can be repeated."),
]
IgnoredColumns = Annotated[
    list[str] | None, typer.Option("--ignore-column", help="CSV: a column that means nothing here.")
]


def csv_options(
    file: Path | None, columns: list[str] | None, ignored: list[str] | None
) -> dict[str, Any]:
    """Return the options of the reader of tables; none for another format.

    Raises:
        InputError: a mapping is not of the form FIELD=COLUMN, or the file is no table.
    """
    from ..evaluators.errors import InputError

    if not columns and not ignored:
        return {}
    wrong = next((one for one in columns or () if "=" not in one), None)
    if wrong is not None:
        raise InputError(f"--column {wrong}: write FIELD=COLUMN, such as delivery=boxes.")
    if file is None or file.suffix.lower() not in (".csv", ".tsv", ".txt"):
        raise InputError("--column and --ignore-column are for CSV files.")
    pairs = dict(one.split("=", 1) for one in columns or ())
    return {"form": "csv", "columns": pairs, "ignore": list(ignored or ())}


def open_model(
    model: str | None,
    base_url: str | None,
    api_key_env: str | None,
    timeout: float,
    calls: int | None,
    tokens: int | None,
    usd: float | None,
    seconds: float | None,
) -> "ModelGateway | None":
    """Open the gateway to a model, or return None where none is named."""
    if model is None:
        return None
    from ..agents.models import Budget, open_gateway

    return open_gateway(
        model,
        base_url=base_url,
        api_key_env=api_key_env,
        timeout_s=timeout,
        budget=Budget(calls, tokens, usd, seconds),
    )


def create_settings(
    model: str | None,
    base_url: str | None,
    api_key_env: str | None,
    timeout: float,
    calls: int | None,
    tokens: int | None,
    usd: float | None,
    seconds: float | None,
    allow_unsafe: bool,
) -> "CreateSettings | None":
    """Return the settings of solvers' creation, or None where no model is named."""
    if model is None:
        return None
    from ..agents.routing.creation import CreateBudgets, CreateSettings

    given = {"calls": calls, "tokens": tokens, "usd": usd, "seconds": seconds}
    limits = {key: one for key, one in given.items() if one is not None}
    budgets = CreateBudgets.model_validate(limits)
    return CreateSettings(
        model=model,
        base_url=base_url,
        api_key_env=api_key_env,
        model_timeout_s=timeout,
        budgets=budgets,
        allow_unsafe_sandbox=allow_unsafe,
    )


def usage_json(gateway: "ModelGateway | None") -> dict[str, Any] | None:
    """Return what a model was asked; None without one."""
    if gateway is None:
        return None
    usage = gateway.usage
    return {
        "model": gateway.model,
        "calls": usage.calls,
        "tokens": usage.tokens,
        "usd": usage.usd,
    }


def usage_words(gateway: "ModelGateway | None") -> str:
    """Return the same in words; nothing where no model was asked."""
    used = usage_json(gateway)
    if used is None or not used["calls"]:
        return ""
    money = "price unknown" if used["usd"] is None else f"${used['usd']:.4f}"
    return f"{used['calls']} calls to {used['model']}, {used['tokens']} tokens, {money}"
