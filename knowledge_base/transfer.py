"""A whole knowledge base copied into another database, row by row with its ids, and compared.

The source is read in one snapshot and the target written in one transaction: it has everything
afterwards, or nothing. Rows are compared by a digest over each table that depends neither on the order
of rows nor on how a database keeps times, numbers or JSON.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    func,
    insert,
    select,
    text,
)
from sqlalchemy.exc import IntegrityError

from .columns import Cut, String, Text, clean
from .errors import KnowledgeBaseError, shown
from .models import Base

BATCH = 1000
"""Rows read and written at once."""
_LIMIT = 1 << 256

Listener = Callable[[str, int, int], None]
"""Hears of a table's name, how many of its rows are done, and of how many."""


@dataclass(frozen=True)
class Copied:
    """One table that was copied: its rows, and the digest that both databases have in common."""

    table: str
    rows: int
    digest: str


def copy(source: Engine, target: Engine, listener: Listener = lambda *_: None) -> list[Copied]:
    """Copy all tables; both have the newest schema, the target no rows.

    Args:
        source: where from; nothing is changed there.
        target: where to.
        listener: hears of progress.

    Raises:
        KnowledgeBaseError: the target is not empty, a row does not fit, or the copy differs.
    """
    tables = _plain_tables()
    with reading(source) as old, target.begin() as new:
        if target.dialect.name == "sqlite":
            new.exec_driver_sql("BEGIN IMMEDIATE")
        _check_empty(new, tables, target)
        made = []
        for table in tables:
            made.append(_copy_table(old, new, table, listener))
            _set_sequence(new, table)
        for one, table in zip(made, tables, strict=True):
            _compare(one, *digest(new, table), target)
    return made


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Yield a connection all of whose queries see the same moment."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
            yield connection
        else:
            yield connection.execution_options(isolation_level="REPEATABLE READ")
        connection.rollback()


def digest(connection: Connection, table: Table) -> tuple[int, str]:
    """Return a table's number of rows, and a digest of them in whatever order they are."""
    count, total = 0, 0
    for rows in _batches(connection, table):
        count += len(rows)
        total = (total + _sum(rows, table)) % _LIMIT
    return count, f"{total:064x}"


def _plain_tables() -> list[Table]:
    """Return copies of the tables, parents first, in which JSON's null and none at all are the same."""
    plain = MetaData()
    tables = [table.to_metadata(plain) for table in Base.metadata.sorted_tables]
    for table in tables:
        for column in table.columns:
            column.default = column.onupdate = None
            if isinstance(column.type, JSON):
                column.type = JSON(none_as_null=True)
    return tables


def _check_empty(connection: Connection, tables: Sequence[Table], target: Engine) -> None:
    for table in tables:
        if connection.execute(select(table).limit(1)).first() is not None:
            raise KnowledgeBaseError(
                f"{shown(target.url)} is not empty (it has rows in {table.name}): copy into an empty "
                "one; 'eurisko export RUN --archive FILE' and 'eurisko import FILE' add single runs."
            )


def _batches(connection: Connection, table: Table) -> Iterator[list[tuple[Any, ...]]]:
    query = select(table).order_by(*table.primary_key.columns)
    result = connection.execute(query, execution_options={"yield_per": BATCH})
    for part in result.partitions():
        yield [tuple(row) for row in part]


def _copy_table(old: Connection, new: Connection, table: Table, listener: Listener) -> Copied:
    total = old.execute(select(func.count()).select_from(table)).scalar_one()
    columns = list(table.columns)
    names = [column.name for column in columns]
    strict = new.dialect.name == "postgresql"
    done = checksum = 0
    listener(table.name, 0, total)
    for rows in _batches(old, table):
        settled = [tuple(map(_settled, columns, row)) for row in rows]
        if strict:
            _check_lengths(settled, table)
        try:
            new.execute(insert(table), [dict(zip(names, row, strict=True)) for row in settled])
        except IntegrityError as error:
            raise KnowledgeBaseError(
                f"Rows of {table.name} contradict each other: {str(error.orig).splitlines()[0]}."
            ) from error
        done += len(rows)
        checksum = (checksum + _sum(settled, table)) % _LIMIT
        listener(table.name, done, total)
    return Copied(table.name, done, f"{checksum:064x}")


def _settled(column: Column[Any], value: Any) -> Any:
    """Return a value as every database can keep it; rows of older versions may need that."""
    if isinstance(value, str) and isinstance(column.type, String | Text):
        value = clean(value)
        if isinstance(column.type, Cut):
            value = value[: _length(column)]
    return value


def _length(column: Column[Any]) -> int | None:
    found: int | None = getattr(getattr(column.type, "impl_instance", None), "length", None)
    return found


def _check_lengths(rows: Sequence[tuple[Any, ...]], table: Table) -> None:
    for place, column in enumerate(table.columns):
        most = _length(column)
        if most is None:
            continue
        for row in rows:
            if row[place] is not None and len(row[place]) > most:
                keys = [row[n] for n, one in enumerate(table.columns) if one.primary_key]
                name = "/".join(map(str, keys))
                raise KnowledgeBaseError(
                    f"{table.name} {name} has a {column.name} of {len(row[place])} characters, "
                    f"PostgreSQL holds {most}: shorten it in the source and copy again."
                )


def _sum(rows: Sequence[tuple[Any, ...]], table: Table) -> int:
    """Return the sum of the rows' SHA-256: the same for any order."""
    whole = [isinstance(column.type, Integer) for column in table.columns]
    total = 0
    for row in rows:
        plain = [
            int(value) if is_whole and value is not None else _plain(value)
            for is_whole, value in zip(whole, row, strict=True)
        ]
        content = json.dumps(plain, separators=(",", ":"))
        total += int.from_bytes(hashlib.sha256(content.encode()).digest(), "big")
    return total


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; bytes by their digest, objects in the order of their keys."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True)
    return value


def _compare(copied: Copied, rows: int, found: str, target: Engine) -> None:
    if (copied.rows, copied.digest) != (rows, found):
        raise KnowledgeBaseError(
            f"The copy of {copied.table} in {shown(target.url)} differs from its source "
            f"({copied.rows} rows there, {rows} here): nothing was copied."
        )


def _set_sequence(connection: Connection, table: Table) -> None:
    """Have PostgreSQL go on counting after the highest id that was copied."""
    key = table.autoincrement_column
    if connection.dialect.name != "postgresql" or key is None:
        return
    highest = connection.execute(select(func.max(key))).scalar()
    if highest is None:
        return
    sequence = "SELECT setval(pg_get_serial_sequence(:table, :key), :highest)"
    values = {"table": table.name, "key": key.name, "highest": highest}
    connection.execute(text(sequence), values)
