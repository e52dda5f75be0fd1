"""What a user can set for the creation of a solver; stored with the run, without secrets."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field


class CreateBudgets(BaseModel):
    """Limits that end a run cleanly, the best program so far kept; None means no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    calls: Annotated[int, Field(gt=0)] | None = 120
    tokens: Annotated[int, Field(gt=0)] | None = None
    usd: Annotated[float, Field(gt=0)] | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None


class CreateSettings(BaseModel):
    """The whole configuration of one creation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    base_url: str | None = None
    api_key_env: str | None = None
    """The NAME of the environment variable that holds the key; the key itself is never stored."""
    judge_model: str | None = None
    """Another model for judgements; None: the same one."""
    fallback_model: str | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    model_timeout_s: Annotated[float, Field(gt=0)] = 300.0
    judge: bool = True
    """Have each function judged by the model; without it only the independent checks decide."""
    description_revisions: Annotated[int, Field(ge=0, le=20)] = 2
    function_revisions: Annotated[int, Field(ge=0, le=20)] = 2
    """How often a function is revised before it is taken as it is."""
    repairs: Annotated[int, Field(ge=0, le=100)] = 6
    """How often a program that failed the checks is diagnosed and mended."""
    seconds: Annotated[float, Field(gt=0, le=3600)] = 5.0
    """What the program is given on the user's instance when it is checked."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    request: Annotated[str, Field(max_length=4000)] = ""
    """What the user said beside the file."""
    budgets: CreateBudgets = CreateBudgets()
    runs_folder: Path = Path("runs")
    require_isolation: str = "L2"
    allow_unsafe_sandbox: bool = False

    def plain(self) -> dict[str, Any]:
        """Return the settings as plain data."""
        return self.model_dump(mode="json")
