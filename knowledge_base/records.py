"""The lines of a run's file: what each kind holds, made from the tables, and how it is checked.

Every line is validated: unknown keys, wrong types, texts longer than their column and numbers outside
their range are refused, as are evaluations and programs whose names are not those of their content.
"""

import base64
import math
import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, create_model
from sqlalchemy import JSON, BigInteger, Boolean, Column, Float, Integer, LargeBinary, Table

from ..evaluators import program_hash
from ..sandbox import OutcomeKind
from .columns import UtcDateTime
from .identity import EvaluationKey
from .models import (
    Base,
    Candidate,
    Evaluation,
    Insight,
    InsightEvent,
    InsightUse,
    ModelCall,
    NavigatorDecision,
    Run,
    Study,
    Trial,
)

VERSION = 1
Kind = Literal[
    "run",
    "candidate",
    "parent",
    "evaluation",
    "call",
    "decision",
    "insight",
    "use",
    "event",
    "study",
    "trial",
    "end",
]
TABLES: dict[str, type[Base]] = {
    "run": Run,
    "candidate": Candidate,
    "evaluation": Evaluation,
    "call": ModelCall,
    "decision": NavigatorDecision,
    "insight": Insight,
    "use": InsightUse,
    "event": InsightEvent,
    "study": Study,
    "trial": Trial,
}
_LEFT_OUT = {"run_id", "candidate_id", "insight_id", "evicted_id", "folder"}
"""Columns that only mean something in their own knowledge base; ids too, but for a run's."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_KEY = Annotated[str, Field(max_length=64)]
_MORE: dict[str, dict[str, Any]] = {
    "run": {
        "format": (Literal["eurisko run"], ...),
        "file_version": (Literal[1], ...),
        "best": (_KEY | None, None),
    },
    "insight": {"mine": (bool, ...)},
    "use": {"candidate": (_KEY, ...), "insight": (_KEY, ...)},
    "event": {"insight": (_KEY | None, ...), "evicted": (_KEY | None, ...)},
    "parent": {
        "candidate": (_KEY, ...),
        "parent": (_KEY, ...),
        "position": (Annotated[int, Field(ge=0, lt=2**31)], ...),
    },
    "end": {"counts": (dict[str, int], ...)},
}


def plain(kind: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as JSON has it, without what only means something in its knowledge base."""
    return {one.name: _written(row[one.name]) for one in _columns(kind)}


def _written(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode()
    return value


def _columns(kind: str) -> list[Column[Any]]:
    if kind not in TABLES:
        return []
    table: Table = TABLES[kind].__table__  # type: ignore[assignment]
    return [
        one
        for one in table.columns
        if one.name not in _LEFT_OUT and (one.name != "id" or kind == "run")
    ]


@cache
def record_model(kind: str) -> type[BaseModel]:
    """Return the model that lines of a kind have to satisfy."""
    fields: dict[str, Any] = {one.name: (_type(one), ...) for one in _columns(kind)}
    fields["row"] = (Literal[kind], ...)
    config = ConfigDict(extra="forbid", strict=True)
    return create_model(f"{kind}_line", __config__=config, **fields, **_MORE.get(kind, {}))


def _type(column: Column[Any]) -> Any:
    kind = column.type
    found: Any
    if isinstance(kind, JSON):
        found = Any
    elif isinstance(kind, UtcDateTime):
        found = Annotated[AwareDatetime, BeforeValidator(_moment)]
    elif isinstance(kind, LargeBinary):
        found = Annotated[bytes, BeforeValidator(_bytes)]
    elif isinstance(kind, Boolean):
        found = bool
    elif isinstance(kind, Integer):
        bits = 63 if isinstance(kind, BigInteger) else 31
        found = Annotated[int, Field(ge=-(2**bits), lt=2**bits)]
    elif isinstance(kind, Float):
        found = float
    else:
        found = Annotated[str, Field(max_length=getattr(kind.impl_instance, "length", None))]  # type: ignore[attr-defined]
    return found | None if column.nullable else found


def _moment(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("a time is written as in ISO 8601")
    return datetime.fromisoformat(value)


def _bytes(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError("bytes are written in base 64")
    return base64.b64decode(value, validate=True)


def check_run(values: Mapping[str, Any]) -> None:
    """Make sure that a run's id can name a folder, and that its settings are an object.

    Raises:
        ValueError: it cannot, or they are not.
    """
    if not _NAME.fullmatch(values["id"]):
        raise ValueError(f"{values['id']!r} is no name of a run")
    if not isinstance(values["config"], dict) or not isinstance(values["result"], dict | None):
        raise ValueError("its settings or its result are no object")


def check_candidate(values: Mapping[str, Any]) -> None:
    """Make sure that a program has the hash that it is said to have.

    Raises:
        ValueError: it has another one.
    """
    if "\N{REPLACEMENT CHARACTER}" in values["code"]:
        return  # it was cleaned when it was stored
    if values["code"] and values["hash"] and program_hash(values["code"]) != values["hash"]:
        raise ValueError(f"candidate {values['key']} has another program than its hash says")


def check_evaluation(values: Mapping[str, Any]) -> None:
    """Make sure that an evaluation is of what it says, and that its parts agree with each other.

    Raises:
        ValueError: they do not.
    """
    names = EvaluationKey.__dataclass_fields__
    key = EvaluationKey(**{name: values[name] for name in names})
    if key.identity != values["identity"]:
        raise ValueError("an evaluation's identity is not that of its fields")
    OutcomeKind(values["outcome"])
    for name, size in (("gaps", 8), ("raw", 8), ("decisions", 2)):
        if len(values[name] or b"") % size:
            raise ValueError(f"the {name} of an evaluation are cut off")
    scores = values["gaps"] if values["gaps"] is not None else values["raw"]
    if not scores or values["objective"] is None:  # without values, or emptied by retention
        return
    mean = float(np.frombuffer(scores, dtype="<f8").mean())
    if not math.isclose(mean, values["objective"], rel_tol=1e-9, abs_tol=1e-12):
        raise ValueError("an evaluation's objective is not the mean of its values")
