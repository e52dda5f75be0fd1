"""Imports run one way, and light modules stay light."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("agents", "cli", "dashboard", "evaluators", "knowledge_base", "prompts", "sandbox")
HEAVY = ("torch", "litellm", "langgraph", "openai", "matplotlib", "sqlalchemy", "alembic", "deap")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the import contracts on a copy of the package in ``folder``/eurisko."""
    script = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", script, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contracts")
    (folder / "eurisko").mkdir()
    for module in ("__init__.py", "syntax.py", "telemetry.py"):
        shutil.copy(ROOT / module, folder / "eurisko")
    for room in ROOMS:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / room, folder / "eurisko" / room, ignore=ignore)
    return folder


def test_imports_run_one_way(copy: Path) -> None:
    """The contracts hold on the tree as it is."""
    result = lint(copy)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("sandbox", "from ..evaluators import registry"),
        ("evaluators", "from ..knowledge_base import store"),
        ("knowledge_base", "from ..agents import parallel"),
        ("agents", "from ..cli import output"),
        ("prompts", "from ..sandbox import outcome"),
        ("knowledge_base", "from ..prompts import render"),
    ],
)
def test_a_planted_violation_is_found(copy: Path, where: str, line: str) -> None:
    """An import against the direction breaks a contract, so the contracts can fail."""
    planted = copy / "eurisko" / where / "planted.py"
    planted.write_text(line + "\n")
    try:
        result = lint(copy)
    finally:
        planted.unlink()
    assert result.returncode == 1, result.stdout + result.stderr
    assert "planted" in result.stdout


def test_the_parser_s_lock_stays_without_rooms(copy: Path) -> None:
    """All rooms may use the one module of the root, so that an import of a room in it is found."""
    module = copy / "eurisko" / "syntax.py"
    before = module.read_text()
    module.write_text(before + "from .sandbox import outcome\n")
    try:
        assert lint(copy).returncode != 0
    finally:
        module.write_text(before)


@pytest.mark.parametrize(
    "statement",
    [
        "import eurisko",
        "import eurisko.cli.main",
        "import eurisko.sandbox, eurisko.evaluators, eurisko.knowledge_base",
        "import eurisko.agents.evolution, eurisko.agents.models, eurisko.prompts",
    ],
)
def test_light_modules_load_nothing_heavy(statement: str) -> None:
    """Front doors and the command line load no heavy library."""
    check = f"import sys; {statement}; print([m for m in {HEAVY!r} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_help_loads_nothing_heavy() -> None:
    """``eurisko --help`` loads neither torch nor litellm nor langgraph."""
    check = (
        "import sys\nfrom eurisko.cli.main import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True
    )
    assert "evolve" in result.stdout
    assert result.stdout.strip().endswith("[]")
