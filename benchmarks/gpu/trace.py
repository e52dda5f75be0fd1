"""Times by call out of a profiler's trace (the JSON that torch exports for Chrome)."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

RANGE = "operator call "
"""How the names of ranges begin; the number of the call follows."""

_LAUNCHES = ("cuda_runtime", "cuda_driver")
_ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")

Event = Mapping[str, Any]


class Ranges:
    """The named ranges of one thread, none within another."""

    def __init__(self, events: Sequence[Event]) -> None:
        found = [
            (float(one["ts"]), float(one["ts"]) + float(one["dur"]), one)
            for one in events
            if one.get("cat") == "user_annotation" and str(one["name"]).startswith(RANGE)
        ]
        found.sort(key=lambda one: one[0])
        self._begins = [begin for begin, _, _ in found]
        self._ends = [end for _, end, _ in found]
        self._calls = [int(str(one["name"]).removeprefix(RANGE)) for _, _, one in found]
        self.threads = {one["tid"] for _, _, one in found}

    def call_at(self, moment: float) -> int | None:
        """Return the number of the call whose range holds a moment."""
        at = bisect_right(self._begins, moment) - 1
        return self._calls[at] if at >= 0 and moment <= self._ends[at] else None


def device_times(events: Sequence[Event]) -> dict[int, float]:
    """Return the microseconds of kernels, copies and fills on a graphics processor by call.

    Each belongs to the call in whose range it was launched: launch and work share a correlation id;
    without a launch in the trace the operator of the same external id stands for it.
    """
    ranges = Ranges(events)
    launched: dict[Any, float] = {}
    operators: dict[Any, float] = {}
    for one in events:
        given = one.get("args", {})
        if one.get("cat") in _LAUNCHES and "correlation" in given:
            launched[given["correlation"]] = float(one["ts"])
        elif one.get("cat") == "cpu_op" and "External id" in given:
            operators[given["External id"]] = float(one["ts"])
    times: dict[int, float] = defaultdict(float)
    for one in events:
        if one.get("cat") not in _ON_DEVICE:
            continue
        given = one.get("args", {})
        moment = launched.get(given.get("correlation"), operators.get(given.get("External id")))
        call = None if moment is None else ranges.call_at(moment)
        if call is not None:
            times[call] += float(one["dur"])
    return dict(times)


def processor_times(events: Sequence[Event]) -> dict[int, float]:
    """Return the microseconds of operators on the processor by call, what they call included."""
    ranges = Ranges(events)
    operators = [
        (float(one["ts"]), float(one["dur"]))
        for one in events
        if one.get("cat") == "cpu_op" and one["tid"] in ranges.threads
    ]
    times: dict[int, float] = defaultdict(float)
    until = float("-inf")
    for begin, took in sorted(operators, key=lambda one: (one[0], -one[1])):
        call = ranges.call_at(begin)
        if call is None or begin < until:  # outside of any call, or inside an operator seen already
            continue
        times[call] += took
        until = begin + took
    return dict(times)
