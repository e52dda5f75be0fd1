"""A database server that refuses, goes away or comes back: one sentence, and no password in it."""

import pytest
from sqlalchemy import text
from support.postgres import PostgresServer, knowledge_base_on, running_postgres
from support.rows import RUN

from eurisko.knowledge_base import KnowledgeBase, KnowledgeBaseBusy, KnowledgeBaseError
from eurisko.knowledge_base.engine import database_url
from eurisko.knowledge_base.errors import KnowledgeBaseGone, shown


def refusal(url: str, **options: float) -> str:
    """Return the sentence with which a knowledge base cannot be opened."""
    with pytest.raises(KnowledgeBaseError) as caught:
        KnowledgeBase(url, **options)  # type: ignore[arg-type]
    return str(caught.value)


def test_refusals_are_sentences_without_the_password(postgres: PostgresServer) -> None:
    """Nobody listens, wrong or no password, no such database, user or host: each says what to do."""
    port = postgres.port
    guarded = postgres.url("postgres", "guarded", "hunter2")
    cases = {
        "postgresql://u:hunter2@127.0.0.1:1/x": "check that the server runs",
        "postgresql:///x?host=/nowhere&password=hunter2": "its socket",
        guarded: "refused the password",
        f"postgresql://guarded@127.0.0.1:{port}/postgres?password=hunter2": "refused the password",
        postgres.url("postgres", "guarded"): "wants a password",
        postgres.url("absent", "eurisko", "hunter2"): "no database 'absent'",
        postgres.url("postgres", "nobody_known", "hunter2"): "no user 'nobody_known'",
        f"postgresql://u:hunter2@no.such.host.invalid:{port}/x": "no such host",
    }
    for url, words in cases.items():
        message = refusal(url)
        assert words in message, (url, message)
        assert "hunter2" not in message and "\n" not in message and message.endswith(".")
    assert "run 'eurisko db upgrade' once" in refusal(postgres.url("postgres", "guarded", "right"))


def test_urls_are_shown_without_passwords_and_find_the_driver() -> None:
    """Both places of a password are hidden; the plain name of the backend means psycopg."""
    url = database_url("postgresql://u:secret@h/x?password=secret&sslmode=require")
    assert url.drivername == "postgresql+psycopg"
    assert "secret" not in shown(url) and "sslmode=require" in shown(url)
    with pytest.raises(KnowledgeBaseError, match="not a database URL"):
        database_url("postgresql://u:secret@h:port/x")


def test_a_user_without_rights_is_told(postgres: PostgresServer, postgres_url: str) -> None:
    """The right to write is missing: one sentence in place of the driver's."""
    database = database_url(postgres_url).database or ""
    postgres.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO guarded", database)
    with KnowledgeBase(postgres.url(database, "guarded", "right")) as base:
        assert base.runs() == []
        with pytest.raises(KnowledgeBaseError, match="does not let this user"):
            base.create_run(**RUN)


def test_a_lock_is_waited_for_a_while(postgres_url: str) -> None:
    """A table that another transaction has locked: busy after the time-out, right afterwards."""
    with (
        KnowledgeBase(postgres_url) as other,
        KnowledgeBase(postgres_url, busy_timeout_s=0.2) as base,
    ):
        with other.engine.begin() as connection:
            connection.execute(text("LOCK TABLE run"))
            with pytest.raises(KnowledgeBaseBusy, match="locked by another process"):
                base.create_run(**RUN)
        assert base.create_run(**RUN).status == "running"


def test_a_restarted_server_is_found_again() -> None:
    """Stopped: one sentence, and busy, not broken; started again: the same object goes on."""
    with running_postgres() as server, knowledge_base_on(server) as url, KnowledgeBase(url) as base:
        run = base.create_run(**RUN)
        server.stop()
        with pytest.raises(KnowledgeBaseGone, match=r"check that the server|broke off"):
            base.get_run(run.id)
        server.start()
        assert base.get_run(run.id).id == run.id
        server.stop()
        server.start()
        assert base.get_run(run.id).id == run.id  # the stale connection is not handed out
        with base.session() as session:
            session.execute(text("SELECT 1"))
            server.stop()
            with pytest.raises(KnowledgeBaseGone, match="broke off"):
                session.execute(text("SELECT 1"))
        server.start()
