"""Opening the database: the URL, SQLite's settings, and migrations."""

import os
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, TextClause, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from .columns import from_json, to_json
from .errors import KnowledgeBaseError, explain, shown, translate
from .models import Base

HEAD = "0008"
"""The newest migration. A test holds it against the migrations folder."""

DEFAULT_URL = "sqlite:///eurisko.db"
BUSY_TIMEOUT_S = 15.0
CACHE_KIB = 65_536
"""Pages that a connection keeps at most: the upper levels of all indices at ten million evaluations."""


POOL: dict[str, Any] = {
    "pool_size": 5,
    "max_overflow": 10,
    "pool_timeout": 30,
    "pool_recycle": 1800,
    "pool_pre_ping": True,
}
"""Connections to a server: five are kept, each is tried before use and renewed after half an hour."""
CONNECT_TIMEOUT_S = 10
UPGRADING, LEARNING = 0x65757269736B6F00, 0x65757269736B6F01
"""Keys of PostgreSQL's advisory locks: one process at a time migrates, one stores insights."""


def database_url(url: str | None = None) -> URL:
    """Return ``url``, else ``EURISKO_DATABASE_URL``, else ``./eurisko.db``."""
    given = url or os.environ.get("EURISKO_DATABASE_URL") or DEFAULT_URL
    try:
        made = make_url(given)
    except (ArgumentError, ValueError) as error:  # ValueError: its port is no number
        raise KnowledgeBaseError(
            "EURISKO_DATABASE_URL is not a database URL: write it like "
            "sqlite:///path/to/file.db or postgresql+psycopg://user@host/name."
        ) from error
    if made.drivername in ("postgresql", "postgres"):
        return made.set(drivername="postgresql+psycopg")
    return made


def open_engine(url: URL, busy_timeout_s: float = BUSY_TIMEOUT_S) -> Engine:
    """Return an engine for ``url`` whose driver errors are one-sentence errors."""
    sqlite = url.get_backend_name() == "sqlite"
    options: dict[str, Any] = {"json_serializer": to_json, "json_deserializer": from_json}
    if sqlite:
        options["connect_args"] = {"timeout": busy_timeout_s}
    elif url.get_backend_name() == "postgresql":
        options |= {**POOL, "connect_args": _for_postgresql(url, busy_timeout_s)}
    try:
        engine = create_engine(url, **options)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise KnowledgeBaseError(
            f"There is no driver for the database {url.drivername!r}: install it "
            "(for PostgreSQL: pip install 'eurisko[postgres]')."
        ) from error
    if sqlite:
        event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "handle_error", translate)
    return engine


def _for_postgresql(url: URL, busy_timeout_s: float) -> dict[str, Any]:
    """Return what libpq is told, unless the URL says otherwise."""
    wanted = {
        "connect_timeout": CONNECT_TIMEOUT_S,
        "application_name": "eurisko",
        "options": f"-c lock_timeout={round(1000 * busy_timeout_s)}",
    }
    return {name: value for name, value in wanted.items() if name not in url.query}


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    import sqlite3

    cursor = connection.cursor()
    try:
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute(f"PRAGMA cache_size={-CACHE_KIB}")
    except sqlite3.OperationalError as error:
        # A read-only file refuses WAL; reading still works, and writing will say why it does not.
        if "readonly" not in str(error):
            raise KnowledgeBaseError(explain(str(error), _sqlite_path(connection))) from error
    except sqlite3.DatabaseError as error:
        raise KnowledgeBaseError(explain(str(error), _sqlite_path(connection))) from error
    finally:
        cursor.close()


def _sqlite_path(connection: Any) -> str:
    import sqlite3

    try:
        return str(connection.execute("PRAGMA database_list").fetchone()[2])
    except sqlite3.DatabaseError:
        return "file"


def take_turn(key: int) -> TextClause:
    """Return the statement with which PostgreSQL lets one transaction after the other go on."""
    return text("SELECT pg_advisory_xact_lock(:key)").bindparams(key=key)


def prepare(engine: Engine) -> None:
    """Bring the schema up to date: by itself on SQLite, refused with advice on a server.

    Raises:
        KnowledgeBaseError: the schema is newer than this Eurisko, or a server's is older.
    """
    current = current_revision(engine)
    if current == HEAD:
        return
    where = shown(engine.url)
    if current is not None and current not in known_revisions():
        raise KnowledgeBaseError(
            f"The knowledge base {where} is from a newer Eurisko (schema {current}, this version "
            f"knows up to {HEAD}): upgrade Eurisko, or set EURISKO_DATABASE_URL to another one."
        )
    if engine.dialect.name != "sqlite":
        raise KnowledgeBaseError(
            f"The knowledge base {where} has schema {current or 'none'}, this version needs {HEAD}: "
            "run 'eurisko db upgrade' once."
        )
    upgrade(engine)


def current_revision(engine: Engine) -> str | None:
    """Return the schema revision of the database, or None for an empty one."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def known_revisions() -> set[str]:
    """Return the revisions that this version of Eurisko can migrate from."""
    from alembic.script import ScriptDirectory

    return {script.revision for script in ScriptDirectory(_migrations()).walk_revisions()}


def upgrade(engine: Engine) -> None:
    """Run all pending migrations in one transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", _migrations().replace("%", "%%"))
    with engine.begin() as connection:
        if connection.dialect.name == "sqlite":
            # Two processes may open a fresh file at once: the second waits here, then finds it done.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        elif connection.dialect.name == "postgresql":
            connection.execute(take_turn(UPGRADING))
        config.attributes["connection"] = connection
        config.attributes["metadata"] = Base.metadata
        command.upgrade(config, "head")


def _migrations() -> str:
    return str(Path(__file__).parent / "migrations")
