"""Runs benchmarks: ``python -m benchmarks`` all of them, ``... NAME`` some, ``... --list`` none."""

import argparse
import sys
from importlib import import_module

LONG = ("afl", "batch_endurance", "gpu", "hifo_ablation", "job_claims", "knowledge_base", "lmabo")
"""Run by name only, alone, and with options of their own: ``... hifo_ablation --help``."""
BENCHMARKS = (
    "batch_overhead",
    "bayesopt_engine",
    "evaluation_throughput",
    "orchestration",
    "problem_throughput",
    "rules_variants",
    "sandbox_latency",
    "steady_state",
    "gpu_sandbox",
)


def main() -> int:
    if sys.argv[1:2] and sys.argv[1] in LONG:
        import_module(f"benchmarks.{sys.argv[1]}").main(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: every benchmark")
    parser.add_argument("--list", action="store_true", help="list the benchmarks and stop")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in BENCHMARKS]
    if unknown:
        known = ", ".join(BENCHMARKS + LONG)
        parser.error(f"unknown benchmark {unknown[0]!r}; choose from {known}")
    for name in BENCHMARKS + LONG if arguments.list else arguments.names or BENCHMARKS:
        module = import_module(f"benchmarks.{name}")
        print(f"{name}: {(module.__doc__ or '').splitlines()[0]}", flush=True)
        if not arguments.list:
            module.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
