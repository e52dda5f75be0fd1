"""Finding problems by name: the built-in ones, and entry points of the group eurisko.problems."""

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from .errors import InputError, UnknownProblem, did_you_mean
from .problem import Problem

GROUP = "eurisko.problems"
_BUILT_IN = {
    name: f".problems.{name}"
    for name in (
        "bin_packing_online",
        "circle_packing",
        "flow_shop",
        "job_shop",
        "tsp_construct",
    )
}


def problem_names() -> list[str]:
    """Return the names of every installed problem, sorted; loads none of them."""
    return sorted({*_BUILT_IN, *_plugins()})


def get_problem(name: str) -> Problem:
    """Return the problem of this name.

    Raises:
        UnknownProblem: none is installed under this name.
        InputError: a plugin offers it and cannot be loaded.
    """
    if name in _BUILT_IN:
        return cast(Problem, import_module(_BUILT_IN[name], __package__).problem)
    plugins = _plugins()
    if name not in plugins:
        raise UnknownProblem(f"Unknown problem {name!r}: {did_you_mean(name, problem_names())}")
    try:
        return cast(Problem, plugins[name].load())
    except Exception as error:  # a plugin is foreign code and may fail in any way at import
        raise InputError(
            f"Problem {name!r} ({plugins[name].value}) cannot be loaded "
            f"({type(error).__name__}: {error}); repair or uninstall the package that offers it."
        ) from error


def _plugins() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
