"""Scripted models for runs, and what they were asked."""

from typing import Any

from .runs import scripted_answer
from .scripted_endpoint import ScriptedEndpoint

Messages = list[dict[str, str]]


def answer(messages: Messages, _index: int) -> str:
    return scripted_answer(messages[-1]["content"])


def at(endpoint: ScriptedEndpoint, **fields: Any) -> dict[str, Any]:
    return {"model": "openai/scripted", "base_url": endpoint.base_url, "cpu_s": 2.0, **fields}


def prompts(endpoint: ScriptedEndpoint) -> list[str]:
    return [seen.messages[-1]["content"] for seen in endpoint.requests]


def broken(prompt: str) -> str:
    """Answer with a program that fails on its second line."""
    good = scripted_answer(prompt)
    head, _, rest = good.partition("    return")
    return f"{head}    missing = unknown_name\n    return{rest}"


def is_repair(prompt: str) -> bool:
    return "# What went wrong" in prompt


def is_lesson(prompt: str) -> bool:
    return "One lesson per line" in prompt


def sometimes_broken(messages: Messages, _index: int) -> str:
    """Break every program whose prompt shows nothing that exists; mend it when asked to."""
    prompt = messages[-1]["content"]
    fails = "What exists" not in prompt and not is_repair(prompt) and not is_lesson(prompt)
    return broken(prompt) if fails else scripted_answer(prompt)
