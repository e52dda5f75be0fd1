"""What job_shop is, for users, prompts and the database."""

from importlib.resources import files

from ...problem import Interface, ProblemSpec
from .data import CLASSIC


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


_DESCRIPTION = (
    "Build schedules of small makespan in a job shop: every job has operations in a fixed order, "
    "each on its own machine, and a machine works on one operation at a time. The schedule is "
    "built by dispatching (Giffler and Thompson): again and again the machine is taken on which an "
    "operation could end first, and one of the jobs that wait for it and could start before that "
    "end is dispatched. The heuristic scores the waiting jobs; the job of highest score goes "
    "first. The aim is a small mean gap between makespans and known bounds, on instances that it "
    "has not seen."
)
_FIELDS = (
    "time: {form}, processing time of the job's next operation.\n"
    "start: {form}, earliest start of that operation: job and machine are free.\n"
    "work: {form}, total time of the job's operations that are left, the next one included.\n"
    "steps: {form}, number of these operations.\n"
    "load: {form}, total time of all operations left on the machine of the next operation."
)
_NOTES = (
    "The function is called once per operation. Times are not scaled: let scores depend on ratios. "
    "Scores of waiting jobs must not be NaN. Only torch, numpy and the standard library are "
    "available."
)
_SEED = "Most work remaining: dispatch the job with the longest total time left."

SPEC = ProblemSpec(
    name="job_shop",
    version="1",
    title="Job shop, jobs dispatched by a rule",
    description=_DESCRIPTION,
    measure="makespan",
    default_interface="batched",
    seconds_per_instance=0.3,
    interfaces={
        "batched": Interface(
            name="batched",
            function="score_jobs",
            parameters=("time", "start", "work", "steps", "load", "waiting"),
            signature="def score_jobs(time, start, work, steps, load, waiting):",
            inputs=(
                "All inputs are torch tensors on one device, N jobs of B instances at once.\n"
                + _FIELDS.format(form="float64 [B, N]")
                + "\nwaiting: bool [B, N], True for the jobs that can be dispatched now."
            ),
            outputs=(
                "A float64 tensor [B, N] of scores. In each instance the waiting job of highest "
                "score is dispatched; other scores are ignored, equal ones go to the lowest number."
            ),
            notes="Do not loop over instances in Python: use tensor operations. " + _NOTES,
            seed=_text("batched_seed.py"),
            seed_thought=_SEED,
            driver=_text("batched_driver.py"),
            demo=_text("batched_demo.py.txt"),
        ),
        "scalar": Interface(
            name="scalar",
            function="priority",
            parameters=("time", "start", "work", "steps", "load"),
            signature="def priority(time, start, work, steps, load):",
            inputs="Arrays of the K jobs that can be dispatched now, in the order of their numbers.\n"
            + _FIELDS.format(form="numpy float64 [K]"),
            outputs=(
                "A numpy array [K] of scores; the job of highest score is dispatched, equal ones "
                "go to the lowest number."
            ),
            notes=_NOTES,
            seed=_text("scalar_seed.py"),
            seed_thought=_SEED,
            driver=_text("scalar_driver.py"),
            demo=_text("scalar_demo.py.txt"),
        ),
    },
    splits={
        "search": ("random-10x10-search",),
        "validation": ("random-15x10-validation",),
        "test": tuple(CLASSIC),
    },
)
