"""Replies that hold a rule: what is read, and what goes back with a reason."""

import pytest

from eurisko.evaluators.routing.generated import PARAMETERS
from eurisko.prompts import ReplyError
from eurisko.prompts.rules import Inexpressible, parse_rule

CODE = """```python
def check(routes, vehicles, times, instance):
    for number, route in enumerate(routes, 1):
        if len(route) > 4:
            return False, f"route {number} has too many stops"
    return True, ""
```"""
GOOD = f"""{{Every route has at most two customers.}}
NAME: at most two
ACCEPTED: [[0, 1, 2, 0]]
REJECTED: [[0, 1, 2, 3, 0]]
{CODE}
"""


def test_all_parts_are_read() -> None:
    """Name, sentence, code and the two plans."""
    found = parse_rule(GOOD, PARAMETERS)
    assert found.name == "at_most_two"
    assert found.meaning == "Every route has at most two customers."
    assert found.accepted == ((0, 1, 2, 0),) and found.rejected == ((0, 1, 2, 3, 0),)
    assert "def check(routes, vehicles, times, instance)" in found.code


def test_markdown_around_the_labels_is_no_obstacle() -> None:
    """Bold labels, bullets and a plan over two lines are what models send."""
    dressed = GOOD.replace("NAME:", "**NAME:**").replace("ACCEPTED:", "- **ACCEPTED**:")
    dressed = dressed.replace("[[0, 1, 2, 3, 0]]", "[[0, 1,\n 2, 3, 0]]")
    assert parse_rule(dressed, PARAMETERS) == parse_rule(GOOD, PARAMETERS)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("NAME: at most two\n", "", "NAME"),
        ("ACCEPTED: [[0, 1, 2, 0]]\n", "", "ACCEPTED"),
        ("[[0, 1, 2, 3, 0]]", "[]", "REJECTED is no list"),
        ("[[0, 1, 2, 3, 0]]", "[[0, 1.5, 0]]", "no list of rows"),
        ("[[0, 1, 2, 3, 0]]", "[[0, true, 0]]", "no list of rows"),
        ("[[0, 1, 2, 3, 0]]", "[[0, 1", "REJECTED is no list"),
        (CODE, "", "defines check"),
    ],
)
def test_what_is_missing_is_named(old: str, new: str, said: str) -> None:
    """The reason names the part, so that the model can mend it."""
    with pytest.raises(ReplyError, match=said) as raised:
        parse_rule(GOOD.replace(old, new), PARAMETERS)
    assert not isinstance(raised.value, Inexpressible)


def test_a_rule_that_the_data_cannot_show_is_no_failure() -> None:
    """IMPOSSIBLE and its reason are an answer of their own."""
    with pytest.raises(Inexpressible, match="no drivers"):
        parse_rule("IMPOSSIBLE: the file names no drivers.", PARAMETERS)
