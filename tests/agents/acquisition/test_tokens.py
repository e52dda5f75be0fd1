"""What fifty steps cost in tokens, counted with a tokenizer that comes inside litellm."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from scripted_endpoint import ScriptedEndpoint
from support.acquisition_states import Told, make_state

from eurisko.agents.acquisition.naming import make_strategist
from eurisko.agents.acquisition.settings import OptimisationSettings, Target
from eurisko.agents.models import open_gateway
from eurisko.evaluators.bayesopt import arms

STEPS = 50
REASON = "the model predicts well and the last improvement was close, so search on around it"


@cache
def tokenizer() -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="litellm's tokenizer needs tokenizers")
    spec = find_spec("litellm")
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"
    path = folder / "anthropic_tokenizer.json"
    if not path.exists():
        pytest.skip("this litellm carries no tokenizer")
    return tokenizers.Tokenizer.from_file(str(path))


def input_tokens(recall: str, endpoint: ScriptedEndpoint) -> int:
    """Ask at fifty states of growing history, as a run does, and count what was sent."""
    settings = OptimisationSettings(
        target=Target(kind="function", name="hartmann6"),
        strategist="lmabo",
        model="openai/scripted",
        base_url=endpoint.base_url,
        recall=recall,
    )
    before = len(endpoint.requests)
    memory: Any = {}
    history: list[tuple[str, bool]] = []
    gateway = open_gateway("openai/scripted", base_url=endpoint.base_url)
    try:
        strategist = make_strategist(settings, gateway)
        for step in range(STEPS):
            state = make_state(history, remaining=STEPS - step, arms=arms())
            choice = strategist.choose(state, Told(), memory, None)  # type: ignore[arg-type]
            memory = choice.memory
            history.append((choice.arm, step % 4 == 0))
    finally:
        gateway.close()
    sent = endpoint.requests[before:]
    assert len(sent) == STEPS
    texts = (one["content"] for request in sent for one in request.messages)
    return sum(len(tokenizer().encode(text).ids) for text in texts)


def test_fifty_stateless_steps_fit_into_sixty_thousand_tokens(scripted_endpoint: Any) -> None:
    """The stateless prompts of fifty steps stay within 60k input tokens; the growing chat doesn't."""
    endpoint = scripted_endpoint(lambda messages, index: f"LogEI: {REASON}")
    stateless = input_tokens("recent", endpoint)
    growing = input_tokens("full", endpoint)
    print(f"input tokens of {STEPS} steps: {stateless} stateless, {growing} as a growing chat")
    assert stateless <= 60_000
    assert growing > 3 * stateless
