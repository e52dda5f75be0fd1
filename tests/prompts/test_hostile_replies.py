"""Replies that are made to hurt: always a reply or a reason, and soon."""

import contextlib
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eurisko.prompts import Reply, ReplyError, parse_heuristic, source

MEGABYTE = 1_000_000
HOSTILE = {
    "open braces": "{" * MEGABYTE,
    "braces": "{}" * (MEGABYTE // 2),
    "JSON openings": '{"a":' * (MEGABYTE // 5),
    "JSON code fields": '"code": "' * (MEGABYTE // 9),
    "escaped quotes": '{"code": "def ' + '\\"' * (MEGABYTE // 2),
    "backticks": "`" * MEGABYTE,
    "backtick and letter": "```a" * (MEGABYTE // 4),
    "fences": "```\n" * (MEGABYTE // 4),
    "fences with functions": "```python\ndef f(a):\n return (\n```\n" * (MEGABYTE // 36),
    "open fences": "```python\ndef f(a):\n" * (MEGABYTE // 20),
    "think tags": "<think>" * (MEGABYTE // 7),
    "closing tags": "</think>" * (MEGABYTE // 8),
    "channels": "<|channel|>" + " " * MEGABYTE,
    "special": "<|" * (MEGABYTE // 2),
    "definitions": "def f(a):\n" * (MEGABYTE // 10),
    "open definitions": "def f(" * (MEGABYTE // 6),
    "whole definitions": "def f(a):\n    return a\n" * (MEGABYTE // 23),
    "imports": "import a\n" * (MEGABYTE // 9) + "def f(a):\n    return (",
    "many beginnings": "import a\n" * 39 + "def f(a):\n    return (\n" + "    # more\n" * 5_000,
    "bad lines": "def f(a):\n    return a\n" + "it's (\n" * (MEGABYTE // 7),
    "spaces": " " * MEGABYTE + "def f(a):",
    "blank lines": "\n" * MEGABYTE + "def f(a):",
    "one long line": "def f(a): return " + "a+" * (MEGABYTE // 2) + "a",
    "deep": "def f(a): return " + "(" * 50_000 + "a" + ")" * 50_000,
    "deep lists": "```python\ndef f(a): return " + "[" * 25_000 + "\n```",
    "deep signs": "```python\ndef f(a): return " + "-" * 29_000 + "a\n```",
    "long sum": "```python\ndef f(a): return " + "a+" * 15_000 + "a\n```",
    "deep blocks": "```python\ndef f(a):\n" + "".join(" " * n + "if a:\n" for n in range(1, 300)),
    "quotes": "```python\ndef f(a):\n" + "'\"" * 25_000,
    "smart quotes": "```python\ndef f(a):\n" + "“" * 50_000,
    "statements": "```python\n" + "a;" * 25_000 + "\ndef f(a): return a\n```",
    "constants": "```python\n" + "b = a\n" * 9_000 + "def f(a): return b\n```",
    "prose": "word. " * (MEGABYTE // 6) + "\n```python\ndef f(a): return a\n```",
    "surrogate": "```python\ndef f(a): return '\ud800'\n```",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_of_trouble(name):
    """Nothing but a reply or a reason comes out, in the time limit that the test file sets."""
    try:
        assert isinstance(parse_heuristic(HOSTILE[name], "f", ("a",)), Reply)
    except ReplyError as error:
        assert len(error.reason) < 500


@pytest.mark.parametrize("name", HOSTILE)
def test_the_work_is_bounded(name, monkeypatch):
    """However many stretches of code a reply has, little more than a megabyte is compiled."""
    compiled = []

    def counting(code, *rest, **more):
        compiled.append(len(code) if isinstance(code, str) else 0)
        return compile(code, *rest, **more)

    monkeypatch.setattr(source, "compile", counting, raising=False)
    with contextlib.suppress(ReplyError):
        parse_heuristic(HOSTILE[name], "f", ("a",))
    assert sum(compiled) < 1.3 * MEGABYTE


PIECES = st.sampled_from(
    [
        "```python\n", "```\n", "```", "~~~", "{", "}", "{idea here now}", "<think>", "</think>",
        "def f(a):\n", "    return a\n", "    return (a\n", "def g(a):\n", "async ", "class C:\n",
        "    def f(self, a):\n", "        return a\n", "import numpy as np\n", "np.x", '"code": "',
        '{"code": "def f(a): return a"}', "\\n", "\n", "\r\n", "“", "'", '"""', "#", "\u00a0",
        "<|channel|>final<|message|>", "@x\n", "f = lambda a: a\n", "x = f(1)\n", "print(1)\n",
        "    pass\n", ";", ":", "\t", "\x00", "\f", "\x0b", "\u2028", "\x85", "é", "𝒇",
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=25).map("".join))
def test_always_a_reply_or_a_reason(text):
    """Whatever pieces come in whatever order, a reply's code compiles and defines the function."""
    try:
        reply = parse_heuristic(text, "f", ("a",))
    except ReplyError:
        return
    assert reply.thought
    compile(reply.code, "<reply>", "exec")
    assert "f" in compile(reply.code, "<reply>", "exec").co_names


def test_warnings_of_model_code_stay_silent():
    """An invalid escape in a reply's string prints nothing on our standard error."""
    program = (
        "from eurisko.prompts import parse_heuristic\n"
        "text = 'def f(a):\\n    return \"\\\\d\" if a is 1 else a\\n'\n"
        "parse_heuristic(f'```python\\n{text}```', 'f', ['a'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
