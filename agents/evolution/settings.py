"""What a user can set for a run."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ..running.budget import Budgets
from .foresight import Measure, NavigatorConstants
from .hindsight import HindsightConstants
from .strategies import STRATEGIES, StrategyName

Operator = Literal["i1", "e1", "e2", "m1", "m2", "m3"]


class EvolutionSettings(BaseModel):
    """The whole configuration of one run; stored with it, without keys or other secrets."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    problem: str
    strategy: StrategyName = "hifo"
    interface: str | None = None
    """None: the problem's default."""
    generations: Annotated[int, Field(ge=0, le=100_000)] = 8
    population: Annotated[int, Field(ge=2, le=10_000)] = 8
    operators: tuple[Operator, ...] = ("e1", "e2", "m1", "m2", "m3")
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    schedule: Literal["generational", "steady"] = "generational"
    """Whether the next candidates wait for a whole batch of results, or follow each result at once."""
    objective: Literal["gap", "gap+time"] = "gap"
    """What survivors are chosen by; with time a run is not repeatable to the bit."""
    diversity: Measure = "description"
    """How the navigator measures the diversity of the population; the paper compares descriptions."""
    navigator: NavigatorConstants = NavigatorConstants()
    hindsight: HindsightConstants = HindsightConstants()
    transfer: bool = True
    """Begin with the insights of earlier runs, and with the effectiveness that they had there."""
    repair: bool = True
    """Ask the model once to mend a program that failed."""
    tune: bool | None = None
    """Tune constants; None: without a language model only."""
    tuner: Literal["cma", "bayes"] = "cma"
    """CMA-ES, or Bayesian optimisation: for few constants and costly evaluations."""
    tune_evaluations: Annotated[int, Field(ge=1, le=100_000)] = 60
    """How many programs one candidate's constants may cost on the search split."""
    tune_top: Annotated[int, Field(ge=1, le=10_000)] = 3
    """How many of the best are tuned at the end of a run; after any other generation the best is."""
    model: str | None = None
    """None: propose without a language model."""
    base_url: str | None = None
    api_key_env: str | None = None
    """The NAME of the environment variable that holds the key; the key itself is never stored."""
    fallback_model: str | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    model_timeout_s: Annotated[float, Field(gt=0)] = 120.0
    concurrency: Annotated[int, Field(ge=1, le=256)] = 4
    budgets: Budgets = Budgets()
    workers: Annotated[int, Field(ge=1, le=1024)] | None = None
    """How many candidates are evaluated at once; None: one per core."""
    cpu_s: Annotated[float, Field(gt=0)] | None = None
    """CPU seconds that one candidate may use on one data set; None: the problem's own limit."""
    memory_mib: Annotated[int, Field(gt=0)] = 2048
    require_isolation: Literal["L1", "L2", "L3", "L4"] = "L2"
    """The level of the sandbox below which nothing is run."""
    allow_unsafe_sandbox: bool = False
    """Run programs below L2 all the same: they can then read files and use the network."""
    device: str = "cpu"
    """Where programs run: cpu, cuda, cuda:N, or auto, which is decided before a run is stored."""
    runs_folder: Path = Path("runs")

    @field_validator("base_url")
    @classmethod
    def _no_credentials(cls, url: str | None) -> str | None:
        """Refuse a password in an address: the configuration is stored with the run."""
        if url is not None and "@" in url.partition("://")[2].partition("/")[0]:
            raise ValueError("it holds a user name or password; give the key by --api-key-env")
        return url

    @model_validator(mode="after")
    def _steady_in_batches(self) -> Self:
        if self.schedule == "steady" and STRATEGIES[self.strategy].elitist:
            raise ValueError(
                f"the strategy {self.strategy} makes one candidate at a time: it cannot be --async"
            )
        return self

    @property
    def uses_model(self) -> bool:
        """Whether a language model proposes the candidates."""
        return self.model is not None

    @property
    def tunes(self) -> bool:
        """Whether constants are tuned."""
        return not self.uses_model if self.tune is None else self.tune
