"""The inner optimiser: where in the space is an acquisition function largest?

Real columns are climbed by gradients, integers and categories are searched on their own lattice
(never rounded afterwards, which makes many starts collapse onto one point), small finite spaces are
listed in full.
"""

import time
import warnings
from dataclasses import dataclass, field

import numpy as np

from .arms import Acquisition
from .parameters import Columns
from .sampling import LARGEST
from .space import Space

CHUNK = 1024  # points evaluated at once: bounds the memory of large candidate sets
ROUNDS = 20  # of neighbourhood moves


@dataclass(frozen=True)
class Inner:
    """The effort of one proposal: climbs, sampled starts, and steps of each climb."""

    restarts: int = 8
    samples: int = 512
    iterations: int = 100


@dataclass
class Search:
    """One maximisation: its parts share the function, the effort, the deadline and the notes."""

    function: Acquisition
    space: Space
    inner: Inner
    deadline: float | None = None  # time.monotonic()
    notes: list[str] = field(default_factory=list)

    def maxima(self, raw: Columns, gradient: bool) -> tuple[Columns, Columns]:
        """Return different good points [k, columns], best first, and their values [k].

        Args:
            raw: feasible lattice points [n, columns] to start from; of a small lattice, all that
                may be proposed.
            gradient: climb the real columns by gradients.
        """
        values = self.values(raw)
        listed = self.space.size is not None and self.space.size <= LARGEST
        rows, scores = [raw], [values]
        if not listed and gradient and np.isfinite(values).any():
            starts = self._starts(raw, values)
            if not self.space.discrete_columns:
                climbed = self._climb(starts, {})
            else:
                climbed = np.array([self._mixed(start) for start in starts])
            rows.insert(0, climbed)
            scores.insert(0, self.values(climbed))
        every, score = np.concatenate(rows), np.concatenate(scores)
        every, score = every[np.isfinite(score)], score[np.isfinite(score)]
        order = np.argsort(-score, kind="stable")
        return every[order], score[order]

    def values(self, rows: Columns) -> Columns:
        """Return the function at rows [n, columns]; not-a-number counts as minus infinity."""
        import torch

        with torch.no_grad():
            parts = [
                self.function(torch.from_numpy(rows[at : at + CHUNK]).unsqueeze(-2))
                for at in range(0, len(rows), CHUNK)
            ]
        values = torch.cat(parts).reshape(-1).numpy().astype(np.float64)
        if np.isnan(values).any():
            self.notes.append(
                f"the acquisition function was not a number at {np.isnan(values).sum()}"
            )
        return np.where(np.isnan(values), -np.inf, values)

    def late(self) -> bool:
        """Whether the time of this step is over (noted once)."""
        if self.deadline is None or time.monotonic() < self.deadline:
            return False
        if "time cap" not in self.notes:
            self.notes.append("time cap")
        return True

    def _starts(self, raw: Columns, values: Columns) -> Columns:
        """Choose starts: the best sample and others drawn by their value (BoTorch's heuristic)."""
        import torch
        from botorch.optim.initializers import initialize_q_batch

        usable = np.isfinite(values)
        raw, values = raw[usable], values[usable]
        if len(raw) <= self.inner.restarts:
            return raw
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "all values are the same": any start will do
            chosen, _ = initialize_q_batch(
                torch.from_numpy(raw).unsqueeze(1), torch.from_numpy(values), self.inner.restarts
            )
        return np.asarray(chosen.squeeze(1).numpy())

    def _climb(self, starts: Columns, fixed: dict[int, float]) -> Columns:
        """Climb from every start [k, columns] by L-BFGS-B; a climb that breaks returns its starts."""
        import torch
        from botorch.optim import optimize_acqf

        if self.late() or len(starts) == 0:
            return starts
        seconds = None if self.deadline is None else self.deadline - time.monotonic()
        columns = self.space.columns
        matrix, upper = self.space.linear
        constraints = [
            (torch.from_numpy(np.flatnonzero(row)), torch.from_numpy(-row[row != 0]), -float(limit))
            for row, limit in zip(matrix, upper, strict=True)
        ]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a stopped climb still gives its best point
                found, _ = optimize_acqf(
                    self.function,
                    bounds=torch.tensor([[0.0] * columns, [1.0] * columns], dtype=torch.double),
                    q=1,
                    num_restarts=len(starts),
                    batch_initial_conditions=torch.from_numpy(starts).unsqueeze(1),
                    options={"maxiter": self.inner.iterations},
                    inequality_constraints=constraints or None,
                    fixed_features=fixed or None,
                    return_best_only=False,
                    timeout_sec=seconds,
                    retry_on_optimization_warning=False,
                )
        except Exception as error:  # noqa: BLE001 - a failed climb must not end a run; it is reported
            self.notes.append(f"climb failed: {type(error).__name__}: {str(error)[:200]}")
            return starts
        rows = np.clip(found.squeeze(1).detach().numpy(), 0.0, 1.0)
        good = np.isfinite(rows).all(axis=1)
        good[good] = self.space.feasible(rows[good])
        return np.where(good[:, None], rows, starts)

    def _mixed(self, start: Columns) -> Columns:
        """Alternate between the best neighbour on the lattice and a climb of the real columns."""
        row, value = start, float(self.values(start[None])[0])
        discrete = self.space.discrete_columns
        for _ in range(ROUNDS):
            before = value
            near = self.space.neighbours(row)
            scores = self.values(near) if len(near) else np.empty(0)
            if len(near) and scores.max() > value:
                row, value = near[int(scores.argmax())], float(scores.max())
            elif before != -np.inf and _ > 0:
                break
            if len(discrete) < self.space.columns:
                climbed = self._climb(row[None], {at: float(row[at]) for at in discrete})[0]
                score = float(self.values(climbed[None])[0])
                if score > value:
                    row, value = climbed, score
            if self.late():
                break
        return row
