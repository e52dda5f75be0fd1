"""The parts of a creation that ask nobody: excerpts, assembly, descriptions."""

from pathlib import Path

import pytest
from afl_instance import SMALL
from afl_script import parts

from eurisko.agents.routing.creation.assembly import assemble, fault, parameters
from eurisko.agents.routing.creation.excerpt import LONGEST, excerpt
from eurisko.agents.routing.creation.merging import merged
from eurisko.agents.routing.description import describe
from eurisko.evaluators.routing import parse_routing
from eurisko.evaluators.routing.analysis import analyse
from eurisko.evaluators.routing.created import NAMES
from eurisko.prompts import parse_description

SOLVER = Path(__file__).parents[4] / "examples" / "solvers" / "ocvrpltw.py"


def test_parts_make_the_program_again() -> None:
    """Eight parts, put together, define the eight functions once each, in their order."""
    found = parts(SOLVER.read_text())
    assert tuple(found) == NAMES
    program = assemble(found)
    places = [program.index(f"def {name}(") for name in NAMES]
    assert places == sorted(places)
    compile(program, "solver", "exec")


def test_parameters_are_those_of_the_contract() -> None:
    """Names come from the signature."""
    assert parameters("destroy") == ("routes", "instance", "D", "ratio", "rng")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def cost(routes, instance, D):\n    return (", "cannot be parsed"),
        ("def _insert_fits():\n    return 1\ndef cost(r, i, D):\n    return 1.0", "to insert"),
        ("def solve(t):\n    return 1\ndef cost(r, i, D):\n    return 1.0", "another function"),
        ("def cost(r, i, D):\n    print(r)\n    return 1.0", "prints"),
        ("import os\ndef cost(r, i, D):\n    return 1.0", "line 1"),
        ("def cost(r, i, D):\n    return open('x').read()", "line 2"),
    ],
)
def test_what_cannot_be_part_of_the_program_is_refused(code: str, said: str) -> None:
    """Clashes, output, files and broken code are named before anything runs."""
    others = {"insert": "def _insert_fits():\n    return 0\ndef insert(r):\n    return r"}
    assert said in fault(code, "cost", others)


def test_a_good_part_has_no_fault() -> None:
    """A function with its own helper and imports is fine."""
    code = "import math\ndef _cost_leg(a):\n    return math.sqrt(a)\ndef cost(r, i, D):\n    return 1.0"
    assert fault(code, "cost", {}) == ""


def test_an_excerpt_keeps_the_structure_of_a_long_file() -> None:
    """Every header and section is there, long runs are counted, and the length is bounded."""
    nodes = "\n".join(f"{n} {n * 7 % 100} {n * 13 % 100}" for n in range(1, 2001))
    demands = "\n".join(f"{n} {n % 9}" for n in range(1, 2001))
    head = "NAME : big\nDIMENSION : 2000\nNODE_COORD_SECTION"
    shown = excerpt(f"{head}\n{nodes}\nDEMAND_SECTION\n{demands}\nEOF\n")
    assert len(shown) < 1000
    for word in ("NAME : big", "NODE_COORD_SECTION", "DEMAND_SECTION", "EOF", "2000 0 0"):
        assert word in shown
    assert "(1994 more lines like these)" in shown
    assert len(excerpt("x" * 10**6)) < LONGEST
    assert len(excerpt("\n".join(f"word{n}: {n}" for n in range(10**4)))) < LONGEST + 100


def test_a_short_file_is_shown_whole() -> None:
    """Nothing is left out where there is little."""
    assert excerpt(SMALL) == SMALL.rstrip("\n")


def test_the_file_decides_over_the_model() -> None:
    """Rules and fields stay those of the file; what the model said otherwise becomes a note."""
    given = describe(analyse(parse_routing(SMALL, "small.vrp")))
    said = parse_description(
        '{"type": "CVRPTW", "summary": "A delivery round.", "constraints": '
        '[{"name": "C", "explanation": "c"}, {"name": "TW", "explanation": "w"}, '
        '{"name": "Visit", "explanation": "v"}, {"name": "no left turns", "explanation": "n"}], '
        '"fields": ["CAPACITY", "TIME_WINDOW_SECTION"], "objective": "time"}'
    )
    found = merged(given, said)
    assert (found.type, found.summary) == ("CVRPTW", "A delivery round.")
    assert found.constraints == given.constraints
    assert (found.fields, found.objective) == (given.fields, given.objective)
    notes = "\n".join(found.notes)
    for word in ("also named time_windows", "did not name closed", "no left turns", "TIME_WINDOW"):
        assert word in notes
    assert "capacity" not in notes and "visit" not in notes


def test_a_description_says_what_the_file_does_not() -> None:
    """Rounding, rows and the way back are among the conventions, and the lines show all parts."""
    given = describe(analyse(parse_routing(SMALL, "small.vrp", rounding="nearest")))
    said = " ".join(given.conventions)
    assert "nearest integer" in said and "row 0" in said and "way back" in said
    assert given.names == {"visit", "depot", "closed", "capacity"}
    assert given.objective == "minimise the total length of all routes"
    text = "\n".join(given.lines())
    assert all(rule.name in text for rule in given.constraints)
