"""From a job file to its items: every program on every data set it fits, once."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from glob import glob, has_magic
from pathlib import Path

from ... import syntax
from ...evaluators import (
    GeneratingProblem,
    InputError,
    Problem,
    get_problem,
    problem_reference,
    program_hash,
)
from ...knowledge_base import Candidate, KnowledgeBase, Run
from ..identity import evaluation_key
from .spec import GeneratedData, JobSpec, ProblemPart, ProgramSource
from .tasks import Task, material


@dataclass(frozen=True)
class JobProgram:
    """A program of a job; ``problem`` is None where it may fit any."""

    hash: str
    label: str
    code: str
    problem: str | None = None
    interface: str | None = None


@dataclass(frozen=True)
class Item:
    """One evaluation that a job asks for; ``identity`` names its result in the knowledge base."""

    program: int
    problem: str
    interface: str
    dataset: str
    path: str | None
    instances: int
    seed: int
    device: str
    identity: str


@dataclass
class Expansion:
    """Programs and items of a job, and what was left out with the reason."""

    programs: list[JobProgram] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def expand(spec: JobSpec, folder: Path, base: KnowledgeBase) -> Expansion:
    """Expand a job; loads every data set once, to know what exactly is evaluated.

    Items are ordered by problem and data set, so that workers seldom change data.

    Args:
        spec: the job.
        folder: what its paths are relative to.
        base: where the runs that it names are.

    Raises:
        InputError: a file, problem, data set or interface is not there, or no program fits.
        UnknownRun: there is no such run.
    """
    found = Expansion()
    shared = [one for source in spec.programs for one in _programs(source, folder, base)]
    numbers: dict[tuple[str, str], int] = {}
    used: set[int] = set()
    for part in spec.problems:
        reference = _reference(part.name, folder)
        problem = get_problem(reference)
        own = part.programs
        listed = shared if own is None else [one for s in own for one in _programs(s, folder, base)]
        sources = spec.programs if own is None else own
        if any(source.seed for source in sources):
            listed = [*listed, *_seeds(problem, reference)]
        fitting = list(_fitting(listed, problem, reference, part, found))
        if not fitting:
            raise InputError(
                f"No program of the job fits problem {part.name}: a program defines "
                f"{' or '.join(one.function for one in problem.spec.interfaces.values())}."
            )
        rows = []
        for program, interface in fitting:
            key = (program.hash, program.label)
            if key not in numbers:
                numbers[key] = len(found.programs)
                found.programs.append(program)
            used.add(numbers[key])
            rows.append((numbers[key], interface))
        found.items += _items(spec, part, reference, folder, rows, found.programs)
    found.items = list({(item.program, item.identity): item for item in found.items}.values())
    return found


def _reference(name: str, folder: Path) -> str:
    """Return what finds a problem again; a folder is meant relative to the job file."""
    return problem_reference(str(folder / name) if name.startswith(".") else name)


def _programs(source: ProgramSource, folder: Path, base: KnowledgeBase) -> Iterator[JobProgram]:
    if source.files is not None:
        yield from _files(source.files, folder)
    elif source.run is not None:
        yield from _of_run(source, base)


def _files(pattern: str, folder: Path) -> Iterator[JobProgram]:
    within = folder / pattern
    paths = _matches(str(within / "*.py") if within.is_dir() else str(within))
    if not paths:
        raise InputError(f"No file matches {pattern!r} in {folder}.")
    for path in paths:
        try:
            code = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"Cannot read {path}: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not a text file in UTF-8.") from error
        label = str(Path(path).relative_to(folder)) if Path(path).is_relative_to(folder) else path
        yield JobProgram(program_hash(code), label, code)


def _matches(pattern: str) -> list[str]:
    """Return the files that match, sorted; a path without wildcards stands for itself."""
    if not has_magic(pattern):
        return [pattern]
    return sorted(glob(pattern, recursive=True))  # noqa: PTH207 - the pattern may be absolute


def _of_run(source: ProgramSource, base: KnowledgeBase) -> Iterator[JobProgram]:
    run = base.get_run(source.run or "")
    if run.workflow != "evolve":
        raise InputError(f"Run {run.id} is no evolution: it has no programs.")
    for candidate in _chosen(run, source, base):
        yield JobProgram(
            candidate.hash,
            f"{run.id}/{candidate.key}",
            candidate.code,
            run.problem,
            run.interface,
        )


def _chosen(run: Run, source: ProgramSource, base: KnowledgeBase) -> Sequence[Candidate]:
    """Return the candidates that ``take`` names, each program once."""
    from ..evolution import summarise

    if source.take == "best":
        best = summarise(base, run, get_problem(run.problem)).best
        if best is None:
            raise InputError(f"Run {run.id} has no best program yet.")
        return base.candidates([best.id])
    candidates = [one for one in base.run_candidates(run.id) if one.code]
    if source.take == "population":
        last = max((one.generation for one in candidates), default=0)
        candidates = [one for one in candidates if one.generation == last]
    if not candidates:
        raise InputError(f"Run {run.id} has no programs yet.")
    return list({one.hash: one for one in reversed(candidates)}.values())[::-1]


def _seeds(problem: Problem, reference: str) -> Iterator[JobProgram]:
    for name, face in problem.spec.interfaces.items():
        yield JobProgram(
            program_hash(face.seed),
            f"seed ({problem.spec.name}, {name})",
            face.seed,
            reference,
            name,
        )


def _fitting(
    programs: Sequence[JobProgram],
    problem: Problem,
    reference: str,
    part: ProblemPart,
    found: Expansion,
) -> Iterator[tuple[JobProgram, str]]:
    """Yield the programs that a problem can call, with the interface; note the others."""
    if part.interface is not None:
        problem.spec.interface(part.interface)
    for program in programs:
        if program.problem not in (None, reference):
            continue
        interface = program.interface or _interface(program.code, problem)
        if interface is None:
            names = ", ".join(one.function for one in problem.spec.interfaces.values())
            found.left_out.append(f"{program.label} on {part.name}: it defines none of {names}")
        elif part.interface in (None, interface):
            yield program, interface


def _interface(code: str, problem: Problem) -> str | None:
    try:
        names = {one.name for one in syntax.parse(code).body if isinstance(one, ast.FunctionDef)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for name, interface in problem.spec.interfaces.items():
        if interface.function in names:
            return name
    return None


def _items(
    spec: JobSpec,
    part: ProblemPart,
    reference: str,
    folder: Path,
    rows: Sequence[tuple[int, str]],
    programs: Sequence[JobProgram],
) -> Iterator[Item]:
    for name, path in _datasets(part, get_problem(reference), folder):
        problem, data = material(reference, path or name, path is not None)
        for device in spec.devices:
            for seed in spec.seeds:
                for number, interface in rows:
                    task = Task(
                        item=0,
                        problem=reference,
                        interface=interface,
                        dataset=path or name,
                        from_file=path is not None,
                        code="",
                        seed=seed,
                        device=device,
                        cpu_s=spec.limits.cpu_s,
                        memory_mib=spec.limits.memory_mib,
                    )
                    key = evaluation_key(
                        problem,
                        interface,
                        programs[number].hash,
                        data,
                        task.limits(problem, data),
                        seed=seed,
                        device=device,
                    )
                    yield Item(
                        program=number,
                        problem=reference,
                        interface=interface,
                        dataset=data.name,
                        path=path,
                        instances=data.instances,
                        seed=seed,
                        device=device,
                        identity=key.identity,
                    )


def _datasets(
    part: ProblemPart, problem: Problem, folder: Path
) -> Iterator[tuple[str, str | None]]:
    """Yield names of data sets, and paths of instance files."""
    splits = problem.spec.splits
    listed = part.datasets or (() if part.instances else ("test",))
    named = [one if isinstance(one, str) else _generated(one, problem) for one in listed]
    seen = dict.fromkeys(one for name in named for one in splits.get(name, (name,)))
    for name in seen:
        yield name, None
    for pattern in part.instances:
        paths = _matches(str(folder / pattern))
        if not paths:
            raise InputError(f"No instance file matches {pattern!r} in {folder}.")
        for path in paths:
            yield path, str(Path(path).resolve())


def _generated(wanted: GeneratedData, problem: Problem) -> str:
    """Return the name by which workers find a generated data set again."""
    if not isinstance(problem, GeneratingProblem):
        raise InputError(
            f"Problem {problem.spec.name} generates no data sets: name some of its own."
        )
    return problem.generate(wanted.size, wanted.instances, wanted.seed).name
