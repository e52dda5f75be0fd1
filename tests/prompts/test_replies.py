"""Reading replies: the shapes in which models really answer."""

import json

import pytest
from nearest_node import (
    ANSWER,
    BRACES,
    DRAFT,
    FARTHEST,
    HEADER,
    HELPERS,
    IDEA,
    NEAREST,
    NO_IMPORT,
    next_node,
    parse,
)

from eurisko.prompts import ReplyError

# The 14 typical shapes.
SHAPES = {
    "brace and fence": ANSWER,
    "fence without a language": f"{{{IDEA}}}\n```\n{NEAREST}\n```",
    "no fence": f"{{{IDEA}}}\n{NEAREST}\n",
    "no fence, with prose": (
        f"Here is my algorithm. {{{IDEA}}}\n\nIt is simple.\n\n{NEAREST}\n\n"
        "This function doesn't look ahead; it's greedy.\nIt works well: (usually).\n"
    ),
    "draft in a reasoning block": f"<think>\nA first try:\n{DRAFT}\nNo.\n</think>\n{ANSWER}",
    "final answer in the second fence": f"First attempt:\n{DRAFT}\nThat is bad. Better:\n{ANSWER}",
    "JSON": json.dumps({"description": IDEA, "code": NEAREST}),
    "helper functions": f"{{{IDEA}}}\n```python\n{HELPERS}\n```",
    "no description in braces": f"{IDEA}\n```python\n{NEAREST}\n```",
    "unclosed fence": f"{{{IDEA}}}\n```python\n{NEAREST}",
    "braces inside the code": f"{{{IDEA}}}\n```python\n{BRACES}\n```",
    "prose after the code": f"{ANSWER}\n\nThis {{trick}} gives good tours, e.g. `x = {{1: 2}}`.",
    "missing imports": f"{{{IDEA}}}\n```python\n{NO_IMPORT}\n```",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_typical_shapes(shape):
    """Each usual shape gives the idea and a program that decides as the answer does."""
    reply = parse(SHAPES[shape])
    assert reply.thought == IDEA
    assert next_node(reply.code) == 1


@pytest.mark.parametrize("cut", range(1, NEAREST.count("\n") + 1))
@pytest.mark.parametrize("fence", ["```python\n", ""])
def test_truncated(cut, fence):
    """The 14th shape: a reply cut at any line before the end is refused, with the reason."""
    half = "\n".join(NEAREST.split("\n")[:-cut])
    with pytest.raises(ReplyError):
        parse(f"{{{IDEA}}}\n{fence}{half}")


@pytest.mark.parametrize(
    "length", range(1, len("    return unvisited_nodes[np.argmin(distances)]"))
)
def test_truncated_inside_the_last_line(length):
    """Cut inside the last line, the function is refused, or at least when the server said so."""
    text = f"{{{IDEA}}}\n```python\n{NEAREST[:-length]}"
    with pytest.raises(ReplyError):
        parse(text, truncated=True)
    rest = NEAREST[:-length].rpartition("\n")[2].strip()
    if rest not in ("return unvisited_nodes", "return"):  # whole statements by themselves
        with pytest.raises(ReplyError):
            parse(text)


def test_truncated_after_the_function():
    """What was cut off after a complete function does no harm."""
    for tail in (
        "\n```\n\nThis fun",
        "\n\n\ndef example():\n    x = [1,",
        "\n\n\nprint(select_next",
    ):
        reply = parse(f"{{{IDEA}}}\n```python\n{NEAREST}{tail}", truncated=True)
        assert next_node(reply.code) == 1
        assert "example" not in reply.code


def test_an_early_return_does_not_make_a_half_function_whole():
    """A function cut off after an early return is still half a function."""
    half = f"{HEADER}\n    if len(unvisited_nodes) == 1:\n        return unvisited_nodes[0]\n"
    for text in (f"```python\n{half}", half, f"```python\n{half}    best = \nx = = 1\n```"):
        with pytest.raises(ReplyError):
            parse(text)


REASONING = {
    "two blocks": f"<think>a {DRAFT}</think>\n<think>b {DRAFT}</think>\n{ANSWER}",
    "nested": f"<think>a <think>{DRAFT}</think> {DRAFT}</think>\n{ANSWER}",
    "capitals": f"<Thinking>{DRAFT}</Thinking>{ANSWER}",
    "only the closing tag": f"Let me see.\n{DRAFT}\n</think>\n{ANSWER}",
    "unclosed, then the answer as asked": f"<think>\nHm.\n{DRAFT}\nSo:\n\n{ANSWER}",
    "after the answer": f"{ANSWER}\n<think>or {DRAFT}",
    "channels": (
        f"<|channel|>analysis<|message|>Try {DRAFT}<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{ANSWER}<|return|>"
    ),
    "brackets": f"[THINK]{DRAFT}[/THINK]{ANSWER}",
    "other brackets": f"◁think▷{DRAFT}◁/think▷{ANSWER}",
    "of thought": f"<|begin_of_thought|>{DRAFT}<|end_of_thought|>{ANSWER}",
    "answer tags": f"<reasoning>{DRAFT}</reasoning><answer>\n{ANSWER}\n</answer>",
    "JSON draft": f"<think>{json.dumps({'code': FARTHEST})}</think>{ANSWER}",
    "special tokens": f"<|im_start|>assistant\n{ANSWER}<|im_end|>",
}


@pytest.mark.parametrize("form", REASONING)
def test_reasoning_is_not_the_answer(form):
    """A draft in any form of reasoning block is never taken."""
    reply = parse(REASONING[form])
    assert next_node(reply.code) == 1
    assert reply.thought == IDEA


@pytest.mark.parametrize(
    "text",
    [
        f"<think>\nMaybe {DRAFT}",
        f"<think>\nMaybe\n{DRAFT}\nbut that is",
        f"<think>{ANSWER}</think>",
        f"<|channel|>analysis<|message|>Try {DRAFT}",
    ],
)
def test_reasoning_without_an_answer(text):
    """A reply that ended while reasoning has no answer."""
    with pytest.raises(ReplyError):
        parse(text)


FENCED_JSON = {
    "fenced": "```json\n" + json.dumps({"idea": IDEA, "code": NEAREST}, indent=1) + "\n```",
    "fence inside": json.dumps({"thought": IDEA, "code": f"```python\n{NEAREST}\n```"}),
    "prose around": f"Sure!\n{json.dumps({'description': IDEA, 'code': NEAREST})}\nDone.",
    "other names": json.dumps({"Algorithm": IDEA, "Implementation": NEAREST}),
    "nested": json.dumps({"answer": {"idea": IDEA, "python": NEAREST}}),
    "a list": json.dumps([{"idea": IDEA, "code": NEAREST}]),
    "raw line breaks": f'{{"description": "{IDEA}", "code": "{NEAREST}"}}',
    "escaped twice": json.dumps({"idea": IDEA, "code": NEAREST.replace("\n", "\\n")}),
}


@pytest.mark.parametrize("form", FENCED_JSON)
def test_json_answers(form):
    """Code in a field of a JSON object, however wrapped, is found with its description."""
    reply = parse(FENCED_JSON[form])
    assert next_node(reply.code) == 1
    assert reply.thought == IDEA


@pytest.mark.parametrize(
    "text",
    [
        f'{{"description": "{IDEA}", "code": """{NEAREST}"""}}',
        '{"code": "' + NEAREST.replace("\n", "\\n") + '", "note": unquoted}',
        '{"code": "' + NEAREST.replace("\n", "\\n"),
    ],
)
def test_broken_json(text):
    """A complete function inside JSON that does not parse is still found."""
    assert next_node(parse(text).code) == 1


def test_json_cut_off():
    """Half a function inside cut-off JSON is refused."""
    with pytest.raises(ReplyError):
        parse(json.dumps({"description": IDEA, "code": NEAREST})[:-20])


def test_escaped_line_breaks_in_a_fence():
    """A program on one line with escaped line breaks is unfolded."""
    one_line = NEAREST.replace("\n", "\\n")
    assert next_node(parse(f"{{{IDEA}}}\n```python\n{one_line}\n```").code) == 1
