"""A PostgreSQL server of our own: in a temporary folder, on a free port, gone with the tests.

It refuses to run as root, so root starts it as the user ``postgres`` or ``nobody``.
"""

import ctypes
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

GUARDED = "guarded"
"""A user who needs the password ``right``; everybody else is trusted."""
SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "shared_buffers": "32MB",
    "max_connections": "60",
    "timezone": "Asia/Kathmandu",  # not ours, and not a whole number of hours from it
}


def find_programs() -> Path | None:
    """Return the folder with PostgreSQL's programs, the newest version's; None without one."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    packaged = Path("/usr/lib/postgresql").glob("*/bin")
    folders += sorted(packaged, key=lambda one: float(one.parent.name), reverse=True)
    wanted = ("initdb", "postgres")
    return next((one for one in folders if all((one / w).exists() for w in wanted)), None)


def _ordinary_user() -> dict[str, Any]:
    """Return the options of ``subprocess`` that make a child an ordinary user's."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    pytest.skip("no ordinary user whom PostgreSQL could run as")


def _end_with_us() -> None:
    """Ask Linux to end this child when the tests are killed (PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGINT)


CLEAN_OUT = """
DO $$ DECLARE one text; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR one IN SELECT tablename FROM pg_tables
      WHERE schemaname = 'public' AND tablename NOT IN ('alembic_version', 'checkpoint_migrations')
  LOOP EXECUTE format('DELETE FROM %I', one); END LOOP;
  FOR one IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'
  LOOP EXECUTE format('ALTER SEQUENCE %I RESTART', one); END LOOP;
END $$
"""
"""Takes all rows out of all tables of ours."""
START_OVER = "DROP SCHEMA public CASCADE; CREATE SCHEMA public"


class PostgresServer:
    """A running server; :meth:`stop` and :meth:`start` it to see what its users make of that."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        self._user = _ordinary_user()
        self._process: subprocess.Popen[bytes] | None = None
        self._made: set[str] = set()
        self._idle: dict[str, list[str]] = {}
        if self._user:
            os.chown(folder, self._user["user"], self._user["group"])
        self._data = folder / "data"
        self.port = _free_port()
        create = [
            "-D",
            self._data,
            "-A",
            "trust",
            "-U",
            "eurisko",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
        ]
        self._run("initdb", *create, "--no-sync", "--no-instructions")
        rules = f"host all {GUARDED} 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n"
        (self._data / "pg_hba.conf").write_text(rules)

    def _run(self, program: str, *arguments: object) -> None:
        command = [str(self._programs / program), *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self._folder, capture_output=True, text=True, **self._user
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr}")

    def start(self) -> None:
        """Start, and wait until connections are taken."""
        settings = {**SETTINGS, "port": self.port, "listen_addresses": "127.0.0.1"}
        settings["unix_socket_directories"] = ""
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, *options],
                cwd=self._folder,
                stdout=log,
                stderr=log,
                preexec_fn=_end_with_us,
                **self._user,
            )
        deadline = time.monotonic() + 60
        while True:
            try:
                self.execute("SELECT 1")
                return
            except OSError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self._folder / "log").read_text()) from None
                time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Break all connections and end (``SIGQUIT``: at once, as in a crash)."""
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def url(self, database: str, user: str = "eurisko", password: str = "") -> str:
        """Return the URL of a database."""
        who = f"{user}:{password}" if password else user
        return f"postgresql+psycopg://{who}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Run one statement on its own.

        Raises:
            OSError: there is no connection.
        """
        import psycopg

        where = self.url(database).replace("+psycopg", "")
        try:
            connection = psycopg.connect(where, autocommit=True, connect_timeout=10)
        except psycopg.OperationalError as error:
            raise OSError(str(error)) from error
        with connection:
            connection.execute(statement)

    @contextmanager
    def database(self, prepare: str = CLEAN_OUT) -> Iterator[str]:
        """Yield the URL of a database in which the statement ``prepare`` has been run.

        Databases are used again: making one takes a second, emptying one a few milliseconds.
        """
        free = self._idle.setdefault(prepare, [])
        name = free.pop() if free else f"t{secrets.token_hex(6)}"
        if name not in self._made:
            self.execute(f"CREATE DATABASE {name}")
            self._made.add(name)
        try:
            yield self.url(name)
        finally:
            others = f"FROM pg_stat_activity WHERE datname = '{name}'"
            self.execute(f"SELECT pg_terminate_backend(pid) {others}")
            self.execute(prepare, name)
            free.append(name)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Yield a running server; skips the test where PostgreSQL or its driver is absent."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL server on this machine")
    folder = Path(tempfile.mkdtemp(prefix="eurisko-pg-"))
    try:
        server = PostgresServer(programs, folder)
        server.start()
        try:
            server.execute(f"CREATE ROLE {GUARDED} LOGIN PASSWORD 'right'")
            yield server
        finally:
            server.stop(signal.SIGQUIT)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# Fixtures: conftest.py makes them known to all tests ----------------------------------------------


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One server for all tests of a process."""
    with running_postgres() as server:
        yield server


@contextmanager
def knowledge_base_on(server: PostgresServer) -> Iterator[str]:
    """Yield the URL of an empty knowledge base with all its tables."""
    from eurisko.knowledge_base import KnowledgeBase
    from eurisko.knowledge_base.engine import HEAD, current_revision, upgrade

    with server.database() as url:
        with KnowledgeBase(url, migrate=False) as base:
            if current_revision(base.engine) != HEAD:
                upgrade(base.engine)
        yield url


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """The URL of an empty knowledge base on the server, for one test."""
    with knowledge_base_on(postgres) as url:
        yield url


@pytest.fixture
def postgres_empty_url(postgres: PostgresServer) -> Iterator[str]:
    """The URL of a database without any table, for one test."""
    with postgres.database(START_OVER) as url:
        yield url


BACKENDS = ("sqlite", "postgresql")


@pytest.fixture(params=BACKENDS)
def each_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty knowledge base: the test runs on every database in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'kb.db'}"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def fresh_url(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[str], str]]:
    """Return a maker of empty knowledge bases by backend: ``sqlite`` or ``postgresql``."""
    with ExitStack() as stack:

        def make(backend: str) -> str:
            if backend == "sqlite":
                return f"sqlite:///{tmp_path / f'{secrets.token_hex(4)}.db'}"
            server = request.getfixturevalue("postgres")
            return stack.enter_context(knowledge_base_on(server))

        yield make
