"""The pages on routing say what the code does."""

import contextlib
import io
import re
from pathlib import Path

from eurisko.evaluators.routing import parse_routing
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.constraints import VOCABULARY
from eurisko.evaluators.routing.json_model import InstanceModel
from eurisko.evaluators.routing.objectives import MEASURES
from eurisko.evaluators.routing.rounding import ROUNDINGS

DOCS = Path(__file__).resolve().parents[3] / "docs" / "routing"


def blocks(page: str, language: str) -> list[str]:
    """Return the code blocks of a page in one language."""
    text = (DOCS / page).read_text()
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M)
    return [code for kind, code in found if kind == language]


def test_every_rule_is_listed() -> None:
    """The table has every constraint with its description, in the vocabulary's order."""
    rows = re.findall(
        r"^\| `(\w+)` \| .+? \| (.+?) \| .+? \|$", (DOCS / "constraints.md").read_text(), re.M
    )
    assert rows == [(rule.name, rule.description) for rule in VOCABULARY.values()]


def test_example_runs() -> None:
    """The example of the checker prints what the page shows."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(blocks("constraints.md", "python")[0], {})
    assert printed.getvalue() == blocks("constraints.md", "")[0]


def test_json_example_is_read() -> None:
    """The JSON of the page is read, and its rules are found."""
    analysis = analyse(parse_routing(blocks("formats.md", "json")[0]))
    wanted = {"capacity", "skills", "incompatible", "time_windows", "fleet", "duration_limit"}
    assert wanted <= analysis.names


def test_names_are_listed() -> None:
    """Every measure, rounding and top-level key is named."""
    page = (DOCS / "constraints.md").read_text() + (DOCS / "formats.md").read_text()
    for name in (*MEASURES, *ROUNDINGS, *InstanceModel.model_fields):
        assert f"`{name}`" in page, name
