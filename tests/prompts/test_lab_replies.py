"""96 raw replies of small models, recorded with what was wrong with each."""

import ast
import json
import os
from pathlib import Path

import pytest

from eurisko.prompts import ReplyError, parse_heuristic
from eurisko.prompts.names import IMPORTS, free_names

FUNCTION = "select_next_node"
PARAMETERS = ("current_node", "destination_node", "unvisited_nodes", "distance_matrix")
ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("EURISKO_SHARED", ROOT.parent / "shared"))
FILE = SHARED / "lab" / "llm_replies.jsonl"
# The recorded fact "signature" is true for this one, but the whole body is `pass`.
ONLY_PASS = 30


@pytest.fixture(scope="module")
def results():
    """Return each recorded reply with what we make of it."""
    if not FILE.is_file():
        pytest.skip(f"needs the recorded replies of the lab (set EURISKO_SHARED); no {FILE.name}")
    rows = [json.loads(line) for line in FILE.read_text().splitlines()]
    found = []
    for row in rows:
        try:
            cut = row["finish"] == "length"
            reply = parse_heuristic(row["reply"], FUNCTION, PARAMETERS, truncated=cut)
        except ReplyError as error:
            found.append((row, None, error.reason))
        else:
            found.append((row, reply, None))
    return found


def test_every_usable_reply_is_used(results):
    """Every reply with a function of the right signature parses, but for a body of `pass`."""
    lost = [n for n, (row, reply, _) in enumerate(results) if row["signature"] and reply is None]
    assert lost == [ONLY_PASS]
    assert "placeholder" in results[ONLY_PASS][2]
    assert len(results) == 96
    assert sum(row["signature"] for row, _, _ in results) == 60
    assert sum(reply is not None for _, reply, _ in results) == 64, "59 of theirs, 5 more"


def test_what_is_used_defines_the_function(results):
    """The code compiles, defines the function with those parameters, and lacks no known import."""
    for row, reply, _ in results:
        if reply is None:
            continue
        functions = {
            node.name: [argument.arg for argument in node.args.args]
            for node in ast.parse(reply.code).body
            if isinstance(node, ast.FunctionDef)
        }
        assert functions[FUNCTION] == list(PARAMETERS), row["prompt"]
        compile(reply.code, "<reply>", "exec")
        assert not free_names(reply.code) & set(IMPORTS)


def test_descriptions_are_descriptions(results):
    """No thought is empty, a copied placeholder, or a piece of code."""
    thoughts = [reply.thought for _, reply, _ in results if reply is not None]
    for thought in thoughts:
        assert len(thought.split()) >= 3
        assert "def " not in thought
        assert "```" not in thought
        assert "{" not in thought
    assert len(set(thoughts)) > 0.8 * len(thoughts), "equal thoughts mean equal fallbacks"


def test_what_is_no_answer_is_refused(results):
    """Replies without code, with half a function or another signature give a reason."""
    refused = [(row, reason) for row, reply, reason in results if reply is None]
    assert len(refused) == 32
    for row, reason in refused:
        assert reason, row["error"]
        assert "\n" not in reason
