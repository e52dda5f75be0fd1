"""From a fitted model to one point: acquisition, inner optimiser, duplicate guard, fallbacks."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .arms import Arm, ArmFailed, Belief, OutsideArm
from .arms import arm as find_arm
from .maximise import Inner, Search
from .parameters import Columns
from .refine import Candidates
from .sampling import LARGEST, local, sample
from .space import Space

TOLERANCE = 1e-4  # in every column of the unit cube: closer points count as the same
CANDIDATES = 1000  # space-filling points for arms that sample


@dataclass(frozen=True)
class Request:
    """What one proposal needs.

    Attributes:
        done: evaluated and failed points [n, columns]; pending: points under way [p, columns].
        utilities: standardised utility [n] of ``done``.
        forbidden: points [m, columns] that the duplicate policy rules out.
        incumbent: best utility so far.
        seed: of everything random in this step.
        deadline: of the inner optimiser (time.monotonic()), None without a cap.
    """

    space: Space
    inner: Inner
    done: Columns
    utilities: Columns
    pending: Columns
    forbidden: Columns
    incumbent: float
    seed: int
    deadline: float | None


DEFAULT_ARM = "LogEI"


def propose(model: Any, arm: Arm | OutsideArm, request: Request) -> tuple[Columns, dict[str, Any]]:
    """Return one point [columns] and what happened on the way.

    A failure of the acquisition function or the inner optimiser costs the choice of this step, not
    the run: a space-filling point is proposed instead, and ``fallback`` says so. An arm from outside
    that fails is replaced by LogEI.
    """
    try:
        model = believe(model, request.pending)
        if not isinstance(arm, OutsideArm):
            return _by_acquisition(model, arm, request)
        try:
            return _by_scores(model, arm, request)
        except ArmFailed as error:
            row, diagnostics = _by_acquisition(model, find_arm(DEFAULT_ARM), request)
            notes = [f"{arm.name} failed: {error}", *diagnostics.get("notes", ())]
            return row, {**diagnostics, "fallback": DEFAULT_ARM, "notes": notes}
    except Exception as error:  # noqa: BLE001 - numerical failures of any kind end a step, not a run
        row = space_filling(
            request.space, request.done, request.pending, request.forbidden, request.seed
        )
        reason = f"{type(error).__name__}: {str(error)[:200]}"
        return row, {"fallback": "space-filling", "notes": [reason]}


def believe(model: Any, pending: Columns) -> Any:
    """Return the model given that pending points turn out as it expects (kriging believer)."""
    import torch

    if len(pending) == 0:
        return model
    rows = torch.from_numpy(pending)
    with torch.no_grad():
        expected = model.posterior(rows).mean
    noise = getattr(model.likelihood, "noise", torch.tensor(1e-6)).mean().detach()
    fantasy = model.condition_on_observations(
        rows, expected, noise=torch.full_like(expected, float(noise))
    )
    with torch.no_grad():
        fantasy.posterior(rows[:1])  # builds the caches without a graph
    return fantasy


def space_filling(
    space: Space, done: Columns, pending: Columns, forbidden: Columns, seed: int
) -> Columns:
    """Return the sampled point farthest from all known ones, never a forbidden one if avoidable."""
    rows = sample(space, 512, seed)
    rows = _allowed(rows, forbidden) if len(_allowed(rows, forbidden)) else rows
    known = np.concatenate([done, pending])
    if len(known) == 0:
        return np.asarray(rows[0])
    distances = np.min([np.linalg.norm(rows - one, axis=1) for one in known], axis=0)
    return np.asarray(rows[int(distances.argmax())])


def close(rows: Columns, others: Columns) -> Any:
    """Return which rows [n, columns] are the same point as one of ``others`` [m, columns]."""
    same = np.zeros(len(rows), dtype=bool)
    for one in others:
        same |= np.abs(rows - one).max(axis=1) < TOLERANCE
    return same


def _allowed(rows: Columns, forbidden: Columns) -> Columns:
    return np.asarray(rows[~close(rows, forbidden)])


def _starts(request: Request) -> Columns:
    """Where the inner optimiser may begin: all of a small lattice, else samples and neighbours."""
    space = request.space
    if space.size is not None and space.size <= LARGEST:
        rows = np.array(list(space.lattice()), dtype=np.float64)
        return _allowed(rows, request.forbidden)
    spread = sample(space, request.inner.samples, request.seed)
    best = request.done[np.argsort(-request.utilities, kind="stable")[:5]]
    if len(best) == 0:
        return spread
    return np.concatenate([spread, local(space, best, request.inner.samples // 4, request.seed)])


def _candidates(request: Request) -> Columns:
    """Cover the whole feasible space, and more densely the surroundings of the best point."""
    spread = sample(request.space, CANDIDATES, request.seed + 1)
    best = request.done[np.argsort(-request.utilities, kind="stable")[:1]]
    if len(best) == 0:
        return spread
    return np.concatenate([spread, local(request.space, best, CANDIDATES // 5, request.seed + 1)])


def _belief(model: Any, request: Request) -> Belief:
    import torch

    known = np.concatenate([request.done, request.pending])
    candidates = _candidates(request)
    return Belief(
        model,
        request.incumbent,
        len(request.done),
        torch.from_numpy(known),
        torch.from_numpy(candidates),
    )


def _by_scores(model: Any, arm: OutsideArm, request: Request) -> tuple[Columns, dict[str, Any]]:
    """Return the best candidate of an arm that scores sets."""
    space, inner = request.space, request.inner
    if space.size is not None and space.size <= LARGEST:
        spread, near = _starts(request), 0
    else:
        spread, near = sample(space, inner.samples, request.seed), max(1, inner.samples // 2)
    best = request.done[np.argsort(-request.utilities, kind="stable")[:5]]
    candidates = Candidates(space, spread, best, near, request.seed)
    belief = _belief(model, request)
    with arm.scoring(belief, candidates.size, request.seed) as scores:
        row, score = candidates.best(
            lambda rows: np.where(close(rows, request.forbidden), -np.inf, scores(rows))
        )
    return row, {"acquisition": score}


def _by_acquisition(model: Any, chosen: Arm, request: Request) -> tuple[Columns, dict[str, Any]]:
    import torch

    torch.manual_seed(request.seed)
    belief = _belief(model, request)
    search = Search(chosen.acquisition(belief), request.space, request.inner, request.deadline)
    rows, values = search.maxima(_starts(request), chosen.gradient)
    if len(rows) == 0:
        raise ArithmeticError("the acquisition function was finite nowhere")
    free = ~close(rows, request.forbidden)
    diagnostics: dict[str, Any] = {}
    if free[0]:
        row, diagnostics["acquisition"] = rows[0], float(values[0])
    elif free.any() and _climbed(rows, free, request.inner):
        at = int(free.argmax())
        row, diagnostics["acquisition"] = rows[at], float(values[at])
        diagnostics["duplicate"] = "next best"
    else:
        row = _most_uncertain(model, request)
        diagnostics["duplicate"] = "most uncertain"
    if search.notes:
        diagnostics["notes"] = search.notes
    return np.asarray(row), diagnostics


def _climbed(rows: Columns, free: Any, inner: Inner) -> bool:
    """Whether an allowed point is among the results of the climbs, not far down the samples."""
    return bool(free[: 2 * inner.restarts].any())


def _most_uncertain(model: Any, request: Request) -> Columns:
    """Return the allowed sample of largest posterior standard deviation."""
    import torch

    rows = _allowed(_starts(request), request.forbidden)
    if len(rows) == 0:
        return space_filling(
            request.space, request.done, request.pending, request.forbidden, request.seed
        )
    with torch.no_grad():
        variance = model.posterior(torch.from_numpy(rows).unsqueeze(-2)).variance.reshape(-1)
    return np.asarray(rows[int(variance.argmax())])
