"""What a page leaves out of a long run, so that a browser still opens it."""

from collections.abc import Sequence
from typing import Any, TypeVar

from ....knowledge_base import Candidate

T = TypeVar("T")


def even(rows: Sequence[T], count: int) -> list[T]:
    """Return ``count`` of the rows at even distances (all of them if there are no more)."""
    if len(rows) <= count:
        return list(rows)
    return [rows[index * len(rows) // count] for index in range(count)]


def ancestry(best: Candidate | None, rows: Sequence[Candidate]) -> list[int]:
    """Return the ids of the best candidate and of all its ancestors, the nearest first."""
    by_id = {one.id: one for one in rows}
    found: dict[int, None] = {} if best is None else {best.id: None}
    ring = list(found)
    while ring:
        parents = [p.parent_id for id_ in ring for p in by_id[id_].parents]
        ring = list(dict.fromkeys(id_ for id_ in parents if id_ in by_id and id_ not in found))
        found.update(dict.fromkeys(ring))
    return list(found)


def thin(rows: Sequence[Candidate], always: Sequence[int], count: int) -> list[Candidate]:
    """Return ``count`` candidates in their order: those named first, and an even sample of the rest.

    Where there are more names than places, the first names have them.
    """
    if len(rows) <= count:
        return list(rows)
    named = set(list(dict.fromkeys(always))[:count])
    rest = [one for one in rows if one.id not in named]
    kept = named | {one.id for one in even(rest, count - len(named))}
    return [one for one in rows if one.id in kept]


def thin_points(points: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Return all points of the front and an even sample of the others, ``count`` in all."""
    front = [one for one in points if one["front"]]
    return front + even([one for one in points if not one["front"]], max(0, count - len(front)))
