"""The examples of docs/routing/examples.md print what the document says."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyvrp", reason="pyvrp is in the extra `routing`")
pytest.importorskip("ortools", reason="ortools is in the extra `routing`")

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "routing" / "examples.md"
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)\n```)?", re.S)
SECTIONS = re.split(r"^## ", DOCUMENT.read_text(encoding="utf-8"), flags=re.M)
TITLES = [section.splitlines()[0] for section in SECTIONS[1:]]
_NAMES: dict[str, Any] = {}


def run(section: str) -> None:
    """Run a section's blocks and compare what they print."""
    for code, stated in BLOCK.findall(section):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(DOCUMENT), "exec"), _NAMES)
        assert printed.getvalue().rstrip() == stated


def test_there_are_enough() -> None:
    """At least twelve questions are answered, each with code and its output."""
    assert len(TITLES) >= 12
    assert all(stated for section in SECTIONS[1:] for _, stated in BLOCK.findall(section)[-1:])


@pytest.mark.parametrize("number", range(len(TITLES)), ids=TITLES)
def test_example(number: int) -> None:
    """The section's code prints exactly the output beneath it."""
    if not _NAMES:
        run(SECTIONS[0])
        first = BLOCK.search(SECTIONS[1])
        assert first is not None
        exec(first.group(1).split("instance, analysis")[0], _NAMES)  # the depot of later examples
    run(SECTIONS[number + 1])
