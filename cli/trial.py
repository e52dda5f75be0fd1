"""``eurisko evaluate`` and ``eurisko doctor``."""

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .output import Device, Json, fail, friendly, print_json

if TYPE_CHECKING:
    from ..evaluators import Dataset, Evaluation, Problem
    from ..sandbox import Limits, Sandbox


@friendly
def evaluate(
    file: Annotated[Path, typer.Argument(help="A Python file with the heuristic.")],
    problem: Annotated[str, typer.Option(help="The problem's name, for example tsp_construct.")],
    data: Annotated[
        Path | None, typer.Option(help="An instance file, for example a TSPLIB file.")
    ] = None,
    split: Annotated[
        str, typer.Option(help="Which built-in data: search, validation, test, or a data set.")
    ] = "search",
    interface: Annotated[
        str | None, typer.Option(help="batched or scalar; default: by the function's name.")
    ] = None,
    cpu_seconds: Annotated[float, typer.Option(help="CPU seconds allowed per data set.")] = 60.0,
    memory_mib: Annotated[int, typer.Option(help="Memory allowed.")] = 2048,
    device: Device = "cpu",
    allow_unsafe_sandbox: Annotated[
        bool,
        typer.Option("--allow-unsafe-sandbox", help="Run even where programs are not confined."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Evaluate the heuristic in FILE in the sandbox and print its gaps."""
    from ..evaluators import chosen_device, get_problem
    from ..sandbox import Limits, Sandbox

    task = get_problem(problem)
    code = _read(file, as_json)
    name = interface or _interface_of(code, task)
    task.spec.interface(name)
    datasets = [task.load(data)] if data is not None else _datasets(task, split, as_json)
    device = chosen_device(task, device)
    sandbox = Sandbox(workers=1, allow_unsafe=allow_unsafe_sandbox, device=device)
    limits = Limits(cpu_s=cpu_seconds, memory_mib=memory_mib)
    results = _evaluate(task, name, code, datasets, limits, sandbox)
    ok = all(result.kind == "ok" for result in results)
    measure = task.spec.measure.split()[-1]
    if as_json:
        listed = [_plain(result, measure) for result in results]
        whole = {"problem": task.spec.name, "interface": name, "file": str(file)}
        print_json(whole | (listed[0] if len(listed) == 1 else _joined(listed, split, measure)))
    else:
        _print_results(results, task)
    if not ok:
        failed = next(result for result in results if result.kind != "ok")
        sys.stderr.write(f"Error: {describe(failed, str(file))}\n")
        raise typer.Exit(1)


def describe(result: "Evaluation", where: str) -> str:
    """Return one sentence on why an evaluation failed."""
    line = f", line {result.line}" if result.line else ""
    kind = f"{result.error_type}: " if result.error_type else ""
    text = " ".join(f"{kind}{result.message}".split())
    return f"{where}{line}: {result.kind.value.replace('_', ' ')} on {result.dataset}: {text}"


def _read(file: Path, as_json: bool) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        fail(f"Cannot read {file}: {error.strerror}.", as_json=as_json)
    except UnicodeDecodeError:
        fail(f"{file} is not a text file in UTF-8.", as_json=as_json)


def _interface_of(code: str, problem: "Problem") -> str:
    """Return the interface whose function the program defines, else the problem's default."""
    try:
        names = {node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}
    except (SyntaxError, ValueError):
        names = set()
    for name, interface in problem.spec.interfaces.items():
        if interface.function in names:
            return name
    return problem.spec.default_interface


def _datasets(problem: "Problem", split: str, as_json: bool) -> "list[Dataset]":
    splits = problem.spec.splits
    known = {name for names in splits.values() for name in names}
    if split not in splits and split not in known:
        choices = ", ".join([*splits, *sorted(known)])
        fail(
            f"Problem {problem.spec.name} has no data {split!r}: choose {choices}.", as_json=as_json
        )
    return [problem.dataset(name) for name in splits.get(split, (split,))]


def _evaluate(
    problem: "Problem",
    interface: str,
    code: str,
    datasets: "list[Dataset]",
    limits: "Limits",
    sandbox: "Sandbox",
) -> "list[Evaluation]":
    """Evaluate on each data set, through the knowledge base, which may know the result already."""
    from ..agents.evolution import Evaluator
    from ..evaluators import program_hash
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base, sandbox:
        evaluator = Evaluator(base, sandbox, problem, interface, limits, sandbox.device)
        name = program_hash(code)
        return [evaluator.run({name: code}, data)[name] for data in datasets]


def _plain(result: "Evaluation", measure: str) -> dict[str, Any]:
    known = result.raw is not None
    return {
        "data": result.dataset,
        "outcome": result.kind.value,
        "objective": result.objective,
        "gap": None if result.gaps is None else float(result.gaps.mean()),
        f"mean_{measure}": float(result.raw.mean()) if result.raw is not None and known else None,
        "instances": len(result.raw) if result.raw is not None else None,
        "message": result.message,
        "line": result.line,
        "cpu_s": result.cpu_s,
        "wall_s": result.wall_s,
        "isolation": result.isolation,
    }


def _joined(listed: list[dict[str, Any]], split: str, measure: str) -> dict[str, Any]:
    """Return the results on several data sets: the means, and each one under ``results``."""
    failed = [one for one in listed if one["outcome"] != "ok"]
    mean = None
    if not failed:
        mean = sum(one["objective"] for one in listed) / len(listed)
    lengths = [one[f"mean_{measure}"] for one in listed]
    return {
        "data": split,
        "outcome": failed[0]["outcome"] if failed else "ok",
        "objective": mean,
        f"mean_{measure}": None if failed else sum(lengths) / len(lengths),
        "results": listed,
    }


def _print_results(results: "list[Evaluation]", problem: "Problem") -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    table = Table(
        title=f"{problem.spec.name}: gap to the reference in %",
        title_justify="left",
        title_style="bold",
        box=SIMPLE,
    )
    table.add_column("data set", no_wrap=True)
    measure = problem.spec.measure.split()[-1]
    for column in ("instances", "mean gap", "worst gap", f"mean {measure}", "CPU s"):
        table.add_column(column, justify="right")
    for result in results:
        if result.raw is None:
            table.add_row(result.dataset, "–", result.kind.value, "", "", "")
            continue
        gaps = result.gaps
        table.add_row(
            result.dataset,
            str(len(result.raw)),
            "no reference" if gaps is None else f"{gaps.mean():.3f}",
            "" if gaps is None else f"{gaps.max():.3f}",
            f"{result.raw.mean():.6g}",
            f"{result.cpu_s:.3f}",
        )
    Console().print(table)


@friendly
def doctor(as_json: Json = False) -> None:
    """Check this installation: sandbox, knowledge base, model settings."""
    from .checks import run_checks

    checks = run_checks()
    if as_json:
        print_json({"ok": all(one.ok for one in checks), "checks": [vars(one) for one in checks]})
    else:
        for one in checks:
            text = one.text.replace("\n", "\n" + " " * 22)
            typer.echo(f"{'ok  ' if one.ok else 'FAIL'}  {one.name:<15} {text}")
    if not all(one.ok for one in checks):
        raise typer.Exit(1)
