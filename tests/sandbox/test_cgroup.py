"""Level L4: a control group around the server; its logic on a plain folder, and really where it is."""

import os
import subprocess
from pathlib import Path

import pytest

from eurisko.sandbox import (
    Layers,
    Level,
    Limits,
    OutcomeKind,
    Program,
    Sandbox,
    SandboxError,
    cgroup,
)

from .conftest import DRIVER, EXPECTS, VALUES

DEFINE = "def heuristic(values):\n    "
FILES = ("memory.max", "memory.oom.group", "memory.swap.max", "pids.max", "cgroup.procs")


class Hierarchy:
    """A plain folder that looks like a hierarchy; a new group gets its files as in the kernel."""

    def __init__(self, patch: pytest.MonkeyPatch, root: Path, own: str) -> None:
        self.root, self.killed = root, 0
        self.files = [*FILES, "cgroup.kill"]
        (root / own.lstrip("/")).mkdir(parents=True, exist_ok=True)
        (root.parent / "mountinfo").write_text(f"30 1 0:27 / {root} rw - cgroup2 cgroup2 rw\n")
        (root.parent / "own").write_text(f"1:name=systemd:/x\n0::{own}\n")
        patch.setattr(cgroup, "_MOUNTS", root.parent / "mountinfo")
        patch.setattr(cgroup, "_OWN", root.parent / "own")
        patch.setattr(cgroup.Group, "_make", lambda group: self.make(group.path))
        patch.setattr(cgroup.Group, "_remove", lambda group: self.remove(group.path))

    def passes(self, folder: str, controllers: str, passed: str) -> None:
        (self.root / folder / "cgroup.controllers").write_text(controllers + "\n")
        (self.root / folder / "cgroup.subtree_control").write_text(passed + "\n")

    def make(self, path: Path) -> None:
        path.mkdir()
        for name in self.files:
            (path / name).touch()

    def remove(self, path: Path) -> None:
        kill = path / "cgroup.kill"
        self.killed += kill.exists() and kill.read_text() == "1"
        for file in path.iterdir():
            file.unlink()
        path.rmdir()

    def left(self) -> list[Path]:
        return list(self.root.rglob("eurisko-sandbox-*"))


@pytest.fixture
def hierarchy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Hierarchy:
    root = tmp_path / "cgroup"
    root.mkdir()
    return Hierarchy(monkeypatch, root, "/user/app/mine")


def test_the_nearest_folder_that_passes_the_controllers_on_is_used(hierarchy: Hierarchy) -> None:
    """Not this process's own group, which holds processes, but the first above it that works."""
    hierarchy.passes("", "cpu memory pids", "cpu memory pids")
    hierarchy.passes("user", "cpu memory pids", "memory pids")
    hierarchy.passes("user/app", "cpu pids", "pids")
    assert cgroup.parent() == (hierarchy.root / "user", "")
    assert hierarchy.left() == []


def test_why_there_is_none_is_told(hierarchy: Hierarchy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without controllers, rights or a mount the reason names which; nothing is left behind."""
    assert cgroup.parent()[1].startswith("no control group above this process passes memory and")
    hierarchy.passes("", "memory pids", "cpu")  # the machine's own group is never changed
    assert cgroup.parent()[0] is None
    assert (hierarchy.root / "cgroup.subtree_control").read_text() == "cpu\n"
    hierarchy.passes("user", "memory pids", "memory pids")
    hierarchy.files.remove("pids.max")
    assert "cannot be made in" in cgroup.parent()[1]
    assert hierarchy.left() == []
    hierarchy.files.append("pids.max")
    assert cgroup.parent()[0] == hierarchy.root / "user"
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        assert "cannot be written" in cgroup.parent()[1]
    (hierarchy.root.parent / "mountinfo").write_text("30 1 0:27 / /x rw - cgroup cgroup rw\n")
    assert cgroup.parent() == (None, "no control groups of version 2 are mounted")


def test_an_own_group_without_processes_is_made_to_pass_on(hierarchy: Hierarchy) -> None:
    """A delegated folder gets the two controllers switched on for the groups below it."""
    hierarchy.passes("user/app/mine", "memory pids io", "io")
    assert cgroup.parent()[0] == hierarchy.root / "user/app/mine"
    passed = hierarchy.root / "user/app/mine/cgroup.subtree_control"
    assert passed.read_text() == "+memory +pids"


def test_limits_are_written_and_the_command_enters_first(hierarchy: Hierarchy) -> None:
    """Memory, whole-group kill and processes are bounded before anything runs in the group."""
    group = cgroup.Group(hierarchy.root, 12345)
    read = {name: (group.path / name).read_text() for name in FILES}
    assert read["memory.max"] == "12345" and read["memory.oom.group"] == "1"
    assert read["memory.swap.max"] == "0" and int(read["pids.max"]) > 100
    line = group.command(["/bin/cat", str(group.path / "cgroup.procs"), "a b"])
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.stdout == "0\n"  # 0 means: whoever writes it
    group.close()
    assert hierarchy.killed == 1 and hierarchy.left() == []


def test_a_sandbox_lives_in_its_group_and_removes_it(
    hierarchy: Hierarchy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server enters a group of its own, which is killed and gone at the end."""
    hierarchy.passes("user", "memory pids", "memory pids")
    with Sandbox(workers=1, policy=None, memory_total_mib=700) as own:
        report = own.report()
        (group,) = hierarchy.left()
        assert (group / "cgroup.procs").read_text() == "0\n"
        assert int((group / "memory.max").read_text()) == 700 * 2**20 + cgroup.ROOM_BYTES
        expected = Level.CONFINED if "jail" in report.missing else Level.JAILED_CGROUP
        assert report.level is expected and report.present["cgroup"] == "v2"
        program = Program(DEFINE + "return values", "heuristic", DRIVER)
        assert own.run(program, {"values": VALUES}, EXPECTS).ok
    assert hierarchy.left() == [] and hierarchy.killed >= 1


def test_a_group_that_cannot_be_entered_is_left_out(
    hierarchy: Hierarchy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where only the entering fails, the sandbox starts without the group and says why."""
    hierarchy.passes("user", "memory pids", "memory pids")
    monkeypatch.setattr(cgroup, "_ENTER", 'echo 0 > /nowhere/"$0" && exec "$@"')
    with Sandbox(workers=1, policy=None) as own:
        report = own.report()
        assert report.level >= Level.CONFINED and report.level < Level.JAILED_CGROUP
        assert "nowhere" in report.missing["cgroup"]
        assert "jail" in report.present or "jail" in report.missing
    assert hierarchy.left() == []


def test_a_refused_level_names_what_it_lacks_and_no_more() -> None:
    """Asking for L4 here says what of L4 is missing, not that nothing is on."""
    layers = Layers(cgroup=False)
    with Sandbox(workers=1, layers=layers, require="L4") as own:
        report = own.report()
        with pytest.raises(SandboxError) as caught:
            own.start()
    told = str(caught.value).partition("required: ")[2]
    assert "cgroup is missing: switched off (get it: a delegated cgroup" in told
    assert ("jail" in told) == ("jail" in report.missing)
    assert "seccomp" not in told and "no layer" not in str(caught.value)


def test_the_report_says_why_there_is_no_group(sandbox: Sandbox) -> None:
    """The reason stands under cgroup, among what is missing, unless the level is reached."""
    report = sandbox.report()
    folder, reason = cgroup.parent()
    if folder is None:
        assert report.missing["cgroup"] == reason
        assert report.level < Level.JAILED_CGROUP
        assert any(line.startswith("cgroup is missing: ") for line in report.explain())
    else:
        assert "cgroup" in report.present


def test_a_real_group_bounds_memory_of_all_together() -> None:
    """The kernel stops programs at the group's memory even where no other limit does."""
    folder, reason = cgroup.parent()
    if folder is None:
        pytest.skip(f"no control group here: {reason}")
    with Sandbox(workers=1, policy=None, memory_total_mib=300) as own:
        report = own.report()
        if "cgroup" in report.missing:
            pytest.skip(f"no control group here: {report.missing['cgroup']}")
        zygote = own._servers._current
        assert zygote is not None and zygote._group is not None
        group = zygote._group.path
        assert len((group / "cgroup.procs").read_text().split()) >= 2
        # Faster than the watch: file pages and heap in one stroke, far above the group's bound.
        code = DEFINE + "bytearray(2000 << 20); return values"
        outcome = own.run(
            Program(code, "heuristic", DRIVER), {"values": VALUES}, EXPECTS, Limits(memory_mib=8192)
        )
        assert outcome.kind in (OutcomeKind.MEMORY, OutcomeKind.SANDBOX_FAILURE), outcome
        honest = Program(DEFINE + "return values", "heuristic", DRIVER)
        assert own.run(honest, {"values": VALUES}, EXPECTS).ok
    assert not group.exists()
