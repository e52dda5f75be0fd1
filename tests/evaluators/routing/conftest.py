"""Shared helpers of the routing tests: the public instance files."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def routing_files() -> Path:
    """The folder of public routing files; skips where it is not there."""
    shared = Path(os.environ.get("EURISKO_SHARED", ROOT.parent / "shared"))
    folder = shared / "data"
    if not (folder / "mtvrp").is_dir():
        pytest.skip(f"no public instance files at {folder}; set EURISKO_SHARED")
    return folder
