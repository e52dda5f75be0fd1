"""What a user can set for an optimisation; stored with the run, without keys or other secrets."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ..running.budget import Budgets

Kind = Literal["function", "file", "command", "callable", "told"]


class Target(BaseModel):
    """What is optimised, so that a resumed run finds it again.

    ``function`` is a benchmark function by name, ``file`` a Python file, ``command`` a command,
    ``callable`` a Python function of the caller, ``told`` something that another program evaluates.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind
    name: str
    """The function's name, the file's absolute path, or what reports call it."""
    command: tuple[str, ...] = ()
    space: dict[str, Any] | None = None
    """As ``Space.from_dict`` reads it; None: that of the function."""
    trusted: bool = False
    """Run the file without a sandbox."""
    seconds: Annotated[float, Field(gt=0)] | None = None
    """Wall-clock limit of one try of a command or a trusted file."""
    tries: Annotated[int, Field(ge=1, le=100)] = 1
    cpu_s: Annotated[float, Field(gt=0)] = 60.0
    """CPU seconds that one evaluation may use in the sandbox."""
    memory_mib: Annotated[int, Field(gt=0)] = 2048

    @model_validator(mode="after")
    def _has_space(self) -> Self:
        if self.space is None and self.kind != "function":
            raise ValueError("what is not a function by name needs a space (--space FILE)")
        return self


class EvolvedFunction(BaseModel):
    """An evolved acquisition function, whole: a study never looks it up again."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    """As strategists write it."""
    help: str
    """Its idea, in one sentence."""
    code: str
    interface: str
    """Of the problem ``acquisition``."""
    version: str = ""
    """Of that problem, when it was evolved."""
    run: str = ""
    hash: str = ""


class OptimisationSettings(BaseModel):
    """The whole configuration of one optimisation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: Target
    budget: Annotated[int, Field(ge=1, le=100_000)] = 50
    """Evaluations in all, the initial design and failed ones included."""
    strategist: str = "rules"
    """A name of :func:`~.naming.strategist_names`, or ``static:ARM``."""
    arms: tuple[str, ...] = ()
    """Acquisition functions to choose from; empty: the strategist's own default."""
    evolved: tuple[EvolvedFunction, ...] = ()
    """Acquisition functions beside the portfolio; every strategist may choose them."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    minimise: bool | None = None
    """None: what the function is made for; minimise where nobody says."""
    noisy: bool = False
    initial: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Size of the space-filling start; None: 2 D + 1."""
    surrogate: str = "matern"
    effort: dict[str, Annotated[int, Field(ge=1, le=100_000)]] = {}
    """Fields of the engine's ``Inner`` that differ from its defaults."""
    recall: Literal["recent", "full"] = "recent"
    """What a model is shown of earlier steps: the last decisions, or the growing conversation."""
    model: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    """The NAME of the environment variable that holds the key; the key itself is never stored."""
    fallback_model: str | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    model_timeout_s: Annotated[float, Field(gt=0)] = 120.0
    budgets: Budgets = Budgets()
    require_isolation: Literal["L1", "L2", "L3", "L4"] = "L2"
    allow_unsafe_sandbox: bool = False
    runs_folder: Path = Path("runs")

    @field_validator("base_url")
    @classmethod
    def _no_credentials(cls, url: str | None) -> str | None:
        """Refuse a password in an address: the configuration is stored with the run."""
        if url is not None and "@" in url.partition("://")[2].partition("/")[0]:
            raise ValueError("it holds a user name or password; give the key by --api-key-env")
        return url

    @field_validator("evolved")
    @classmethod
    def _names_differ(cls, evolved: tuple[EvolvedFunction, ...]) -> tuple[EvolvedFunction, ...]:
        names = [one.name for one in evolved]
        if len(set(names)) < len(names):
            raise ValueError("two evolved acquisition functions have one name: write NAME=RUN")
        return evolved

    @model_validator(mode="after")
    def _has_model(self) -> Self:
        if self.strategist == "lmabo" and self.model is None:
            raise ValueError(
                "the strategist lmabo asks a language model: add --model, for example --model "
                "openai/NAME, or take --strategist rules"
            )
        return self
