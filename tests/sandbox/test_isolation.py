"""Levels are what the self-test proved; what is missing is named; too little is refused."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from eurisko.sandbox import (
    Inputs,
    Layers,
    Level,
    OutcomeKind,
    Program,
    Report,
    Sandbox,
    SandboxError,
    jail,
    landlock,
    readable,
    seccomp,
)
from eurisko.sandbox.layers import make_plan
from eurisko.sandbox.report import promised

from .conftest import DRIVER, EXPECTS, VALUES, Try

DEFINE = "def heuristic(values):\n    "


def test_the_level_is_proved_and_told_in_one_line(sandbox: Sandbox) -> None:
    """Here at least L2 is reached, every canary is contained, and one line says so."""
    report = sandbox.report()
    assert report.level >= Level.CONFINED, report.explain()
    assert len(report.canaries) >= 12
    assert all(canary.contained for canary in report.canaries), report.canaries
    count = len(report.canaries)
    assert report.line.startswith(f"sandbox: {report.level.label}")
    assert report.line.endswith(f"self-test {count}/{count}")


def test_every_outcome_names_its_isolation(sandbox: Sandbox, attempt: Try) -> None:
    """The proved level and its layers stand in each outcome."""
    assert attempt(DEFINE + "return values").isolation == sandbox.report().isolation


def test_levels_are_read_in_every_usual_spelling() -> None:
    """L3, l3, 3, jailed and the full label mean the same; anything else is refused."""
    for text in ("L3", "l3", 3, "3", "jailed", "L3 jailed", Level.JAILED):
        assert Level.parse(text) is Level.JAILED
    for text in ("L9", "", "strong", 7):
        with pytest.raises(ValueError, match="isolation level"):
            Level.parse(text)


def test_below_l2_nothing_runs_unless_forced() -> None:
    """Asking for L1 without allow_unsafe is an error at once."""
    with pytest.raises(ValueError, match="allow_unsafe"):
        Sandbox(require="L1")


def test_a_sandbox_without_filter_is_refused_and_told_why(inputs: Inputs) -> None:
    """With seccomp off the self-test falls to L1; runs are refused with what is missing."""
    with Sandbox(workers=1, layers=Layers(seccomp=False, jail=False)) as weak:
        with pytest.raises(SandboxError, match=r"L1 limits.*seccomp is missing"):
            weak.run(Program("", "heuristic", DRIVER), inputs, EXPECTS)
        report = weak.report()
        assert report.level is Level.LIMITS
        broken = {canary.name for canary in report.canaries if not canary.contained}
        assert {"open a socket", "fork", "memory file"} <= broken
        assert "seccompy" in " ".join(report.explain())


def test_a_level_above_what_works_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without bubblewrap L3 is refused, and the message says how to get it."""
    monkeypatch.setattr(jail, "binary", lambda: None)
    with Sandbox(workers=1, require="L3") as wanting, pytest.raises(SandboxError) as caught:
        wanting.start()
    assert "L3 jailed is required" in str(caught.value)
    assert "install bubblewrap" in str(caught.value)


def test_a_broken_jail_is_named_and_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A bubblewrap that fails leaves L2 without it, with the reason in the report."""
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho no permissions to create a namespace >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(jail, "binary", lambda: fake)
    plan = make_plan(Layers())
    assert plan.bwrap is None
    assert "no permissions to create a namespace" in plan.missing["jail"]
    assert promised(plan) is Level.CONFINED


def test_without_landlock_nothing_can_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel without Landlock gives the filter that refuses every open."""
    monkeypatch.setattr(landlock, "abi", lambda: (0, "this kernel has no Landlock"))
    plan = make_plan(Layers(jail=False))
    assert not plan.opens and not plan.landlock
    assert plan.filter == seccomp.program(opens=False)
    assert plan.missing["landlock"] == "this kernel has no Landlock"


def test_nothing_readable_holds_the_project() -> None:
    """The list of readable paths never covers the project, its folder or the home of its caller."""
    project = Path(readable.__file__).resolve().parent.parent
    for path in readable.readable_paths():
        assert path != project and path not in project.parents, path
        assert project not in path.parents or "site-packages" in path.parts, path
        assert path.resolve() != Path.home().resolve()


def test_the_project_is_left_out_of_a_folder_above_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where a readable folder holds the project, its other entries are listed one by one."""
    for name in ("a/b/mine", "a/b/other", "a/c", "a/site-packages/x"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setattr(readable, "PROJECT", tmp_path / "a/b/mine")
    found = set(readable._without_packages(tmp_path))
    assert found == {tmp_path / "a/b/other", tmp_path / "a/c"}


def test_the_project_is_not_readable(attempt: Try) -> None:
    """Source, tests, settings and repository of the project cannot be opened or listed inside."""
    root = Path(readable.__file__).resolve().parent.parent
    for target in (root / "__init__.py", root / "pyproject.toml", root / ".env", Path(__file__)):
        outcome = attempt(DEFINE + f"open({str(target)!r}).read()")
        assert outcome.kind is OutcomeKind.CANDIDATE_ERROR, outcome
        assert outcome.error_type in ("PermissionError", "FileNotFoundError")
    outcome = attempt(DEFINE + f"import os; os.listdir({str(root)!r})")
    assert outcome.error_type in ("PermissionError", "FileNotFoundError")
    outcome = attempt("import eurisko\n" + DEFINE + "return values")
    assert outcome.error_type == "ModuleNotFoundError"


@pytest.mark.slow
def test_an_installed_project_is_not_readable_either(tmp_path: Path) -> None:
    """With the package copied into a site-packages folder, as a wheel does, it stays hidden."""
    root = Path(readable.__file__).resolve().parent.parent
    site = tmp_path / "site-packages"
    for source in (root / "__init__.py", *(root / "sandbox").rglob("*.py")):
        target = site / "eurisko" / source.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source.read_text())
    code = f"""
import numpy as np
from eurisko.sandbox import *
import eurisko
assert eurisko.__file__.startswith({str(site)!r})
driver = "def solve(h, i, d):\\n    h()\\n    return {{}}"
with Sandbox(workers=1, policy=None) as s:
    assert all(c.contained for c in s.report().canaries)
    for body in ("open(%r)" % eurisko.__file__, "import eurisko", "__import__('os').listdir(%r)"
                 % {str(site)!r}):
        outcome = s.run(Program("def f():\\n    " + body, "f", driver), {{}}, {{}})
        assert outcome.kind == "candidate_error", outcome
    assert s.run(Program("def f(): pass", "f", driver), {{}}, {{}}).ok
"""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_report_explains_a_canary_that_got_through() -> None:
    """A breached canary is named with what was seen, in words for a person."""
    from eurisko.sandbox.report import Canary

    report = Report(Level.LIMITS, {}, {}, (Canary("fork", False, "it worked"),))
    assert report.explain() == ["canary 'fork' got through: it worked"]
    assert report.line == "sandbox: L1 limits (resource limits only) self-test 0/1"


def reachable_python() -> str | None:
    """An interpreter of this version that other users may run, or None."""
    for name in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        binary = Path(name).resolve()
        if not binary.exists() or binary.name != f"python3.{sys.version_info.minor}":
            continue
        if all(path.stat().st_mode & 0o005 == 0o005 for path in (binary, *binary.parents)):
            return str(binary)
    return None


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may use; pytest's own is closed to other users."""
    with tempfile.TemporaryDirectory(prefix="open-") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def as_ordinary_user(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python with this project and these packages as a user without any right."""
    python = reachable_python()
    if os.geteuid() != 0:
        pytest.skip("only root can become another user for this test")
    root = Path(readable.__file__).resolve().parent.parent
    packages = Path(np.__file__).resolve().parent.parent
    if python is None or not all(
        path.stat().st_mode & 0o005 == 0o005
        for place in (root, packages)
        for path in (place, *place.parents)
    ):
        pytest.skip("other users cannot reach this interpreter or its packages")
    source = folder / "source"
    source.mkdir()
    (source / "eurisko").symlink_to(root)
    return subprocess.run(
        [python, *arguments],
        env={
            "PATH": os.defpath,
            "HOME": str(folder),
            "PYTHONPATH": f"{source}:{packages}",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        cwd=root,
        user=65534,
        group=65534,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_an_ordinary_user_reaches_l2_or_better(open_folder: Path) -> None:
    """Without root the same self-test passes: nothing in the sandbox needs privileges."""
    code = """
from eurisko.sandbox import Sandbox
with Sandbox(workers=1) as s:
    print(s.report().line)
    assert all(c.contained for c in s.report().canaries), s.report().explain()
"""
    done = as_ordinary_user(["-c", code], open_folder)
    assert done.returncode == 0, done.stderr
    assert "L2" in done.stdout or "L3" in done.stdout


@pytest.mark.slow
def test_an_ordinary_user_contains_every_attack(open_folder: Path) -> None:
    """The whole attack suite passes for a caller without root, at every level that works."""
    suite = str(Path(__file__).with_name("test_attacks.py"))
    options = ["-p", "no:cacheprovider", "-q", "--basetemp", str(open_folder / "base")]
    done = as_ordinary_user(["-m", "pytest", suite, *options], open_folder)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "sandbox attacks contained at L2 landlock" in done.stdout


def test_the_bundled_modules_import_nothing_of_the_project() -> None:
    """What runs on the far side imports only the standard library, numpy, torch and itself."""
    import ast

    folder = Path(readable.__file__).parent / "jailed"
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level <= 1, path
                names = [node.module or ""] if node.level == 0 else []
            for name in names:
                top = name.partition(".")[0]
                assert top in sys.stdlib_module_names | {"numpy", "torch"}, (path, name)


def test_inputs_values_are_what_the_driver_sees(attempt: Try) -> None:
    """Under full confinement the inputs arrive exact."""
    np.testing.assert_array_equal(attempt(DEFINE + "return values").arrays["answer"], VALUES)


def test_the_jail_hides_nothing_that_it_binds() -> None:
    """Empty folders come before the binds: an interpreter below /tmp stays visible in the jail."""
    line = jail.command(Path("bwrap"), root=False)
    last_empty = max(at for at, word in enumerate(line) if word == "--tmpfs")
    first_bind = min(at for at, word in enumerate(line) if word == "--ro-bind")
    assert last_empty < first_bind
