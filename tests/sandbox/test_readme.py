"""The example of the sandbox's own README runs as it stands, without the rest of Eurisko."""

import re
import subprocess
import sys
from pathlib import Path

from eurisko import sandbox


def test_the_example_runs_alone() -> None:
    """Copied from the README it prints level and order, and imports no other room."""
    text = (Path(sandbox.__file__).parent / "README.md").read_text()
    match = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert match is not None
    code = match.group(1) + (
        "\nassert sorted(outcome.arrays['order']) == list(range(100))\n"
        "import sys\nloaded = {m.split('.')[1] for m in sys.modules if m.startswith('eurisko.')}\n"
        # the parser's lock is no room: a module of the root that imports nothing
        "assert loaded == {'sandbox', 'syntax'}, loaded\n"
        "assert not {'torch', 'openai', 'sqlalchemy'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("sandbox: L")
