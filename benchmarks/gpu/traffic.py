"""How many bytes of memory an operator must move at least, by its arguments and results.

Every tensor that it has to read whole is read once, every tensor that it gives is written once.
Elements that lie at one address (broadcast dimensions) count once; of tensors whose ranges of addresses
meet, the largest stands for all. What depends on values is left out of the sum:

- look-ups (gather, index, ...): indices and result; not the table, of which any part may be read;
- searches in sorted values: what is searched and the result; not what it is searched in;
- scatters: indices and values, not where they go;
- selections (where, masked_fill): condition, the smaller of two sources, and the result unless it
  is made in place.

A view moves nothing. Operators of other names have no bound here: factorisations and the like, whose
arithmetic counts, those that may stop early (any, all), and those whose data cross to another device.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

_WHOLE = """
    abs add amax amin argmax argmin bitwise_and bitwise_not bitwise_or bitwise_xor bmm cat ceil
    clamp clamp_max clamp_min clone copy cos cummax cummin cumprod cumsum div eq exp exp2 flip floor
    floor_divide fmod ge gt isnan le log log1p log2 logical_and logical_not logical_or logical_xor
    lt matmul max maximum mean min minimum mm mul ne neg nonzero pow prod reciprocal relu remainder
    repeat roll round rsqrt rsub sigmoid sign sin sort sqrt square stack std sub sum tanh topk var
    _to_copy __and__ __or__ __xor__
"""
WHOLE = frozenset(_WHOLE.split())
"""Read all their tensors and write all their results, also in place."""

_FILLS = """
    arange fill full full_like linspace new_full new_ones new_zeros normal ones ones_like rand
    randint randn random uniform zero zeros zeros_like
"""
FILLS = frozenset(_FILLS.split())
LOOKUPS = frozenset(("embedding", "gather", "index", "index_select", "take"))
SCATTERS = frozenset(("index_add", "index_copy", "index_put", "scatter", "scatter_add"))
SEARCHES = frozenset(("bucketize", "searchsorted"))
SELECTIONS = frozenset(("masked_fill", "where"))
_INDICES = ("index", "indices")


def least_bytes(
    function: Any, arguments: Sequence[Any], named: Mapping[str, Any], result: Any
) -> int | None:
    """Return the bytes that a call of an operator moved at least; None without an honest bound.

    Args:
        function: the overload of a torch operator, as a dispatch mode is given it.
        arguments: by position.
        named: by name.
        result: what it returned.
    """
    name = base_name(function)
    given = dict(_by_name(function, arguments, named))
    written = list(_tensors(result))
    fresh = [] if _changes(function) else written  # in place, parts may stay as they are
    read = [tensor for value in given.values() for tensor in _tensors(value)]
    if not written or between_devices(read, written):
        return None
    if not _changes(function) and _same_memory(written, read):
        return 0
    if name in FILLS:
        return _apart(written)
    if name in LOOKUPS:
        return _apart(_of(given, _INDICES)) + _apart(written)
    if name in SEARCHES:
        return _apart(_of(given, ("self",))) + _apart(written)
    if name in SCATTERS:
        return _apart(_of(given, (*_INDICES, "src", "source", "values"))) + _apart(fresh)
    if name in SELECTIONS:
        sources = [distinct_bytes(one) for one in _of(given, ("self", "other"))]
        least = min(sources) if len(sources) == 2 else 0
        return _apart(_of(given, ("condition", "mask"))) + least + _apart(fresh)
    if name in WHOLE:
        if name == "copy":
            read = list(_of(given, ("src",)))
        return _apart(read) + _apart(written)
    return None


def between_devices(*values: Any) -> bool:
    """Whether tensors lie on several devices; numbers among them do not count."""
    return len({one.device for one in _tensors(values) if one.dim()}) > 1


def base_name(function: Any) -> str:
    """Return an operator's name without overload and without the mark of a call in place."""
    name = str(function.overloadpacket.__name__)
    return name if name.endswith("__") else name.removesuffix("_")


def distinct_bytes(tensor: Tensor) -> int:
    """Return the bytes of a tensor's elements, those at the same address counted once.

    Exact where dimensions do not overlap; else a lower bound, of dimensions that do not.
    """
    if not tensor.numel():
        return 0
    count, reach = 1, 0
    for step, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if step > reach:
            count *= size
            reach += (size - 1) * step
    return count * tensor.element_size()


def _apart(tensors: Sequence[Tensor] | Iterator[Tensor]) -> int:
    """Return the bytes of several tensors: of those whose ranges meet only the largest."""
    total, until, largest = 0, 0, 0
    for tensor in sorted(tensors, key=Tensor.data_ptr):
        size = distinct_bytes(tensor)
        if tensor.data_ptr() >= until:
            total, largest = total + largest, 0
        largest = max(largest, size)
        until = max(until, tensor.data_ptr() + _span(tensor) if size else 0)
    return total + largest


def _span(tensor: Tensor) -> int:
    """Return the bytes from a tensor's first element to the end of its last one."""
    steps = zip(tensor.stride(), tensor.shape, strict=True)
    return (1 + sum((size - 1) * step for step, size in steps)) * tensor.element_size()


def _by_name(
    function: Any, arguments: Sequence[Any], named: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Pair arguments with their names, without those that only take the result."""
    schema = function._schema.arguments
    results = {argument.name for argument in schema if argument.is_out}
    for argument, value in zip(schema, arguments, strict=False):
        yield argument.name, value
    yield from ((name, value) for name, value in named.items() if name not in results)


def _changes(function: Any) -> bool:
    """Whether a call changes one of its inputs; memory that only takes the result is none."""
    arguments = [one for one in function._schema.arguments if not one.is_out]
    return any(one.alias_info is not None and one.alias_info.is_write for one in arguments)


def _same_memory(written: Sequence[Tensor], read: Sequence[Tensor]) -> bool:
    known = {one.untyped_storage().data_ptr() for one in read if one.numel()}
    return all(one.untyped_storage().data_ptr() in known for one in written if one.numel())


def _of(given: Mapping[str, Any], names: Sequence[str]) -> list[Tensor]:
    return [tensor for name in names for tensor in _tensors(given.get(name))]


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _tensors(one)
