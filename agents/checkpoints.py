"""Where the graphs keep their checkpoints: beside the knowledge base."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL


@contextmanager
def open_checkpointer(url: URL) -> Iterator[Any]:
    """Yield a LangGraph checkpointer for the knowledge base at ``url``.

    A SQLite file gets a second file beside it (``eurisko.db`` → ``eurisko.checkpoints.db``), a
    PostgreSQL database its own tables, an in-memory database a checkpointer in memory.
    """
    if url.get_backend_name() == "postgresql":
        from langgraph.checkpoint.postgres import PostgresSaver

        plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
        with PostgresSaver.from_conn_string(plain) as saver:
            saver.setup()
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


def checkpoint_path(url: URL) -> Path:
    """Return the file that holds the checkpoints of a SQLite knowledge base."""
    return Path(str(url.database)).with_suffix(".checkpoints.db")
