"""How an optimiser works, as plain data."""

from dataclasses import dataclass, field

from ..errors import InputError
from .maximise import Inner
from .models import KERNELS


@dataclass(frozen=True)
class Settings:
    """How an optimiser works; part of its state.

    Attributes:
        noisy: values carry noise. Then the noise is inferred (or given with each value), the
            incumbent is judged by the model, and a point may be evaluated up to three times.
        initial: size of the space-filling start; None: 2 D + 1 for D free parameters.
        surrogate: a key of `models.KERNELS`.
        step_seconds: cap on the fit and on the search of one proposal, each; None: only counted
            limits, so that results never depend on the clock.
    """

    seed: int
    minimise: bool = True
    noisy: bool = False
    initial: int | None = None
    surrogate: str = "matern"
    threads: int = 1
    step_seconds: float | None = None
    inner: Inner = field(default_factory=Inner)

    def __post_init__(self) -> None:
        if self.surrogate not in KERNELS:
            raise InputError(
                f"There is no surrogate {self.surrogate!r}; choose one of {', '.join(KERNELS)}."
            )
        if self.initial is not None and self.initial < 1:
            raise InputError(f"The initial design needs at least one point, not {self.initial}.")
