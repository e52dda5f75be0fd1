"""Candidates per second of every problem, beside a plain loop with the same decisions.

Each seed heuristic runs on its search split through the sandbox, with checks and scores, in each
interface. `python -m benchmarks problem_throughput` writes results/problem_throughput.md.
"""

import statistics
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

import numpy as np

from eurisko.evaluators import Dataset, Problem, evaluate, get_problem, problem_names
from eurisko.sandbox import Limits, OutcomeKind, Sandbox

from .report import family_cpu_s, machine_facts, markdown_table, write_result

ROUNDS = 3
LIMITS = Limits(cpu_s=60.0, wall_s=300.0)
PLAIN_INSTANCES = {"cvrp_aco": 1, "bin_packing_online": 2}  # slow: measured on these, then scaled
TENSOR_PROBLEMS = ("cvrp_aco", "flow_shop_gls", "tsp_gls")
NO_LOOP = {
    "circle_packing": "a program, not a rule: no loop of ours around it",
    "job_shop": "its plain loop is not written yet",
}


def search_set(problem: Problem) -> Dataset:
    """Return the first data set that evolution sees."""
    return problem.dataset(problem.spec.splits["search"][0])


def protected(
    sandbox: Sandbox, problem: Problem, interface: str, data: Dataset
) -> tuple[float, float, np.ndarray]:
    """Return processor and wall seconds of one evaluation, and its measures."""
    seed = problem.spec.interface(interface).seed
    cpu, wall = family_cpu_s(), time.perf_counter()
    result = evaluate(sandbox, problem, interface, seed, data, LIMITS)
    wall, cpu = time.perf_counter() - wall, family_cpu_s() - cpu
    assert result.kind is OutcomeKind.OK and result.raw is not None, result.message
    return cpu, wall, result.raw


def plain_loop(name: str, data: Dataset, raw: np.ndarray) -> tuple[str, str]:
    """Return processor ms of the plain loop for the whole set, and a remark; checks its measures."""
    if find_spec(f"benchmarks.plain.{name}") is None:
        return "-", NO_LOOP.get(name, "no plain loop yet")
    count = PLAIN_INSTANCES.get(name, data.instances)
    cpu = time.process_time()
    found = import_module(f"benchmarks.plain.{name}").measures(data.arrays, 0)
    measures = list(islice(found, count))
    cpu = (time.process_time() - cpu) * data.instances / count
    np.testing.assert_allclose(measures, raw[:count], rtol=1e-12)
    scaled = "" if count == data.instances else f"loop: {count} of {data.instances}, scaled"
    return f"{1e3 * cpu:.0f}", scaled


def tensor_share(problem: Problem, data: Dataset) -> float:
    """Return the share of time inside torch operators, of the driver in this process."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    face = problem.spec.interface(problem.spec.default_interface)
    driver: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    exec(face.driver, driver)
    exec(face.seed, candidate)
    if "ITERATIONS" in driver:
        driver["ITERATIONS"] = 2  # each event is kept: more of them take the profiler minutes
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        torch.manual_seed(0)
        began = time.perf_counter()  # the profiler's events are by the clock, too
        driver["solve"](candidate[face.function], dict(data.arrays), "cpu")
        whole = time.perf_counter() - began
    inside: float = sum(event.self_cpu_time_total for event in seen.key_averages()) / 1e6
    return inside / whole


def rows_of(sandbox: Sandbox, name: str) -> list[list[str]]:
    """Return the table's rows of one problem, one for each interface."""
    problem = get_problem(name)
    data, rows = search_set(problem), []
    for interface in problem.spec.interfaces:
        protected(sandbox, problem, interface, data)  # the first pays for the server's start
        runs = [protected(sandbox, problem, interface, data) for _ in range(ROUNDS)]
        cpu, wall = (statistics.median(run[i] for run in runs) for i in (0, 1))
        loop, remark = plain_loop(name, data, runs[0][2])
        factor = "-" if loop == "-" else f"{float(loop) / (1e3 * cpu):.1f}x"
        label = f"{name}, {interface}"
        rate = f"{1 / wall:.2f}"
        rows.append([label, rate, f"{1e3 * wall:.0f}", f"{1e3 * cpu:.0f}", loop, factor, remark])
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return rows


def main() -> None:
    import torch  # here, so that listing the benchmarks stays quick

    torch.set_num_threads(1)  # as in the sandbox
    with Sandbox(workers=1) as sandbox:
        rows = [row for name in problem_names() for row in rows_of(sandbox, name)]
        isolation = sandbox.isolation
    shares = []
    for name in TENSOR_PROBLEMS:
        if name in problem_names():
            problem = get_problem(name)
            runs = [tensor_share(problem, search_set(problem)) for _ in range(ROUNDS)]
            share = 100 * statistics.median(runs)
            shares.append(f"Inside torch operators, {name}: {share:.0f} % (target: above 80 %)")
    head = ["problem, interface", "candidates/s", "wall ms", "CPU ms", "plain loop, CPU ms"]
    head += ["loop / product", "remark"]
    facts = [*shares, *machine_facts("numpy", "torch"), f"Isolation: {isolation}"]
    text = (
        f"Seeds on the first search set, one candidate at a time, full protected path with checks "
        f"and scores; median of {ROUNDS} runs. CPU: this process, the server and the children by "
        "the kernel's account. The plain loops of `benchmarks/plain` run in this process, one "
        "instance after the other, with the same decisions (checked here); `-`: see the remark. "
        "Loops over opened bins are compared with interfaces that show all bins, too. The share "
        "inside torch operators is torch.profiler's, in this process, by the clock (two iterations "
        "of the colony). "
        "Made by `python -m benchmarks problem_throughput`."
    )
    page = ["# Problem throughput", "", text, "", markdown_table(head, rows), ""]
    page += [f"- {fact}" for fact in facts]
    write_result("problem_throughput", "\n".join([*page, ""]))


if __name__ == "__main__":
    main()
