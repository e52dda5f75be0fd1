"""Arrays that candidates see: written once into a sealed memory file, mapped by every child."""

import json
import os
import struct
import threading
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import numpy as np

from .limits import DTYPES
from .memfd import sealed

ALIGNMENT = 64


class Inputs:
    """Read-only arrays for many runs.

    Layout: little-endian 32-bit length of a JSON table ``{key: [dtype, shape, offset]}``, the
    table, then the arrays, each at a multiple of 64 bytes.

    Raises:
        TypeError: for a key that is no text.
        ValueError: for an array whose data type is not one of ``limits.DTYPES``.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        table: dict[str, tuple[str, tuple[int, ...], int]] = {}
        contiguous: list[np.ndarray] = []
        offset = 0
        for key, value in arrays.items():
            array = _checked(key, value)
            table[key] = (array.dtype.str, array.shape, offset)
            contiguous.append(array)
            offset += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
        header = json.dumps(table).encode()
        start = -(-(4 + len(header)) // ALIGNMENT) * ALIGNMENT
        parts: list[bytes | memoryview] = [
            struct.pack("<I", len(header)) + header + b" " * (start - 4 - len(header))
        ]
        for array in contiguous:
            parts.append(array.reshape(-1).view("u1").data if array.size else b"")
            parts.append(bytes(-array.nbytes % ALIGNMENT))
        self._lock = threading.Lock()
        self._descriptor: int | None = sealed("inputs", parts)
        self.nbytes = start + offset
        self._finalizer = weakref.finalize(self, os.close, self._descriptor)

    def duplicate(self) -> int:
        """Return a new descriptor of the memory file, owned by the caller.

        Raises:
            ValueError: when closed.
        """
        with self._lock:
            if self._descriptor is None:
                raise ValueError("these inputs are closed")
            return os.dup(self._descriptor)

    def close(self) -> None:
        """Release the memory; runs that already began keep theirs."""
        with self._lock:
            self._descriptor = None
            self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _checked(key: str, value: np.ndarray) -> np.ndarray:
    if not isinstance(key, str):
        raise TypeError(f"the name of an input must be text, got {key!r}")
    array = np.asarray(value)
    if array.dtype.str not in DTYPES:
        raise ValueError(
            f"input {key!r} has data type {array.dtype.str}; use one of {', '.join(DTYPES)}"
        )
    return np.ascontiguousarray(array).reshape(array.shape)
