"""What a problem is: its specification, data sets and trusted scores."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .errors import UnknownInterface, did_you_mean

if TYPE_CHECKING:
    from ..sandbox import ArraySpec
    from .grammar import Grammar

Array = NDArray[Any]

LEAST_CPU_S = 10.0
"""CPU seconds that any data set allows: a batch of one instance costs nearly as much as one of many."""


@dataclass(frozen=True)
class Interface:
    """One way in which a problem calls a heuristic.

    ``inputs``, ``outputs`` and ``notes`` are texts for prompts: shapes, units, conventions.
    ``seed`` is the source of the heuristic that evolution starts from, ``seed_thought`` its idea in
    one sentence. ``driver`` is the text of a self-contained module (numpy, torch, standard library)
    with ``solve(heuristic, inputs, device) -> dict[str, ndarray]``; it runs inside the sandbox.
    ``modules`` are modules that its heuristics may import beside the usual ones.
    ``demo`` is source that an exported heuristic ends with, so that its file runs on its own.
    """

    name: str
    function: str
    parameters: tuple[str, ...]
    signature: str
    inputs: str
    outputs: str
    notes: str
    seed: str
    seed_thought: str
    driver: str
    demo: str = ""
    modules: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProblemSpec:
    """What a user, a prompt and the database need to know about a problem.

    ``version`` changes whenever the same program could get another score. ``splits`` maps
    ``search`` (what evolution sees), ``validation`` (picks the final heuristic) and ``test``
    (reported only) to names of data sets. ``seconds_per_instance`` is the time limit: CPU seconds
    that a heuristic and its solver may take per instance of a data set. ``memory_factor`` is how much
    memory they take at once, in multiples of the arrays that they are given and return (measured with
    the seeds: 1.4 to 270).
    """

    name: str
    version: str
    title: str
    description: str
    measure: str
    default_interface: str
    interfaces: Mapping[str, Interface]
    splits: Mapping[str, tuple[str, ...]]
    seconds_per_instance: float = 0.1
    memory_factor: float = 8.0

    def cpu_seconds(self, instances: int) -> float:
        """Return the CPU seconds that a program may take on a data set of so many instances."""
        return max(LEAST_CPU_S, self.seconds_per_instance * instances)

    def interface(self, name: str) -> Interface:
        """Return the interface of this name.

        Raises:
            UnknownInterface: there is none.
        """
        if name not in self.interfaces:
            raise UnknownInterface(
                f"Problem {self.name} has no interface {name!r}: "
                f"{did_you_mean(name, self.interfaces)}"
            )
        return self.interfaces[name]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Instances of a problem; immutable, and compared by identity (by ``digest`` across processes).

    Args:
        name: name of the data set.
        arrays: what the heuristic may see, each ``[instances, ...]``; made read-only.
        reference: best known measure of each instance ``[instances]``, positive, or None.
        origin: where the instances and the references come from, for reports.
    """

    name: str
    arrays: Mapping[str, Array]
    reference: Array | None
    origin: str
    instances: int = field(init=False)

    def __post_init__(self) -> None:
        frozen = {key: _read_only(array) for key, array in self.arrays.items()}
        counts = {array.shape[0] for array in frozen.values() if array.ndim}
        if len(counts) != 1 or not all(array.ndim for array in frozen.values()):
            raise ValueError(f"data set {self.name}: arrays must share their first dimension")
        object.__setattr__(self, "arrays", MappingProxyType(frozen))
        object.__setattr__(self, "instances", counts.pop())
        if self.reference is not None:
            reference = _read_only(np.asarray(self.reference, dtype=np.float64))
            if reference.shape != (self.instances,) or not np.all(reference > 0):
                raise ValueError(f"data set {self.name}: one positive reference per instance")
            object.__setattr__(self, "reference", reference)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the name, the arrays and the references, as hexadecimal digits."""
        return digest(self.name, self.arrays, self.reference)


@dataclass(frozen=True, eq=False)
class Scores:
    """Trusted result of one program on one data set.

    Args:
        raw: the problem's measure per instance ``[instances]`` (for example tour length).
        gaps: ``100 * (raw / reference - 1)`` per instance, in %; None without references.
        objective: what evolution minimises: the mean gap, or the mean measure without references.
        traits: what was decided, one integer for each decision (see :mod:`.decisions`); None where
            the problem does not say.
    """

    raw: Array
    gaps: Array | None
    objective: float
    traits: Array | None = None

    @classmethod
    def minimised(
        cls, raw: Array, reference: Array | None, traits: Array | None = None
    ) -> "Scores":
        """Score a measure that is to be small against references of the same length."""
        if reference is None:
            return cls(raw=raw, gaps=None, objective=float(np.mean(raw)), traits=traits)
        gaps = 100.0 * (raw / reference - 1.0)
        return cls(raw=raw, gaps=gaps, objective=float(np.mean(gaps)), traits=traits)


class Infeasible(Exception):
    """A decision breaks a constraint.

    Args:
        instance: index of the instance, from 0.
        constraint: what is broken and where, in one sentence without the final stop.
    """

    def __init__(self, instance: int, constraint: str) -> None:
        super().__init__(f"instance {instance}: {constraint}")
        self.instance = instance
        self.constraint = constraint


class ProblemParts(Protocol):
    """What problems of both kinds have in common."""

    @property
    def spec(self) -> ProblemSpec:
        """What the problem is."""
        ...

    @property
    def grammar(self) -> "Grammar | None":
        """Features and operators for the offline proposer; None where it has none."""
        ...

    def dataset(self, name: str) -> Dataset:
        """Return a data set that the problem brings along.

        Raises:
            UnknownDataset: it brings none of this name.
        """
        ...

    def load(self, path: str | Path) -> Dataset:
        """Read a user's file.

        Raises:
            InputError: the file is missing, broken or of an unsupported type.
        """
        ...


class OneShotProblem(ProblemParts, Protocol):
    """A problem that decides everything in one run of the sandbox.

    Its drivers define ``solve(heuristic, inputs, device)``, with all arrays of the data set.
    """

    def expects(self, data: Dataset, interface: str) -> dict[str, "ArraySpec"]:
        """Return the arrays that a driver must hand back."""
        ...

    def score(self, data: Dataset, decisions: Mapping[str, Array]) -> Scores:
        """Check decisions and compute scores from the data alone, outside the sandbox.

        Raises:
            Infeasible: a decision breaks a constraint.
        """
        ...


@runtime_checkable
class OnlineProblem(ProblemParts, Protocol):
    """A problem whose information arrives step by step; it is played in lockstep.

    Its drivers define ``start(heuristic, inputs, device)``, which returns a function of one
    observation that returns the decisions. The child never holds what has not been observed: the
    data set stays outside. ``state`` is the problem's own and belongs to one play.
    """

    def known(self, data: Dataset, interface: str) -> Mapping[str, Array]:
        """Return what a driver gets before the first step."""
        ...

    def messages(
        self, data: Dataset, interface: str
    ) -> tuple[dict[str, "ArraySpec"], dict[str, "ArraySpec"]]:
        """Return the arrays of an observation and those of the decisions that answer it."""
        ...

    def begin(self, data: Dataset, interface: str) -> Any:
        """Return the state before the first step, of all instances."""
        ...

    def observe(self, data: Dataset, state: Any) -> Mapping[str, Array] | None:
        """Return what the heuristic may see now, or None when everything is decided."""
        ...

    def act(self, data: Dataset, state: Any, decisions: Mapping[str, Array]) -> Any:
        """Check decisions, apply them and return the next state (the old one may be changed).

        Raises:
            Infeasible: a decision breaks a constraint.
        """
        ...

    def score(self, data: Dataset, state: Any) -> Scores:
        """Check the whole play once more and compute scores from the data and its decisions.

        Raises:
            Infeasible: the decisions break a constraint.
        """
        ...


@runtime_checkable
class TraceProblem(Protocol):
    """A one-shot problem whose solver, inside the sandbox, records what the heuristic decides.

    Checking such a trace proves that it is legal, not that the stated heuristic made it. Played in
    lockstep, it must come out the same.
    """

    @property
    def lockstep(self) -> OnlineProblem:
        """The same problem, played step by step."""
        ...


Problem = OneShotProblem | OnlineProblem
"""A problem of either kind; ``evaluate`` takes both."""


def digest(name: str, arrays: Mapping[str, Array], reference: Array | None) -> str:
    """Return the SHA-256 of a data set: name, references and arrays with their types and shapes."""
    sha = hashlib.sha256()
    named = [(f"array:{key}", arrays[key]) for key in sorted(arrays)]
    if reference is not None:
        named.append(("reference", reference))
    sha.update(repr(name).encode())
    for label, array in named:
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        sha.update(f"\n{label!r} {little.dtype.str} {little.shape}\n".encode())
        sha.update(little.data)
    return sha.hexdigest()


def _read_only(array: Array) -> Array:
    """Return the array itself if nobody can write to it, else a read-only copy."""
    frozen = np.ascontiguousarray(array)
    if frozen.flags.writeable:
        frozen = frozen.copy()
        frozen.setflags(write=False)
    return frozen
