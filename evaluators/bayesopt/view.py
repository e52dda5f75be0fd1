"""The surrogate as strategists and reports see it: user's units, parameter names, quality."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .fitting import Fitted, Training
from .parameters import Columns
from .space import Space
from .utility import Scale


@dataclass(frozen=True)
class LeaveOneOut:
    """How well each evaluated point is predicted from all others, hyper-parameters kept.

    ``rmse`` is in standardised units (1 = no better than the mean), ``coverage`` the share of points
    inside their central 95 % interval, ``log_density`` the mean log predictive density.
    """

    rmse: float
    coverage: float
    log_density: float


@dataclass(frozen=True)
class FitReport:
    """The rungs of the fitting ladder that were tried, the last one gave the model; and why."""

    steps: tuple[str, ...]
    messages: tuple[str, ...]
    loss: float | None


class Surrogate:
    """A fitted model of the black box.

    Attributes:
        length_scales: by parameter name, in the unit cube (of a category: the mean over choices).
        output_scale: prior variance of the utility, in standardised units.
        noise_sd: standard deviation of the noise, in the user's units.
        report: how the fit went.
    """

    def __init__(self, space: Space, fitted: Fitted, training: Training, scale: Scale) -> None:
        self._space, self._fitted, self._training, self._scale = space, fitted, training, scale
        self.report = FitReport(fitted.steps, fitted.messages, fitted.loss)
        kernel = fitted.model.covar_module
        base = getattr(kernel, "base_kernel", kernel)
        lengths = base.lengthscale.detach().reshape(-1).numpy()
        self.length_scales = {one.name: float(lengths[part].mean()) for one, part in space.slices}
        self.output_scale = float(kernel.outputscale.detach()) if base is not kernel else 1.0
        self.noise_variance = float(fitted.model.likelihood.noise.detach().mean())
        self.noise_sd = float(scale.sd(np.sqrt(np.array([self.noise_variance])))[0])

    def predict(self, points: Sequence[Mapping[str, Any]]) -> tuple[Columns, Columns]:
        """Return mean [n] and standard deviation [n] of the noise-free value at points."""
        mean, sd = self.utility(self._space.encode(points))
        return self._scale.mean(mean), self._scale.sd(sd)

    def utility(self, rows: Columns) -> tuple[Columns, Columns]:
        """Return mean [n] and standard deviation [n] of the standardised utility at encoded rows.

        Larger utility is better, whether the study minimises or maximises.
        """
        import torch

        with torch.no_grad():
            posterior = self._fitted.model.posterior(torch.from_numpy(rows))
            return posterior.mean.reshape(-1).numpy(), posterior.variance.sqrt().reshape(-1).numpy()

    def joint(self, rows: Columns) -> tuple[Columns, Columns]:
        """Return mean [n] and covariance [n, n] of the standardised utility at encoded rows."""
        import torch

        with torch.no_grad():
            posterior = self._fitted.model.posterior(torch.from_numpy(rows))
            covariance: Columns = posterior.distribution.covariance_matrix.numpy()
            return posterior.mean.reshape(-1).numpy(), covariance

    def standardised(self, values: Sequence[float]) -> Columns:
        """Return the standardised utility [n] of values in the user's units."""
        return self._scale.utility(np.asarray(values, dtype=np.float64))

    def leave_one_out(self) -> LeaveOneOut:
        """Return the leave-one-out quality in closed form (Rasmussen and Williams 2006, eq. 5.12)."""
        import torch

        model, training = self._fitted.model, self._training
        with torch.no_grad():
            prior = model.likelihood(model.forward(training.rows), [training.rows])
            covariance = prior.covariance_matrix
            residual = training.utilities - prior.mean
            inverse = torch.linalg.pinv(covariance, hermitian=True)
            variance = 1.0 / inverse.diagonal()
            error = (inverse @ residual) * variance
            sd = variance.clamp_min(1e-12).sqrt()
            density = -0.5 * ((error / sd).square() + torch.log(2 * torch.pi * sd.square()))
        return LeaveOneOut(
            rmse=float(error.square().mean().sqrt()),
            coverage=float((error.abs() <= 1.96 * sd).double().mean()),
            log_density=float(density.mean()),
        )
