"""Calls a generated rule's ``check`` on plans and hands its verdicts over.

This file runs inside the sandbox as text: it may use numpy and the standard library only.
"""

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np

KEPT, BROKEN, RAISED, NO_VERDICT = 1, 0, 2, 3
MESSAGE_BYTES = 300
TIMES = ("arrival", "start", "departure")


def solve(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Return ``verdicts`` ``[C]`` and ``messages`` ``[C, 300]`` (UTF-8, zeros behind the text)."""
    instance: dict[str, Any] = {
        key.partition(".")[2]: value for key, value in inputs.items() if key.startswith("instance.")
    }
    instance["node_ids"] = json.loads(bytes(inputs["node_ids"]).decode("utf-8"))
    ends = np.cumsum(inputs["lengths"])[:-1]
    stops = [part.tolist() for part in np.split(inputs["stops"], ends)]
    times = {key: [part.tolist() for part in np.split(inputs[key], ends)] for key in TIMES}
    verdicts, messages = [], []
    first = 0
    for count in inputs["routes_of"].tolist():
        here = slice(first, first + count)
        first += count
        plan = (stops[here], inputs["vehicles"][here].tolist())
        verdict, message = _verdict(
            heuristic, plan, {k: v[here] for k, v in times.items()}, instance
        )
        verdicts.append(verdict)
        messages.append(_bytes(message))
    return {"verdicts": np.array(verdicts, dtype=np.int64), "messages": np.stack(messages)}


def _verdict(
    check: Callable[..., Any],
    plan: tuple[list[list[int]], list[int]],
    times: dict[str, list[list[float]]],
    instance: dict[str, Any],
) -> tuple[int, str]:
    try:
        answer = check(*copy.deepcopy(plan), copy.deepcopy(times), copy.deepcopy(instance))
        if isinstance(answer, tuple) and len(answer) == 2:
            kept, message = answer[0], str(answer[1])
            if isinstance(kept, (bool, np.bool_)):
                return (KEPT if kept else BROKEN), message
        return NO_VERDICT, f"it returned {type(answer).__name__}, wanted a pair (bool, str)"
    except Exception as error:  # noqa: BLE001 - rules raise anything; it concerns this plan
        return RAISED, f"{type(error).__name__}: {error}"


def _bytes(text: str) -> np.ndarray:
    raw = text.encode("utf-8", "replace")[:MESSAGE_BYTES]
    padded = np.zeros(MESSAGE_BYTES, dtype=np.uint8)
    padded[: len(raw)] = np.frombuffer(raw, dtype=np.uint8)
    return padded
