"""What can go wrong with the knowledge base, each as one sentence for the user."""

import re

from sqlalchemy.engine import URL, ExceptionContext


class KnowledgeBaseError(Exception):
    """The knowledge base cannot do what was asked; the message says why and what to do."""


class KnowledgeBaseBusy(KnowledgeBaseError):
    """Another process holds the lock; trying again later may work."""


class KnowledgeBaseGone(KnowledgeBaseBusy):
    """The server cannot be reached now; it may come back."""


class UnknownRun(KnowledgeBaseError):
    """No run, or more than one, goes by that name."""


class UnknownSolver(KnowledgeBaseError):
    """No solver, or more than one, goes by that name."""


class UnknownInsight(KnowledgeBaseError):
    """No insight has that id."""


_BUSY = (
    "database is locked",
    "deadlock detected",
    "could not serialize access",
    "canceling statement due to lock timeout",
)
_GONE = (
    "Connection refused",
    "No such file or directory",
    "server closed the connection",
    "terminating connection",
    "the connection is closed",
    "the connection is lost",
    "consuming input failed",
    "the database system is",  # starting up, shutting down, in recovery
    "too many clients",
    "remaining connection slots",
)
"""What a server that comes back soon may say."""
_CAUSES = (
    ("database is locked", "is locked by another process: wait for it or end it, then try again"),
    ("lock timeout", "is locked by another process: wait for it or end it, then try again"),
    ("deadlock detected", "had two processes wait for each other: try again"),
    ("readonly database", "is read-only: give this user write permission, or choose another file"),
    ("read-only transaction", "is read-only: connect to the primary server"),
    ("unable to open database file", "cannot be opened: check that its folder exists and is yours"),
    ("file is not a database", "is not a SQLite database: choose another file"),
    ("database disk image is malformed", "is damaged: restore it from a copy"),
    ("database or disk is full", "cannot grow, for the disk is full: free some space"),
    ("No space left on device", "cannot grow, for the server's disk is full: free some space"),
    ("Connection refused", "cannot be reached: check that the server runs, its host and its port"),
    ("No such file or directory", "cannot be reached: check that the server runs and its socket"),
    ("failed to resolve host", "cannot be reached: there is no such host"),
    ("timeout expired", "cannot be reached: the server does not answer; check host and port"),
    ("connection timeout", "cannot be reached: the server does not answer; check host and port"),
    ("password authentication failed", "refused the password: check user and password in the URL"),
    ("no password supplied", "wants a password: put it into the URL or into ~/.pgpass"),
    ("no pg_hba.conf entry", "does not let this user in from here: ask who runs the server"),
    ("permission denied", "does not let this user do that: ask who runs the server for the right"),
    ("too many clients", "has no connection left: end other processes or raise max_connections"),
    ("connection slots", "has no connection left: end other processes or raise max_connections"),
    ("the database system is", "is starting or stopping: try again in a moment"),
    ("server closed the connection", "broke off the connection: check the server, then try again"),
    ("terminating connection", "broke off the connection: check the server, then try again"),
    ("the connection is", "broke off the connection: check the server, then try again"),
    ("consuming input failed", "broke off the connection: check the server, then try again"),
    ("value too long", "cannot hold a name as long as this: shorten the longest name or path"),
)
_MISSING = re.compile(r'FATAL: +(database|role) "(.*)" does not exist')


def shown(url: URL) -> str:
    """Return a database's URL without any password, for people to read."""
    secret = {name: "***" for name in url.query if "password" in name.lower()}
    return url.update_query_dict(secret).render_as_string(hide_password=True)


def explain(cause: str, where: str) -> str:
    """Return one sentence for a database driver's message ``cause`` about the database ``where``."""
    missing = _MISSING.search(cause)
    if missing:
        what, make = {"database": ("database", "createdb"), "role": ("user", "createuser")}[
            missing[1]
        ]
        return (
            f"The server has no {what} {missing[2]!r} ({where}): make it with {make}, or correct "
            "EURISKO_DATABASE_URL."
        )
    for needle, sentence in _CAUSES:
        if needle in cause:
            return (
                f"The knowledge base {where} {sentence} (EURISKO_DATABASE_URL names another one)."
            )
    first = cause.splitlines()[0] if cause else "no reason given"
    return f"The knowledge base {where} refused: {first}."


def translate(context: ExceptionContext) -> None:
    """Turn operational errors of the driver into :class:`KnowledgeBaseError` (an event handler)."""
    from sqlalchemy.exc import DatabaseError, IntegrityError, ProgrammingError

    if context.is_pre_ping:
        return  # a stale connection is replaced without a word
    error = context.sqlalchemy_exception
    if not isinstance(error, DatabaseError) or isinstance(error, IntegrityError):
        return
    cause = str(context.original_exception)
    if isinstance(error, ProgrammingError) and "permission denied" not in cause:
        return
    where = shown(context.engine.url) if context.engine is not None else ""
    kind = KnowledgeBaseBusy if any(word in cause for word in _BUSY) else KnowledgeBaseError
    if context.is_disconnect or any(word in cause for word in _GONE):
        kind = KnowledgeBaseGone
    raise kind(explain(cause, where)) from error
