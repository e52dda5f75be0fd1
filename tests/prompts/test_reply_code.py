"""What becomes of the code and of the description in a reply."""

import pytest
from nearest_node import (
    ANSWER,
    BRACES,
    DRAFT,
    FARTHEST,
    FUNCTION,
    HEADER,
    HELPERS,
    IDEA,
    NEAREST,
    next_node,
    parse,
)

from eurisko.prompts import ReplyError


def test_helpers_and_constants_are_kept_examples_are_not():
    """Definitions, imports and the constants they use stay; usage, prints and tests go."""
    example = (
        "\n\n# Example usage\nunvisited_nodes = np.array([1, 2])\nprint('hi')\n"
        "result = select_next_node(0, 0, unvisited_nodes, np.eye(3))\n"
        "if __name__ == '__main__':\n    print(result)\nassert result == 1\n"
    )
    reply = parse(f"{{{IDEA}}}\n```python\n{HELPERS}{example}```")
    assert next_node(reply.code) == 1
    for kept in ("import numpy as np", "ALPHA = 0.25", "WEIGHTS =", "class Scale", "def score"):
        assert kept in reply.code
    for gone in ("print", "result", "np.array", "__main__", "assert", "Example"):
        assert gone not in reply.code


def test_comments_and_docstrings_stay():
    """What explains the code is kept as written."""
    code = NEAREST.replace(":\n", ':\n    """Nearest, with a ``` fence."""\n    # why: greedy\n', 1)
    code = code.replace("def ", "# the rule\ndef ", 1)
    kept = parse(f"```python\n{code}\n```").code
    for text in ("# the rule", "# why: greedy", '"""Nearest, with a ``` fence."""'):
        assert text in kept


def test_a_helper_in_another_fence():
    """A helper that the answer uses and another block defines is brought along."""
    helper, _, main = HELPERS.partition(f"\n\n\n{HEADER}")
    text = f"{{{IDEA}}}\n```python\n{helper}\n```\nThen:\n```python\n{HEADER}{main}\n```"
    assert next_node(parse(text).code) == 1


def test_a_usage_block_after_the_answer():
    """The last block is not the answer if it does not define the function."""
    usage = "```python\nprint(select_next_node(0, 0, nodes, matrix))\n```"
    assert next_node(parse(f"{ANSWER}\nUse it so:\n{usage}").code) == 1


def test_a_program_beside_a_fence():
    """A fence with something else does not hide a program without one."""
    text = f"{{{IDEA}}}\n```bash\npip install numpy\n```\n\n{NEAREST}\n"
    assert next_node(parse(text).code) == 1


def test_a_broken_last_answer_is_not_replaced_by_a_draft():
    """If the final answer does not parse, the draft before it is not taken."""
    broken = f"```python\n{HEADER}\n    return unvisited_nodes[\n```"
    with pytest.raises(ReplyError, match="not valid Python"):
        parse(f"{DRAFT}\nBetter:\n{broken}")


def test_a_skeleton_after_the_answer_is_not_the_answer():
    """A skeleton that repeats the task does not hide the answer before it."""
    assert next_node(parse(f"{ANSWER}\nas asked:\n```python\n{HEADER}\n    pass\n```").code) == 1


@pytest.mark.parametrize(
    "body",
    ["pass", "...", '"""Does it."""', "# Your code here\n    pass", "raise NotImplementedError",
     "raise NotImplementedError('todo')", "return None", "return", '"""TODO"""\n    pass'],
)  # fmt: skip
def test_placeholders(body):
    """A copied skeleton is no answer."""
    with pytest.raises(ReplyError, match="placeholder"):
        parse(f"{{{IDEA}}}\n```python\n{HEADER}\n    {body}\n```")


def test_another_name():
    """The only function with the right parameters gets the right name, wherever it is used."""
    renamed = HELPERS.replace(FUNCTION, "f") + '\n\n\ndef twice():\n    return f, f"f {1}"'
    reply = parse(f"```python\n{renamed}\n```")
    assert next_node(reply.code) == 1
    assert f"{HEADER}" in reply.code
    assert 'f"f {1}"' in reply.code
    two = f"{NEAREST.replace(FUNCTION, 'a')}\n{FARTHEST.replace(FUNCTION, 'b')}"
    with pytest.raises(ReplyError, match="several"):
        parse(f"```python\n{two}\n```")
    other = NEAREST.replace(HEADER, "def choose(a, b):")
    with pytest.raises(ReplyError, match="exactly this name"):
        parse(f"```python\n{other}\n```")


@pytest.mark.parametrize(
    ("parameters", "fine"),
    [
        ("a, b, c, d", True),
        ("current_node, destination_node, unvisited_nodes, distance_matrix, power=2", True),
        ("*args", True),
        (
            "current_node: int, destination_node: int, unvisited_nodes, distance_matrix, *, k=1",
            True,
        ),
        ("current_node, unvisited_nodes, destination_node, distance_matrix", False),
        ("current_node, unvisited_nodes, distance_matrix", False),
        ("a, b, c, d, e", False),
        ("a, b, c, d, *, e", False),
        ("**kwargs", False),
    ],
)
def test_parameters(parameters, fine):
    """A function that takes the call is accepted; one with mixed-up parameters is not."""
    text = f"```python\ndef {FUNCTION}({parameters}):\n    return 1\n```"
    if fine:
        assert next_node(parse(text).code) == 1
    else:
        with pytest.raises(ReplyError, match="must take the parameters"):
            parse(text)


def test_async_class_and_lambda():
    """A needless async is removed, a method is wrapped, a lambda is taken."""
    asynchronous = NEAREST.replace("def ", "async def ")
    assert next_node(parse(f"```python\n{asynchronous}\n```").code) == 1
    with pytest.raises(ReplyError, match="async"):
        parse(f"```python\n{asynchronous.replace('return ', 'await x; return ')}\n```")
    method = NEAREST.replace("def select_next_node(", "def select_next_node(self, ")
    body = "\n".join("    " + line for line in method.split("\n")[2:])
    wrapped = f"import numpy as np\n\nclass Heuristic:\n{body}"
    assert next_node(parse(f"```python\n{wrapped}\n```").code) == 1
    needy = wrapped.replace(
        "Heuristic:\n", "Heuristic:\n    def __init__(self, k):\n        self.k = k\n\n"
    )
    with pytest.raises(ReplyError):
        parse(f"```python\n{needy}\n```")
    expression = f"{FUNCTION} = lambda a, b, c, d: c[np.argmin(d[a][c])]"
    assert next_node(parse(f"```python\n{expression}\n```").code) == 1


MESSY = {
    "CRLF": ANSWER.replace("\n", "\r\n"),
    "CR": ANSWER.replace("\n", "\r"),
    "byte order mark": "\ufeff" + ANSWER,
    "non-breaking indentation": ANSWER.replace("    ", "\u00a0\u00a0\u00a0 "),
    "zero width": ANSWER.replace("return ", "return \u200b"),
    "tabs": ANSWER.replace("    ", "\t"),
    "tabs and spaces": ANSWER.replace("    return", "\treturn"),
    "indented block": ANSWER.replace("\n", "\n    "),
    "indented code": f"```python\n{'    ' + NEAREST.replace(chr(10), chr(10) + '    ')}\n```",
    "smart quotes": ANSWER.replace("    return", "    label = “it's”\n    return"),
    "smart single quotes": ANSWER.replace("    return", "    label = ‘a“b’\n    return"),
    "minus sign": ANSWER.replace("np.argmin(distances)", "np.argmin(distances − 1)"),
    "fence after text": ANSWER.replace("\n\n```python", " ```python"),
    "fence closed on the last line": ANSWER.replace("\n```", "```").replace("}```", "}\n```"),
    "long fence": ANSWER.replace("```", "````"),
    "tildes": ANSWER.replace("```", "~~~"),
    "language with attributes": ANSWER.replace("```python", "```{.python title='x'}"),
    "Python 3": ANSWER.replace("```python", "``` Python3"),
    "null": ANSWER.replace("import", "\x00import"),
    "two on a line": ANSWER.replace(
        "import numpy as np", "import math; import numpy as np; print(1)"
    ),
    "not installed, not used": ANSWER.replace(
        "import numpy", "from numba import njit\nimport numpy"
    ),
}


@pytest.mark.parametrize("form", MESSY)
def test_messy_characters(form):
    """Odd line ends, spaces, quotes, indentation and fences do not lose the answer."""
    reply = parse(MESSY[form])
    assert next_node(reply.code) == 1
    assert "numba" not in reply.code
    assert "print" not in reply.code


def test_strings_keep_their_characters():
    """Typographic characters inside strings and comments are the author's."""
    code = NEAREST.replace("    return", "    note = '“−”'  # a − b\n\u00a0   return")
    assert "note = '“−”'  # a − b" in parse(f"```python\n{code}\n```").code


THOUGHTS = {
    "two braces": (f"{{{IDEA}}} {{not this one at all}}\n", IDEA),
    "nested braces": ("{Weigh {near} and {far} nodes}\n", "Weigh {near} and {far} nodes"),
    "a copied placeholder": (f"{{idea}}\n\n{IDEA} More.\n", IDEA),
    "a longer placeholder": (f"{{the idea in one sentence}}\n\n{IDEA}\n", IDEA),
    "mathematics": (f"With d_{{ij}} given: \n\n{{{IDEA}}}\n", IDEA),
    "the form itself": (
        f"{{one sentence, in braces: how your algorithm decides, in your own words}}\n{IDEA}\n",
        IDEA,
    ),
    "a label": (f"{{The idea in one sentence: {IDEA}}}\n", IDEA),
    "markup": (f"**Idea:** `x`\n\n{{**{IDEA}**\n  }}\n", IDEA),
    "filler first": (f"Sure! Here is the code.\n\n{IDEA}\n", IDEA),
    "never closed": (f"{{{IDEA}\n\nMore text.\n", IDEA),
}


@pytest.mark.parametrize("form", THOUGHTS)
def test_the_thought(form):
    """The first balanced braces that say something, else the first sentence that does."""
    prose, wanted = THOUGHTS[form]
    assert parse(f"{prose}\n```python\n{NEAREST}\n```").thought == wanted


def test_the_thought_from_the_code():
    """Without prose the docstring says it, and there is always something; never braces of code."""
    documented = NEAREST.replace(":\n", f':\n    """{IDEA}\n\n    More.\n    """\n', 1)
    assert parse(f"```python\n{documented}\n```").thought == IDEA
    assert parse(f"```python\n{BRACES}\n```").thought == "No description was given."


def test_a_long_thought_is_cut():
    """A thought has at most about 400 characters."""
    assert 300 < len(parse(f"{{{'many words ' * 500}}}\n```python\n{NEAREST}\n```").thought) <= 410


@pytest.mark.parametrize(
    "text",
    ["", "  \n", "I cannot help with that.", "```python\nx = 1\n```", "{idea}", "{}", "def "],
)
def test_no_answer(text):
    """What holds no program is refused with a reason that can be sent back: one sentence."""
    with pytest.raises(ReplyError) as caught:
        parse(text)
    assert 20 < len(caught.value.reason) < 400
    assert "\n" not in caught.value.reason
