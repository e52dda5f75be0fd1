"""Solve rows in batches: as many at once as memory holds."""

import gc
import sys
from collections.abc import Callable
from typing import Any


def out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that there was not enough memory, here or on a device."""
    if isinstance(error, MemoryError):
        return True
    if not isinstance(error, RuntimeError):
        return False
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - __str__ is the candidate's own code
        return False
    on_device = "CUDA" in text and "out of memory" in text
    return "DefaultCPUAllocator" in text or on_device or "_STATUS_ALLOC_FAILED" in text


def in_batches(
    solve: Callable[[dict[str, Any]], dict[str, Any]],
    inputs: dict[str, Any],
    count: int,
    first: int,
    seed: Callable[[int], None],
) -> dict[str, Any]:
    """Solve ``first`` rows at a time, half as many when memory runs out, and join the results.

    Args:
        solve: what solves the rows of some inputs.
        inputs: arrays ``[count, ...]``.
        count: how many rows.
        first: how many are tried at once.
        seed: seeds all generators for the batch that begins at a row; what was drawn in an attempt
            that failed then does not matter.

    Raises:
        Exception: that of ``solve``, also for memory that is too small for one row.
    """
    at, size, tried = 0, min(first, count), False
    parts: list[dict[str, Any]] = []
    while at < count:
        if tried:
            seed(at)
        tried = True
        part = {key: array[at : at + size] for key, array in inputs.items()}
        try:
            found = solve(part)
        except Exception as error:  # whatever a candidate raises: only lack of memory stays here
            if size == 1 or not out_of_memory(error):
                raise
        else:
            parts.append(found)
            at += size
            continue
        # Only here, when the error with its frames and their tensors is gone.
        size = -(-size // 2)
        _give_memory_back()
    return _joined(parts)


def _give_memory_back() -> None:
    gc.collect()
    torch: Any = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def _joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    import numpy as np

    if len(parts) == 1:
        return parts[0]
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
