"""Spaces as plain data (YAML, JSON, the knowledge base): unknown keys are refused."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import InputError
from .parameters import Category, Fixed, Integer, Parameter, Real
from .space import LinearConstraint, Space


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1)


class _Real(_Entry):
    type: Literal["real"] = "real"
    low: float
    high: float
    log: bool = False

    def build(self) -> Parameter:
        return Real(self.name, self.low, self.high, self.log)


class _Integer(_Entry):
    type: Literal["integer"] = "integer"
    low: int
    high: int
    log: bool = False

    def build(self) -> Parameter:
        return Integer(self.name, self.low, self.high, self.log)


class _Category(_Entry):
    type: Literal["category"] = "category"
    choices: list[bool | int | float | str | None]

    def build(self) -> Parameter:
        return Category(self.name, tuple(self.choices))


class _Fixed(_Entry):
    type: Literal["fixed"] = "fixed"
    value: bool | int | float | str | None

    def build(self) -> Parameter:
        return Fixed(self.name, self.value)


class _Constraint(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    coefficients: dict[str, float] = Field(min_length=1)
    upper: float


class _SpaceFile(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    parameters: list[
        Annotated[_Real | _Integer | _Category | _Fixed, Field(discriminator="type")]
    ] = Field(min_length=1)
    constraints: list[_Constraint] = []


_HOW = (
    "Write 'parameters' as a list of entries like {name: x, type: real, low: 0, high: 1}; types are "
    "real, integer, category (choices) and fixed (value)."
)


def load_space(data: Mapping[str, Any]) -> Space:
    """Return the space that plain data describes. Raises InputError with the place of the fault."""
    try:
        read = _SpaceFile.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise InputError(f"The space is wrong at {where}: {first['msg']}. {_HOW}") from None
    return Space(
        [one.build() for one in read.parameters],
        [LinearConstraint(one.coefficients, one.upper) for one in read.constraints],
    )


def dump_space(space: Space) -> dict[str, Any]:
    """Return the space as plain data that `load_space` reads back."""
    entries: list[dict[str, Any]] = []
    for one in space.parameters:
        if isinstance(one, Category):
            entries.append({"name": one.name, "type": "category", "choices": list(one.choices)})
        elif isinstance(one, Fixed):
            entries.append({"name": one.name, "type": "fixed", "value": one.value})
        else:
            kind = "real" if isinstance(one, Real) else "integer"
            entry = {"name": one.name, "type": kind, "low": one.low, "high": one.high}
            entries.append({**entry, "log": one.log})
    data: dict[str, Any] = {"parameters": entries}
    if space.constraints:
        data["constraints"] = [
            {"coefficients": dict(one.coefficients), "upper": one.upper}
            for one in space.constraints
        ]
    return data
