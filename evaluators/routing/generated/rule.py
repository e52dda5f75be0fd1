"""A generated rule: what it demands, its checker's text, and two plans that show what it means."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from ..plan import Plan, Route

PARAMETERS = ("routes", "vehicles", "times", "instance")
SIGNATURE = (
    "def check(routes: list[list[int]], vehicles: list[int], times: dict, instance: dict) "
    "-> tuple[bool, str]"
)

Rows = tuple[tuple[int, ...], ...]


class GeneratedRule(BaseModel):
    """A rule that the vocabulary has not, with the checker that a model wrote for it.

    Nothing proves that the checker means what the user means: a second role judged it and the user
    confirmed it, or the rule is not used. ``accepted`` and ``rejected`` are routes of the user's
    instance, as rows, that need not visit every customer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,39}$")]
    request: Annotated[str, Field(max_length=1000)]
    """What the user asked for, in their words."""
    meaning: Annotated[str, Field(max_length=500)]
    """What the checker demands, in one sentence of the model."""
    code: Annotated[str, Field(max_length=40_000)]
    accepted: Rows
    rejected: Rows

    @property
    def label(self) -> str:
        """The name in reports: it must not be mistaken for one of the vocabulary."""
        return f"generated:{self.name}"


def plan_of_rows(routes: Rows) -> Plan:
    """Return the plan of a rule's probe; all vehicles are of type 0."""
    return Plan(tuple(Route(tuple(route)) for route in routes))
