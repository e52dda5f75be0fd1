"""List prices of models, from the price map inside the LiteLLM distribution.

The map is read as a file: importing LiteLLM takes seconds, reading the file some tens of
milliseconds, and neither goes to the network. Prices are list prices of plain input and output
tokens; discounts for cached input or batches are not taken off.
"""

import importlib.util
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

_MAP_FILE = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True)
class Price:
    """US dollars per token."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the price of one call, in US dollars."""
        return prompt_tokens * self.prompt + completion_tokens * self.completion


def price_of(provider: str, name: str) -> Price | None:
    """Return the list price of a model, or ``None`` where it is not known.

    Args:
        provider: LiteLLM's provider prefix, such as ``openai`` or ``anthropic``.
        name: The model's name at that provider.
    """
    prices = _price_map()
    entry = prices.get(f"{provider}/{name}") or prices.get(name)
    if not isinstance(entry, dict) or entry.get("litellm_provider") != provider:
        return None
    prompt, completion = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if not isinstance(prompt, int | float) or not isinstance(completion, int | float):
        return None
    return Price(float(prompt), float(completion))


@lru_cache(maxsize=1)
def _price_map() -> dict[str, Any]:
    found = importlib.util.find_spec("litellm")  # finds the folder, imports nothing
    for folder in (found.submodule_search_locations or ()) if found else ():
        try:
            loaded = json.loads((Path(folder) / _MAP_FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(loaded, dict):
            return loaded
    return {}
