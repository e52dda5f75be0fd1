"""What ``eurisko doctor`` looks at."""

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..sandbox import Sandbox

KEY_VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "DEEPSEEK_API_KEY")


@dataclass(frozen=True)
class Check:
    """One thing that was looked at; ``text`` says what was found, and what to do when not ok."""

    name: str
    ok: bool
    text: str


def run_checks() -> list[Check]:
    """Run all checks; a check that fails is a result, not an error."""
    from ..sandbox import Sandbox

    with Sandbox(workers=1) as sandbox:  # starts with its first program, some seconds
        checks: list[tuple[str, Callable[[], str]]] = [
            ("python", _python),
            ("torch", _torch),
            ("sandbox", partial(_sandbox, sandbox)),
            ("evaluation", partial(_evaluation, sandbox)),
            ("knowledge base", _knowledge_base),
            ("model", _model),
        ]
        return [_run(name, check) for name, check in checks]


def _run(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, True, check())
    except Exception as error:  # noqa: BLE001 - the failure is the finding, and it is shown
        return Check(name, False, f"{type(error).__name__}: {' '.join(str(error).split())}")


def _python() -> str:
    from .. import __version__

    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"eurisko {__version__}, Python {platform.python_version()}, {system}"


def _torch() -> str:
    import torch

    gpu = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "no CUDA device"
    return f"torch {torch.__version__}, {gpu}"


def _sandbox(sandbox: "Sandbox") -> str:
    import numpy as np

    from ..sandbox import ArraySpec, OutcomeKind, Program

    program = Program(
        code="def twice(x):\n    return 2 * x\n",
        function="twice",
        driver="def solve(heuristic, inputs, device):\n    return {'y': heuristic(inputs['x'])}\n",
    )
    values = {"x": np.arange(3.0)}
    report = sandbox.report()
    outcome = sandbox.run(program, values, {"y": ArraySpec("<f8", (3,))})
    if outcome.kind is not OutcomeKind.OK or outcome.arrays["y"].tolist() != [0.0, 2.0, 4.0]:
        raise RuntimeError(f"a trivial program ended as {outcome.kind.value}: {outcome.message}")
    return "\n".join([report.line.removeprefix("sandbox: "), *report.explain()])


def _evaluation(sandbox: "Sandbox") -> str:
    from ..evaluators import evaluate, get_problem
    from ..sandbox import Limits, OutcomeKind

    problem = get_problem("tsp_construct")
    name = problem.spec.default_interface
    data = problem.dataset(problem.spec.splits["search"][0])
    seed = problem.spec.interfaces[name].seed
    result = evaluate(sandbox, problem, name, seed, data, Limits())
    if result.kind is not OutcomeKind.OK:
        raise RuntimeError(f"the seed heuristic ended as {result.kind.value}: {result.message}")
    return (
        f"seed heuristic of tsp_construct: mean gap {result.objective:.2f} %, "
        f"{1000 * result.cpu_s:.0f} ms of CPU for {data.instances} instances"
    )


def _knowledge_base() -> str:
    from ..knowledge_base import KnowledgeBase
    from ..knowledge_base.errors import shown

    with KnowledgeBase() as base:
        count = len(base.runs(1000))
        return f"{shown(base.url)}, {count} runs"


def _model() -> str:
    model = os.environ.get("EURISKO_MODEL")
    keys = [name for name in KEY_VARIABLES if os.environ.get(name)]
    where = f"keys found: {', '.join(keys)}" if keys else "no API key in the environment or .env"
    if model:
        return f"EURISKO_MODEL={model}; {where}"
    return f"none configured: genetic programming proposes; {where}"
