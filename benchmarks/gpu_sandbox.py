"""What workers on a graphics processor cost: warm-up, waiting, latency, time to a kill.

    python -m benchmarks gpu_sandbox

Without a CUDA device it says so and writes nothing.
"""

import shutil
import subprocess
import time
from pathlib import Path

import numpy as np

from eurisko.sandbox import ArraySpec, Limits, Outcome, Program, Sandbox, SandboxError
from eurisko.sandbox.devices import acceptable

from .report import machine_facts, markdown_table, write_result

RUNS = 10
DRIVER = """
import torch
def solve(heuristic, inputs, device):
    values = torch.from_numpy(inputs["values"].copy()).to(device)
    return {"order": heuristic(values).cpu().numpy()}
"""
HONEST = "def heuristic(values):\n    return values.argsort()\n"
IN_KERNEL = "import torch\ndef heuristic(values):\n    torch.cuda._sleep(1 << 50)\n    {}\n"
ENDLESS = {
    "one endless kernel, waiting for it": IN_KERNEL.format("torch.cuda.synchronize()"),
    "one endless kernel, asleep": IN_KERNEL.format("import time; time.sleep(60)"),
    "endless matrix products": "import torch\ndef heuristic(values):\n"
    "    m = torch.rand(4096, 4096, device=values.device)\n    while True: m = m @ m",
}
EXPECTS = {"order": ArraySpec("<i8", (100,))}
VALUES = np.random.default_rng(0).random(100)


def run(sandbox: Sandbox, code: str, limits: Limits | None = None) -> Outcome:
    """Run one candidate on the sandbox's device."""
    program = Program(code, "heuristic", DRIVER)
    return sandbox.run(program, {"values": VALUES}, EXPECTS, limits or Limits(cpu_s=30.0))


def latencies_ms(sandbox: Sandbox, pause_s: float) -> list[float]:
    """Return the milliseconds of honest runs, with a pause before each for a worker to get warm."""
    times = []
    for _ in range(RUNS):
        time.sleep(pause_s)
        began = time.perf_counter()
        outcome = run(sandbox, HONEST)
        times.append(1000 * (time.perf_counter() - began))
        if not outcome.ok:
            raise RuntimeError(f"an honest candidate ended as {outcome.kind}: {outcome.message}")
    return times


def late_ms(sandbox: Sandbox, code: str, pause_s: float) -> list[float]:
    """Return how many milliseconds after its deadline a candidate's end was reported."""
    times = []
    for _ in range(3):
        time.sleep(pause_s)
        outcome = run(sandbox, code, Limits(cpu_s=60.0, wall_s=1.0))
        if outcome.kind != "timeout":
            raise RuntimeError(f"an endless candidate ended as {outcome.kind}: {outcome.message}")
        times.append(1000 * (outcome.wall_s - 1.0))
    return times


def device_mib() -> float | None:
    """Return the memory in use on all devices, by the driver's own tool; None without it."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    query = [tool, "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    return sum(map(float, done.stdout.split())) if done.returncode == 0 else None


def host_mib(pid: int) -> float:
    """Return the proportional share of host memory that a process holds, in MiB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def _waiting_host_mib(sandbox: Sandbox) -> float:
    """Return the share of the youngest process below the fork server: the worker that waits."""
    zygote = sandbox._chosen()._current
    assert zygote is not None
    pid, below = zygote.pid, [zygote.pid]
    while below:
        pid = max(below)
        below = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    return host_mib(pid)


def measure() -> list[tuple[str, str]]:
    """Return what was measured and its figures."""
    before = device_mib()
    with Sandbox(policy=None, device="cuda", prefork=0) as on_demand:
        began = time.perf_counter()
        on_demand.start()
        rows = [("first start with its self-test, s", f"{time.perf_counter() - began:.1f}")]
        print(on_demand.report().line)
        cold = latencies_ms(on_demand, 0.0)
        rows.append(("one candidate, worker made on demand, ms", _spread(cold)))
    pause_s = 2 * max(cold) / 1000
    idle = device_mib()
    with Sandbox(policy=None, device="cuda") as ahead:
        ahead.start()
        time.sleep(pause_s)
        waiting = device_mib()
        rows.append(("host memory of one waiting worker, MiB", f"{_waiting_host_mib(ahead):.0f}"))
        warm = latencies_ms(ahead, pause_s)
        rows.append(("one candidate, worker prepared ahead, ms", _spread(warm)))
        rows.append(("so context and warm-up take, ms", f"{np.median(cold) - np.median(warm):.0f}"))
        began = time.perf_counter()
        for _ in range(RUNS):
            run(ahead, HONEST)
        rows.append(("candidates per second", f"{RUNS / (time.perf_counter() - began):.2f}"))
        for name, code in ENDLESS.items():
            late = late_ms(ahead, code, pause_s)
            rows.append((f"after the deadline, {name}, ms", _spread(late)))
        time.sleep(pause_s)
        if idle is not None and waiting is not None:
            rows.append(("device memory of one waiting worker, MiB", f"{waiting - idle:.0f}"))
    time.sleep(1.0)
    after = device_mib()
    if before is not None and after is not None:
        rows.append(("device memory left over afterwards, MiB", f"{after - before:.0f}"))
    return rows


def _spread(times_ms: list[float]) -> str:
    return f"{np.median(times_ms):.0f} (largest {max(times_ms):.0f})"


def main() -> None:
    """Measure and store the table, or say that there is nothing to measure."""
    try:
        found = acceptable("cuda")
    except SandboxError as error:
        print(f"gpu_sandbox: there is nothing to measure on this machine: {error}.")
        return
    rows = [list(row) for row in measure()]
    facts = "\n".join(f"- {fact}" for fact in machine_facts("torch", "numpy"))
    count = f"- {len(found)} visible CUDA devices; {RUNS} runs each, median and largest\n"
    table = markdown_table(["what", "figure"], rows)
    write_result("gpu_sandbox", f"# Workers on a graphics processor\n\n{table}\n\n{facts}\n{count}")


if __name__ == "__main__":
    main()
