"""Runs benchmarks: ``python -m benchmarks`` all of them, ``... NAME`` some, ``... --list`` none."""

import argparse
import sys
from importlib import import_module

BENCHMARKS = (
    "bayesopt_engine",
    "evaluation_throughput",
    "orchestration",
    "sandbox_latency",
    "gpu_sandbox",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: every benchmark")
    parser.add_argument("--list", action="store_true", help="list the benchmarks and stop")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"unknown benchmark {unknown[0]!r}; choose from {', '.join(BENCHMARKS)}")
    for name in BENCHMARKS if arguments.list else arguments.names or BENCHMARKS:
        module = import_module(f"benchmarks.{name}")
        print(f"{name}: {(module.__doc__ or '').splitlines()[0]}", flush=True)
        if not arguments.list:
            module.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
