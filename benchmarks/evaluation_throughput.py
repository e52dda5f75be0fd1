"""Processor time per candidate: through the sandbox, in this process, in a fresh process each.

The candidates are the seeds of tsp_construct on its search split (64 instances of 50 cities), and
a trivial one that returns a number. The three ways are measured in turn, round by round, in the
same run, so that their ratios hold whatever else the machine does. Everything counts: checking
and scoring outside, the sandbox's server, the children, and for a fresh process its start and
imports. `python -m benchmarks evaluation_throughput` writes results/evaluation_throughput.md.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eurisko.evaluators import Dataset, Interface, evaluate, get_problem
from eurisko.sandbox import ArraySpec, Inputs, Limits, OutcomeKind, Program, Sandbox

from .report import family_cpu_s, machine_facts, markdown_table, write_result

ROUNDS = 7
RUNS = 20  # per round; a fresh process is slow and runs once per round
TARGETS_MS = {"batched": 15.0, "scalar": 25.0, "trivial": 12.0}

TRIVIAL = Program(
    code="def answer():\n    return 42\n",
    function="answer",
    driver=(
        "import numpy as np\n"
        "def solve(heuristic, inputs, device):\n"
        "    return {'answer': np.array([heuristic()])}\n"
    ),
)

# What an evaluator without a warm server does: a new interpreter, imports, one candidate.
FRESH = """
import sys, numpy as np
driver, candidate = {}, {}
exec(open(sys.argv[1]).read(), driver)
exec(open(sys.argv[2]).read(), candidate)
inputs = {key: array for path in sys.argv[5:] for key, array in np.load(path).items()}
arrays = driver["solve"](candidate[sys.argv[3]], inputs, "cpu")
np.save(sys.argv[4], next(iter(arrays.values())))
"""


@dataclass(frozen=True)
class Case:
    """One candidate and its three ways to run; each way checks its result."""

    name: str
    in_process: Callable[[], None]
    protected: Callable[[], None]
    fresh: Callable[[], None]


def load(program: Program) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the driver's ``solve`` and the candidate's function, loaded in this process."""
    driver: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    exec(program.driver, driver)
    exec(program.code, candidate)
    return driver["solve"], candidate[program.function]


def fresh_process(folder: Path, program: Program, inputs: Path | None) -> np.ndarray:
    """Run a program in a new interpreter and return its array."""
    driver, code, out = folder / "driver.py", folder / "candidate.py", folder / "out.npy"
    driver.write_text(program.driver)
    code.write_text(program.code)
    data = [inputs] if inputs is not None else []
    arguments = [driver, code, program.function, out, *data]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", FRESH, *map(str, arguments)], check=True, env=environment)
    result: np.ndarray = np.load(out)
    return result


def tsp_case(sandbox: Sandbox, interface: Interface, data: Dataset, folder: Path) -> Case:
    """The seed of one interface on the search split."""
    problem = get_problem("tsp_construct")
    program = Program(code=interface.seed, function=interface.function, driver=interface.driver)
    folder = folder / interface.name
    folder.mkdir()
    stored = folder / "inputs.npz"
    np.savez(stored, **data.arrays)
    solve, heuristic = load(program)

    def check(tours: np.ndarray) -> None:
        assert abs(problem.score(data, {"tours": tours}).raw.mean() - 6.9867137) < 1e-7

    def protected() -> None:
        result = evaluate(sandbox, problem, interface.name, interface.seed, data, Limits())
        assert result.kind is OutcomeKind.OK and result.raw is not None, result.message
        assert abs(result.raw.mean() - 6.9867137) < 1e-7

    return Case(
        name=interface.name,
        in_process=lambda: check(solve(heuristic, dict(data.arrays), "cpu")["tours"]),
        protected=protected,
        fresh=lambda: check(fresh_process(folder, program, stored)),
    )


def trivial_case(sandbox: Sandbox, folder: Path) -> Case:
    """A candidate that does nothing: what is left is the price of the way."""
    inputs = Inputs({"nothing": np.zeros(1)})
    expects = {"answer": ArraySpec("<i8", (1,))}
    solve, heuristic = load(TRIVIAL)
    folder = folder / "trivial"
    folder.mkdir()

    def check(answer: np.ndarray) -> None:
        assert answer.tolist() == [42]

    def protected() -> None:
        outcome = sandbox.run(TRIVIAL, inputs, expects, Limits())
        assert outcome.kind is OutcomeKind.OK, outcome.message
        check(outcome.arrays["answer"])

    return Case(
        name="trivial",
        in_process=lambda: check(solve(heuristic, {}, "cpu")["answer"]),
        protected=protected,
        fresh=lambda: check(fresh_process(folder, TRIVIAL, None)),
    )


def measure(run: Callable[[], None], times: int) -> tuple[float, float]:
    """Return milliseconds of processor time of the whole family and of wall time, per run."""
    cpu, wall = family_cpu_s(), time.perf_counter()
    for _ in range(times):
        run()
    wall, cpu = time.perf_counter() - wall, family_cpu_s() - cpu
    return 1e3 * cpu / times, 1e3 * wall / times


def measure_all(cases: list[Case]) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the medians over rounds of (processor ms, wall ms) by case and way."""
    seen: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for case in cases:
        case.protected()  # starts the server: paid once per session, not per candidate
        case.in_process()
    for number in range(1, ROUNDS + 1):
        print(f"round {number} of {ROUNDS}", file=sys.stderr, flush=True)
        for case in cases:
            ways = (("protected", case.protected, RUNS), ("in_process", case.in_process, RUNS))
            for way, run, times in (*ways, ("fresh", case.fresh, 1)):
                seen.setdefault((case.name, way), []).append(measure(run, times))
    return {
        key: (statistics.median(c for c, _ in pairs), statistics.median(w for _, w in pairs))
        for key, pairs in seen.items()
    }


def report(
    cases: list[Case], figures: dict[tuple[str, str], tuple[float, float]], isolation: str
) -> str:
    """Return the Markdown page."""
    rows = []
    for case in cases:
        (inside, _), (cpu, wall), (fresh, fresh_wall) = (
            figures[case.name, way] for way in ("in_process", "protected", "fresh")
        )
        rows.append(
            [
                case.name,
                f"{cpu:.1f}",
                f"{TARGETS_MS[case.name]:.0f}",
                f"{inside:.1f}",
                f"{cpu - inside:.1f}",
                f"{fresh:.0f}",
                f"{fresh / cpu:.0f}x",
                f"{wall:.1f}",
                f"{fresh_wall:.0f}",
            ]
        )
    head = [
        "candidate",
        "sandbox",
        "target",
        "in this process",
        "price of the sandbox",
        "fresh process",
        "fresh / sandbox",
        "sandbox, wall",
        "fresh, wall",
    ]
    facts = [*machine_facts("numpy", "torch"), f"Isolation: {isolation}"]
    return "\n".join(
        [
            "# Evaluation throughput",
            "",
            f"Milliseconds of processor time per candidate (the two last columns: wall time), "
            f"median of {ROUNDS} rounds of {RUNS} runs each (fresh processes: one run a round), "
            "one candidate at a time. Seeds of `tsp_construct` on `uniform-50-search` (64 x 50 "
            "cities), with checks and scores; `trivial` returns one number. The sandbox column "
            "counts this process, the server and the children by the kernel's account; starting "
            "the server, once per session, is left out. "
            "Made by `python -m benchmarks evaluation_throughput`.",
            "",
            markdown_table(head, rows),
            "",
            *(f"- {fact}" for fact in facts),
            "",
        ]
    )


def main() -> None:
    import torch  # here, so that listing the benchmarks stays quick

    torch.set_num_threads(1)  # as in the sandbox
    data = get_problem("tsp_construct").dataset("uniform-50-search")
    interfaces = get_problem("tsp_construct").spec.interfaces
    with tempfile.TemporaryDirectory() as name, Sandbox() as sandbox:
        folder = Path(name)
        cases = [tsp_case(sandbox, interfaces[way], data, folder) for way in ("batched", "scalar")]
        cases.append(trivial_case(sandbox, folder))
        figures = measure_all(cases)
        page = report(cases, figures, sandbox.isolation)
    write_result("evaluation_throughput", page)
