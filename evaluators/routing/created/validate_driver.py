"""Calls ``validate`` of a created solver on plans and hands its verdicts over.

This file runs inside the sandbox as text: it may use numpy and the standard library only.
"""

import copy
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

KEPT, BROKEN, RAISED, NO_VERDICT = 1, 0, 2, 3
MESSAGE_BYTES = 300


def solve(
    heuristic: Callable[..., Any], inputs: dict[str, np.ndarray], device: str
) -> dict[str, np.ndarray]:
    """Return ``verdicts`` ``[C]`` and ``messages`` ``[C, 300]`` (UTF-8, zeros behind the text)."""
    program = sys.modules["candidate"]
    texts = [bytes(part).decode("utf-8") for part in _split(inputs["texts"], inputs["text_sizes"])]
    read: dict[int, tuple[Any, Any]] = {}
    verdicts, messages = [], []
    routes = _plans(inputs)
    for case, number in enumerate(inputs["text_of"].tolist()):
        try:
            if number not in read:
                instance = program.read_instance(texts[number])
                read[number] = (instance, program.distance_matrix(instance))
            instance, matrix = read[number]
            instance = dict(copy.deepcopy(instance))
            kinds = [vehicle for vehicle, _ in routes[case]]
            if inputs["several_types"][case]:
                instance["route_vehicles"] = kinds
            verdict, message = _verdict(
                heuristic([list(stops) for _, stops in routes[case]], instance, matrix.copy())
            )
        except Exception as error:  # noqa: BLE001 - programs raise anything; it concerns this case
            verdict, message = RAISED, f"{type(error).__name__}: {error}{_place(error)}"
        verdicts.append(verdict)
        messages.append(_bytes(message))
    return {"verdicts": np.array(verdicts, dtype=np.int64), "messages": np.stack(messages)}


def _verdict(answer: Any) -> tuple[int, str]:
    text = ""
    if isinstance(answer, tuple) and len(answer) == 2:
        answer, text = answer[0], str(answer[1])
        if isinstance(answer, (bool, np.bool_)):
            return (KEPT if answer else BROKEN), text
    return NO_VERDICT, f"it returned {type(answer).__name__}, wanted a pair (bool, str)"


def _split(values: np.ndarray, sizes: np.ndarray) -> list[np.ndarray]:
    return np.split(values, np.cumsum(sizes)[:-1]) if len(sizes) else []


def _plans(inputs: dict[str, np.ndarray]) -> list[list[tuple[int, list[int]]]]:
    """Return, for each case, vehicle type and stops of its routes."""
    stops = [part.tolist() for part in _split(inputs["stops"], inputs["lengths"])]
    routes = list(zip(inputs["vehicles"].tolist(), stops, strict=True))
    ends = np.cumsum(inputs["routes_of"]).tolist()
    return [routes[first:last] for first, last in zip([0, *ends[:-1]], ends, strict=True)]


def _place(error: BaseException) -> str:
    line, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == "<candidate>":
            line = step.tb_lineno
        step = step.tb_next
    return f" (line {line})" if line else ""


def _bytes(text: str) -> np.ndarray:
    raw = text.encode("utf-8", "replace")[:MESSAGE_BYTES]
    padded = np.zeros(MESSAGE_BYTES, dtype=np.uint8)
    padded[: len(raw)] = np.frombuffer(raw, dtype=np.uint8)
    return padded
