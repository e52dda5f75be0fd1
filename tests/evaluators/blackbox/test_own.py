"""A user's own black boxes: commands, files in the sandbox, trusted files."""

import sys
import time
from pathlib import Path

import pytest

from eurisko.evaluators import InputError
from eurisko.evaluators.bayesopt import Category, Integer, Real, Space
from eurisko.evaluators.blackbox import (
    CommandBlackbox,
    SandboxedBlackbox,
    TrustedBlackbox,
    read_space_file,
)
from eurisko.sandbox import Sandbox

SPACE = Space([Real("x", 1e-9, 1.0, log=True), Integer("k", 1, 9), Category("c", ("a", "b c"))])
POINT = {"x": 2.5e-7, "k": 3, "c": "b c"}

SIMULATOR = """
import json, os, sys, time
x, k, c = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
print("chatter")
if k == 9: sys.exit("out of range")
if k == 8: time.sleep(60)
if k == 7: print("no number here"); sys.exit()
if k == 6: print('{"error": "diverged"}'); sys.exit()
print(json.dumps({"value": x * k, "noise": 0.25, "c": c}))
"""


@pytest.fixture
def command(tmp_path: Path) -> tuple[str, ...]:
    path = tmp_path / "simulator.py"
    path.write_text(SIMULATOR)
    return (sys.executable, str(path), "{x}", "{k}", "{c}")


def test_command_gets_exact_values_and_its_json_counts(command: tuple[str, ...]) -> None:
    """Floats arrive with all digits, texts with spaces as one argument; value and noise are read."""
    measured = CommandBlackbox(command, SPACE).evaluate(POINT)
    assert (measured.value, measured.noise) == (2.5e-7 * 3, 0.25)
    assert measured.seconds > 0


@pytest.mark.parametrize(
    ("k", "words"), [(9, "status 1: out of range"), (7, "neither a number"), (6, "diverged")]
)
def test_command_failures_say_why(command: tuple[str, ...], k: int, words: str) -> None:
    """Exit statuses, missing JSON and errors that the command states are failures with a reason."""
    measured = CommandBlackbox(command, SPACE).evaluate({**POINT, "k": k})
    assert measured.value is None
    assert words in measured.message


def test_command_that_hangs_is_ended(command: tuple[str, ...]) -> None:
    """A time-out ends the command, is tried again as often as allowed, and is a failure."""
    started = time.monotonic()
    box = CommandBlackbox(command, SPACE, seconds=0.5, tries=2)
    measured = box.evaluate({**POINT, "k": 8})
    assert measured.value is None
    assert "longer than 0.5 s (2 tries)" in measured.message
    assert time.monotonic() - started < 50


def test_command_must_use_the_space() -> None:
    """A command without parameters, or with one that is not in the space, is refused."""
    with pytest.raises(InputError, match="holds no parameter"):
        CommandBlackbox(("echo", "1"), SPACE)
    with pytest.raises(InputError, match=r"\{z\}, which is not in the space"):
        CommandBlackbox(("echo", "{z}"), SPACE)
    missing = CommandBlackbox(("no-such-program-here", "{x}"), SPACE).evaluate(POINT)
    assert "cannot be started" in missing.message


FILE = """
import math
def objective(x, k, c):
    if k == 9:
        raise ValueError("nine")
    if k == 8:
        while True: pass
    if k == 7:
        return "seven"
    if k == 6:
        return math.inf
    return k + x, 0.5
"""
READING = FILE.replace("import math", "import math\nopen(__file__).close()")
"""Reads a file as well."""


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(FILE)
    return path


def test_file_in_the_sandbox(own_file: Path) -> None:
    """A file gives values and noise; exceptions, loops, wrong types and infinity are failures."""
    with Sandbox(workers=1) as sandbox:
        box = SandboxedBlackbox(own_file, SPACE, sandbox, cpu_s=1.0)
        good = box.evaluate(POINT)
        assert (good.value, good.noise) == (3 + 2.5e-7, 0.5)
        words = {9: "nine", 8: "timeout", 7: "str", 6: "inf"}
        for k, word in words.items():
            failed = box.evaluate({**POINT, "k": k})
            assert failed.value is None
            assert word in failed.message
        own_file.write_text(READING)
        reads = SandboxedBlackbox(own_file, SPACE, sandbox).evaluate(POINT)
        assert reads.value is None
        assert "policy" in reads.message


def test_trusted_file(own_file: Path) -> None:
    """Outside the sandbox the same holds, files can be read, and a hang costs one evaluation."""
    own_file.write_text(READING)
    with TrustedBlackbox(own_file, SPACE, seconds=20.0) as box:
        assert box.evaluate({**POINT, "k": 5}).value == 5 + 2.5e-7
        assert "ValueError: nine" in box.evaluate({**POINT, "k": 9}).message
        assert "inf" in box.evaluate({**POINT, "k": 6}).message
        box.seconds = 0.5
        assert "longer than 0.5 s" in box.evaluate({**POINT, "k": 8}).message
        box.seconds = 20.0
        assert box.evaluate(POINT).noise == 0.5


def test_space_files(tmp_path: Path) -> None:
    """A space file may write 1e-5; what is no YAML, or no mapping, is refused in one sentence."""
    path = tmp_path / "space.yaml"
    path.write_text("parameters:\n- {name: x, type: real, low: 1e-5, high: 1, log: true}\n")
    (parameter,) = Space.from_dict(read_space_file(path)).parameters
    assert parameter == Real("x", 1e-5, 1.0, log=True)
    for text in ("parameters: [", "- a\n"):
        path.write_text(text)
        with pytest.raises(InputError, match=r"space\.yaml"):
            read_space_file(path)
