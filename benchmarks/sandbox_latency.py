"""Milliseconds per candidate through the whole protected path, beside fresh processes.

    python -m benchmarks sandbox_latency

writes the table to the results; ``python -m eurisko.benchmarks.sandbox_latency`` prints it, with
``--runs`` and ``--markdown FILE``. All schemes are measured in one run: a shared machine is noisy.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from eurisko.sandbox import ArraySpec, Inputs, Layers, Limits, Program, Sandbox

from .report import write_result

DRIVER = """
import numpy as np
def solve(heuristic, inputs, device):
    return {"order": np.asarray(heuristic(inputs["values"]), dtype="<i8")}
"""
HONEST = "import numpy as np\ndef heuristic(values):\n    return np.argsort(values)\n"
CRASHES = {
    "os._exit": "import os\ndef heuristic(values):\n    os._exit(3)\n",
    "segfault": "import ctypes\ndef heuristic(values):\n    ctypes.string_at(0)\n",
    "SystemExit": "def heuristic(values):\n    raise SystemExit\n",
}
VALUES = np.random.default_rng(0).random(100)
EXPECTS = {"order": ArraySpec("<i8", (100,))}
FRESH = "import numpy as np, torch; np.argsort(np.random.default_rng(0).random(100))"
FORKED = """
import os, time, numpy as np, torch
torch.set_num_threads(1)
values = np.random.default_rng(0).random(100)
times = []
for _ in range({runs}):
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        np.argsort(values)
        os._exit(0)
    os.waitpid(pid, 0)
    times.append((time.perf_counter() - began) * 1000)
print(*times)
"""


def spread(times_ms: list[float]) -> str:
    """Return median and 90th percentile as two table cells."""
    return f"{np.median(times_ms):.1f} | {np.percentile(times_ms, 90):.1f}"


def timed(call: Callable[[], object], runs: int, pause_s: float = 0.0) -> list[float]:
    """Return the milliseconds of each call."""
    times = []
    for _ in range(runs):
        time.sleep(pause_s)
        began = time.perf_counter()
        call()
        times.append((time.perf_counter() - began) * 1000)
    return times


def run(sandbox: Sandbox, inputs: Inputs, code: str, limits: Limits) -> str:
    """Run one candidate and return its kind."""
    return sandbox.run(Program(code, "heuristic", DRIVER), inputs, EXPECTS, limits).kind


def per_candidate(runs: int, rows: list[str]) -> None:
    """Measure the levels, with and without children forked ahead, and the baselines."""
    schemes = {
        "L3, forked ahead": (Layers(), None),
        "L3, forked on demand": (Layers(), 0),
        "L2, forked ahead": (Layers(jail=False), None),
        "L2, forked on demand": (Layers(jail=False), 0),
        "L2 without opens, forked ahead": (Layers(jail=False, landlock=False), None),
        "L1 (limits only), forked on demand": (
            Layers(jail=False, landlock=False, seccomp=False),
            0,
        ),
    }
    limits = Limits()
    with Inputs({"values": VALUES}) as inputs:
        for name, (layers, prefork) in schemes.items():
            with Sandbox(
                layers=layers, prefork=prefork, policy=None, allow_unsafe=True, workers=2
            ) as sandbox:
                began = time.perf_counter()
                sandbox.start()
                start_s = time.perf_counter() - began
                run(sandbox, inputs, HONEST, limits)
                idle = timed(lambda: run(sandbox, inputs, HONEST, limits), runs, 0.02)
                rate = throughput(sandbox, inputs, limits, runs)
                rows.append(f"| {name} | {spread(idle)} | {rate:.0f} | {start_s:.1f} |")
    forked = subprocess.run(
        [sys.executable, "-c", FORKED.format(runs=runs)], capture_output=True, text=True, check=True
    )
    rows.append(
        f"| bare fork of a warm process | {spread(list(map(float, forked.stdout.split())))} | | |"
    )
    fresh = timed(lambda: subprocess.run([sys.executable, "-c", FRESH], check=True), 5)
    rows.append(f"| fresh process | {spread(fresh)} | | |")


def throughput(sandbox: Sandbox, inputs: Inputs, limits: Limits, runs: int) -> float:
    """Return candidates per second with all workers busy."""
    with ThreadPoolExecutor(4) as pool:
        began = time.perf_counter()
        list(pool.map(lambda _: run(sandbox, inputs, HONEST, limits), range(4 * runs)))
        return 4 * runs / (time.perf_counter() - began)


def reactions(runs: int, rows: list[str]) -> None:
    """Measure how soon a crash is reported and how late after its deadline a loop is gone."""
    with Sandbox(policy=None, workers=2) as sandbox, Inputs({"values": VALUES}) as inputs:
        sandbox.start()
        print(sandbox.report().line)
        for name, code in CRASHES.items():
            times = timed(lambda: run(sandbox, inputs, code, Limits()), runs, 0.02)  # noqa: B023
            rows.append(f"| crash by {name}, to its report | {spread(times)} |")
        sleeper = "import time\ndef heuristic(values):\n    time.sleep(60)\n"
        limits = Limits(wall_s=0.2)
        late = timed(lambda: run(sandbox, inputs, sleeper, limits), max(3, runs // 10))
        rows.append(
            f"| after the deadline, to the kill's report | {spread([t - 200 for t in late])} |"
        )
        spec = {"x": ArraySpec("<f8", (64,))}
        driver = "def start(h, i, d):\n    return lambda o: {'x': h(o['x'])}"
        program = Program("def heuristic(x):\n    return x", "heuristic", driver)
        with sandbox.session(program, inputs, spec, spec) as session:
            step = {"x": np.zeros(64)}
            times = timed(lambda: session.step(step), 20 * runs)
        middle, late = np.median(times), np.percentile(times, 90)
        rows.append(f"| one step in lockstep (64 numbers) | {middle:.3f} | {late:.3f} |")


def main(arguments: list[str] | None = None) -> None:
    """Print the tables; without arguments also store them with the other results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args(arguments or [])
    rows = [
        "| scheme | median ms | p90 ms | candidates/s, 2 workers | start s |",
        "|---|---|---|---|---|",
    ]
    per_candidate(options.runs, rows)
    rows += ["", "| event | median ms | p90 ms |", "|---|---|---|"]
    reactions(options.runs, rows)
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    rows += ["", f"{os.cpu_count()} processors, load {load}, {options.runs} runs each."]
    text = "\n".join(rows)
    page = "# Latency of the sandbox\n\n" + text + "\n"
    if arguments is None:
        write_result("sandbox_latency", page)
        return
    print(text)
    if options.markdown is not None:
        options.markdown.write_text(page)


if __name__ == "__main__":
    main(sys.argv[1:])
