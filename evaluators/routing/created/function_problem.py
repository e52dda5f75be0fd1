"""A function of a created solver as a problem: evolution looks for a better one.

The rest of the solver stays as it is and runs around the candidate in the sandbox, for a fixed number
of rounds, so that results do not depend on the clock. Routes come out; the checker judges them here.
"""

import ast
import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .... import syntax
from ...errors import InputError, UnknownDataset, did_you_mean
from ...problem import Array, Dataset, Infeasible, Interface, ProblemSpec, Scores
from ..checker import check
from ..instance import RoutingError
from ..objectives import Objective
from ..plan import Plan, Route
from ..read import parse_routing
from .compose import compose
from .contract import FUNCTIONS, route_bound, stop_bound

if TYPE_CHECKING:
    from ....sandbox import ArraySpec
    from ...grammar import Grammar
    from ..reading import Reading

EVOLVABLE = ("initial", "destroy", "insert")
MATERIAL = "material.json"
SPLITS = ("search", "validation", "test")


class FunctionProblem:
    """See `eurisko.evaluators.OneShotProblem`; made from the material of a folder.

    Args:
        folder: holds ``material.json``: program, function, rules, objective, rounds, seconds for an
            instance, and the instances of each split with the costs of the stored solver.
    """

    def __init__(self, folder: str | Path) -> None:
        path = Path(folder) / MATERIAL
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"Cannot read {path}: {error.strerror}.") from error
        self._material: dict[str, Any] = json.loads(text)
        self._version = hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def grammar(self) -> "Grammar | None":
        """None: whole functions are proposed by a model only."""
        return None

    @cached_property
    def spec(self) -> ProblemSpec:
        """Names, texts for prompts, the interface with its seed and driver, splits."""
        given = self._material
        name, rules = given["function"], given["rules"]
        contract = next(one for one in FUNCTIONS if one.name == name)
        interface = Interface(
            name="function",
            function=name,
            parameters=tuple(_parameters(contract.signature)),
            signature=contract.signature,
            inputs="`routes` are lists of rows of the instance, depots included; `instance` is what "
            "read_instance returns (see the helpers); `D` is the float matrix of distances; `rng` a "
            "numpy Generator, from which all chance must come.",
            outputs=contract.purpose,
            notes="Change no argument in place: copy first. The program around it defines these "
            f"helpers, which may be called: {_helpers(given['program'])}. Rules: "
            + "; ".join(f"{key}: {said}" for key, said in rules.items())
            + ".",
            seed=_alone(given["program"], name),
            seed_thought="The function as it is in the stored solver.",
            driver=_driver(given["program"], name, given["rounds"]),
        )
        return ProblemSpec(
            name=f"{given['solver']}-{name}",
            version=self._version,
            title=f"{name} of solver {given['solver']}",
            description=f"{given['summary']} A search destroys and repairs a solution "
            f"{given['rounds']} times, with simulated annealing; one of its functions, `{name}`, is "
            "to be improved so that the best solution found is cheaper.",
            measure="cost",
            default_interface="function",
            interfaces={"function": interface},
            splits={split: (split,) for split in SPLITS},
            seconds_per_instance=float(given["seconds"]),
        )

    def dataset(self, name: str) -> Dataset:
        """Return a split: ``texts`` ``[B, L]`` uint8, ``sizes``, ``seeds`` ``[B]``, ``bounds``.

        The references are the stored solver's own costs: a negative gap is an improvement.

        Raises:
            UnknownDataset: there is none of this name.
        """
        if name not in self._material["splits"]:
            known = did_you_mean(name, self._material["splits"])
            raise UnknownDataset(f"{self.spec.name} has no data set {name!r}: {known}")
        return self._datasets[name]

    def load(self, path: str | Path) -> Dataset:
        """Read an instance file of the solver's problem.

        Raises:
            InputError: the file cannot be read.
        """
        try:
            text = Path(path).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise InputError(f"Cannot read {path}: {error.strerror}.") from error
        self._reading(text)
        return self._made(Path(path).name, [text], None)

    def expects(self, data: Dataset, interface: str) -> dict[str, "ArraySpec"]:
        """Return the arrays of the driver: ``stops`` ``[B, S]`` and ``lengths`` ``[B, R]`` int64."""
        from ....sandbox import ArraySpec

        self.spec.interface(interface)
        count, routes, stops = (int(value) for value in data.arrays["bounds"][0])
        return {
            "stops": ArraySpec("<i8", (count, stops)),
            "lengths": ArraySpec("<i8", (count, routes)),
        }

    def score(self, data: Dataset, decisions: Mapping[str, Array]) -> Scores:
        """Judge the routes by the checker and return their costs.

        Raises:
            Infeasible: routes break a rule.
        """
        rules = frozenset(self._material["rules"])
        values = []
        for index in range(data.instances):
            instance = self._reading(_text(data, index)).instance
            plan = _plan(decisions["stops"][index], decisions["lengths"][index])
            report = check(instance, plan, rules, self._objective)
            if not report.feasible:
                first = report.violations[0]
                raise Infeasible(index, f"{first.constraint}: {first.message}")
            values.append(report.cost)
        return Scores.minimised(np.array(values), data.reference)

    def composed(self, function_code: str) -> str:
        """Return the solver with another version of the function.

        Raises:
            RoutingError: the texts do not go together.
        """
        return compose(self._material["program"], self._material["function"], function_code)

    @property
    def solver(self) -> str:
        """Id of the stored solver."""
        return str(self._material["solver"])

    @property
    def example(self) -> str:
        """The user's own instance, as text."""
        return str(self._material["splits"]["test"]["texts"][0])

    @cached_property
    def _objective(self) -> Objective:
        levels = self._material["objective"]
        return Objective(tuple(tuple((n, float(w)) for n, w in level) for level in levels))

    @cached_property
    def _datasets(self) -> dict[str, Dataset]:
        return {
            name: self._made(name, part["texts"], part["costs"])
            for name, part in self._material["splits"].items()
        }

    def _made(self, name: str, texts: list[str], costs: list[float] | None) -> Dataset:
        raw = [text.encode() for text in texts]
        width = max(len(one) for one in raw)
        padded = np.zeros((len(raw), width), dtype=np.uint8)
        for row, one in zip(padded, raw, strict=True):
            row[: len(one)] = np.frombuffer(one, dtype=np.uint8)
        instances = [self._reading(text).instance for text in texts]
        bounds = [
            len(raw),
            max(route_bound(one) for one in instances),
            max(stop_bound(one) for one in instances),
        ]
        arrays: dict[str, Array] = {
            "texts": padded,
            "sizes": np.array([len(one) for one in raw], dtype=np.int64),
            "seeds": np.arange(len(raw), dtype=np.int64),
            "bounds": np.tile(np.array(bounds, dtype=np.int64), (len(raw), 1)),
        }
        reference = None if costs is None else np.array(costs)
        origin = "the user's instance and parts of it; references: costs of the stored solver"
        return Dataset(name, arrays, reference, origin)

    def _reading(self, text: str) -> "Reading":
        given = self._material
        return parse_routing(text, given["name"], form=given["format"], **given["options"])


def _text(data: Dataset, index: int) -> str:
    size = int(data.arrays["sizes"][index])
    return bytes(data.arrays["texts"][index][:size]).decode("utf-8")


def _plan(stops: Array, lengths: Array) -> Plan:
    """Return the plan of padded arrays; what makes no sense becomes a plan that breaks a rule."""
    routes, at = [], 0
    for length in lengths.tolist():
        if length < 0 or at + length > len(stops):
            break
        routes.append(Route(tuple(stops[at : at + length].tolist())))
        at += length
    return Plan(tuple(routes))


def _parameters(signature: str) -> list[str]:
    found = syntax.parse(f"{signature}: pass").body[0]
    assert isinstance(found, ast.FunctionDef)
    return [argument.arg for argument in found.args.args]


def _alone(program: str, name: str) -> str:
    """Return a function's text with the program's imports."""
    tree, lines = syntax.parse(program), program.splitlines()
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    head = ["\n".join(lines[one.lineno - 1 : one.end_lineno]) for one in imports]
    found = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == name]
    if not found:
        raise RoutingError(f"the solver defines no function {name!r}.")
    body = "\n".join(lines[found[-1].lineno - 1 : found[-1].end_lineno])
    return "\n".join(head) + f"\n\n\n{body}\n"


def _helpers(program: str) -> str:
    tree = syntax.parse(program)
    return ", ".join(
        f"{one.name}({', '.join(argument.arg for argument in one.args.args)})"
        for one in tree.body
        if isinstance(one, ast.FunctionDef) and one.name != "solve"
    )


def _driver(program: str, name: str, rounds: int) -> str:
    text = files(__package__).joinpath("function_driver.py.txt").read_text(encoding="utf-8")
    for mark, value in (
        ("PROGRAM_TEXT", program),
        ("FUNCTION_NAME", name),
        ("ROUND_COUNT", rounds),
    ):
        text = text.replace(f"= {mark}\n", f"= {value!r}\n", 1)
    return text
