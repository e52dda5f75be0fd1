"""The whole benchmark: problems and devices, sandboxes, profiles, the page."""

import argparse
import contextlib
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import torch

from eurisko.evaluators import (
    GeneratingProblem,
    OnlineProblem,
    UnknownProblem,
    get_problem,
    problem_names,
)
from eurisko.sandbox import Sandbox, SandboxError, concrete_device

from ..report import machine_facts
from .bandwidth import bandwidth, device_fact, device_name, graphics, slug
from .cells import SEED, available_bytes
from .kernels import iterates, profiled
from .measure import INTERFACE
from .page import Watched, page
from .sweep import Plan, Row, sweep

MEMORY_SHARE = 0.6
LEAST_MIB = 1024


@dataclass
class Found:
    """What has been measured so far."""

    rows: list[Row] = field(default_factory=list)
    watched: list[Watched] = field(default_factory=list)
    bandwidths: dict[str, float] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)


def run(
    given: argparse.Namespace, refuse: Callable[[str], NoReturn], arguments: Sequence[str]
) -> None:
    """Measure what was asked for and write the page, again after each problem."""
    try:
        problems, devices = chosen_problems(given.problems), chosen_devices(given.devices)
    except (UnknownProblem, SandboxError, ValueError) as error:
        refuse(str(error))
    plan = Plan(
        sizes=given.sizes,
        instances=given.instances,
        at_once=given.candidates,
        seconds=given.seconds,
        memory_mib=given.memory or share_mib(max(given.candidates)),
    )
    gpus = [device for device in devices if device != "cpu"]
    named = given.name or (slug(device_name(gpus[0])) if gpus else "cpu")
    path = given.folder / f"gpu-{named}.md"
    command = shlex.join(["python", "-m", "benchmarks", "gpu", *arguments])
    found = Found(facts=[device_fact(device) for device in gpus])

    def keep() -> None:
        facts = [*found.facts, *load_facts(), *machine_facts("numpy", "torch")]
        text = page(plan, found.rows, found.watched, found.bandwidths, command, facts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    measure_rates(problems, devices, plan, found, keep)
    if not given.no_kernels:
        with one_thread():
            measure_kernels(plan, found, keep)
    sys.stdout.write(path.read_text(encoding="utf-8"))


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread in this process, as in the sandbox."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def measure_rates(
    names: Sequence[str],
    devices: Sequence[str],
    plan: Plan,
    found: Found,
    keep: Callable[[], None],
) -> None:
    """Measure all cells through one sandbox for each device."""
    with contextlib.ExitStack() as stack:
        sandboxes: dict[str, Sandbox] = {}
        for device in devices:
            sandbox = stack.enter_context(Sandbox(device=device, workers=max(plan.at_once)))
            began = time.perf_counter()
            try:
                sandbox.start()
            except SandboxError as error:
                found.facts.append(f"{device} was not measured: {error}")
                continue
            took = time.perf_counter() - began
            sandboxes[device] = sandbox
            found.facts.append(
                f"{device}: the sandbox starts in {took:.1f} s, once, with its self-test; "
                f"{sandbox.isolation}"
            )
        for name in names:
            if isinstance(get_problem(name), OnlineProblem):
                found.facts.append(f"{name} is played in lockstep, on the processor only")
            found.rows += sweep(get_problem(name), sandboxes, plan)
            keep()


def measure_kernels(plan: Plan, found: Found, keep: Callable[[], None]) -> None:
    """Measure bandwidths, and profile one cell of each problem on each device."""
    for device in sorted({row.device for row in found.rows}):
        found.bandwidths[device] = bandwidth(device)
        if device != "cpu":
            torch.cuda.empty_cache()
    for row in chosen_cells(found.rows, plan):
        print(f"profile of {row.cell.problem} on {row.device}", file=sys.stderr, flush=True)
        found.watched.append(watch(row))
        keep()


def chosen_cells(rows: Sequence[Row], plan: Plan) -> list[Row]:
    """Return one row for each problem and device: most instances, then the smallest size.

    A solver that iterates is looked at for a few iterations only, so the smallest cell that was tried
    will do where none was quick enough.
    """
    best: dict[tuple[str, str], Row] = {}
    for row in rows:
        seen = row.measured
        if seen is None or seen.program_s is None:
            continue
        if seen.program_s > plan.cell_s(row.device) / 4:
            continue
        key = (row.cell.problem, row.device)
        size = (row.cell.instances, -row.cell.number)
        if key not in best or size > (best[key].cell.instances, -best[key].cell.number):
            best[key] = row
    for row in sorted(rows, key=lambda one: (one.cell.instances, one.cell.number)):
        if row.measured is not None and iterates(get_problem(row.cell.problem)):
            best.setdefault((row.cell.problem, row.device), row)
    order = {(row.cell.problem, row.device): None for row in rows}
    return [best[key] for key in order if key in best]


def watch(row: Row) -> Watched:
    """Profile one cell."""
    problem = get_problem(row.cell.problem)
    if isinstance(problem, OnlineProblem):
        return Watched(row, None, "played in lockstep: its work lies between two processes")
    assert isinstance(problem, GeneratingProblem)
    data = problem.generate(row.cell.size, row.cell.instances, SEED)
    try:
        return Watched(row, profiled(problem, data, row.device))
    except (RuntimeError, MemoryError) as error:  # torch's own, too little memory among them
        text = (str(error) or type(error).__name__).splitlines()[0].replace("|", "/")
        return Watched(row, None, f"failed in this process: {text[:100]}")
    finally:
        if row.device != "cpu":
            torch.cuda.empty_cache()


def chosen_problems(names: Sequence[str]) -> list[str]:
    """Return the problems that generate data sets, of those that are named.

    Raises:
        UnknownProblem: there is none of a name.
        ValueError: one generates no data sets or has no batched interface.
    """
    wanted = [name for one in names for name in one.split(",")]
    able = []
    for name in wanted or problem_names():
        problem = get_problem(name)
        if isinstance(problem, GeneratingProblem) and INTERFACE in problem.spec.interfaces:
            able.append(name)
        elif wanted:
            raise ValueError(f"{name} generates no data sets, or has no interface {INTERFACE!r}")
    return able


def chosen_devices(text: str) -> list[str]:
    """Return the devices to measure: all that are here, or those that are named.

    Raises:
        ValueError, SandboxError: one is unknown or not here.
    """
    everywhere = graphics() if concrete_device("auto") != "cpu" else []
    if not text:
        return ["cpu", *everywhere]
    devices: list[str] = []
    for one in text.split(","):
        concrete_device(one)
        if one == "cuda" and not everywhere:
            raise ValueError("torch finds no CUDA device that it can use")
        devices += everywhere if one == "cuda" else [one]
    return list(dict.fromkeys(devices))


def share_mib(at_once: int) -> int:
    """Return the MiB of the host's memory that each of several programs may hold."""
    return max(LEAST_MIB, int(MEMORY_SHARE * available_bytes() / 2**20) // at_once)


def load_facts() -> list[str]:
    """Return a warning when others use the machine, too."""
    load, cores = os.getloadavg()[1], os.cpu_count() or 1
    if load <= cores:
        return []
    return [
        f"The machine was overloaded (load average {load:.1f} on {cores} cores): times are larger "
        "than on an idle one"
    ]
