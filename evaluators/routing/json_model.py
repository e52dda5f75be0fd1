"""The JSON format of routing instances; every key is known or refused with close matches."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Name = str | int
Load = float | list[float]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class NodeModel(_Strict):
    """A depot, customer or station; loads are numbers or one number per dimension."""

    id: Name
    kind: Literal["depot", "customer", "station"] = "customer"
    x: float | None = None
    y: float | None = None
    delivery: Load = 0.0
    pickup: Load = 0.0
    windows: list[tuple[float, float]] = Field(default_factory=list)
    service: float = Field(default=0.0, ge=0)
    release: float = Field(default=0.0, ge=0)
    prize: float = Field(default=0.0, ge=0)
    required: bool = True
    skills: list[str] = Field(default_factory=list)
    goods: list[str] = Field(default_factory=list)


class VehicleModel(_Strict):
    """A vehicle type; ``count`` None is unlimited, ``start`` None is any depot."""

    name: str = "vehicle"
    count: int | None = Field(default=None, ge=0)
    capacity: Load | None = None
    fixed_cost: float = 0.0
    distance_cost: float = 1.0
    duration_cost: float = 0.0
    start: Name | None = None
    end: Name | None = None
    shift: tuple[float, float] | None = None
    max_distance: float | None = Field(default=None, ge=0)
    max_duration: float | None = Field(default=None, ge=0)
    skills: list[str] = Field(default_factory=list)
    allowed: list[Name] | None = None
    forbidden: list[Name] = Field(default_factory=list)
    max_trips: int | None = Field(default=1, ge=1)
    reload_depots: list[Name] = Field(default_factory=list)
    max_driving: float | None = Field(default=None, ge=0)
    max_driving_unbroken: float | None = Field(default=None, ge=0)
    break_length: float = Field(default=0.0, ge=0)


class BatteryModel(_Strict):
    """Electric vehicles: full recharge at stations."""

    capacity: float = Field(gt=0)
    consumption: float = Field(default=1.0, ge=0)
    recharge_time: float = Field(default=0.0, ge=0)


class UnitsModel(_Strict):
    """Units, as words for reports; nothing is converted."""

    distance: str = ""
    time: str = ""
    load: str = ""


class InstanceModel(_Strict):
    """The whole file. ``distances`` None: Euclidean from x and y; null entries: no arc."""

    name: str = "instance"
    nodes: list[NodeModel] = Field(min_length=2)
    vehicles: list[VehicleModel] = Field(default_factory=lambda: [VehicleModel()])
    distances: list[list[float | None]] | None = None
    durations: list[list[float | None]] | None = None
    speed: float = Field(default=1.0, gt=0)
    rounding: str = "none"
    pairs: list[tuple[Name, Name]] = Field(default_factory=list)
    precedence: list[tuple[Name, Name]] = Field(default_factory=list)
    incompatible: list[tuple[Name, Name]] = Field(default_factory=list)
    incompatible_goods: list[tuple[str, str]] = Field(default_factory=list)
    groups: list[list[Name]] = Field(default_factory=list)
    lifo: bool = False
    min_prize: float = Field(default=0.0, ge=0)
    battery: BatteryModel | None = None
    open_routes: bool | None = None
    load_rule: Literal["backhaul", "mixed_backhaul", "mixed_backhaul_staged"] | None = None
    units: UnitsModel = UnitsModel()

    @model_validator(mode="after")
    def _names_once(self) -> "InstanceModel":
        names = [str(node.id) for node in self.nodes]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"node {twice} is there twice")
        return self


KNOWN_KEYS = sorted(
    {
        key
        for model in (InstanceModel, NodeModel, VehicleModel, BatteryModel, UnitsModel)
        for key in model.model_fields
    }
)
