"""The model of a conversation or of a solver's creation: options of the command line."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..agents.models import ModelGateway

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
