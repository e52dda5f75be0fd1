"""What a job would be and how long it may take, before it is done."""

from collections import Counter
from typing import Any

from ...knowledge_base import KnowledgeBase
from .expand import Expansion
from .tasks import material


def estimate(expansion: Expansion, base: KnowledgeBase, workers: int | None) -> dict[str, Any]:
    """Return the items of a job by data set, and the time that they may take.

    Seconds come from what the same programs, or others, took on the same data on this machine; where
    nothing is known there, no time is named.

    Args:
        expansion: the job.
        base: what was measured before.
        workers: how many programs run at once; None: one per processor.
    """
    import os

    slots = workers or len(os.sched_getaffinity(0))
    known = base.jobs.known(expansion.items)
    groups = Counter(
        (one.problem, one.interface, one.dataset, one.instances, one.device)
        for one in expansion.items
    )
    open_items = Counter(
        (one.problem, one.interface, one.path or one.dataset, one.path is not None)
        for one in expansion.items
        if one.identity not in known
    )
    seconds = {group: _usual_seconds(base, *group) for group in open_items}
    unknown = sum(count for group, count in open_items.items() if seconds[group] is None)
    total = sum(count * (seconds[group] or 0.0) for group, count in open_items.items()) / slots
    if not open_items:
        sentence = "Nothing is left to evaluate."
    elif unknown:
        sentence = (
            f"No time is known for {unknown} items: nothing was evaluated on their data here."
        )
    else:
        sentence = f"About {total:.3g} s on {slots} workers, by what was measured here."
    return {
        "programs": len(expansion.programs),
        "items": len(expansion.items),
        "known": sum(one.identity in known for one in expansion.items),
        "data": [
            dict(
                zip(
                    ("problem", "interface", "dataset", "instances", "device", "items"),
                    (*group, count),
                    strict=True,
                )
            )
            for group, count in groups.items()
        ],
        "left_out": expansion.left_out,
        "seconds": None if unknown else total,
        "workers": slots,
        "sentence": sentence,
    }


def _usual_seconds(
    base: KnowledgeBase, reference: str, interface: str, dataset: str, from_file: bool
) -> float | None:
    problem, data = material(reference, dataset, from_file)
    return base.jobs.usual_seconds(problem.spec.name, interface, data.digest)
