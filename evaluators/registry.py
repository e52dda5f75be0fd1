"""Finding problems: built-in ones, entry points of the group eurisko.problems, and folders."""

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import cast

from .errors import InputError, UnknownProblem, did_you_mean
from .folder import is_folder, load_folder
from .problem import Problem

GROUP = "eurisko.problems"
_BUILT_IN = {
    name: f".problems.{name}"
    for name in (
        "acquisition",
        "bin_packing_online",
        "circle_packing",
        "cvrp_aco",
        "cvrp_construct",
        "flow_shop",
        "flow_shop_gls",
        "job_shop",
        "tsp_construct",
        "tsp_gls",
    )
}


def problem_names() -> list[str]:
    """Return the names of every installed problem, sorted; loads none of them."""
    return sorted({*_BUILT_IN, *_plugins()})


def get_problem(name: str) -> Problem:
    """Return the problem of this name, or the one in this folder (``./my_problem``).

    Code of a problem (not of its candidates) is trusted: it runs in this process, like any package
    that is imported. Load folders only from people whose code you would run.

    Raises:
        UnknownProblem: none is installed under this name.
        InputError: a plugin or a folder offers it and cannot be loaded.
    """
    if is_folder(name):
        return load_folder(name)
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


def problem_reference(name: str) -> str:
    """Return what names the same problem in every working directory: a folder's whole path."""
    return str(Path(name).resolve()) if is_folder(name) else name


def _plugins() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
