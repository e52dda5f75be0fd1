"""The Gaussian-process surrogates to choose from, on the unit cube and standardised utilities."""

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import InputError, did_you_mean

EXACT_NOISE = 1e-6  # variance, in standardised units, of a problem declared exact


def _rbf(columns: int) -> Any:
    """BoTorch's default since 0.12: RBF, dimension-scaled log-normal length-scale prior."""
    from botorch.models.utils.gpytorch_modules import get_covar_module_with_dim_scaled_prior

    return get_covar_module_with_dim_scaled_prior(columns, use_rbf_kernel=True)


def _matern(columns: int) -> Any:
    """Matérn-5/2 with the same prior and a free output scale."""
    from botorch.models.utils.gpytorch_modules import get_covar_module_with_dim_scaled_prior
    from gpytorch.kernels import ScaleKernel

    return ScaleKernel(get_covar_module_with_dim_scaled_prior(columns, use_rbf_kernel=False))


def _matern_unit(columns: int) -> Any:
    """Matérn-5/2 with the dimension-scaled prior and output scale 1."""
    from botorch.models.utils.gpytorch_modules import get_covar_module_with_dim_scaled_prior

    return get_covar_module_with_dim_scaled_prior(columns, use_rbf_kernel=False)


def _matern_gamma(columns: int) -> Any:
    """BoTorch's default before 0.12: Matérn-5/2 with gamma priors."""
    from botorch.models.utils.gpytorch_modules import get_matern_kernel_with_gamma_prior

    return get_matern_kernel_with_gamma_prior(columns)


def _matern_free(columns: int) -> Any:
    """Matérn-5/2 without priors, as the LMABO paper's code has it."""
    from gpytorch.kernels import MaternKernel, ScaleKernel

    return ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=columns))


KERNELS: Mapping[str, Callable[[int], Any]] = {
    "matern": _matern,
    "botorch": _rbf,
    "matern-unit": _matern_unit,
    "matern-gamma": _matern_gamma,
    "matern-free": _matern_free,
}


def build_model(kind: str, rows: Any, utilities: Any, noise: Any | None) -> Any:
    """Return an untrained `SingleTaskGP`.

    Args:
        kind: a key of `KERNELS`.
        rows: double tensor [n, columns] in the unit cube.
        utilities: double tensor [n].
        noise: known noise variances [n] in standardised units, or None: inferred.
    """
    from botorch.models import SingleTaskGP

    if kind not in KERNELS:
        raise InputError(f"There is no surrogate {kind!r}; {did_you_mean(kind, KERNELS)}")
    return SingleTaskGP(
        rows,
        utilities.unsqueeze(-1),
        train_Yvar=None if noise is None else noise.unsqueeze(-1),
        covar_module=KERNELS[kind](rows.shape[-1]),
        outcome_transform=None,
        input_transform=None,
    )
