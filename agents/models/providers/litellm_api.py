"""Every other provider, through LiteLLM, which is imported only when such a model is opened."""

import json
import logging
import os
import time
from collections.abc import Mapping
from typing import Any

from ..errors import CallTimedOut, ConnectionFailed, MissingKey, ModelError, UnknownModel
from ..prices import Price, price_of
from ..redact import Secrets, secrets_among
from ..types import ModelReply, ModelRequest
from .answers import read_chat_completion
from .deadline import DeadlineLoop
from .faults import refused


class LiteLLMProvider:
    """Asks one model of any provider that LiteLLM knows.

    LiteLLM finds the provider's credentials in the environment by itself; what ``.env`` says is
    handed over there too, for some providers need several variables.

    Args:
        model: ``PROVIDER/NAME`` as LiteLLM spells it.
        base_url: Another endpoint of that provider, if any.
        api_key: A key to use in place of the provider's own variable.
        timeout_s: Wall-clock limit of one try, all in all.
        values: Environment and ``.env``, see `settings`.

    Raises:
        UnknownModel: LiteLLM does not know the provider.
        MissingKey: A variable that the provider needs is not set.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 120.0,
        values: Mapping[str, str] | None = None,
    ) -> None:
        self.name = model
        self._base_url = base_url
        self._key = api_key
        self._timeout_s = timeout_s
        known = dict(values or {})
        self._secrets = Secrets([api_key, *secrets_among(known)])
        for name, value in known.items():
            os.environ.setdefault(name, value)
        litellm = _import_litellm()
        try:
            self._provider = str(litellm.get_llm_provider(model)[1])
        except Exception:  # noqa: BLE001  (its own BadRequestError, and others for odd strings)
            raise UnknownModel(
                f"the provider in {model!r} is not known to LiteLLM; write for example "
                "openai/gpt-4o-mini, anthropic/claude-sonnet-4-5, replay:FILE or manual:FOLDER"
            ) from None
        if api_key is None and base_url is None:
            missing = litellm.validate_environment(model).get("missing_keys") or []
            if missing:
                raise MissingKey(
                    f"no key for {model}: set {' or '.join(missing)} in the environment or in .env"
                )
        self._left_out: set[str] = set()
        self._loop = DeadlineLoop()

    def __repr__(self) -> str:
        return f"LiteLLMProvider({self.name!r})"

    @property
    def price(self) -> Price | None:
        """The list price, if known and if the endpoint is the provider's own."""
        if self._base_url is not None:
            return None
        return price_of(self._provider, self.name.removeprefix(f"{self._provider}/"))

    def complete(self, request: ModelRequest) -> ModelReply:
        """Send one request and read the answer.

        Raises:
            ModelError: What went wrong, by kind; no message holds a key.
        """
        started = time.perf_counter()
        failure: ModelError
        try:
            body = self._loop.run(self._post(request), self._timeout_s)
        except ModelError:
            raise
        except TimeoutError:
            failure = self._timed_out()
        except Exception as error:  # noqa: BLE001  (its own and its providers' exceptions alike)
            failure = self._explain(error)
        else:
            return read_chat_completion(
                body,
                request,
                where=self.name,
                model=self.name,
                price=self.price,
                latency_s=time.perf_counter() - started,
                secrets=self._secrets,
            )
        raise failure  # outside the handler, so that LiteLLM's error, with its request, stays out

    def close(self) -> None:
        """End the calls under way."""
        self._loop.close()

    async def _post(self, request: ModelRequest) -> str:
        litellm = _import_litellm()
        optional: dict[str, Any] = {
            "temperature": request.temperature,
            "seed": None if request.seed is None else request.seed % 2**31,
            "max_tokens": request.max_tokens,
            "api_base": self._base_url,
            "api_key": self._key,
        }
        if request.json_schema is not None:
            schema = {"name": "answer", "schema": dict(request.json_schema), "strict": True}
            optional["response_format"] = {"type": "json_schema", "json_schema": schema}
        response = await litellm.acompletion(
            model=self.name,
            messages=[{"role": m.role, "content": m.content} for m in request.messages],
            timeout=self._timeout_s,
            num_retries=0,
            max_retries=0,
            drop_params=True,  # a provider without a seed still answers
            **{k: v for k, v in optional.items() if v is not None and k not in self._left_out},
        )
        return json.dumps(response.model_dump(), default=str)

    def _timed_out(self) -> CallTimedOut:
        return CallTimedOut(
            f"{self.name} gave no complete answer within {self._timeout_s:g} s; try again later, "
            "or allow more time per call"
        )

    def _explain(self, error: Exception) -> ModelError:
        kind = type(error).__name__
        if kind == "Timeout":
            return self._timed_out()
        status = getattr(error, "status_code", None)
        if kind == "APIConnectionError" or not isinstance(status, int) or status < 400:
            reason = self._secrets.in_error(" ".join(str(error).split()))[:200]
            return ConnectionFailed(
                f"no connection to {self.name} ({kind}: {reason}); check the network, the model "
                "name and --base-url"
            )
        response = getattr(error, "response", None)
        headers = getattr(error, "litellm_response_headers", None)
        headers = headers or getattr(response, "headers", None) or {}
        lower = {str(name).lower(): str(value) for name, value in headers.items()}
        return refused(self.name, status, lower, str(error), self._secrets, self._left_out)


def _import_litellm() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it fetches prices at import
    os.environ.setdefault("LITELLM_LOG", "ERROR")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return litellm
