"""A run's file read into a knowledge base: checked line by line, stored all or nothing, once.

Ids are given anew; what the knowledge base has already (the run, evaluations, insights) stays as it is.
A file is somebody else's: lines are bounded, its rows validated, paths and endpoints in it dropped.
Its scores are believed; only import what you trust.
"""

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError
from sqlalchemy import Connection, Table, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from .columns import from_json
from .errors import KnowledgeBaseError
from .models import Base, Candidate, CandidateParent, Insight, Run, Study
from .records import TABLES, Kind, check_candidate, check_evaluation, check_run, record_model
from .store import KnowledgeBase

MOST_LINE = 64 * 2**20
MOST_BYTES = 16 * 2**30
_BATCH = 500
_ORDER = get_args(Kind)
_PRIVATE = ("base_url", "api_key_env", "runs_folder", "allow_unsafe_sandbox", "require_isolation")
"""Settings with which somebody else's run must not be resumed: they come from the user again."""
_OF_ITS_BASE = ("front", "machine")
"""Parts of a result that name candidates by the ids of its own knowledge base: worked out anew here."""


@dataclass(frozen=True)
class Restored:
    """What came of a file: the run's id, whether it was new, and the lines of each kind."""

    run: str
    new: bool
    lines: Counter[str]


def read_archive(base: KnowledgeBase, path: Path, folder: Path) -> Restored:
    """Import a run's file.

    Args:
        base: where to.
        path: the file.
        folder: in which the run's own folder would be.

    Raises:
        KnowledgeBaseError: it cannot be read, or is no such file; nothing was imported.
    """
    place = [0]
    try:
        with base.engine.begin() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            reader = _Reader(base, connection, folder)
            for number, line in enumerate(_lines(path), 1):
                place[0] = number
                if not reader.take(*_parsed(line)):
                    return Restored(reader.run, False, reader.counts)
            if reader.last != "end":
                raise ValueError("the file was cut off")
            return Restored(reader.run, True, reader.counts)
    except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError) as error:
        raise _refusal(path, place[0] + 1, f"it is damaged ({error})") from error
    except OSError as error:
        raise KnowledgeBaseError(f"Cannot read {path}: {error.strerror or error}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole line"
        raise _refusal(path, place[0], f"{where}: {first['msg']}") from error
    except IntegrityError as error:
        raise _refusal(path, place[0], "rows contradict each other") from error
    except (ValueError, RecursionError) as error:
        raise _refusal(path, place[0], str(error) or "nested too deeply") from error


def _refusal(path: Path, line: int, why: str) -> KnowledgeBaseError:
    plain = " ".join(why.split())[:300].rstrip(".")
    return KnowledgeBaseError(
        f"{path} is not a run's file, or not whole: line {line}: {plain}. Nothing was imported."
    )


def _lines(path: Path) -> Iterator[bytes]:
    total = 0
    with gzip.open(path, "rb") as file:
        while line := file.readline(MOST_LINE + 1):
            total += len(line)
            if len(line) > MOST_LINE or total > MOST_BYTES:
                raise ValueError("it is larger than any run")
            yield line


def _parsed(line: bytes) -> tuple[str, dict[str, Any]]:
    """Return the kind of a line and its values, validated."""
    try:
        found = from_json(line.decode())
    except json.JSONDecodeError as error:
        raise ValueError("it is no JSON") from error
    if not isinstance(found, dict) or found.get("row") not in _ORDER:
        raise ValueError("it is no row of a run")
    values = dict(record_model(found["row"]).model_validate(found))
    del values["row"]
    return found["row"], values


@dataclass
class _Reader:
    """Takes lines in their order and stores them."""

    base: KnowledgeBase
    connection: Connection
    folder: Path
    run: str = ""
    last: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    _best: str | None = None
    _waiting: list[dict[str, Any]] = field(default_factory=list)
    _ids: dict[str, int] = field(default_factory=dict)
    _insights: dict[str, int] = field(default_factory=dict)

    def take(self, kind: str, values: dict[str, Any]) -> bool:
        """Store a line; False when the run is there already, so that the rest need not be read.

        Raises:
            ValueError: it does not fit those before it.
        """
        if (kind == "run") != (self.last == ""):
            raise ValueError("it is no row of a run, or of another one")
        if (self.last and _ORDER.index(kind) < _ORDER.index(self.last)) or self.last == "end":
            raise ValueError(f"a {kind} stands after a {self.last}")
        if kind != self.last:
            self._store()
        self.last = kind
        if kind == "end":
            self._end(values)
            return True
        self.counts[kind] += 1
        if kind == "run":
            return self._start(values)
        self._waiting.append(self._placed(kind, values))
        if len(self._waiting) == _BATCH:
            self._store()
        return True

    def _start(self, values: dict[str, Any]) -> bool:
        check_run(values)
        self.run, self._best = values["id"], values.pop("best")
        del values["format"], values["file_version"]
        there = self.connection.execute(
            select(Run.problem, Run.seed, Run.created_at).where(Run.id == self.run)
        ).first()
        same = tuple(values[name] for name in ("problem", "seed", "created_at"))
        if there is not None and tuple(there) != same:
            raise ValueError(f"there is another run called {self.run}")
        if there is None:
            if values["status"] == "running":
                values["status"] = "interrupted"
            if values["status"] != "finished":
                values["config"] = {k: v for k, v in values["config"].items() if k not in _PRIVATE}
            if values["result"] is not None:
                values["result"] = {
                    k: v for k, v in values["result"].items() if k not in _OF_ITS_BASE
                }
            values["folder"] = str((self.folder / self.run).absolute())
            self.connection.execute(insert(_table(Run)), [values])
        return there is None

    def _placed(self, kind: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return a line's values with the ids of this knowledge base."""
        if kind == "candidate":
            check_candidate(values)
        if kind == "evaluation":
            check_evaluation(values)
            return values
        if kind == "parent":
            ids = {"candidate_id": self._candidate(values["candidate"])}
            return ids | {
                "parent_id": self._candidate(values["parent"]),
                "position": values["position"],
            }
        if kind == "insight":
            return values | {"run_id": self.run if values.pop("mine") else None}
        if kind == "use":
            values["candidate_id"] = self._candidate(values.pop("candidate"))
            values["insight_id"] = self._insight(values.pop("insight"))
        if kind == "event":
            for name in ("insight", "evicted"):
                digest = values.pop(name)
                values[f"{name}_id"] = None if digest is None else self._insight(digest)
        if kind == "study" and self._name_taken(values["name"]):
            values["name"] = None
        return values | {"run_id": self.run}

    def _store(self) -> None:
        rows, kind = self._waiting, self.last
        self._waiting = []
        if not rows:
            return
        if kind == "evaluation":
            with Session(self.connection) as session:  # it leaves the transaction to the connection
                self.base.store_evaluations(session, rows)
        elif kind == "insight":
            self.connection.execute(self.base.insert_new(Insight), rows)
            self._insights |= self._named(
                Insight.digest, Insight.id, [one["digest"] for one in rows]
            )
        else:
            table = CandidateParent if kind == "parent" else TABLES[kind]
            self.connection.execute(insert(_table(table)), rows)
        if kind == "candidate":
            keys = [one["key"] for one in rows]
            self._ids |= self._named(
                Candidate.key, Candidate.id, keys, Candidate.run_id == self.run
            )

    def _named(self, name: Any, id_: Any, names: list[str], *more: Any) -> dict[str, int]:
        rows = self.connection.execute(select(name, id_).where(name.in_(names), *more))
        return {row[0]: row[1] for row in rows}

    def _candidate(self, key: str) -> int:
        if key not in self._ids:
            raise ValueError(f"there is no candidate {key!r} in it")
        return self._ids[key]

    def _insight(self, digest: str) -> int:
        if digest not in self._insights:
            raise ValueError("it names an insight that is not in it")
        return self._insights[digest]

    def _name_taken(self, name: str | None) -> bool:
        query = select(Study.run_id).where(Study.name == name)
        return name is not None and self.connection.execute(query).first() is not None

    def _end(self, values: dict[str, Any]) -> None:
        if values["counts"] != dict(self.counts):
            raise ValueError("lines are missing, or there are too many")
        if self._best is None:
            return
        runs = _table(Run)
        mine = runs.c.id == self.run
        result = self.connection.execute(select(runs.c.result).where(mine)).scalar_one()
        found = {**(result or {}), "best": self._candidate(self._best)}
        unchanged = {"updated_at": runs.c.updated_at}
        self.connection.execute(runs.update().where(mine).values(result=found, **unchanged))


def _table(model: type[Base]) -> Table:
    table: Table = model.__table__  # type: ignore[assignment]
    return table
