"""How far apart the decisions of two programs are, from sketches of a few hundred bytes.

What a program decided on a data set is a set of *traits*, integers that stand for single decisions,
such as "instance 3 has the edge 7-12". The sketch of a set is a one-permutation MinHash (Li, Owen and
Zhang 2012) whose empty slots borrow from others (optimal densification, Shrivastava 2017): the share
of slots in which two sketches agree estimates |A ∩ B| / |A ∪ B|, with a standard error of at most
0.05.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SLOTS = 128
_SLOT_BITS = np.uint64(57)  # a 64-bit hash without its first 7 bits, which choose the slot
_EMPTY = np.iinfo(np.uint64).max


def edge_traits(tours: Array, nodes: int, *, closed: bool = False) -> Array:
    """Return the undirected edges of node sequences ``[instances, steps]``; standing still is none.

    ``closed`` adds the way from the last node to the first.
    """
    after = np.roll(tours, -1, axis=1)
    if not closed:
        tours, after = tours[:, :-1], after[:, :-1]
    low, high = np.minimum(tours, after), np.maximum(tours, after)
    instance = np.arange(len(tours), dtype=np.int64)[:, None]
    edges: Array = ((instance * nodes + low) * nodes + high)[low != high]
    return edges


def partner_traits(groups: Array) -> Array:
    """Return for each item of ``[instances, items]`` the last item before it in the same group.

    So the numbers of the groups do not matter. The first item of a group has none, which counts too.
    """
    traits: list[Array] = []
    for instance, row in enumerate(groups.astype(np.int64)):
        order = np.argsort(row, kind="stable")
        partner = np.where(np.diff(row[order], prepend=-1) == 0, np.roll(order, 1) + 1, 0)
        traits.append((instance * len(row) + order) * (len(row) + 1) + partner)
    return np.concatenate(traits)


def position_traits(decisions: Mapping[str, Array]) -> Array:
    """Return traits of any arrays: which value stands where, real numbers to three digits."""
    traits: list[Array] = []
    for name in sorted(decisions):
        values: Array = np.asarray(decisions[name])
        if values.dtype.kind == "f":
            exponent = np.floor(np.log10(np.abs(values) + 1e-300))
            values = np.rint(values / 10.0 ** (exponent - 2)) + 1e4 * exponent
        flat = values.ravel().astype(np.int64).astype(np.uint64)
        place: Array = np.arange(flat.size, dtype=np.uint64)
        traits.append(_mixed(_mixed(place + np.uint64(len(traits) << 40)) ^ flat))
    return np.concatenate(traits).view(np.int64)


def sketch(traits: Array) -> Array:
    """Return the sketch ``[SLOTS]`` (uint16) of a set of integers that is not empty."""
    hashes = _mixed(np.asarray(traits).astype(np.int64).ravel().view(np.uint64))
    if not hashes.size:
        raise ValueError("there is no decision to sketch")
    least = np.full(SLOTS, _EMPTY)
    np.minimum.at(least, (hashes >> _SLOT_BITS).astype(np.intp), hashes & ((1 << 57) - 1))
    filled = least != _EMPTY
    values = (least & 0xFFFF).astype("<u2")
    for slot in np.flatnonzero(~filled):
        draw = np.array([slot], dtype=np.uint64)
        while True:
            draw = _mixed(draw)
            donor = int(draw[0]) % SLOTS
            if filled[donor]:
                values[slot] = values[donor]
                break
    return values


def decision_distance(one: Array, other: Array) -> float:
    """Return the share of decisions in which two programs differ, of sketches of the same data.

    For sets of one size, (1 − J)/(1 + J) is that share where J is their Jaccard index.
    """
    if one.shape != other.shape:
        raise ValueError("sketches must be of the same data sets")
    jaccard = float(np.mean(one == other))
    return (1 - jaccard) / (1 + jaccard)


def _mixed(values: Array) -> Array:
    """Return 64-bit hashes (the finaliser of splitmix64); products wrap around."""
    mixed = np.asarray(values, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
