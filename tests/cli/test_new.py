"""Making a problem of one's own: the scaffold runs as it is, and folders are loaded as problems."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eurisko.cli.main import app
from eurisko.evaluators import InputError, folder_version, get_problem, problem_reference

RUNNER = CliRunner()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A fresh scaffold."""
    result = RUNNER.invoke(app, ["new", str(tmp_path / "my_problem")])
    assert result.exit_code == 0, result.output
    return tmp_path / "my_problem"


def test_the_scaffold_is_a_problem(folder: Path) -> None:
    """All parts are there, the name is filled in everywhere, and a bound is never beaten."""
    problem = get_problem(str(folder))
    assert problem.spec.name == "my_problem"
    assert problem.grammar is not None
    for file in folder.iterdir():
        assert "PROBLEM_NAME" not in file.read_text(encoding="utf-8") if file.is_file() else True
    assert get_problem(str(folder)) is problem


def test_its_own_test_passes(folder: Path) -> None:
    """The test that the scaffold brings along passes, through the sandbox."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        cwd=folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout


def test_it_evolves_and_is_found_from_elsewhere(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`evolve ./my_problem` improves on the seed offline; `show` finds it from another place."""
    monkeypatch.setenv("EURISKO_DATABASE_URL", f"sqlite:///{tmp_path / 'base.db'}")
    monkeypatch.chdir(folder.parent)
    result = RUNNER.invoke(app, ["evolve", "./my_problem", "-g", "1", "-p", "4", "-q", "--json"])
    assert result.exit_code == 0, result.output
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    shown = RUNNER.invoke(app, ["show", "last", "--json"])
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)


def test_bad_names_and_full_folders_are_refused(tmp_path: Path) -> None:
    """A name that is no identifier and a folder with files each give one sentence."""
    bad = RUNNER.invoke(app, ["new", str(tmp_path / "My-Problem")])
    assert bad.exit_code == 1 and "is no name for a problem" in bad.stderr
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("x")
    full = RUNNER.invoke(app, ["new", str(tmp_path / "full")])
    assert full.exit_code == 1 and "is not empty" in full.stderr
    assert [one.name for one in (tmp_path / "full").iterdir()] == ["file"]


def test_the_version_follows_the_files(folder: Path) -> None:
    """Any file that matters changes the version; readme, tests and byte code do not."""
    before = folder_version(folder)
    (folder / "README.md").write_text("other")
    (folder / "test_problem.py").write_text("")
    (folder / "__pycache__").mkdir(exist_ok=True)
    (folder / "__pycache__" / "x.pyc").write_text("x")
    assert folder_version(folder) == before
    (folder / "score.py").write_text((folder / "score.py").read_text() + "\n")
    assert folder_version(folder) != before


def test_folders_that_are_no_problem_are_named(tmp_path: Path) -> None:
    """A missing file, broken code and a wrong object each give one sentence with the path."""
    with pytest.raises(InputError, match=r"needs a file problem\.py"):
        get_problem(str(tmp_path))
    cases = {
        "broken": ("1 / 0", "ZeroDivisionError"),
        "empty": ("", "AttributeError"),
        "partial": (
            "class P:\n    spec = grammar = 1\nproblem = P()",
            "lacks: dataset, load, score",
        ),
    }
    for name, (code, complaint) in cases.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "problem.py").write_text(code)
        with pytest.raises(InputError, match=complaint):
            get_problem(str(tmp_path / name))


def test_references_are_whole_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder is stored with its whole path, an installed problem with its name."""
    monkeypatch.chdir(tmp_path)
    assert problem_reference("./mine") == str(tmp_path.resolve() / "mine")
    assert problem_reference("tsp_construct") == "tsp_construct"
