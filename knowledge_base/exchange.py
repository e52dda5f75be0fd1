"""Insights as files: exported from one knowledge base, imported into another."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .errors import KnowledgeBaseError
from .insights import Insights, insight_digest
from .models import Insight


class InsightRecord(BaseModel):
    """One insight in a file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: Annotated[str, Field(min_length=1, max_length=2000)]
    kind: Literal["do", "avoid"] = "do"
    scope: Literal["problem", "family", "general"] = "problem"
    problem: Annotated[str, Field(max_length=200)] = ""
    effectiveness: Annotated[float, Field(ge=-1, le=1)] = 0.0
    uses: Annotated[int, Field(ge=0)] = 0
    support: Annotated[int, Field(ge=1)] = 1
    pinned: bool = False


class InsightFile(BaseModel):
    """A file of insights."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["eurisko insights"]
    version: Literal[1]
    insights: tuple[InsightRecord, ...]


def write_insights(rows: Iterable[Insight], path: Path) -> int:
    """Write insights to a file; return their number.

    Raises:
        OSError: the file cannot be written.
    """
    names = list(InsightRecord.model_fields)
    records = [InsightRecord(**{name: getattr(row, name) for name in names}) for row in rows]
    file = InsightFile(format="eurisko insights", version=1, insights=tuple(records))
    path.write_text(json.dumps(file.model_dump(), indent=2, ensure_ascii=False) + "\n", "utf-8")
    return len(records)


def read_insights(insights: Insights, path: Path) -> tuple[int, int]:
    """Import a file: return how many insights were new, and how many were known and left alone.

    Raises:
        KnowledgeBaseError: the file cannot be read; nothing was imported.
    """
    try:
        file = InsightFile.model_validate_json(path.read_text("utf-8"))
    except OSError as error:
        raise KnowledgeBaseError(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise KnowledgeBaseError(f"{path} is not a file of insights: it is no text.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole file"
        raise KnowledgeBaseError(
            f"{path} is not a file of insights: {where}: {first['msg']}. Nothing was imported."
        ) from error
    before = insights.count()
    rows = [{**one.model_dump(), "origin": "imported"} for one in file.insights]
    different = {insight_digest(r["kind"], r["scope"], r["problem"], r["text"]) for r in rows}
    if rows:
        insights.add(rows)
    new = insights.count() - before
    return new, len(different) - new
