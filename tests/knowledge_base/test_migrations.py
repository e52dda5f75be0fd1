"""Migrations on every database: from nothing and from each older schema to that of the models."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from eurisko.knowledge_base import KnowledgeBase, KnowledgeBaseError
from eurisko.knowledge_base import engine as engine_module
from eurisko.knowledge_base.engine import (
    HEAD,
    current_revision,
    database_url,
    known_revisions,
    open_engine,
    upgrade,
)
from eurisko.knowledge_base.models import Base

OLDER = sorted(known_revisions() - {HEAD})


@pytest.fixture(params=("sqlite", "postgresql"))
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An engine for a database without any table, on each database in turn."""
    sqlite = request.param == "sqlite"
    url = (
        f"sqlite:///{tmp_path / 'kb.db'}"
        if sqlite
        else request.getfixturevalue("postgres_empty_url")
    )
    engine = open_engine(database_url(url))
    yield engine
    engine.dispose()


def migrate(connection: Connection, revision: str) -> None:
    """Bring an empty database to an older schema."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    folder = Path(engine_module.__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder))
    config.attributes.update(connection=connection, metadata=None)
    command.upgrade(config, revision)


def differences(engine: Engine) -> Any:
    """Return what Alembic would change to make the schema that of the models."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with engine.connect() as connection:
        return compare_metadata(MigrationContext.configure(connection), Base.metadata)


RUN = (
    "INSERT INTO run (id, workflow, problem, problem_version, interface, proposer, seed, config, "
    "folder, status, status_reason, version, created_at, updated_at) VALUES ('old', 'evolve', 'p', "
    "'1', 'i', 'offline', 1, '{\"a\": 1}', '', 'finished', '', '0', '2026-01-02 03:04:05+00:00', "
    "'2026-01-02 03:04:05+00:00')"
)


@pytest.mark.parametrize("revision", OLDER)
def test_each_older_schema_becomes_that_of_the_models(empty: Engine, revision: str) -> None:
    """A database of any older version is brought up to date, and its run is still there."""
    with empty.begin() as connection:
        migrate(connection, revision)
        connection.execute(text(RUN))
    assert current_revision(empty) == revision
    upgrade(empty)
    assert current_revision(empty) == HEAD and differences(empty) == []
    with KnowledgeBase(empty.url.render_as_string(hide_password=False)) as base:
        run = base.get_run("last")
    assert (run.id, run.config, run.created_at.isoformat()) == (
        "old",
        {"a": 1},
        "2026-01-02T03:04:05+00:00",
    )


def test_upgrades_at_once_make_one_schema(empty: Engine) -> None:
    """Three that upgrade an empty database together: one does it, the others find it done."""
    errors: list[BaseException] = []

    def work() -> None:
        engine = open_engine(empty.url)
        try:
            upgrade(engine)
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            errors.append(error)
        finally:
            engine.dispose()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and current_revision(empty) == HEAD and differences(empty) == []


def test_a_server_is_upgraded_only_when_told(postgres_empty_url: str) -> None:
    """Others may use it: opening says which command to run and changes nothing."""
    with pytest.raises(KnowledgeBaseError, match=r"schema none.*eurisko db upgrade"):
        KnowledgeBase(postgres_empty_url)
    with KnowledgeBase(postgres_empty_url, migrate=False) as base:
        assert current_revision(base.engine) is None
