"""What a knowledge base holds: its schema, the rows of each table, its size."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, func, inspect, select, text

from .engine import HEAD, current_revision
from .errors import shown
from .models import Base


@dataclass(frozen=True)
class Status:
    """A knowledge base at a glance."""

    database: str
    """Its URL, without a password."""
    backend: str
    server: str
    """Version of the database software."""
    schema: str | None
    """Its revision; None for an empty database."""
    newest: str
    """The revision that this version of Eurisko works with."""
    rows: dict[str, int]
    size_bytes: int
    """On disk: of the file with its journal, or of the database."""

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(vars(self))


def status(engine: Engine) -> Status:
    """Return what a knowledge base holds; any schema will do."""
    schema = current_revision(engine)
    with engine.connect() as connection:
        there = set(inspect(connection).get_table_names())
        rows = {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in Base.metadata.sorted_tables
            if table.name in there
        }
        if engine.dialect.name == "postgresql":
            size = connection.execute(
                text("SELECT pg_database_size(current_database())")
            ).scalar_one()
        else:
            pages = connection.execute(text("PRAGMA page_count")).scalar_one()
            size = pages * connection.execute(text("PRAGMA page_size")).scalar_one()
            size += _journal(engine)
        version = ".".join(map(str, connection.dialect.server_version_info or ()))
    return Status(
        database=shown(engine.url),
        backend=engine.dialect.name,
        server=version,
        schema=schema,
        newest=HEAD,
        rows=rows,
        size_bytes=size,
    )


def _journal(engine: Engine) -> int:
    journal = Path(f"{engine.url.database}-wal")
    return journal.stat().st_size if journal.is_file() else 0
