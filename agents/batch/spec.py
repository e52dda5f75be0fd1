"""What a batch job is: programs times problems, data sets, seeds and devices, as a YAML file."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)

from ...evaluators import InputError

Seed = Annotated[int, Field(ge=0, lt=2**63)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProgramSource(_Strict):
    """Where programs come from: exactly one of ``files``, ``run``, ``seed``."""

    files: str | None = None
    """A file, a folder (its ``*.py``) or a glob, relative to the job file."""
    run: str | None = None
    """An evolution by id, a unique beginning of it, or ``last``."""
    take: Literal["best", "population", "all"] = "best"
    """Of a run: its best program, its last population, or all that ran."""
    seed: bool = False
    """The heuristic that each problem starts from."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [self.files is not None, self.run is not None, self.seed]
        if sum(given) != 1:
            raise ValueError("give exactly one of files, run and seed")
        if self.run is None and self.take != "best":
            raise ValueError("take belongs to run")
        return self


def _as_size(value: Any) -> str:
    if isinstance(value, bool) or not re.fullmatch(r"[1-9]\d*(x[1-9]\d*)*", str(value)):
        raise ValueError("a size is a positive number, or several such as 50x10")
    return str(value)


class GeneratedData(_Strict):
    """A data set that the problem makes: ``size`` is a number, or such as ``50x10``."""

    size: Annotated[str, BeforeValidator(_as_size)]
    instances: Annotated[int, Field(gt=0)]
    seed: Annotated[int, Field(ge=0, lt=10**18)] = 0


DatasetPart = Annotated[
    Annotated[str, Tag("name")] | Annotated[GeneratedData, Tag("generated")],
    Discriminator(lambda given: "name" if isinstance(given, str) else "generated"),
]
"""A union that tells apart by what was written, so that a mistake is named where it is."""


class ProblemPart(_Strict):
    """A problem with its data; without ``datasets`` and ``instances`` its test split."""

    name: str
    interface: str | None = None
    """None: of each program, the interface whose function it defines."""
    datasets: tuple[DatasetPart, ...] = ()
    """Names of data sets or of splits (``search``, ``validation``, ``test``), or what to generate."""
    instances: tuple[str, ...] = ()
    """Instance files: paths or globs, relative to the job file; each is a data set."""
    programs: tuple[ProgramSource, ...] | None = None
    """Programs of this problem; None: those of the job that fit."""


class JobLimits(_Strict):
    """What one program may use on one data set; None: the problem's own limit."""

    cpu_s: Annotated[float, Field(gt=0)] | None = None
    memory_mib: Annotated[int, Field(gt=0)] = 2048


class JobSpec(_Strict):
    """A whole job; unknown keys are refused."""

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[\w .-]+$")] = "job"
    programs: tuple[ProgramSource, ...] = ()
    problems: Annotated[tuple[ProblemPart, ...], Field(min_length=1)]
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = (0,)
    """Seeds of the programs' own random generators; the data sets do not depend on them."""
    devices: Annotated[tuple[str, ...], Field(min_length=1)] = ("cpu",)
    limits: JobLimits = JobLimits()

    @model_validator(mode="after")
    def _has_programs(self) -> Self:
        if not self.programs and any(part.programs is None for part in self.problems):
            raise ValueError("name programs, for the job or for each problem")
        for field in ("seeds", "devices"):
            given = getattr(self, field)
            if len(set(given)) < len(given):
                raise ValueError(f"{field} names one twice")
        return self


def read_spec(path: str | Path) -> JobSpec:
    """Read a job file.

    Raises:
        InputError: it is missing or is no YAML, or says something that a job has not.
    """
    import yaml

    try:
        data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text file in UTF-8.") from error
    except yaml.YAMLError as error:
        where = " ".join(str(getattr(error, "problem_mark", "") or "").split())
        raise InputError(f"{path} is no YAML{f' ({where})' if where else ''}.") from error
    return parse_spec(data, str(path))


def parse_spec(data: Any, where: str) -> JobSpec:
    """Return the job that plain data describe.

    Raises:
        InputError: as for :func:`read_spec`; the message names the first mistake.
    """
    if not isinstance(data, dict):
        raise InputError(f"{where} is no job: it needs keys such as programs and problems.")
    try:
        return JobSpec.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "generated") or "the job"
        text = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            text = f"there is no such key; see 'eurisko batch --help' ({_similar(place)})"
        raise InputError(f"{where}: {place}: {text}.") from error


def _similar(place: str) -> str:
    from ...evaluators.errors import did_you_mean

    key = place.rsplit(".", 1)[-1]
    known = {
        name
        for model in (JobSpec, ProblemPart, GeneratedData, ProgramSource, JobLimits)
        for name in model.model_fields
    }
    return did_you_mean(key, known).rstrip(".?") + "?"
