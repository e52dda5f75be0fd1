"""One evaluation: run a program in the sandbox, then check and score its decisions outside."""

import threading
import weakref
from dataclasses import dataclass

from ..sandbox import Inputs, Limits, Outcome, OutcomeKind, Program, Sandbox
from ..telemetry import active, observed
from .batching import rows_of
from .decisions import position_traits, sketch
from .lockstep import infeasible, play
from .problem import Array, Dataset, Infeasible, OnlineProblem, Problem, Scores
from .program import program_hash

_sealed: "weakref.WeakKeyDictionary[Dataset, Inputs]" = weakref.WeakKeyDictionary()
_sealing = threading.Lock()


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What is known about a program on a data set; ``objective`` is None unless ``kind`` is ok.

    ``line`` counts in the candidate's own code from 1. Times are in seconds, memory in MiB, all
    measured outside the candidate. ``gaps`` (in %) is None where the data set has no references,
    ``decisions`` is a sketch of what was decided, None where the problem does not say.
    """

    kind: OutcomeKind
    error_type: str | None
    message: str
    line: int | None
    objective: float | None
    gaps: Array | None
    raw: Array | None
    cpu_s: float
    wall_s: float
    peak_mib: float
    isolation: str
    dataset: str
    dataset_digest: str
    decisions: Array | None = None


def evaluate(
    sandbox: Sandbox,
    problem: Problem,
    interface: str,
    code: str,
    data: Dataset,
    limits: Limits | None = None,
    *,
    seed: int = 0,
    device: str = "cpu",
) -> Evaluation:
    """Evaluate a program; a candidate's fault is a result, never an exception.

    The program's decisions come back from the sandbox as arrays; feasibility and the measure are
    computed here from ``data``, which the program cannot touch. An online problem is played in
    lockstep: the program has seen no more than what it has to decide on.

    Raises:
        UnknownInterface: the problem has no such interface.
        ValueError: an online problem on another device than the CPU.
    """
    with observed(
        "evaluation",
        problem=problem.spec.name,
        interface=interface,
        dataset=data.name,
        instances=data.instances,
        seed=seed,
        device=device,
    ) as seen:
        if active():
            seen["program"] = program_hash(code)
        limits = limits if limits is not None else Limits()
        found = _evaluate(sandbox, problem, interface, code, data, limits, seed, device)
        seen.update(
            outcome=found.kind.value,
            objective=found.objective,
            cpu_s=found.cpu_s,
            peak_mib=found.peak_mib,
        )
        return found


def _evaluate(
    sandbox: Sandbox,
    problem: Problem,
    interface: str,
    code: str,
    data: Dataset,
    limits: Limits,
    seed: int,
    device: str,
) -> Evaluation:
    if isinstance(problem, OnlineProblem):
        played = play(sandbox, problem, interface, code, data, limits, seed=seed, device=device)
        return _evaluation(data, *played)
    chosen = problem.spec.interface(interface)
    program = Program(code, chosen.function, chosen.driver, chosen.modules)
    expects = problem.expects(data, interface)
    outcome = sandbox.run(
        program,
        _inputs(data),
        expects,
        limits,
        seed=seed,
        device=device,
        rows=rows_of(problem, data, expects),
    )
    if outcome.kind is not OutcomeKind.OK:
        return _evaluation(data, outcome, None)
    try:
        return _evaluation(data, outcome, problem.score(data, outcome.arrays))
    except Infeasible as broken:
        return _evaluation(data, infeasible(outcome, broken), None)


def _evaluation(data: Dataset, outcome: Outcome, scores: Scores | None) -> Evaluation:
    return Evaluation(
        kind=outcome.kind,
        error_type=outcome.error_type,
        message=outcome.message,
        line=outcome.line,
        objective=scores.objective if scores else None,
        gaps=scores.gaps if scores else None,
        raw=scores.raw if scores else None,
        cpu_s=outcome.cpu_s,
        wall_s=outcome.wall_s,
        peak_mib=outcome.peak_mib,
        isolation=outcome.isolation,
        dataset=data.name,
        dataset_digest=data.digest,
        decisions=_sketch(outcome, scores),
    )


def _sketch(outcome: Outcome, scores: Scores | None) -> Array | None:
    if scores is None:
        return None
    if scores.traits is not None:
        return sketch(scores.traits)
    return sketch(position_traits(outcome.arrays)) if outcome.arrays else None


def _inputs(data: Dataset) -> Inputs:
    """Return the arrays of a data set, sealed once and kept as long as the data set lives."""
    with _sealing:
        inputs = _sealed.get(data)
        if inputs is None:
            inputs = Inputs(data.arrays)
            _sealed[data] = inputs
            weakref.finalize(data, inputs.close)
        return inputs
