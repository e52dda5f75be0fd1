"""A model that knows how to write one solver, for scripted endpoints: it answers by what is asked."""

import ast
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scripted_endpoint import Answer

from eurisko.evaluators.routing.created import NAMES

Kind = str
"""``describe``, ``judge_description``, ``write NAME``, ``judge NAME``, ``revise NAME``, ``program``,
``diagnose``."""


def parts(code: str) -> dict[str, str]:
    """Return a program's eight functions, each with the imports and with what stands before it."""
    tree = ast.parse(code)
    lines = code.splitlines()
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    head = "\n".join("\n".join(lines[n.lineno - 1 : n.end_lineno]) for n in imports)
    found: dict[str, str] = {}
    waiting: list[str] = []
    for node in tree.body:
        if node in imports or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            continue
        waiting.append("\n".join(lines[node.lineno - 1 : node.end_lineno]))
        if isinstance(node, ast.FunctionDef) and node.name in NAMES:
            found[node.name] = head + "\n\n\n" + "\n\n\n".join(waiting)
            waiting = []
    return found


def asked(prompt: str) -> Kind:
    """Return what a prompt asks for."""
    task = re.findall(r"^# Task: (.*)$", prompt, re.MULTILINE)[-1]
    name = re.findall(r"`(\w+)`", task)
    for word in ("write", "judge", "revise"):
        if task.startswith(word) and name:
            return f"{word} {name[-1]}"
    for start, kind in (
        ("describe", "describe"),
        ("judge the description", "judge_description"),
        ("revise the description", "revise_description"),
        ("judge the whole", "program"),
        ("find the cause", "diagnose"),
    ):
        if task.startswith(start):
            return kind
    raise AssertionError(f"an unknown task: {task}")


@dataclass
class Modeller:
    """Answers every question rightly, except where ``wrong`` says otherwise.

    Args:
        functions: the right functions by name.
        wrong: answers to the first, second, … question of a kind; after them it answers rightly.
    """

    functions: Mapping[str, str]
    wrong: Mapping[Kind, list[Answer]] = field(default_factory=dict)
    before: Callable[[int], None] = lambda number: None
    seen: list[Kind] = field(default_factory=list)

    def __call__(self, messages: list[dict[str, str]], number: int) -> Answer:
        """Answer one request."""
        self.before(number)
        again = len(messages) > 1
        kind = asked(messages[0]["content"])
        turn = self.seen.count(kind)
        self.seen.append(kind)
        planned = self.wrong.get(kind, [])
        if turn < len(planned):
            return planned[turn]
        del again
        return self.right(kind)

    def right(self, kind: Kind) -> str:
        """Return the right answer to a question."""
        if kind in ("describe", "revise_description"):
            return json.dumps(
                {
                    "type": "CVRP",
                    "summary": "Vehicles of one capacity bring goods from a depot to customers.",
                    "constraints": [
                        {"name": "visit", "explanation": "each customer once"},
                        {"name": "capacity", "explanation": "never more than fits"},
                    ],
                    "fields": ["CAPACITY", "NODE_COORD_SECTION"],
                    "output": "routes",
                    "objective": "total distance",
                }
            )
        if kind == "diagnose":
            return "FUNCTION: solve\nIt is wrong; write it as it was asked for."
        name = kind.rpartition(" ")[2]
        if kind.startswith(("write", "revise")):
            return f"{{The usual way.}}\n```python\n{self.functions[name]}\n```"
        return "ACCEPT"
