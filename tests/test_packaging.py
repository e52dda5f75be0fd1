"""The wheel holds what the tree holds."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("agents", "cli", "dashboard", "evaluators", "knowledge_base", "prompts", "sandbox")
ROOT_FILES = ("__init__.py", "__main__.py", "py.typed", "syntax.py", "telemetry.py")
LEFT_OUT = {".pyc"}


@pytest.fixture(scope="module")
def clean_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what git would take along: no build folders, no caches, no virtual environment."""
    target = tmp_path_factory.mktemp("tree") / "checkout"
    target.mkdir()
    for name in (*ROOMS, "tests"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, target / name, ignore=ignore)
    for file in ROOT.iterdir():
        if file.is_file() and file.suffix in {".py", ".toml", ".md", ".txt", ".typed"}:
            shutil.copy(file, target)
    shutil.copy(ROOT / "LICENSE", target)
    return target


def test_the_wheel_holds_the_whole_tree(clean_tree: Path, tmp_path: Path) -> None:
    """Every file of every room is in the wheel under eurisko/, and nothing else is."""
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", tmp_path, clean_tree],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    inside = {
        name
        for name in zipfile.ZipFile(wheel).namelist()
        if not name.split("/")[0].endswith(".dist-info")
    }
    expected = {
        f"eurisko/{path.relative_to(clean_tree)}"
        for room in ROOMS
        for path in (clean_tree / room).rglob("*")
        if path.is_file() and path.suffix not in LEFT_OUT
    } | {f"eurisko/{name}" for name in ROOT_FILES}
    assert expected - inside == set()
    assert inside - expected == set()
    assert "eurisko/prompts/evolution/i1.j2" in inside
    assert "eurisko/knowledge_base/migrations/versions/0001_first.py" in inside
