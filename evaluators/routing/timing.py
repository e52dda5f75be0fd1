"""Times of routes: earliest schedules, latest starts, shortest durations.

A vehicle waits for a window to open. It leaves its depot as late as it can without finishing
later, which gives the shortest duration where each node has one window; with several windows the
start times at which some window opens just in time are tried as well.
"""

from dataclasses import dataclass, replace

import numpy as np

from .instance import Floats, Ints


@dataclass(frozen=True, eq=False)
class TimeInputs:
    """What times depend on, by route and position ``[R, L]``."""

    legs: Floats  # travel time from the stop before
    dwell: Floats  # service, recharging and break
    windows: Floats  # [R, L, W, 2]
    release: Floats  # earliest departure of a trip that begins here
    last: Ints  # [R]
    departures: Floats  # planned departures, NaN where free


def schedule(inputs: TimeInputs) -> dict[str, Floats]:
    """Return arrival, start, departure, late and window_slack ``[R, L]``, and duration ``[R]``."""
    earliest = np.full(len(inputs.last), -np.inf)
    first = _forward(inputs, earliest)
    begin = _latest_start(inputs, first["start"])
    for row in np.flatnonzero(
        (inputs.windows[..., 0] < np.inf).sum(axis=2).max(axis=1, initial=0) > 1
    ):
        begin[row] = _best_start(inputs, int(row), float(begin[row]))
    return _forward(inputs, begin)


def _forward(inputs: TimeInputs, begin: Floats) -> dict[str, Floats]:
    shape = inputs.legs.shape
    arrival, start = np.zeros(shape), np.zeros(shape)
    departure, late, slack = np.zeros(shape), np.zeros(shape), np.full(shape, np.inf)
    clock = begin
    for position in range(shape[1]):
        arrival[:, position] = clock + inputs.legs[:, position]
        planned = inputs.departures[:, position]
        free = np.isnan(planned)
        wanted = np.maximum(arrival[:, position], np.where(free, inputs.release[:, position], 0.0))
        wanted = np.where(free, wanted, np.maximum(arrival[:, position], planned))
        if position == 0:
            wanted = np.where(free, wanted, planned)
        begun, over, room = _enter(inputs.windows[:, position], wanted)
        start[:, position], late[:, position], slack[:, position] = begun, over, room
        clock = begun + inputs.dwell[:, position]
        departure[:, position] = clock
    arrival[:, 0] = start[:, 0]
    inside = np.arange(shape[1])[None, :] <= inputs.last[:, None]
    late, slack = np.where(inside, late, 0.0), np.where(inside, slack, np.inf)
    rows = np.arange(len(inputs.last))
    duration = departure[rows, inputs.last] - start[:, 0]
    return {
        "arrival": arrival,
        "start": start,
        "departure": departure,
        "late": late,
        "window_slack": slack,
        "duration": duration,
    }


def _enter(windows: Floats, time: Floats) -> tuple[Floats, Floats, Floats]:
    """Start in the first window that has not closed: start, lateness, room until it closes.

    Who is too late for all of them starts at once, and is late by the distance to the last.
    """
    opening, closing = windows[..., 0], windows[..., 1]
    open_still = closing >= time[:, None] - 1e-9 * np.maximum(1.0, np.abs(time[:, None]))
    begins = np.where(open_still, np.maximum(opening, time[:, None]), np.inf)
    choice = begins.argmin(axis=1)
    rows = np.arange(len(time))
    chosen = begins[rows, choice]
    missed = ~open_still.any(axis=1)
    final = closing.max(axis=1)
    begun = np.where(missed, time, chosen)
    room = np.where(missed, final - time, closing[rows, choice] - begun)
    return begun, np.where(missed, time - final, 0.0), room


def _latest_start(inputs: TimeInputs, start: Floats) -> Floats:
    """Return the latest start of each route that keeps its earliest end."""
    rows = np.arange(len(inputs.last))
    latest = start[rows, inputs.last]
    for position in range(start.shape[1] - 2, -1, -1):
        before = position < inputs.last
        cap = latest - inputs.legs[:, position + 1] - inputs.dwell[:, position]
        moved = np.maximum(_before(inputs.windows[:, position], cap), start[:, position])
        fixed = ~np.isnan(inputs.departures[:, position])
        latest = np.where(before, np.where(fixed, start[:, position], moved), latest)
    return latest


def _before(windows: Floats, cap: Floats) -> Floats:
    """Return the latest time within some window and not after ``cap``; -inf where there is none."""
    reached = np.where(
        windows[..., 0] <= cap[:, None], np.minimum(windows[..., 1], cap[:, None]), -np.inf
    )
    latest: Floats = reached.max(axis=1)
    return latest


def _best_start(inputs: TimeInputs, row: int, default: float) -> float:
    """Return the start of the shortest duration of one route whose nodes have several windows."""
    one = TimeInputs(
        **{
            key: getattr(inputs, key)[row : row + 1]
            for key in ("legs", "dwell", "windows", "release", "last", "departures")
        }
    )
    if not np.isnan(one.departures).all():
        return default
    free = replace(one, departures=np.full_like(one.departures, np.nan))
    best, best_time = default, np.inf
    lateness = np.inf
    for begin in [default, *_candidates(free)]:
        times = _forward(free, np.array([begin]))
        key = (float(times["late"].max()), float(times["duration"][0]))
        if key < (lateness, best_time - 1e-12):
            (lateness, best_time), best = key, begin
    return best


def _candidates(one: TimeInputs) -> list[float]:
    """Starts from which a stop is reached just when a window opens or its goods are released."""
    found = []
    for stop in range(1, int(one.last[0]) + 1):
        for opening in (*one.windows[0, stop, :, 0], one.release[0, stop]):
            if not np.isfinite(opening):
                continue
            latest = np.array([opening])
            for position in range(stop - 1, -1, -1):
                cap = latest - one.legs[:, position + 1] - one.dwell[:, position]
                latest = _before(one.windows[:, position], cap)
            if np.isfinite(latest[0]) and latest[0] >= one.release[0, 0]:
                found.append(float(latest[0]))
    return found
