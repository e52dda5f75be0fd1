"""A soak of the sandbox: thousands of honest, failing and hostile candidates; nothing may leak.

``python -m benchmarks.sandbox_soak --runs 20000`` ends with exit status 1 when an outcome was
wrong, or when descriptors, processes, shared memory or the memory of this process grew.
"""

import argparse
import os
import random
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from eurisko.sandbox import ArraySpec, Inputs, Limits, Program, Sandbox

DRIVER = """
import numpy as np
def solve(heuristic, inputs, device):
    return {"answer": np.asarray(heuristic(inputs["values"]), dtype="<f8")}
"""
VALUES = np.arange(50, dtype="<f8")
EXPECTS = {"answer": ArraySpec("<f8", (50,))}
HEAD = "import os, ctypes, sys, socket, time\nimport numpy as np\ndef heuristic(values):\n    "
# Body, right kinds, share of the runs.
MIX: list[tuple[str, tuple[str, ...], int]] = [
    ("return values + {n}", ("ok",), 60),
    ("import torch; return torch.tensor(values).flip(0).numpy() + {n}", ("ok",), 10),
    ("return values[:3]", ("bad_result",), 4),
    ("return values / 0 + [1, 2]", ("candidate_error",), 4),
    ("return (", ("syntax_error",), 3),
    ("os._exit({n} % 256)", ("crash",), 3),
    ("ctypes.string_at(0)", ("crash",), 2),
    ("raise SystemExit", ("crash",), 2),
    ("return bytearray(20 * 10**9)", ("memory",), 2),
    ("os.fork()", ("candidate_error",), 2),
    ("socket.socket()", ("candidate_error",), 2),
    ("open('/etc/passwd')", ("candidate_error",), 2),
    ("ctypes.CDLL(None).ptrace(0, 0, 0, 0)", ("forbidden_syscall",), 1),
    ("print('x' * 300_000); return values + {n}", ("ok",), 1),
    ("os.write(4, b'noise')", ("bad_result",), 1),
    ("while True: pass", ("timeout",), 1),
]


def footprint() -> dict[str, float]:
    """Descriptors, processes below this one, shared memory files, and resident MiB of this one."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "processes": _descendants(os.getpid()),
        "shared": len(list(Path("/dev/shm").iterdir())),
        "resident MiB": pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
    }


def _descendants(root: int) -> int:
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    below, size = {root}, 0
    while size != len(below):
        size = len(below)
        below |= {pid for pid, parent in parents.items() if parent in below}
    return size - 1


def main() -> int:
    """Run the soak and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    choices = draw.choices(MIX, [share for _, _, share in MIX], k=options.runs)
    wrong: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    with Sandbox(policy=None) as sandbox, Inputs({"values": VALUES}) as inputs:
        sandbox.start()
        print(sandbox.report().line)

        def one(task: tuple[int, tuple[str, tuple[str, ...], int]]) -> None:
            number, (body, right, _) = task
            program = Program(HEAD + body.replace("{n}", str(number)), "heuristic", DRIVER)
            limits = Limits(cpu_s=0.3, wall_s=30.0)
            outcome = sandbox.run(program, inputs, EXPECTS, limits)
            kinds[outcome.kind] += 1
            expected = VALUES[::-1] if "flip" in body else VALUES
            exact = not outcome.ok or np.array_equal(outcome.arrays["answer"], expected + number)
            if outcome.kind not in right or not exact:
                wrong[f"{body[:40]}: {outcome.kind} {outcome.message[:100]}"] += 1

        with ThreadPoolExecutor(2 * sandbox.workers) as pool:
            list(pool.map(one, enumerate(choices[:500])))
            time.sleep(1)
            before = footprint()
            print("after 500:", before)
            block, rates = max(1, options.runs // 8), []
            for at in range(500, options.runs, block):
                began = time.perf_counter()
                part = list(enumerate(choices[at : at + block], at))
                list(pool.map(one, part))
                rates.append(len(part) / (time.perf_counter() - began))
                print(f"{at + len(part)} runs, {rates[-1]:.0f}/s", footprint(), flush=True)
        time.sleep(1)
        after = footprint()
        servers = sandbox._servers.started
    print(f"outcomes {dict(kinds)}; servers started {servers}; wrong {dict(wrong)}")
    leaks = [
        f"{name} grew from {before[name]} to {after[name]}"
        for name, slack in {
            "descriptors": 0,
            "processes": 2,
            "shared": 0,
            "resident MiB": 60,
        }.items()
        if after[name] > before[name] + slack
    ]
    print("leaks:", leaks or "none")
    return 1 if wrong or leaks else 0


if __name__ == "__main__":
    sys.exit(main())
