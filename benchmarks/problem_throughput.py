"""Candidates per second of every problem, beside a plain loop with the same decisions.

Each seed heuristic runs on its search split through the sandbox, with checks and scores, in each
interface. `python -m benchmarks problem_throughput` writes results/problem_throughput.md.
"""

import os
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
PLAIN_INSTANCES = {
    "acquisition": 16,
    "cvrp_aco": 1,
    "bin_packing_online": 2,
    "flow_shop_gls": 1,
    "tsp_gls": 1,
}  # slow: measured on these, then scaled
TENSOR_PROBLEMS = ("cvrp_aco", "flow_shop_gls", "tsp_gls")
SHARE_ITERATIONS = 2  # the profiler keeps each event: more of them take it minutes
NO_LOOP = {"circle_packing": "a program, not a rule: no loop of ours around it"}


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


def plain_loop(name: str, data: Dataset) -> tuple[float, list[float]] | None:
    """Return processor seconds of the plain loop for the whole set, and measures; None without one.

    Slow loops run on the first instances only, and their time is scaled.
    """
    if find_spec(f"benchmarks.plain.{name}") is None:
        return None
    module = import_module(f"benchmarks.plain.{name}")
    count = PLAIN_INSTANCES.get(name, data.instances)
    cpu = time.process_time()
    measures = list(islice(module.measures(data.arrays, 0), count))
    return (time.process_time() - cpu) * data.instances / count, measures


def tensor_share(problem: Problem, data: Dataset) -> tuple[float, float]:
    """Return bounds of the share of time inside torch operators, of the driver in this process.

    The profiler counts the operators' time; what it costs itself lies partly around them. The lower
    bound divides by the time with the profiler, the upper one (at most 1) by that without.
    """
    import torch
    from torch.profiler import ProfilerActivity, profile

    face = problem.spec.interface(problem.spec.default_interface)
    driver: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    exec(face.driver, driver)
    exec(face.seed, candidate)
    assert "ITERATIONS" in driver
    driver["ITERATIONS"] = SHARE_ITERATIONS

    def solved() -> float:
        torch.manual_seed(0)
        np.random.seed(0)  # as in the sandbox: heuristics may draw from either
        began = time.perf_counter()  # the profiler's events are by the clock, too
        driver["solve"](candidate[face.function], dict(data.arrays), "cpu")
        return time.perf_counter() - began

    bare = min(solved() for _ in range(ROUNDS))
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        watched = solved()
    inside: float = sum(event.self_cpu_time_total for event in seen.key_averages()) / 1e6
    return inside / watched, min(1.0, inside / bare)


def share_fact(name: str) -> str:
    """Return a line on the share of tensor work in a problem."""
    problem = get_problem(name)
    runs = [tensor_share(problem, search_set(problem)) for _ in range(ROUNDS)]
    low, high = (100 * statistics.median(run[i] for run in runs) for i in (0, 1))
    return f"Inside torch operators, {name}: {low:.0f} to {high:.0f} % (target: above 80 %)"


def rows_of(sandbox: Sandbox, name: str) -> list[list[str]]:
    """Return the table's rows of one problem, one for each interface."""
    problem = get_problem(name)
    data, rows = search_set(problem), []
    plain = plain_loop(name, data)
    for interface in problem.spec.interfaces:
        runs = [protected(sandbox, problem, interface, data) for _ in range(ROUNDS)]
        cpu, wall = (statistics.median(run[i] for run in runs) for i in (0, 1))
        loop, factor, remark = "-", "-", NO_LOOP.get(name, "")
        if plain is not None:
            seconds, measures = plain
            np.testing.assert_allclose(measures, runs[0][2][: len(measures)], rtol=1e-12)
            loop, factor = f"{1e3 * seconds:.0f}", f"{seconds / cpu:.1f}x"
            if len(measures) < data.instances:
                remark = f"loop: {len(measures)} of {data.instances}, scaled"
        label = f"{name}, {interface}"
        rate = f"{1 / wall:.2f}"
        rows.append([label, rate, f"{1e3 * wall:.0f}", f"{1e3 * cpu:.0f}", loop, factor, remark])
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return rows


def main() -> None:
    import torch  # here, so that listing the benchmarks stays quick

    torch.set_num_threads(1)  # as in the sandbox
    load = os.getloadavg()[0]
    with Sandbox(workers=1) as sandbox:
        first = get_problem("circle_packing")
        protected(sandbox, first, "program", search_set(first))  # pays for the server's start
        rows = [row for name in problem_names() for row in rows_of(sandbox, name)]
        isolation = sandbox.isolation
    load = max(load, os.getloadavg()[0])
    facts = [share_fact(name) for name in TENSOR_PROBLEMS if name in problem_names()]
    if load > (cores := os.cpu_count() or 1):
        facts.append(
            f"The machine was overloaded (load average up to {load:.1f} on {cores} cores): wall times "
            "are a multiple of what they are on an idle one, processor times are higher as well"
        )
    head = ["problem, interface", "candidates/s", "wall ms", "CPU ms", "plain loop, CPU ms"]
    head += ["loop / product", "remark"]
    facts += [*machine_facts("numpy", "torch"), f"Isolation: {isolation}"]
    text = (
        f"Seeds on the first search set, one candidate at a time, full protected path with checks "
        f"and scores; median of {ROUNDS} runs. CPU: this process, the server and the children by "
        "the kernel's account. The plain loops of `benchmarks/plain` run in this process, one "
        "instance after the other, with the same decisions (checked here; that of flow_shop_gls "
        "computes each makespan by its definition, without acceleration); `-`: see the remark. "
        "Loops over opened bins are compared with interfaces that show all bins, too. The share "
        f"inside torch operators is torch.profiler's, in this process, by the clock, of "
        f"{SHARE_ITERATIONS} iterations: what the profiler itself costs makes it a range. "
        "Made by `python -m benchmarks problem_throughput`."
    )
    page = ["# Problem throughput", "", text, "", markdown_table(head, rows), ""]
    page += [f"- {fact}" for fact in facts]
    write_result("problem_throughput", "\n".join([*page, ""]))


if __name__ == "__main__":
    main()
