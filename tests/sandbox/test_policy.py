"""The static policy names what no heuristic needs, kindly, and lets honest programs through."""

import numpy as np
import pytest

from eurisko.sandbox import DEFAULT_POLICY, ArraySpec, OutcomeKind, Policy, Program, Sandbox

BARRED = [
    ("import os", 1, "'os'"),
    ("x = 1\nimport subprocess as s", 2, "'subprocess'"),
    ("from socket import socket", 1, "'socket'"),
    ("from . import x", 1, "relative"),
    ("import numpy.ctypeslib", 1, "ctypeslib"),
    ("from numpy import fromfile", 1, "'numpy.fromfile'"),
    ("from torch.utils import cpp_extension", 1, "cpp_extension"),
    ("import torch\n\nf = torch.compile(print)", 3, "compiling does not work"),
    ("import torch\nx = torch.hub", 2, "torch.hub"),
    ("import numpy as np\nx = np.load('a')", 2, "'numpy.load'"),
    ("def f():\n    return eval('1')", 2, "'eval'"),
    ("f = open", 1, "'open'"),
    ("x = ().__class__.__bases__", 1, "__bases__"),
    ("x = (lambda: 0).__globals__", 1, "__globals__"),
    ("x = [].__class__.__mro__[1].__subclasses__()", 1, "__"),
    ("import numba", 1, "use numpy or torch"),
    ("import multiprocessing", 1, "one process"),
    ("def f(g):\n    return g.gi_frame.f_back", 2, "f"),
    ("# " + "x" * 200_000, None, "characters"),
]


@pytest.mark.parametrize(("code", "line", "words"), BARRED)
def test_what_no_heuristic_needs_is_named(code: str, line: int | None, words: str) -> None:
    """A barred import, name or attribute gives its line and a message that names it."""
    outcome = DEFAULT_POLICY.check(code)
    assert outcome is not None
    assert outcome.kind is OutcomeKind.POLICY_VIOLATION
    assert outcome.line == line
    assert words in outcome.message


HONEST = [
    "import numpy as np\nimport torch\nimport torch.nn.functional as F\nimport math, random\n",
    "from typing import List\nfrom collections import defaultdict\nimport numpy.linalg as s",
    "def f(vehicle):\n    vehicle.load = vehicle.save = 3\n    return vehicle.load",
    "import re\nx = re.compile('a')",
    "class A:\n    def __init__(self):\n        self.name = self.__class__.__name__\n",
    "import numpy as np\nx = np.linalg.norm(np.zeros(3)); y = np.random.default_rng(0)",
    "import torch\nx = torch.nn.Linear(2, 2); o = torch.optim.Adam(x.parameters()); x.compile",
    "def broken(:",
    "(" * 5000,
    "-" * 100_000 + "1",
    "+".join(["1"] * 90_000),
    "x = " + "a." * 60_000 + "b",
    "\0",
    "x = '\ud800'",
]


@pytest.mark.parametrize("code", HONEST, ids=range(len(HONEST)))
def test_honest_and_unreadable_sources_pass(code: str) -> None:
    """Ordinary numerical code passes; what cannot be parsed is left to the run, never raises."""
    assert DEFAULT_POLICY.check(code) is None


def test_a_problem_can_allow_more_modules() -> None:
    """The policy is data: a problem adds the modules that its heuristics may use."""
    assert Policy().with_modules("json").check("import json") is None
    assert Policy().check("import json") is not None


def test_a_violation_needs_no_server() -> None:
    """A barred program is answered at once, without starting anything."""
    with Sandbox(workers=1) as fresh:
        outcome = fresh.run(Program("import os", "f", ""), {}, {})
        assert outcome.kind is OutcomeKind.POLICY_VIOLATION
        assert fresh._servers.started == 0


def test_a_program_may_be_granted_further_modules() -> None:
    """What a problem's heuristics need is allowed for them alone, and still confined."""
    code = (
        "import json\n\ndef heuristic(values):\n    return json.loads(json.dumps(list(values)))\n"
    )
    driver = (
        "import numpy as np\n"
        "def solve(heuristic, inputs, device):\n"
        "    return {'y': np.asarray(heuristic(inputs['x']), dtype='<f8')}\n"
    )
    values, expects = {"x": np.arange(3.0)}, {"y": ArraySpec("<f8", (3,))}
    with Sandbox(workers=1) as sandbox:
        refused = sandbox.run(Program(code, "heuristic", driver), values, expects)
        granted = sandbox.run(Program(code, "heuristic", driver, ("json",)), values, expects)
    assert refused.kind == "policy_violation" and "json" in refused.message
    assert granted.ok and granted.arrays["y"].tolist() == [0.0, 1.0, 2.0]
