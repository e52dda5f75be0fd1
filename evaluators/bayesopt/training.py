"""What the model learns from: values, and failures as bad as the worst value."""

from collections.abc import Sequence

import numpy as np

from .fitting import SurrogateFailure, Training
from .models import EXACT_NOISE
from .parameters import Columns
from .settings import Settings
from .space import Space
from .trial import Trial, TrialState
from .utility import Scale, standardise


def training_data(
    space: Space, trials: Sequence[Trial], settings: Settings
) -> tuple[Training, Scale]:
    """Return the data of the fit and the scale of its utilities.

    An exact study has the fixed noise variance 1e-6 (standardised units), or that of the given
    standard deviations; a noisy one the given noise if every value has one, else it is inferred.

    Raises:
        SurrogateFailure: there is no value yet.
    """
    import torch

    done = [one for one in trials if one.state is TrialState.DONE]
    if not done:
        raise SurrogateFailure("there is no value yet")
    rows, values, noise = _merge(space, done, settings.noisy)
    scale, utilities = standardise(values, settings.minimise)
    variance = None if noise is None else (noise / scale.spread) ** 2 + EXACT_NOISE
    failed = space.encode([one.point for one in trials if one.state is TrialState.FAILED])
    rows = np.concatenate([rows, failed])
    utilities = np.concatenate([utilities, np.full(len(failed), utilities.min())])
    if variance is not None:
        variance = np.concatenate([variance, np.full(len(failed), variance.max())])
    training = Training(
        settings.surrogate,
        torch.from_numpy(rows),
        torch.from_numpy(utilities),
        None if variance is None else torch.from_numpy(variance),
    )
    return training, scale


def _merge(space: Space, done: list[Trial], noisy: bool) -> tuple[Columns, Columns, Columns | None]:
    """Return rows, values and noise (standard deviations); exact studies average equal points."""
    rows = space.encode([one.point for one in done])
    values = np.array([one.value for one in done], dtype=np.float64)
    noise = np.array([one.noise_sd or 0.0 for one in done])
    if noisy:
        known = all(one.noise_sd is not None for one in done)
        return rows, values, noise if known else None
    _, first, group = np.unique(rows.round(12), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    means = np.array([values[group.reshape(-1) == one].mean() for one in order])
    return rows[first[order]], means, noise[first[order]]
