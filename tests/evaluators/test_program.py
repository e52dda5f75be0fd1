"""Tests of the identity of programs."""

import pytest

from eurisko.evaluators import program_hash

PROGRAM = "import numpy as np\ndef f(a, b):\n    x = (a + b) * 2\n    return 'near', x\n"


@pytest.mark.parametrize(
    "other",
    [
        "import numpy as np\n\n\ndef f(a,b):\n  x=(a+b)*2 # why\n  return ('near',x)",
        '"""Doc."""\nimport numpy as np\ndef f(a, b):\n    """Doc."""\n    x = (a + b) * 2\n'
        '    return "near", x\n',
        "import numpy as np\r\ndef f(a, b):\r\n    x = ((a + b)) * 2\r\n    return u'near', x\r\n",
    ],
    ids=["layout and comments", "docstrings and quotes", "line ends and brackets"],
)
def test_hash_ignores_layout(other: str) -> None:
    """Two sources that differ only in layout, comments and docstrings are one program."""
    assert program_hash(other) == program_hash(PROGRAM)


@pytest.mark.parametrize(
    "other",
    [
        PROGRAM.replace("2", "3"),
        PROGRAM.replace("2", "2.0"),
        PROGRAM.replace("a + b", "b + a"),
        PROGRAM.replace("(a + b) * 2", "a + b * 2"),
        PROGRAM.replace("'near'", "b'near'"),
        PROGRAM.replace("'near'", "'near)'"),
        PROGRAM.replace("2", "None"),
        PROGRAM + "f = None\n",
    ],
)
def test_hash_sees_every_change_of_meaning(other: str) -> None:
    """A changed number, type, order or statement is another program."""
    assert program_hash(other) != program_hash(PROGRAM)


def test_hash_is_the_same_for_ever() -> None:
    """The value is fixed, so that databases written by different versions of Python agree."""
    assert program_hash("x = 1\n") == (
        "0e14733ba9824ed3a3f6434037157d39866161b826fac991bd4b743af280ab38"
    )


def test_docstring_only_bodies_stay_valid() -> None:
    """A function whose body is its docstring equals one that passes."""
    assert program_hash('def f():\n    "doc"\n') == program_hash("def f():\n    pass\n")


def test_unparsable_source_is_hashed_by_its_text() -> None:
    """Broken programs have an identity too: their text without white space at line ends."""
    assert program_hash("def f(:  \n  x\n\n") == program_hash("\ndef f(:\n  x")
    assert program_hash("def f(:") != program_hash("def g(:")
    assert len(program_hash("a\0b")) == len(program_hash("\ud800")) == 64


def test_long_programs_do_not_depend_on_the_stack() -> None:
    """A sum of a thousand terms is a deep tree; it hashes by its tree all the same."""
    terms = " + ".join(["x"] * 1000)
    assert program_hash(f"y = {terms}") == program_hash(f"y = ({terms})  # same")
