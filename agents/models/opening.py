"""Model strings: which provider answers, with which key, and whether its price is known."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from .budget import Budget, Ledger
from .errors import MissingKey, UnknownModel, UnknownPrice
from .gateway import ModelGateway
from .redact import settings
from .types import CallStore, Provider
from .usage import Usage

EXAMPLES = (
    "write for example openai/gpt-4o-mini, anthropic/claude-sonnet-4-5, openai/NAME with "
    "--base-url http://localhost:8080/v1, replay:FILE or manual:FOLDER"
)


def open_gateway(
    model: str,
    *,
    base_url: str | None = None,
    api_key_env: str | None = None,
    budget: Budget = Budget(),  # noqa: B008  (frozen)
    concurrency: int = 4,
    timeout_s: float = 120.0,
    retries: int = 4,
    fallback: str | None = None,
    store: CallStore | None = None,
    temperature: float | None = None,
    spent: Usage | None = None,
    together: ModelGateway | None = None,
) -> ModelGateway:
    """Open the gateway to a model; nothing is sent yet.

    Args:
        model: ``openai/NAME`` (any OpenAI-compatible endpoint), ``PROVIDER/NAME`` (LiteLLM),
            ``replay:FILE`` or ``manual:FOLDER``.
        base_url: The endpoint of ``model``, and of a fallback with the same provider.
        api_key_env: The variable that holds the key, in the environment or in ``.env``;
            ``OPENAI_API_KEY`` or the provider's own by default. An endpoint with a base URL of
            its own may need none.
        budget: Limits of the whole run.
        concurrency: How many requests may be under way at once (or prompts open at once).
        timeout_s: Limit of one request in seconds, from connecting to the last byte; a manual
            answer has none.
        retries: How often a failed request is sent again.
        fallback: Model string of who answers when ``model`` does not.
        store: Where answers are found and kept; in memory by default.
        temperature: Used where a request has none.
        spent: What earlier processes of the same run used, for the budget.
        together: Another gateway of the same run: both use up its one budget, and ``spent`` is its.

    Raises:
        UnknownModel: A model string cannot be understood.
        MissingKey: A key is needed and missing.
        UnknownPrice: A money budget for a model whose price is not known.
        BadRecording, ManualFolderError: The file or folder cannot be used.
        ValueError: A number is out of range.
    """
    if timeout_s <= 0:
        raise ValueError(f"timeout_s must be positive, not {timeout_s}")
    ledger = Ledger(budget, spent) if together is None else together.ledger
    values = settings()
    providers = [_provider(model, base_url, api_key_env, timeout_s, values, ledger)]
    if fallback is not None:
        same = split_model(fallback)[0] == split_model(model)[0]
        url, variable = (base_url, api_key_env) if same else (None, None)
        providers.append(_provider(fallback, url, variable, timeout_s, values, ledger))
    if budget.usd is not None:
        for provider in providers:
            _insist_on_price(provider)
    return ModelGateway(
        providers[0],
        budget=ledger,
        concurrency=concurrency,
        retries=retries,
        fallback=providers[1] if len(providers) > 1 else None,
        store=store,
        temperature=temperature,
    )


def _provider(
    model: str,
    base_url: str | None,
    api_key_env: str | None,
    timeout_s: float,
    values: Mapping[str, str],
    ledger: Ledger,
) -> Provider:
    kind, argument = split_model(model)
    if kind == "replay":
        from .providers.replay import ReplayProvider

        return ReplayProvider(Path(argument))
    if kind == "manual":
        from .providers.manual import ManualProvider

        return ManualProvider(Path(argument), check_time=ledger.check_time)
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise UnknownModel(
            "the base URL must begin with http:// or https://, such as http://localhost:8080/v1"
        )
    key = _key(api_key_env, values, model)
    if kind == "openai":
        from .providers.openai_api import OpenAIProvider

        return OpenAIProvider(
            argument,
            base_url=base_url or values.get("OPENAI_BASE_URL") or None,
            api_key=key or values.get("OPENAI_API_KEY") or None,
            timeout_s=timeout_s,
        )
    from .providers.litellm_api import LiteLLMProvider

    return LiteLLMProvider(
        model, base_url=base_url, api_key=key, timeout_s=timeout_s, values=values
    )


def split_model(model: str) -> tuple[str, str]:
    """Split a model string into its provider and the rest.

    Raises:
        UnknownModel: It is none; the message gives examples.
    """
    text = model.strip()
    for kind, what in (("replay", "file"), ("manual", "folder")):
        if text.startswith(f"{kind}:"):
            argument = text.removeprefix(f"{kind}:").strip()
            if not argument:
                raise UnknownModel(f"{model!r} names no {what}; {EXAMPLES}")
            return kind, argument
    provider, slash, name = text.partition("/")
    if slash and provider.strip() and name.strip() and not any(c.isspace() for c in text):
        return provider, name
    close = get_close_matches(text.partition(":")[0], ("replay", "manual", "openai"), n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    raise UnknownModel(f"the model {model!r} is not of the form PROVIDER/NAME{hint}; {EXAMPLES}")


def _key(variable: str | None, values: Mapping[str, str], model: str) -> str | None:
    if variable is None:
        return None
    if not values.get(variable):
        raise MissingKey(
            f"the variable {variable} with the key for {model} is not set; set it in the "
            "environment or in .env"
        )
    return values[variable]


def _insist_on_price(provider: Provider) -> None:
    known = getattr(provider, "priced", None)
    if known is None:
        known = getattr(provider, "price", None) is not None
    if not known:
        raise UnknownPrice(
            f"the price of {provider.name} is not known, so a money budget cannot be kept; limit "
            "calls or tokens instead"
        )
