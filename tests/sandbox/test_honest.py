"""Honest numerical programs give under full confinement the same results as outside."""

import warnings
from typing import Any

import numpy as np
import pytest

from eurisko.sandbox import DEFAULT_POLICY, ArraySpec, Inputs, Limits, Program, Sandbox

DRIVER = """
import numpy as np
def solve(heuristic, inputs, device):
    return {"answer": np.asarray(heuristic(inputs["a"]), dtype="<f8").ravel()}
"""
MATRIX = np.random.default_rng(7).random((12, 12)) + 12 * np.eye(12)

HONEST = {
    "svd": "import numpy as np\ndef heuristic(a): return np.linalg.svd(a)[1]",
    "eigh": "import numpy as np\ndef heuristic(a): return np.linalg.eigh(a + a.T)[0]",
    "fft": "import numpy as np\ndef heuristic(a): return np.abs(np.fft.fft2(a))",
    "sort": "import numpy as np\ndef heuristic(a): return np.sort(np.argsort(a, None))",
    "solve": "import numpy as np\ndef heuristic(a): return np.linalg.solve(a, a[0])",
    "einsum": "import numpy as np\ndef heuristic(a): return np.einsum('ij,jk,kl->il', a, a, a)",
    "polynomials": "import numpy as np\ndef heuristic(a): return np.polyfit(a[0], a[1], 3)",
    "torch svd": "import torch\ndef heuristic(a): return torch.linalg.svdvals(torch.tensor(a))",
    "torch sort": "import torch\ndef heuristic(a): return torch.tensor(a).flatten().sort()[0]",
    "torch fft": "import torch\ndef heuristic(a): return torch.fft.rfft(torch.tensor(a)).abs()",
    "autograd": (
        "import torch\ndef heuristic(a):\n    x = torch.tensor(a, requires_grad=True)\n"
        "    (x @ x).logsumexp(1).prod().backward()\n    return x.grad"
    ),
    "optimiser": (
        "import torch\ndef heuristic(a):\n    x = torch.zeros(12, dtype=torch.float64,"
        " requires_grad=True)\n    b = torch.tensor(a)\n    o = torch.optim.Adam([x], 0.1)\n"
        "    for _ in range(60):\n        o.zero_grad()\n"
        "        (b @ x - 1).square().sum().backward()\n        o.step()\n    return x.detach()"
    ),
    "lbfgs and scheduler": (
        "import torch\ndef heuristic(a):\n    x = torch.zeros(3, dtype=torch.float64,"
        " requires_grad=True)\n    o = torch.optim.LBFGS([x], 0.5)\n"
        "    s = torch.optim.lr_scheduler.StepLR(o, 2)\n    def f():\n        o.zero_grad()\n"
        "        y = (x - 2).square().sum()\n        y.backward()\n        return y\n"
        "    for _ in range(4):\n        o.step(f)\n        s.step()\n    return x.detach()"
    ),
    "convolution": (
        "import torch\nimport torch.nn.functional as F\ndef heuristic(a):\n"
        "    x = torch.tensor(a)[None, None]\n"
        "    return F.max_pool2d(F.conv2d(x, x[:, :, :3, :3]), 2)"
    ),
    "attention": (
        "import torch\ndef heuristic(a):\n    torch.manual_seed(3)\n"
        "    m = torch.nn.MultiheadAttention(12, 3, batch_first=True).double()\n"
        "    x = torch.tensor(a)[None]\n    return m(x, x, x)[0].detach()"
    ),
    "transformer layer": (
        "import torch\ndef heuristic(a):\n    torch.manual_seed(3)\n"
        "    m = torch.nn.TransformerEncoderLayer(12, 2, 24, batch_first=True).double().eval()\n"
        "    return m(torch.tensor(a)[None]).detach()"
    ),
    "recurrent": (
        "import torch\ndef heuristic(a):\n    torch.manual_seed(3)\n"
        "    return torch.nn.GRU(12, 5).double()(torch.tensor(a)[:, None])[0].detach()"
    ),
    "distributions": (
        "import torch\ndef heuristic(a):\n    torch.manual_seed(1)\n"
        "    return torch.distributions.Categorical(torch.tensor(a).abs()).sample()"
    ),
    "vmap and jit": (
        "import torch\ndef heuristic(a):\n"
        "    return torch.func.vmap(lambda r: r.cumsum(0))(torch.tensor(a))"
    ),
    "random": (
        "import random\ndef heuristic(a):\n    random.seed(4)\n    x = list(range(20))\n"
        "    random.shuffle(x)\n    return x + [random.gauss(0, 1)]"
    ),
    "numpy random": (
        "import numpy as np\ndef heuristic(a):\n    g = np.random.default_rng(5)\n"
        "    return g.permutation(30) + g.normal(size=30)"
    ),
    "recursion": (
        "import sys\nfrom functools import lru_cache\nsys.setrecursionlimit(5000)\n"
        "@lru_cache(None)\ndef f(n): return n if n < 2 else f(n - 1) + f(n - 2)\n"
        "def heuristic(a): return [float(f(300)) / 1e50]"
    ),
    "errors with tracebacks": (
        "import traceback\ndef heuristic(a):\n    try:\n        return {}['k']\n"
        "    except KeyError:\n        return [len(traceback.format_exc().splitlines()) * 0 + 2]"
    ),
    "classes and dataclasses": (
        "from dataclasses import dataclass\nimport heapq, enum, typing, fractions\n"
        "@dataclass(order=True)\nclass P:\n    c: float\n    n: int = 0\n"
        "class K(enum.Enum):\n    A = 1\ndef heuristic(a):\n"
        "    h = [P(float(x), i) for i, x in enumerate(a[0])]\n    heapq.heapify(h)\n"
        "    return [heapq.heappop(h).n for _ in range(12)] + [float(fractions.Fraction(1, 3))]"
    ),
    "time and warnings": (
        "import time, warnings\ndef heuristic(a):\n    warnings.warn('careful')\n"
        "    time.sleep(0.001)\n    return [time.perf_counter() > 0, time.time() > 1e9]"
    ),
    "large arrays": (
        "import numpy as np\ndef heuristic(a):\n    x = np.arange(125_000_000.0)\n"
        "    return [x.sum(), x[::3].mean()]"
    ),
    "late imports": (
        "def heuristic(a):\n    import cmath, difflib, graphlib, string, textwrap, uuid\n"
        "    import colorsys, calendar, zoneinfo, statistics\n"
        "    return [statistics.median(a[0]), cmath.phase(1j)]"
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_program_computes_the_same_inside(fort: Sandbox, name: str) -> None:
    """The result inside equals, to the bit, what the same source computes in this process."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    namespace: dict[str, Any] = {"__name__": "candidate"}
    if name != "classes and dataclasses":  # needs a module of its own
        exec(compile(HONEST[name], "<candidate>", "exec"), namespace)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = np.asarray(namespace["heuristic"](MATRIX), dtype="<f8").ravel()
    else:
        wanted = np.array([*np.argsort(MATRIX[0], kind="stable"), 1 / 3])
    torch.set_num_threads(threads)
    program = Program(HONEST[name], "heuristic", DRIVER)
    with Inputs({"a": MATRIX}) as inputs:
        outcome = fort.run(
            program, inputs, {"answer": ArraySpec("<f8", wanted.shape)}, Limits(cpu_s=30.0)
        )
    assert outcome.ok, outcome
    if name not in ("errors with tracebacks", "late imports"):
        assert DEFAULT_POLICY.check(HONEST[name]) is None
    np.testing.assert_array_equal(outcome.arrays["answer"], wanted)
