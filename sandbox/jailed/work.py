"""What a child does with a request: compile, seed, run, and say how it ended in one frame."""

import inspect
import json
import math
import mmap
import os
import random
import struct
import sys
import types
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from . import batches, prepare

CANDIDATE = "<candidate>"
DRIVER = "<driver>"
DTYPES = ("<f8", "<f4", "<i8", "<i4", "|u1", "|b1")
MESSAGE_CAP = 2000
NAME_CAP = 100
MAX_ARRAYS = 64
SMALL_FRAME = 1 << 16


class Failed(Exception):
    """The run ended in something else than ok."""

    def __init__(self, kind: str, name: str, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.kind, self.name, self.message, self.line = kind, name, message, line


def read_request(descriptor: int) -> dict[str, Any]:
    """Load the sealed request."""
    with mmap.mmap(descriptor, 0, mmap.MAP_SHARED, mmap.PROT_READ) as view:
        loaded: dict[str, Any] = json.loads(view[:])
    return loaded


def map_inputs(descriptor: int) -> dict[str, Any]:
    """Map the sealed inputs and return read-only arrays over them."""
    import numpy as np

    view = mmap.mmap(descriptor, 0, mmap.MAP_SHARED, mmap.PROT_READ)
    (length,) = struct.unpack_from("<I", view)
    table = json.loads(view[4 : 4 + length])
    start = -(-(4 + length) // 64) * 64
    arrays = {}
    for key, (dtype, shape, offset) in table.items():
        count = math.prod(shape)
        if count:
            arrays[key] = np.frombuffer(view, dtype, count, start + offset).reshape(shape)
        else:
            arrays[key] = np.zeros(shape, dtype)
            arrays[key].flags.writeable = False
    return arrays


def seed_everything(seed: int, kind: str | None = None) -> None:
    """Seed the global generators of random, numpy and torch; forked children share the last two.

    Only torch's generator of the CPU: ``torch.manual_seed`` also prepares every other device, which
    costs 5 ms in a forked child and changes nothing here. ``kind`` is a prepared worker's device.
    """
    import numpy as np
    import torch

    random.seed(seed)
    np.random.seed(seed if seed < 2**32 else [seed & 0xFFFFFFFF, seed >> 32])
    torch.default_generator.manual_seed(seed)
    if kind is not None:
        prepare.seed(kind, seed)


def perform(request: dict[str, Any], inputs_descriptor: int) -> tuple[bytes, list[Any]]:
    """Run the program of a request and return the frame's head and its arrays."""
    try:
        driver, heuristic, inputs = _prepared(request, inputs_descriptor)

        def solve(inputs: dict[str, Any]) -> Any:
            return driver.solve(heuristic, inputs, request["device"])

        if request["rows"] is None:
            return _success(solve(inputs))

        count, first = request["rows"]

        def seed(row: int) -> None:
            seed_everything((request["seed"] + row) % 2**63, request["kind"])

        return _success(batches.in_batches(solve, inputs, count, first, seed))
    except BaseException as error:  # noqa: BLE001 - a candidate may raise anything
        return _failure(error)


def perform_steps(
    request: dict[str, Any], inputs_descriptor: int, steps: int, results: int
) -> None:
    """Answer observations with decisions until the parent closes the pipe of steps.

    The driver's ``start(heuristic, inputs, device)`` returns a function of one observation (a dict
    of read-only arrays) that returns the decisions (a dict of arrays).
    """
    try:
        driver, heuristic, inputs = _prepared(request, inputs_descriptor)
        answer = driver.start(heuristic, inputs, request["device"])
        send(results, *_success({}))
        last: LastResult | None = None
        for observation in _observations(request["steps"], steps):
            result = answer(observation)
            frame = None if last is None else last.filled(result)
            if frame is not None:
                send(results, frame, [])
                continue
            head, arrays = _success(result)
            send(results, head, arrays)
            if sum(array.nbytes for array in arrays) <= SMALL_FRAME:
                last = LastResult(head, arrays, list(result))
    except BaseException as error:  # noqa: BLE001 - a candidate may raise anything
        send(results, *_failure(error))


def _observations(specs: dict[str, Any], descriptor: int) -> Iterator[dict[str, Any]]:
    import numpy as np

    places, total = [], 1  # one byte of tag, so that a step without arrays can be seen
    for key, (dtype, shape) in specs.items():
        count = math.prod(shape)
        places.append((key, dtype, shape, count, total))
        total += count * np.dtype(dtype).itemsize
    while data := _read_whole(descriptor, total):
        yield {
            key: np.frombuffer(data, dtype, count, at).reshape(shape)
            for key, dtype, shape, count, at in places
        }


def _read_whole(descriptor: int, total: int) -> bytes:
    """Read ``total`` bytes; none at the end of the pipe."""
    first = os.read(descriptor, min(total, 1 << 20))
    if len(first) == total or not first:
        return first
    raw = bytearray(first)
    while len(raw) < total:
        piece = os.read(descriptor, min(total - len(raw), 1 << 20))
        if not piece:
            return b""
        raw += piece
    return bytes(raw)


class LastResult:
    """The form of the last result: one of the same form needs no new head and no new checks."""

    def __init__(self, head: bytes, arrays: list[Any], keys: list[str]) -> None:
        import numpy as np

        self.head, self.keys, self.array = head, keys, np.ndarray
        self.forms = [(key, one.dtype, one.shape) for key, one in zip(keys, arrays, strict=True)]

    def filled(self, result: Any) -> bytes | None:
        """Return the whole frame of a result of this form, or None for any other result."""
        if type(result) is not dict or list(result) != self.keys:
            return None
        parts = [self.head]
        for key, dtype, shape in self.forms:
            array = result[key]
            # dtype objects of the standard types are shared; another one takes the long way
            if type(array) is not self.array or array.dtype is not dtype or array.shape != shape:
                return None
            parts.append(array.tobytes())
        return b"".join(parts)


def _success(result: Any) -> tuple[bytes, list[Any]]:
    arrays = _checked(result)
    described = tuple((key, one.dtype.str, one.shape) for key, one in arrays.items())
    return _head_of(described), list(arrays.values())


def _failure(error: BaseException) -> tuple[bytes, list[Any]]:
    failure = error if isinstance(error, Failed) else _classified(error)
    header = {
        "kind": failure.kind,
        "type": _plain(failure.name, NAME_CAP),
        "message": _plain(failure.message, MESSAGE_CAP),
        "line": failure.line,
    }
    return _head(header), []


def send(descriptor: int, head: bytes, arrays: list[Any]) -> None:
    """Write a frame; a small one at once, so that its reader wakes up once."""
    parts = [head, *(array.reshape(-1).view("u1").data for array in arrays if array.size)]
    if sum(map(len, parts)) <= SMALL_FRAME:
        parts = [b"".join(parts)]
    for part in parts:
        view = memoryview(part)
        while view:
            view = view[os.write(descriptor, view) :]


def _prepared(request: dict[str, Any], inputs_descriptor: int) -> tuple[Any, Any, dict[str, Any]]:
    """Load driver and candidate and return driver, guarded heuristic and inputs."""
    name = request["function"]
    candidate_code = _compiled(request["code"])
    driver = _module("driver", compile(request["driver"], DRIVER, "exec", dont_inherit=True))
    inputs = map_inputs(inputs_descriptor)
    if request["device_bytes"] is not None:
        prepare.allow(request["kind"], request["device_bytes"])
    seed_everything(request["seed"], request["kind"])
    candidate = _module("candidate", candidate_code)
    function = candidate.__dict__.get(name)
    if not callable(function):
        state = "is not a function" if name in candidate.__dict__ else "is not defined"
        raise Failed("candidate_error", "NameError", f"the function {name!r} {state}")
    seed_everything(request["seed"], request["kind"])
    return driver, _guarded(function, name), inputs


def _compiled(source: str) -> types.CodeType:
    try:
        return compile(source, CANDIDATE, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = error.lineno if error.lineno and error.lineno > 0 else None
        raise Failed("syntax_error", type(error).__name__, str(error.msg), line) from None
    except (ValueError, OverflowError, RecursionError, MemoryError) as error:
        message = str(error) or "the parser cannot read this source"
        raise Failed("syntax_error", type(error).__name__, message) from None


def _module(name: str, code: types.CodeType) -> types.ModuleType:
    module = types.ModuleType(name)
    sys.modules[name] = module  # dataclasses and pickling look their module up
    exec(code, module.__dict__)
    return module


def _guarded(function: Any, name: str) -> Any:
    def heuristic(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                raise _call_failure(function, name, error, args, kwargs) from error
            raise

    return heuristic


def _call_failure(
    function: Any, name: str, error: TypeError, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Failed:
    line = None
    if isinstance(function, types.FunctionType):
        line = function.__code__.co_firstlineno
    try:
        inspect.signature(function).bind(*args, **kwargs)
        message = str(error)
    except (TypeError, ValueError):
        message = f"{name}{_signature(function)} cannot take the call: {error}"
    return Failed("candidate_error", "TypeError", message, line)


def _signature(function: Any) -> str:
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return "(...)"


def _classified(error: BaseException) -> Failed:
    name = _name(error)
    message = _message(error)
    line, theirs = _line(error)
    if isinstance(error, SystemExit):
        return Failed("crash", name, "the program ended itself with SystemExit", line)
    if batches.out_of_memory(error):
        return Failed("memory", name, message, line)
    declared = getattr(type(error), "outcome", None)
    if declared in ("bad_result", "infeasible"):
        return Failed(str(declared), name, message, line)
    if theirs:
        return Failed("candidate_error", name, message, line)
    return Failed("bad_result", name, f"the driver could not use the result: {name}: {message}")


def _line(error: BaseException) -> tuple[int | None, bool]:
    """Return the deepest line inside the candidate, and whether it was running at all."""
    line, theirs = None, False
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename == CANDIDATE:
            line, theirs = step.tb_lineno, True
        elif code.co_name == "heuristic" and code.co_filename == _guarded.__code__.co_filename:
            theirs = True
        step = step.tb_next
    return line, theirs


def _name(error: BaseException) -> str:
    try:
        return str(type(error).__name__)
    except BaseException:  # noqa: BLE001 - a metaclass may do anything
        return "Exception"


def _message(error: BaseException) -> str:
    try:
        return str(error) or "(it has no text)"
    except BaseException as second:  # noqa: BLE001 - __str__ is the candidate's own code
        return f"(its text could not be read: {type(second).__name__})"


def _checked(result: Any) -> dict[str, Any]:
    import numpy as np

    if not isinstance(result, dict):
        raise _bad(f"the driver returned {_name_of(result)} instead of a dict of arrays")
    if len(result) > MAX_ARRAYS:
        raise _bad(f"the result has {len(result)} arrays")
    arrays = {}
    for key, value in result.items():
        if not isinstance(key, str) or len(key) > NAME_CAP:
            raise _bad("the result has a key that is not a short text")
        if not isinstance(value, np.ndarray):
            raise _bad(f"{key!r} is {_name_of(value)}, not a numpy array")
        if value.dtype.str not in DTYPES:
            raise _bad(f"{key!r} has data type {value.dtype}; wanted one of {', '.join(DTYPES)}")
        arrays[key] = np.ascontiguousarray(value).reshape(value.shape)
    return arrays


def _bad(message: str) -> Failed:
    return Failed("bad_result", "ValueError", message)


def _name_of(value: Any) -> str:
    return f"a {type(value).__name__}"


def _plain(text: str, cap: int) -> str:
    shown = text[: cap + 1].encode("utf-8", "backslashreplace").decode("utf-8")
    return shown[: cap + 1]


def _head(header: dict[str, Any]) -> bytes:
    body = json.dumps(header, ensure_ascii=False).encode()
    return struct.pack("<4sI", b"EUR1", len(body)) + body


@lru_cache(maxsize=4)
def _head_of(described: tuple[tuple[str, str, tuple[int, ...]], ...]) -> bytes:
    """Return the head of a result; in a session it is the same at every step."""
    return _head({"kind": "ok", "arrays": described})
