"""What bin_packing_online is, for users, prompts and the database."""

from importlib.resources import files

from ...problem import Interface, ProblemSpec
from .data import WEIBULL

OPEN = ("open", "scalar_open")
"""Interfaces whose heuristics see the open bins and one empty bin."""


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


_DESCRIPTION = (
    "Pack items that arrive one by one into as few bins as possible. All bins of an instance have "
    "the same capacity. Each item must be put into a bin with enough room as soon as it arrives, "
    "before the next one is seen, and stays there. The heuristic scores the bins for each item and "
    "the item goes into the bin of highest score. Item sizes are integers from 1 to 100 whose "
    "distribution is fixed but not told, and thousands of items arrive; the aim is a small mean "
    "number of bins on streams that the heuristic has not seen."
)
_ALL = (
    "As many bins as there are items exist from the start, so that most columns are empty bins of "
    "full capacity; any of them may be chosen."
)
_OPENED = (
    "The columns are the bins in the order of their opening; the last one of each instance is an "
    "empty bin of full capacity, which is opened when it is chosen."
)
_BATCHED_INPUTS = (
    "All inputs are torch tensors; one item per instance is packed at a time in B instances.\n"
    "items: float64 [B, 1], sizes of the items to be packed now.\n"
    "bins: float64 [B, N], remaining capacities of all bins, also of those without room "
    "(bins < items)."
)
_BATCHED_OUTPUTS = (
    "A float64 tensor [B, N] of scores. In each instance the item goes into the bin of highest "
    "score among those with room; scores of the others are ignored, and equal scores go to the "
    "lowest index."
)
_BATCHED_NOTES = (
    "The function is called once per item and must be fast: no Python loop over instances or bins. "
    "The capacity is not an argument; an empty bin shows it, as bins.amax(dim=1, keepdim=True). "
    "Scores of bins with room must not be NaN. Only torch, numpy and the standard library are "
    "available."
)
_SCALAR_INPUTS = (
    "item: int, the size of the item to be packed now.\n"
    "bins: numpy int64 array of the remaining capacities of the bins that have room for the item, "
    "in order of their index."
)
_SCALAR_OUTPUTS = (
    "A numpy array with one score per element of bins. The item goes into the bin of highest "
    "score, equal scores to the first."
)
_SCALAR_NOTES = (
    "The function is called once per item and must be fast: use array operations. bins holds "
    "integers: convert before fractional powers or in-place operations. Scores must not be NaN. "
    "Only numpy, torch and the standard library are available."
)
_SEED = "Best fit: put the item into the bin with the least remaining capacity that has room."


def _batched(name: str, bins: str) -> Interface:
    return Interface(
        name=name,
        function="score_bins",
        parameters=("items", "bins"),
        signature="def score_bins(items, bins):",
        inputs=_BATCHED_INPUTS,
        outputs=_BATCHED_OUTPUTS,
        notes=f"{bins} {_BATCHED_NOTES}",
        seed=_text("batched_seed.py"),
        seed_thought=_SEED,
        driver=_text("batched_driver.py"),
        demo=_text("batched_demo.py.txt"),
    )


def _scalar(name: str, bins: str) -> Interface:
    return Interface(
        name=name,
        function="score",
        parameters=("item", "bins"),
        signature="def score(item, bins):",
        inputs=_SCALAR_INPUTS,
        outputs=_SCALAR_OUTPUTS,
        notes=f"{bins} {_SCALAR_NOTES}",
        seed=_text("scalar_seed.py"),
        seed_thought=_SEED,
        driver=_text("scalar_driver.py"),
        demo=_text("scalar_demo.py.txt"),
    )


SPEC = ProblemSpec(
    name="bin_packing_online",
    version="1",
    title="Online bin packing, bins scored item by item",
    description=_DESCRIPTION,
    measure="number of bins",
    default_interface="batched",
    seconds_per_instance=2.0,
    interfaces={
        "batched": _batched("batched", _ALL),
        "scalar": _scalar("scalar", _ALL.replace("columns", "elements")),
        "open": _batched(
            "open", f"{_OPENED} Columns behind it are no bins yet and hold 0, without room."
        ),
        "scalar_open": _scalar("scalar_open", _OPENED.replace("columns", "elements")),
    },
    splits={
        split: tuple(name for name in WEIBULL if name.endswith(f"-{split}"))
        for split in ("search", "validation", "test")
    },
)
