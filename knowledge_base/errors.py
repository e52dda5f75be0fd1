"""What can go wrong with the knowledge base, each as one sentence for the user."""

from sqlalchemy.engine import ExceptionContext


class KnowledgeBaseError(Exception):
    """The knowledge base cannot do what was asked; the message says why and what to do."""


class KnowledgeBaseBusy(KnowledgeBaseError):
    """Another process holds the lock; trying again later may work."""


class UnknownRun(KnowledgeBaseError):
    """No run, or more than one, goes by that name."""


class UnknownSolver(KnowledgeBaseError):
    """No solver, or more than one, goes by that name."""


class UnknownInsight(KnowledgeBaseError):
    """No insight has that id."""


_BUSY = ("database is locked", "deadlock detected", "could not serialize access")
_CAUSES = (
    ("database is locked", "is locked by another process: wait for it or end it, then try again"),
    ("readonly database", "is read-only: give this user write permission, or choose another file"),
    ("unable to open database file", "cannot be opened: check that its folder exists and is yours"),
    ("file is not a database", "is not a SQLite database: choose another file"),
    ("database disk image is malformed", "is damaged: restore it from a copy"),
    ("database or disk is full", "cannot grow, for the disk is full: free some space"),
)


def explain(cause: str, where: str) -> str:
    """Return one sentence for a database driver's message ``cause`` about the database ``where``."""
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

    error = context.sqlalchemy_exception
    if not isinstance(error, DatabaseError) or isinstance(error, IntegrityError | ProgrammingError):
        return
    engine = context.engine
    where = engine.url.render_as_string(hide_password=True) if engine is not None else ""
    cause = str(context.original_exception)
    kind = KnowledgeBaseBusy if any(word in cause for word in _BUSY) else KnowledgeBaseError
    raise kind(explain(cause, where)) from error
