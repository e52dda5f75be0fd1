"""What flow_shop is, for users, prompts and the database."""

from importlib.resources import files

from ...problem import Interface, ProblemSpec
from .data import TAILLARD


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


_DESCRIPTION = (
    "Find an order of jobs with a small makespan in a permutation flow shop: every job visits "
    "machine 0, 1, 2, ... in this sequence, every machine works on one job at a time, and all "
    "machines process the jobs in the same order. The order is built by insertion (NEH): jobs are "
    "taken by falling index, and each one is inserted at the position where the makespan of the "
    "jobs inserted so far is smallest. The heuristic gives the indices; the aim is a small mean "
    "gap between makespans and known bounds, on instances that it has not seen."
)
_NOTES = (
    "The function is called once per {unit}. Equal indices go to the lowest job number. Times are "
    "not scaled: let indices depend on ratios of times. Indices must not be NaN. Only torch, numpy "
    "and the standard library are available."
)
_SEED = "NEH: insert jobs in the order of falling total processing time."

SPEC = ProblemSpec(
    name="flow_shop",
    version="1",
    title="Permutation flow shop, jobs ranked for NEH insertion",
    description=_DESCRIPTION,
    measure="makespan",
    default_interface="batched",
    seconds_per_instance=0.6,
    interfaces={
        "batched": Interface(
            name="batched",
            function="rank_jobs",
            parameters=("times",),
            signature="def rank_jobs(times):",
            inputs=(
                "times: torch float64 tensor [B, N, M], processing time of each of N jobs on each "
                "of M machines in the order in which jobs visit them; B instances at once."
            ),
            outputs="A float64 tensor [B, N]: the index of each job; the highest is inserted first.",
            notes=_NOTES.format(unit="run, for all instances: use tensor operations"),
            seed=_text("batched_seed.py"),
            seed_thought=_SEED,
            driver=_text("batched_driver.py"),
            demo=_text("batched_demo.py.txt"),
        ),
        "scalar": Interface(
            name="scalar",
            function="rank_jobs",
            parameters=("times",),
            signature="def rank_jobs(times):",
            inputs=(
                "times: numpy float64 array [N, M], processing time of each of N jobs on each of M "
                "machines in the order in which jobs visit them."
            ),
            outputs="A numpy array [N]: the index of each job; the highest is inserted first.",
            notes=_NOTES.format(unit="instance"),
            seed=_text("scalar_seed.py"),
            seed_thought=_SEED,
            driver=_text("scalar_driver.py"),
            demo=_text("scalar_demo.py.txt"),
        ),
    },
    splits={
        "search": ("random-50x10-search",),
        "validation": ("random-100x10-validation",),
        "test": tuple(TAILLARD),
    },
)
