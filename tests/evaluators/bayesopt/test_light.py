"""The engine's front door is light."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_importing_the_engine_loads_no_heavy_library() -> None:
    """Spaces and arms can be named, listed and read without torch, BoTorch, GPyTorch or SciPy."""
    code = (
        "import sys; from eurisko.evaluators.bayesopt import arm, arms, Real, Space\n"
        "[arm(name).help for name in arms()]; Space([Real('x', 0, 1)]).to_dict()\n"
        "print([m for m in ('torch', 'botorch', 'gpytorch', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent
    )
    assert done.stdout.strip() == "[]"
