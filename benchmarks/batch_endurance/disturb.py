"""Everything that can happen to a job: what is killed, filled, locked and set back."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from eurisko.knowledge_base import KnowledgeBase

FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
LOCKED_S = 20.0
WORKERS = 2


@dataclass
class Disturbed:
    """What was done to a run; ``events`` are (items done by then, what)."""

    executor: str
    coordinators: int
    events: list[tuple[int, str]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def undisturbed_run(job: Path, path: Path, folder: Path) -> None:
    """Do the job in peace, into a database that appears when it is finished."""
    part = path.with_suffix(".part.db")
    part.unlink(missing_ok=True)
    one = _Command(f"sqlite:///{part}", folder)
    one.start(str(job))
    if one.wait() != 0:
        raise RuntimeError(f"the undisturbed run failed: {one.said()}")
    with closing(sqlite3.connect(part)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    part.rename(path)


def disturbed_run(
    job: Path, url: str, folder: Path, items: int, ray: bool, coordinators: int
) -> Disturbed:
    """Do the job while everything happens to it, until it is finished."""
    met = Disturbed("Ray, two workers" if ray else "local, two workers each", coordinators)
    run = _Run(job, url, folder, items, ray, coordinators, met)
    try:
        run.go()
    finally:
        run.end()
    return met


class _Command:
    """A coordinator: ``eurisko batch`` as a process of its own."""

    def __init__(self, url: str, folder: Path, ray: bool = False) -> None:
        self._url, self._folder = url, folder
        self._more = ["--workers", str(WORKERS), "--json"] + (["--ray", "local"] if ray else [])
        self.process: subprocess.Popen[bytes] | None = None
        self.clock = folder / f"clock-{id(self)}"
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - as long as this object

    def start(self, *arguments: str, fake_clock: bool = False) -> None:
        """Start it."""
        environment = {**os.environ, "EURISKO_DATABASE_URL": self._url, "OMP_NUM_THREADS": "1"}
        if fake_clock:
            self.clock.write_text("+0")
            environment |= {
                "LD_PRELOAD": str(FAKETIME[0]),
                "FAKETIME_TIMESTAMP_FILE": str(self.clock),
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }
        command = [sys.executable, "-m", "eurisko", "batch", *arguments, *self._more]
        self.process = subprocess.Popen(
            command,
            cwd=self._folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            # A benchmark started in the background has Ctrl-C ignored; its coordinators do not.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
        )

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for its end."""
        assert self.process is not None
        return self.process.wait(timeout_s)

    def kill(self, number: signal.Signals = signal.SIGKILL) -> int:
        """Send a signal and wait for the end."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.wait(120)

    def children(self) -> list[int]:
        """Return the processes below it, the youngest last."""
        assert self.process is not None
        parents: dict[int, int] = {}
        for one in Path("/proc").iterdir():
            if one.name.isdigit():
                try:
                    fields = (one / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                parents[int(one.name)] = int(fields[1])
        found, wave = [], {self.process.pid}
        while wave:
            wave = {pid for pid, parent in parents.items() if parent in wave}
            found += sorted(wave)
        return found

    def said(self) -> str:
        """Return the last line that it wrote."""
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").split("\n")
        return next((line.strip()[-300:] for line in reversed(lines) if line.strip()), "")


class _Run:
    def __init__(
        self,
        job: Path,
        url: str,
        folder: Path,
        items: int,
        ray: bool,
        coordinators: int,
        met: Disturbed,
    ) -> None:
        self.job, self.url, self.folder, self.items, self.ray = job, url, folder, items, ray
        self.met = met
        self.disk = _SmallDisk(url, folder) if url.startswith("sqlite") else None
        if self.disk is not None and self.disk.url:
            self.url = self.disk.url
        self.commands = [_Command(self.url, folder, ray) for _ in range(coordinators)]
        self.random = random.Random(0)
        self.base: KnowledgeBase | None = None

    def go(self) -> None:
        first, *others = self.commands
        first.start(str(self.job))
        for share, action in self._plan():
            self._until(int(share * self.items), others)
            action()
        self._until(self.items, others)
        for one in self.commands:
            if one.process is not None and one.wait(600) != 0:
                raise RuntimeError(f"a coordinator failed: {one.said()}")

    def _plan(self) -> list[tuple[float, Callable[[], None]]]:
        """Return what happens when; five kills of a coordinator at moments drawn by lot."""
        kills = sorted(self.random.uniform(0.03, 0.95) for _ in range(5))
        plan = [(share, self._kill_coordinator) for share in kills]
        plan += [(0.10, self._kill_worker), (0.50, self._kill_worker), (0.80, self._kill_worker)]
        plan += [(0.25, self._lock), (0.40, self._interrupt), (0.60, self._step_clock)]
        if self.disk is not None and self.disk.url:
            plan.append((0.70, self._fill_disk))
        else:
            why = "needs SQLite and the right to mount a tmpfs"
            self.met.left_out.append(f"full disk ({why})")
        return sorted(plan, key=lambda one: one[0])

    def _done(self) -> int:
        if self.base is None:
            self.base = KnowledgeBase(self.url)
        jobs = self.base.jobs.all(limit=1)
        return self.base.jobs.counts(jobs[0].id).get("done", 0) if jobs else 0

    def _until(self, count: int, others: list[_Command]) -> None:
        """Wait until so many items are done; whoever has ended meanwhile is started again."""
        while (done := self._done()) < count:
            for one in others if done else ():
                if one.process is None:
                    one.start("resume")
            for one in self.commands:
                if one.process is not None and one.process.poll() not in (None, 0):
                    self._note(f"a coordinator ended by itself: {one.said()}")
                    one.start("resume")
            time.sleep(0.2)

    def _note(self, what: str) -> None:
        self.met.events.append((self._done(), what))

    def _any(self) -> _Command:
        alive = [one for one in self.commands if one.process and one.process.poll() is None]
        return self.random.choice(alive or self.commands[:1])

    def _kill_coordinator(self) -> None:
        one = self._any()
        one.kill()
        self._note("SIGKILL of a coordinator, then resumed")
        one.start("resume")

    def _kill_worker(self) -> None:
        one = self._any()
        names = {pid: _command_line(pid) for pid in one.children()}
        if self.ray:
            chosen = [pid for pid, name in names.items() if name.startswith("ray::work")]
        else:
            chosen = list(names)[-1:]
        if not chosen:
            self.met.left_out.append("SIGKILL of a worker (none was there at that moment)")
            return
        os.kill(chosen[-1], signal.SIGKILL)
        self._note("SIGKILL of a Ray worker" if self.ray else "SIGKILL of a sandbox process")

    def _interrupt(self) -> None:
        one = self._any()
        code = one.kill(signal.SIGINT)
        self._note(f"Ctrl-C (exit code {code}), then resumed")
        one.start("resume")

    def _lock(self) -> None:
        """Hold the database for writing, for longer than the driver waits."""
        if self.url.startswith("sqlite"):
            path = self.url.removeprefix("sqlite:///")
            with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                time.sleep(LOCKED_S)
                connection.execute("ROLLBACK")
        else:
            import psycopg

            with psycopg.connect(self.url.replace("+psycopg", "")) as connection:
                connection.execute("LOCK TABLE job_item, evaluation IN ACCESS EXCLUSIVE MODE")
                time.sleep(LOCKED_S)
                connection.rollback()
        self._note(f"the database was locked for {LOCKED_S:g} s")

    def _step_clock(self) -> None:
        """Run a coordinator whose clock jumps three days ahead and then a day back."""
        if not FAKETIME:
            self.met.left_out.append("clock step (libfaketime is not installed)")
            return
        one = self._any()
        one.kill()
        one.start("resume", fake_clock=True)
        time.sleep(10)
        for step in ("+3d", "-1d"):
            one.clock.write_text(step)
            time.sleep(4)
        self._note("the clock of a coordinator jumped three days ahead and then four back")

    def _fill_disk(self) -> None:
        assert self.disk is not None
        one = self._any()
        self.disk.fill()
        code = one.wait(900)
        self._note(f"the disk was full: a coordinator ended ({code}: {one.said()}), then resumed")
        self.disk.free()
        one.start("resume")

    def end(self) -> None:
        """Leave nothing behind but the database."""
        for one in self.commands:
            if one.process is not None and one.process.poll() is None:
                one.kill()
            one.clock.unlink(missing_ok=True)
        if self.base is not None:
            self.base.close()
        if self.disk is not None:
            self.disk.end()


class _SmallDisk:
    """A tmpfs with the database in it, where this user may mount one; copied out at the end."""

    def __init__(self, url: str, folder: Path) -> None:
        self._target = Path(url.removeprefix("sqlite:///"))
        self._place = Path(tempfile.mkdtemp(prefix="disk-", dir=folder))
        command = ["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(self._place)]
        mounted = shutil.which("mount") and subprocess.run(command, capture_output=True).returncode
        self.url = f"sqlite:///{self._place / 'kb.db'}" if mounted == 0 else ""

    def fill(self) -> None:
        """Leave no room."""
        with (self._place / "filler").open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(2**12))
            except OSError:
                return

    def free(self) -> None:
        """Give the room back."""
        (self._place / "filler").unlink(missing_ok=True)

    def end(self) -> None:
        """Keep the database and take the disk away."""
        if self.url:
            with (
                closing(sqlite3.connect(self._place / "kb.db")) as inside,
                closing(sqlite3.connect(self._target)) as out,
            ):
                inside.backup(out)
            subprocess.run(["umount", str(self._place)], check=True)
            self.url = ""
        shutil.rmtree(self._place, ignore_errors=True)


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
