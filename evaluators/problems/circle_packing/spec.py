"""What circle_packing is, for users, prompts and the database."""

from importlib.resources import files

from ...problem import Interface, ProblemSpec

CIRCLES = 26
NAME = "square-26"
REFERENCE = 2.636
"""Published programs reach sums of 2.6359...; rounded up, so that no gap is negative by rounding."""


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


SPEC = ProblemSpec(
    name="circle_packing",
    version="1",
    title="Circle packing, 26 circles in a unit square",
    description=(
        "Place 26 circles in the unit square so that the sum of their radii is as large as "
        "possible. The circles must lie inside the square and must not overlap; they may touch "
        "each other and the sides, and their radii may differ. The program returns one packing; it "
        "may compute it in any way within its time limit, for example by improving many starting "
        "packings with an optimiser. The score is the gap of the sum below 2.636 in %, so lower is "
        "better."
    ),
    measure="sum of radii",
    default_interface="program",
    seconds_per_instance=10.0,
    interfaces={
        "program": Interface(
            name="program",
            function="pack_circles",
            parameters=("count",),
            signature="def pack_circles(count):",
            inputs="count: int, the number of circles (26).",
            outputs=(
                "A pair (centres, radii): float64 numpy arrays [count, 2] and [count]. Circle i has "
                "its centre at (centres[i, 0], centres[i, 1])."
            ),
            notes=(
                "The function is called once. The check is exact, with a tolerance of zero: at the "
                "end shrink all radii by a tiny amount such as 1e-9, or an overlap in the last "
                "digit makes the packing invalid. numpy, torch and the standard library are "
                "available; seed random generators."
            ),
            seed=_text("program_seed.py"),
            seed_thought="A grid of equal circles, row by row.",
            driver=_text("driver.py"),
            demo=_text("demo.py.txt"),
        )
    },
    # There is one instance: what is searched for is a packing, not a rule for unseen instances.
    splits={"search": (NAME,), "validation": (NAME,), "test": (NAME,)},
)
