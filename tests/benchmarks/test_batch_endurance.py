"""Jobs through everything that can go wrong; minutes each, so only where they are asked for.

`pytest -m endurance` runs them, as `.ci/run` does; `python -m benchmarks batch_endurance` does the same
with 3,000 items.
"""

from collections import Counter
from pathlib import Path

import pytest

endurance = pytest.importorskip("benchmarks.batch_endurance", reason="needs the repository root")
pytestmark = [pytest.mark.endurance, pytest.mark.slow, pytest.mark.timeout(1800)]

ITEMS = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs and the undisturbed run, made once."""
    made: Path = tmp_path_factory.mktemp("endurance")
    return made


def check(ended: "endurance.Endured", kinds: dict[str, int]) -> None:
    """Hold a disturbed run against the one in peace, item by item."""
    assert len(ended.expected) == ITEMS and ended.expected.faults == 0
    assert endurance.differences(ended.expected, ended.got) == (0, 0, 0)
    happened = Counter(
        what.partition(",")[0].partition("(")[0].strip() for _, what in ended.met.events
    )
    for kind, least in kinds.items():
        assert happened[kind] >= least, happened


def test_on_one_machine(folder: Path) -> None:
    """Kills, Ctrl-C, a lock, a full disk and another clock change nothing in what is stored."""
    ended = endurance.endure(folder, ITEMS)
    check(ended, {"SIGKILL of a coordinator": 5, "SIGKILL of a sandbox process": 1, "Ctrl-C": 1})


def test_on_ray_with_postgresql(folder: Path, postgres_url: str) -> None:
    """The same on a Ray cluster of this machine with a server as the knowledge base."""
    pytest.importorskip("ray", reason="Ray is not installed")
    ended = endurance.endure(folder, ITEMS, database=postgres_url, ray=True)
    check(ended, {"SIGKILL of a coordinator": 5, "SIGKILL of a Ray worker": 1, "Ctrl-C": 1})


def test_four_coordinators_on_one_postgresql(folder: Path, postgres_url: str) -> None:
    """Four processes share the job, and whichever is struck, the others' items stay theirs."""
    ended = endurance.endure(folder, ITEMS, database=postgres_url, coordinators=4)
    check(ended, {"SIGKILL of a coordinator": 5, "Ctrl-C": 1})
