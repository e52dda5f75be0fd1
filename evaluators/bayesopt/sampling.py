"""Space-filling points that respect lattice and constraints."""

from typing import Any

import numpy as np

from ..errors import InputError
from .parameters import Columns
from .space import Space

BATCH = 256
DRAWS = 64  # times the wanted number: rejection gives up after so many draws
LARGEST = 20_000  # points of a lattice that are listed rather than sampled


def sample(space: Space, count: int, seed: int) -> Columns:
    """Return scrambled Sobol points [count, columns]: feasible, on the lattice, repeats possible.

    A longer sample of the same seed starts with the shorter one.

    Raises:
        InputError: no feasible point was found.
    """
    import torch

    engine: Any = torch.quasirandom.SobolEngine(len(space.free), scramble=True, seed=seed)  # type: ignore[no-untyped-call]
    kept: list[Columns] = []
    found = drawn = 0
    while found < count and drawn < DRAWS * max(count, BATCH):
        cube = space.spread(engine.draw(BATCH, dtype=torch.double).numpy())
        cube = cube[space.feasible(cube)]
        kept.append(cube)
        found, drawn = found + len(cube), drawn + BATCH
    if found < count:
        kept.append(_inside(space, count - found, seed))
    return np.concatenate(kept)[:count]


def design(space: Space, count: int, seed: int) -> Columns:
    """Return up to ``count`` different space-filling points (fewer in a smaller lattice)."""
    cube = sample(space, count if space.size is None else 8 * count, seed)
    _, first = np.unique(cube.round(9), axis=0, return_index=True)
    return cube[np.sort(first)][:count]


def local(space: Space, centres: Columns, count: int, seed: int) -> Columns:
    """Return up to ``count`` feasible points [k, columns] near the rows of ``centres``."""
    rng = np.random.default_rng(seed)
    rows = centres[rng.integers(len(centres), size=count)]
    moved = rows + rng.normal(size=rows.shape) * rng.choice([0.1, 0.01, 0.001], size=(count, 1))
    for one, part in space.slices:
        if part.stop - part.start > 1:  # a category: another choice for some rows
            other = rng.random(count) < 1 / max(2, len(space.free))
            choices = np.eye(one.width)[rng.integers(one.width, size=count)]
            moved[:, part] = np.where(other[:, None], choices, rows[:, part])
    snapped = space.snap(moved)
    return snapped[space.feasible(snapped)]


def _inside(space: Space, count: int, seed: int) -> Columns:
    """Sample a narrow feasible region: walk inside its polytope, then move to the lattice."""
    import torch
    from botorch.utils.sampling import get_polytope_samples

    matrix, upper = space.linear
    rows = [
        (torch.arange(space.columns), torch.from_numpy(-row), -float(limit))
        for row, limit in zip(matrix, upper, strict=True)
    ]
    box = torch.stack([torch.zeros(space.columns), torch.ones(space.columns)]).double()
    try:
        walked = get_polytope_samples(8 * count, box, rows, seed=seed, n_burnin=500).numpy()
    except ValueError:  # BoTorch's word for an empty polytope
        walked = np.empty((0, space.columns))
    snapped = space.snap(walked)
    snapped = snapped[space.feasible(snapped)]
    if len(snapped) == 0 and space.size is not None and space.size <= LARGEST:
        snapped = np.array(list(space.lattice()), dtype=np.float64).reshape(-1, space.columns)
    if len(snapped) == 0:
        raise InputError("No point of the space satisfies its linear constraints, as far as found.")
    return snapped[np.arange(count) % len(snapped)]
