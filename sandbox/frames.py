"""Reads the one frame that a child sends; every byte of it is untrusted.

A frame is ``EUR1``, a little-endian 32-bit header length (at most ``HEADER_CAP``), a JSON header,
then the raw arrays in the header's order. The header is either
``{"kind": "ok", "arrays": [[key, dtype, shape], ...]}`` or
``{"kind": KIND, "type": str, "message": str, "line": int | null}``. The parent knows keys, data
types and shapes beforehand, so it never holds more than it expects.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from .limits import ITEM_BYTES, ArraySpec
from .outcome import OutcomeKind, no_arrays
from .text import clean_text

MAGIC = b"EUR1"
PREFIX = struct.Struct("<4sI")
HEADER_CAP = 16 * 1024
MESSAGE_CAP = 2000
NAME_CAP = 100

# What a child may say of itself; the other kinds are decided outside.
CLAIMS = frozenset(
    {
        OutcomeKind.SYNTAX_ERROR,
        OutcomeKind.CANDIDATE_ERROR,
        OutcomeKind.MEMORY,
        OutcomeKind.CRASH,
        OutcomeKind.BAD_RESULT,
        OutcomeKind.INFEASIBLE,
    }
)


class FrameError(ValueError):
    """The bytes are not the frame that was agreed; the message says how."""


@dataclass(frozen=True)
class Reply:
    """A well-formed reply: what the child claims, and arrays of exactly the expected shapes."""

    kind: OutcomeKind
    arrays: Mapping[str, np.ndarray] = field(default_factory=no_arrays)
    error_type: str | None = None
    message: str = ""
    line: int | None = None


class FrameReader:
    """Collects one frame piece by piece and refuses it as soon as it goes wrong."""

    def __init__(self, expects: Mapping[str, ArraySpec]) -> None:
        self._expects = expects
        self._buffer = bytearray()
        self._reply: Reply | None = None
        self._order: list[str] = []
        self._total: int | None = None

    def steady(self) -> "SteadyFrame | None":
        """Return the form of a complete frame that is ok, or None for another one."""
        if self._reply is None or self._reply.kind is not OutcomeKind.OK or not self.complete:
            return None
        length = (self._total or 0) - sum(spec.nbytes for spec in self._expects.values())
        return SteadyFrame(bytes(self._buffer[:length]), self._order, self._expects)

    @property
    def started(self) -> bool:
        """Whether any byte has come."""
        return bool(self._buffer)

    @property
    def complete(self) -> bool:
        """Whether the whole frame has come."""
        return self._total is not None and len(self._buffer) >= self._total

    @property
    def wanted(self) -> int:
        """How many more bytes can be accepted, one more than allowed so that excess is seen."""
        total = PREFIX.size + HEADER_CAP if self._total is None else self._total
        return max(1, total + 1 - len(self._buffer))

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes.

        Raises:
            FrameError: when they cannot belong to the agreed frame.
        """
        self._buffer += chunk
        if self._total is None:
            self._begin()
        if self._total is not None and len(self._buffer) > self._total:
            raise FrameError("the reply has more bytes than it declares")

    def finish(self) -> Reply:
        """Return the reply once no more bytes can come.

        Raises:
            FrameError: when bytes are missing or an array holds impossible values.
        """
        if self._reply is None or self._total is None or len(self._buffer) < self._total:
            raise FrameError("the reply ends before its declared length")
        if self._reply.kind is not OutcomeKind.OK:
            return self._reply
        raw = bytes(self._buffer)
        at = self._total - sum(self._expects[key].nbytes for key in self._order)
        arrays = {}
        for key in self._order:
            spec = self._expects[key]
            arrays[key] = _array(raw, at, key, spec)
            at += spec.nbytes
        return Reply(OutcomeKind.OK, MappingProxyType(arrays))

    def _begin(self) -> None:
        if len(self._buffer) < PREFIX.size:
            return
        magic, length = PREFIX.unpack_from(self._buffer)
        if magic != MAGIC:
            raise FrameError("the reply does not begin like a frame")
        if length > HEADER_CAP:
            raise FrameError(f"the reply declares a header of {length} bytes")
        if len(self._buffer) < PREFIX.size + length:
            return
        header = _load(bytes(self._buffer[PREFIX.size : PREFIX.size + length]))
        self._total = PREFIX.size + length
        if header.get("kind") == "ok":
            self._order = _check_arrays(header, self._expects)
            self._reply = Reply(OutcomeKind.OK)
            self._total += sum(spec.nbytes for spec in self._expects.values())
        else:
            self._reply = _failure(header)


class SteadyFrame:
    """A frame whose head was checked before: the same bytes need no second check.

    ``length`` is that of the whole frame in bytes.
    """

    def __init__(self, head: bytes, order: list[str], expects: Mapping[str, ArraySpec]) -> None:
        self._head = head
        self._places: list[tuple[str, int, ArraySpec]] = []
        at = len(head)
        for key in order:
            self._places.append((key, at, expects[key]))
            at += expects[key].nbytes
        self.length = at

    def arrays(self, raw: bytes) -> Mapping[str, np.ndarray] | None:
        """Return the arrays of a whole frame with this head, or None for any other bytes.

        Raises:
            FrameError: when an array holds impossible values.
        """
        if len(raw) != self.length or not raw.startswith(self._head):
            return None
        return {key: _array(raw, at, key, spec) for key, at, spec in self._places}


def _load(raw: bytes) -> dict[str, Any]:
    try:
        header = json.loads(raw.decode("utf-8"), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise FrameError("the reply's header is not JSON") from error
    if not isinstance(header, dict):
        raise FrameError("the reply's header is not a JSON object")
    return header


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _failure(header: dict[str, Any]) -> Reply:
    kind, name, message, line = (header.get(k) for k in ("kind", "type", "message", "line"))
    if set(header) != {"kind", "type", "message", "line"}:
        raise FrameError("the reply's header has the wrong fields")
    if not (isinstance(kind, str) and isinstance(name, str) and isinstance(message, str)):
        raise FrameError("the reply's header has fields of the wrong type")
    if kind not in CLAIMS:
        raise FrameError("the reply claims a kind that a program may not claim")
    if line is not None and not (type(line) is int and 0 < line < 10_000_000):
        raise FrameError("the reply names an impossible line")
    return Reply(
        OutcomeKind(kind),
        error_type=clean_text(name, NAME_CAP) or None,
        message=clean_text(message, MESSAGE_CAP),
        line=line,
    )


def _check_arrays(header: dict[str, Any], expects: Mapping[str, ArraySpec]) -> list[str]:
    entries = header.get("arrays")
    if set(header) != {"kind", "arrays"} or not isinstance(entries, list):
        raise FrameError("the reply's header has the wrong fields")
    order: list[str] = []
    for entry in entries:
        if not (isinstance(entry, list) and len(entry) == 3 and isinstance(entry[0], str)):
            raise FrameError("the reply's header describes an array wrongly")
        key, dtype, shape = entry
        shown = clean_text(key, NAME_CAP)
        if key in order:
            raise FrameError(f"the result has {shown!r} twice")
        if key not in expects:
            wanted = ", ".join(map(repr, expects)) or "nothing"
            raise FrameError(f"the result has an unexpected array {shown!r}; wanted {wanted}")
        _check_array(shown, dtype, shape, expects[key])
        order.append(key)
    for key in expects:
        if key not in order:
            raise FrameError(f"the result lacks the array {key!r}")
    return order


def _check_array(shown: str, dtype: object, shape: object, spec: ArraySpec) -> None:
    if dtype != spec.dtype or not isinstance(dtype, str):
        got = clean_text(str(dtype), NAME_CAP) if isinstance(dtype, str) else "no text"
        raise FrameError(f"{shown!r} has data type {got}; wanted {spec.dtype}")
    if not isinstance(shape, list) or any(type(n) is not int for n in shape):
        raise FrameError(f"{shown!r} has no proper shape; wanted {spec.shape}")
    if tuple(shape) != spec.shape:
        got = clean_text(str(tuple(shape)), NAME_CAP)
        raise FrameError(f"{shown!r} has shape {got}; wanted {spec.shape}")


def _array(raw: bytes, at: int, key: str, spec: ArraySpec) -> np.ndarray:
    count = spec.nbytes // ITEM_BYTES[spec.dtype]
    if spec.dtype == "|b1" and np.frombuffer(raw, "|u1", count, at).max(initial=0) > 1:
        raise FrameError(f"{key!r} holds bytes that are not booleans")
    return np.frombuffer(raw, spec.dtype, count, at).reshape(spec.shape)
