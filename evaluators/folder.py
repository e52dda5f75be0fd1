"""A user's own problem in a folder: loading its code, and a version that follows its files."""

import hashlib
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from typing import cast

from .errors import InputError
from .problem import Problem

MODULE = "problem.py"
_PARTS = ("spec", "grammar", "dataset", "load", "score")
_KINDS = (("expects",), ("known", "messages", "begin", "observe", "act"))


def is_folder(name: str) -> bool:
    """Return whether a problem's name is written as a path: ``./mine``, ``../a/mine``, ``/a/mine``."""
    return "/" in name or name in (".", "..")


def load_folder(path: str | Path) -> Problem:
    """Return the object ``problem`` of ``problem.py`` in a folder; runs that file in this process.

    The folder is a package, so its modules import each other as ``from .data import ...``.

    Raises:
        InputError: there is no such file, it fails, or its ``problem`` is none.
    """
    folder = Path(path).resolve()
    if not (folder / MODULE).is_file():
        raise InputError(
            f"There is no problem in {path}: it needs a file {MODULE} "
            f"('eurisko new {folder.name}' makes a folder that has one)."
        )
    try:
        module = import_module(f"{_package(folder)}.problem")
        problem = module.problem
    except Exception as error:  # it is the user's own code and may fail in any way
        raise InputError(
            f"{folder / MODULE} cannot be loaded ({type(error).__name__}: {error})."
        ) from error
    lacks = [part for part in _PARTS if not hasattr(problem, part)]
    if lacks or not any(all(hasattr(problem, part) for part in kind) for kind in _KINDS):
        missing = ", ".join(lacks or ["expects"])
        raise InputError(f"The object 'problem' of {folder / MODULE} lacks: {missing}.")
    return cast(Problem, problem)


def folder_version(folder: str | Path) -> str:
    """Return a version that changes with any file of the folder, so that no score goes stale.

    Byte code, tests, readme files and hidden files do not count, nor does what runs leave in
    ``runs``.
    """
    folder = Path(folder)
    sha = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        parts = file.relative_to(folder).parts
        ignored = any(part.startswith(".") or part in ("__pycache__", "runs") for part in parts)
        if not file.is_file() or ignored or file.suffix == ".md" or file.name.startswith("test_"):
            continue
        sha.update(f"{'/'.join(parts)!r} {file.stat().st_size}\n".encode())
        sha.update(file.read_bytes())
    return sha.hexdigest()[:12]


def _package(folder: Path) -> str:
    """Register a folder as a package under a name of its own and return the name."""
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
    name = f"eurisko_folder_{digest}"
    if name not in sys.modules:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        sys.modules[name] = module_from_spec(spec)
    return name
