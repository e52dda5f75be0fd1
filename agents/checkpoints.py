"""Where the graphs keep their checkpoints: beside the knowledge base."""

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL

from ..knowledge_base import KnowledgeBaseError

_SETTING_UP = 0x65757269736B6F02
"""Key of the advisory lock under which one process at a time makes the tables of checkpoints."""


@contextmanager
def open_checkpointer(url: URL) -> Iterator[Any]:
    """Yield a LangGraph checkpointer for the knowledge base at ``url``.

    A SQLite file gets a second file beside it (``eurisko.db`` → ``eurisko.checkpoints.db``), a
    PostgreSQL database its own tables, an in-memory database a checkpointer in memory.

    Raises:
        KnowledgeBaseError: the server refuses, or goes away; the run can be resumed later.
    """
    if url.get_backend_name() == "postgresql":
        with _on_server(url) as saver:
            yield saver
        return
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        from langgraph.checkpoint.memory import InMemorySaver

        yield InMemorySaver()
        return
    from langgraph.checkpoint.sqlite import SqliteSaver

    path = checkpoint_path(url)
    connection = sqlite3.connect(path, check_same_thread=False, timeout=15.0)
    try:
        connection.execute("PRAGMA synchronous=NORMAL")
        saver = SqliteSaver(connection)
        saver.setup()
        yield saver
    finally:
        connection.close()


@contextmanager
def _on_server(url: URL) -> Iterator[Any]:
    import psycopg
    from langgraph.checkpoint.postgres import PostgresSaver
    from psycopg.rows import dict_row
    from psycopg_pool import ConnectionPool

    from ..knowledge_base.errors import explain, shown

    plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    try:
        # A connection that broke while nobody used it is replaced before the next step.
        with ConnectionPool(
            plain, kwargs=options, min_size=1, max_size=2, check=ConnectionPool.check_connection
        ) as pool:
            saver = PostgresSaver(pool)  # type: ignore[arg-type, unused-ignore]
            with _turn(pool):
                saver.setup()
            yield saver
    except psycopg.OperationalError as error:
        raise KnowledgeBaseError(explain(str(error), shown(url))) from error


@contextmanager
def _turn(pool: Any) -> Iterator[None]:
    """Wait for other processes that set up.

    The lock is asked for again and again: an index that is made without locking its table waits for
    every statement under way, one that waits for a lock included.
    """
    with pool.connection() as connection:
        ask = "SELECT pg_try_advisory_lock(%s) AS ours"
        while not connection.execute(ask, (_SETTING_UP,)).fetchone()["ours"]:
            time.sleep(0.1)
        try:
            yield
        finally:
            connection.execute("SELECT pg_advisory_unlock(%s)", (_SETTING_UP,))


def forget(url: URL, runs: Iterable[str]) -> None:
    """Delete the checkpoints of runs that are finished."""
    if url.get_backend_name() == "sqlite" and not checkpoint_path(url).is_file():
        return
    with open_checkpointer(url) as saver:
        for run in runs:
            saver.delete_thread(run)
        if url.get_backend_name() == "sqlite" and hasattr(saver, "conn"):
            saver.conn.commit()
            saver.conn.execute("VACUUM")


def copy_checkpoints(source: URL, target: URL, runs: Iterable[str]) -> int:
    """Copy where unfinished runs stand, so that they go on in the copy; return how many had a state."""
    copied = 0
    with open_checkpointer(source) as old, open_checkpointer(target) as new:
        for run in runs:
            found = old.get_tuple({"configurable": {"thread_id": run, "checkpoint_ns": ""}})
            if found is None:
                continue
            fresh = {"configurable": {"thread_id": run, "checkpoint_ns": ""}}
            versions = found.checkpoint["channel_versions"]
            place = new.put(fresh, found.checkpoint, found.metadata, versions)
            writes: dict[str, list[tuple[str, Any]]] = {}
            for task, channel, value in found.pending_writes or ():
                writes.setdefault(task, []).append((channel, value))
            for task, values in writes.items():
                new.put_writes(place, values, task)
            copied += 1
    return copied


def checkpoint_path(url: URL) -> Path:
    """Return the file that holds the checkpoints of a SQLite knowledge base."""
    return Path(str(url.database)).with_suffix(".checkpoints.db")
