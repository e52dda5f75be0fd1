"""Imports and first uses that every child inherits, so that none of them opens files later."""

import gc
import importlib
import os
import sys
import types
from collections.abc import Callable
from typing import Any

from .pages import collapse_heap

# What heuristics import; also modules that numpy and torch load at the first use of something.
STANDARD = """
    abc array bisect calendar cmath collections collections.abc colorsys concurrent.futures
    contextlib copy copyreg csv dataclasses datetime decimal difflib enum fractions
    functools graphlib hashlib heapq hmac inspect io itertools json keyword linecache locale
    math numbers operator pprint queue random re reprlib secrets statistics string struct
    sys textwrap threading time token tokenize traceback types typing unicodedata uuid
    warnings weakref zlib zoneinfo ast ctypes logging pickle bz2 base64 binascii
"""
NUMERIC = """
    numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random numpy.lib.stride_tricks
    torch.nn.functional torch.optim torch.special torch.fft torch.linalg torch.distributions
    torch.utils.data torch.nn.utils torch.autograd
"""


def warm_up() -> None:
    """Import, use each native library once with one thread, and freeze the heap.

    Raises:
        ImportError: when numpy or torch is missing.
        RuntimeError: when a thread was started, since a forked child would lack it.
    """
    for name in (STANDARD + NUMERIC).split():
        importlib.import_module(name)
    _numpy()
    _without_compiler(_torch)
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    if threads != 1:
        raise RuntimeError(f"the fork server has {threads} threads instead of 1")
    gc.collect()
    gc.freeze()
    collapse_heap()


def _without_compiler(first_uses: Callable[[], None]) -> None:
    """Run torch's first uses with a stand-in for its compiler, which cannot work here anyway.

    The first optimiser imports ``torch._dynamo`` only to say "do not compile this": 1.7 s and 65 MB
    that every fork would copy the tables of. Where the stand-in does not do, the real one is used.
    """
    import torch

    if "torch._dynamo" in sys.modules:
        first_uses()
        return
    stand_in = types.ModuleType("torch._dynamo")
    stand_in.__dict__.update(
        disable=_not_compiled, graph_break=lambda *_: None, is_compiling=lambda: False
    )
    sys.modules["torch._dynamo"] = stand_in
    torch._dynamo = stand_in
    try:
        first_uses()
    except (AttributeError, ImportError, TypeError):  # another torch asks more of its compiler
        del sys.modules["torch._dynamo"], torch._dynamo
        first_uses()


def _not_compiled(function: Any = None, *_: Any, **__: Any) -> Any:
    return function if function is not None else lambda inner: inner


def _numpy() -> None:
    import numpy as np

    generator = np.random.default_rng(0)
    matrix = generator.random((8, 8)) + 8 * np.eye(8)
    np.linalg.svd(matrix)
    np.linalg.eigh(matrix @ matrix.T)
    np.linalg.solve(matrix, matrix)
    np.fft.rfft(matrix)
    np.einsum("ij,jk->ik", matrix, matrix)
    np.random.seed(0)
    str(np.sort(matrix))


def _torch() -> None:
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    torch.manual_seed(0)
    layer = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimiser = torch.optim.Adam(layer.parameters())
    layer(torch.randn(4, 8)).square().mean().backward()
    optimiser.step()
    image = torch.randn(1, 1, 8, 8)
    functional.conv2d(image, torch.randn(2, 1, 3, 3))
    functional.scaled_dot_product_attention(image, image, image)
    matrix = torch.randn(8, 8, dtype=torch.float64) + 8 * torch.eye(8, dtype=torch.float64)
    torch.linalg.svd(matrix)
    torch.linalg.eigh(matrix @ matrix.T)
    torch.linalg.solve(matrix, matrix)
    torch.fft.rfft(matrix)
    torch.sort(matrix)
    torch.cdist(matrix, matrix)
    str(matrix)
