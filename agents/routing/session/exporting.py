"""Writes what a session found: plan, tables, pictures, the stand-alone program, the session."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ....evaluators.errors import did_you_mean
from ....evaluators.routing import RoutingError
from ....evaluators.routing.plan import solution_text
from .as_file import task_json
from .data import plan_of

if TYPE_CHECKING:
    from .data import Solved
    from .session import RoutingSession
Write = Callable[["RoutingSession", "Solved | None", Path], Path]


def export(
    session: "RoutingSession", folder: str | Path, kinds: Iterable[str] = ()
) -> tuple[list[Path], list[str]]:
    """Write the plan of the problem as it stands, in all formats or the named ones.

    Returns:
        The files, and a sentence for each format that was not asked for by name and cannot be.

    Raises:
        RoutingError: there is no plan of the present problem, a format is not known, or one that
            was asked for cannot be written.
    """
    wanted = [kind.lower().lstrip(".") for kind in kinds]
    unknown = next((kind for kind in wanted if kind not in WRITERS), None)
    if unknown is not None:
        raise RoutingError(f"there is no format {unknown!r}; {did_you_mean(unknown, WRITERS)}")
    solved = session.current
    if solved is None and not (wanted and set(wanted) <= {"session", "instance"}):
        raise RoutingError("there is no plan of the problem as it stands; solve it first.")
    target = Path(folder)
    files, left = [], []
    for kind in wanted or WRITERS:
        try:
            target.mkdir(parents=True, exist_ok=True)
            files.append(WRITERS[kind](session, solved, target))
        except OSError as error:
            raise RoutingError(f"{target} cannot be written: {error.strerror}.") from error
        except RoutingError as error:
            if wanted:
                raise
            left.append(f"{kind}: {error}")
    return files, left


def _sol(session: "RoutingSession", solved: "Solved | None", folder: Path) -> Path:
    """Rows are those of the file, also where customers were dropped since."""
    assert solved is not None
    instance = session.reading.instance
    text = solution_text(plan_of(solved.routes, instance), solved.values[0], instance)
    return _write(folder / f"{_stem(session)}.sol", text)


def _table(form: str) -> Write:
    """Return the writer of the schedule as JSON (with routes and slack) or CSV."""

    def write(session: "RoutingSession", solved: "Solved | None", folder: Path) -> Path:
        from ....evaluators.routing.views import routes_csv, routes_json

        assert solved is not None
        plan = session.plan(solved)
        make = routes_csv if form == "csv" else routes_json
        text = make(session.task.instance, plan, session.verify(plan))
        return _write(folder / f"{_stem(session)}.{form}", text.rstrip("\n") + "\n")

    return write


def _picture(form: str) -> Write:
    def write(session: "RoutingSession", solved: "Solved | None", folder: Path) -> Path:
        from ....evaluators.routing.views import plot_routes

        assert solved is not None
        path = folder / f"{_stem(session)}.{form}"
        return plot_routes(session.task.instance, session.plan(solved), path)

    return write


def _page(session: "RoutingSession", solved: "Solved | None", folder: Path) -> Path:
    from ....evaluators.routing.views import map_page

    assert solved is not None
    plan = session.plan(solved)
    path = folder / f"{_stem(session)}.html"
    return map_page(session.task.instance, plan, session.verify(plan), path)


def _instance(session: "RoutingSession", solved: "Solved | None", folder: Path) -> Path:
    return _write(folder / f"{_stem(session)}.instance.json", task_json(session.task))


def _program(session: "RoutingSession", solved: "Solved | None", folder: Path) -> Path:
    assert solved is not None
    if not solved.code:
        raise RoutingError("this plan was not made by a created solver, so there is no program.")
    from ....evaluators.routing.created import standalone

    text = standalone(solved.code, solved.description, sorted(session.task.names))
    return _write(folder / f"{_stem(session)}_solver.py", text)


def _session(session: "RoutingSession", solved: "Solved | None", folder: Path) -> Path:
    return session.save(folder / f"{_stem(session)}.session.json")


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def _stem(session: "RoutingSession") -> str:
    return Path(session.data.path).stem or "plan"


WRITERS: dict[str, Write] = {
    "sol": _sol,
    "json": _table("json"),
    "csv": _table("csv"),
    "png": _picture("png"),
    "svg": _picture("svg"),
    "html": _page,
    "program": _program,
    "instance": _instance,
    "session": _session,
}
