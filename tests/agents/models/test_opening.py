"""Model strings, keys, prices, and what gets loaded."""

import json
import subprocess
import sys

import pytest

from eurisko.agents.models import Budget, UnknownModel, open_gateway
from eurisko.agents.models.errors import MissingKey, UnknownPrice
from eurisko.agents.models.prices import price_of


@pytest.mark.parametrize(
    "model",
    [
        "",
        "gpt-4o-mini",
        "openai/",
        "/gpt",
        "openai",
        "open ai/gpt",
        "replay:",
        "manual: ",
        "replay/",
    ],
)
def test_a_string_that_is_no_model(model):
    """What cannot be understood is refused with examples."""
    with pytest.raises(UnknownModel, match=r"replay:FILE.*manual:FOLDER") as caught:
        open_gateway(model)
    assert repr(model) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_close_guess():
    """A slip of the pen is named."""
    with pytest.raises(UnknownModel, match="did you mean replay"):
        open_gateway("repaly:run.jsonl")


def test_a_base_url_without_a_scheme():
    """A base URL that is none is said before anything is sent."""
    with pytest.raises(UnknownModel, match="http://"):
        open_gateway("openai/x", base_url="localhost:8080")


def test_a_missing_key_names_the_variable(monkeypatch):
    """OpenAI's own endpoint, and a variable that was named, need a key."""
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        open_gateway("openai/gpt-4o-mini")
    with pytest.raises(MissingKey, match="MY_KEY"):
        open_gateway("openai/x", base_url="http://127.0.0.1:9/v1", api_key_env="MY_KEY")


@pytest.mark.parametrize("where", ["environment", "file", "both"])
def test_the_key_comes_from_environment_or_file(
    where, scripted_endpoint, question, monkeypatch, tmp_path
):
    """Keys are read from the environment, else from .env, which stays out of the environment."""
    import os

    server = scripted_endpoint(["ok"])
    if where != "environment":
        (tmp_path / ".env").write_text("MY_KEY=from-the-file\n")
    if where != "file":
        monkeypatch.setenv("MY_KEY", "from-the-environment")
    with open_gateway("openai/x", base_url=server.base_url, api_key_env="MY_KEY") as gateway:
        gateway.ask(question())
        assert "from-the-" not in repr(gateway) + repr(vars(gateway))
    wanted = "from-the-file" if where == "file" else "from-the-environment"
    assert server.requests[0].headers["authorization"] == f"Bearer {wanted}"
    assert where != "file" or "MY_KEY" not in os.environ


def test_prices():
    """Prices equal those in LiteLLM's own map, and an unknown model has none."""
    import importlib.util
    from pathlib import Path

    folder = Path(importlib.util.find_spec("litellm").submodule_search_locations[0])
    prices = json.loads((folder / "model_prices_and_context_window_backup.json").read_text())
    entry = prices["gpt-4o-mini"]
    price = price_of("openai", "gpt-4o-mini")
    assert price.of(1000, 10) == pytest.approx(
        1000 * entry["input_cost_per_token"] + 10 * entry["output_cost_per_token"]
    )
    assert price_of("anthropic", "claude-sonnet-4-5") is not None
    assert price_of("openai", "claude-sonnet-4-5") is None, "another provider's model"
    assert price_of("openai", "no-such-model") is None


def test_a_money_budget_needs_a_price(monkeypatch, tmp_path):
    """A money budget that cannot be kept is refused; a known list price is accepted."""
    budget = Budget(usd=1.0)
    with pytest.raises(UnknownPrice, match="limit calls or tokens"):
        open_gateway("openai/gpt-4o-mini", base_url="http://127.0.0.1:9/v1", budget=budget)
    with pytest.raises(UnknownPrice):
        open_gateway(f"manual:{tmp_path}", budget=budget)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    open_gateway("openai/gpt-4o-mini", budget=budget).close()
    with pytest.raises(UnknownPrice):
        open_gateway("openai/no-such-model", budget=budget)


def test_a_fallback_of_another_kind_gets_no_key(scripted_endpoint, question, tmp_path):
    """Base URL and key belong to the first model; a replay as fallback needs neither."""
    from scripted_endpoint import Status

    from eurisko.agents.models import RecordedCall, write_recording

    call = RecordedCall("k", "heuristic", question("k").prompt_hash, "from the recording")
    write_recording([call], tmp_path / "r.jsonl")
    server = scripted_endpoint([Status(401)])
    with open_gateway(
        "openai/x", base_url=server.base_url, fallback=f"replay:{tmp_path / 'r.jsonl'}"
    ) as gateway:
        assert gateway.ask(question("k")).text == "from the recording"


def test_nothing_heavy_is_loaded(tmp_path):
    """Opening a replay loads no client library; an openai model loads no LiteLLM."""
    (tmp_path / "r.jsonl").write_text("")
    program = (
        "import sys\n"
        "from eurisko.agents.models import open_gateway\n"
        f"open_gateway('replay:{tmp_path / 'r.jsonl'}')\n"
        "print([m for m in ('openai', 'litellm', 'torch', 'jinja2') if m in sys.modules])\n"
        "open_gateway('openai/x', base_url='http://127.0.0.1:9/v1')._provider._connected()\n"
        "from eurisko.agents.models.prices import price_of; price_of('openai', 'gpt-4o-mini')\n"
        "print([m for m in ('litellm', 'torch') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["[]", "[]"], done.stderr
