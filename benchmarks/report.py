"""What every benchmark needs: processor time of a family of processes, machine facts, tables."""

import os
import platform
import resource
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).with_name("results")
_TICK = os.sysconf("SC_CLK_TCK")


def family_cpu_s() -> float:
    """Return processor seconds of this process, its living descendants and what they reaped.

    Read from outside by the kernel's account (/proc), so nothing that a program says about itself
    counts. Resolution 0.01 s for each descendant: measure many runs at once.
    """
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        parents[int(folder.name)] = int(fields[1])
        seconds[int(folder.name)] = sum(map(int, fields[11:15])) / _TICK
    reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = time.process_time() + reaped.ru_utime + reaped.ru_stime
    ours = os.getpid()
    for process in parents:
        ancestor = parents[process]
        while ancestor not in (0, ours):
            ancestor = parents.get(ancestor, 0)
        if ancestor == ours:
            total += seconds[process]
    return total


def machine_facts(*packages: str) -> list[str]:
    """Return processor, operating system, Python and package versions; never a host's name."""
    model = platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = f"{line.partition(':')[2].strip()} ({platform.machine()})"
                break
    except OSError:  # not Linux
        pass
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return [
        f"Processor: {os.cpu_count()} x {model}; load average at the end: {load}",
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}, "
        + ", ".join(f"{package} {version(package)}" for package in packages),
    ]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column is text and whose others are numbers."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def write_result(name: str, text: str) -> None:
    """Store a result and print it."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)
