"""Tests of finding problems by name, and of what importing the room costs."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from eurisko.evaluators import InputError, UnknownProblem, get_problem, problem_names, registry


def test_built_in_problem_is_found() -> None:
    """The first problem is there without any installed entry point."""
    assert "tsp_construct" in problem_names()
    assert get_problem("tsp_construct").spec.name == "tsp_construct"


def test_unknown_problem_suggests_close_names() -> None:
    """A misspelt name gives one sentence with the name that was meant."""
    with pytest.raises(UnknownProblem, match=r"^Unknown problem 'tsp_constuct': did you mean tsp_"):
        get_problem("tsp_constuct")


def test_strange_name_lists_all() -> None:
    """A name that resembles nothing gives the list of names."""
    with pytest.raises(UnknownProblem, match=r"choose one of: .*tsp_construct"):
        get_problem("qqqqqqqqqqqq")


def test_plugin_is_loaded_and_a_broken_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points add problems; one that cannot be imported gives an input error, not a crash."""
    entries = {
        "other": EntryPoint("other", "eurisko.evaluators.problems.tsp_construct:problem", "g"),
        "broken": EntryPoint("broken", "no_such_module_anywhere:problem", "g"),
    }
    monkeypatch.setattr(registry, "_plugins", lambda: entries)
    assert {"broken", "other", "tsp_construct"} <= set(problem_names())
    assert get_problem("other") is get_problem("tsp_construct")
    with pytest.raises(InputError, match=r"'broken' \(no_such_module_anywhere:problem\)"):
        get_problem("broken")


def test_importing_the_room_loads_no_heavy_library() -> None:
    """The room, its first problem and its data load without torch and other heavy libraries."""
    code = (
        "import sys\n"
        "from eurisko.evaluators import get_problem, program_hash, evaluate\n"
        "get_problem('tsp_construct').dataset('uniform-50-search')\n"
        "heavy = {'torch', 'litellm', 'langgraph', 'openai', 'sqlalchemy', 'matplotlib', 'deap'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr
