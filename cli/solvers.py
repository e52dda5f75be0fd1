"""``eurisko solvers``: the verified routing solvers that are remembered."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .output import Json, fail, friendly, print_json

if TYPE_CHECKING:
    from ..knowledge_base import KnowledgeBase, Solver

solver_commands = typer.Typer(
    invoke_without_command=True,
    help="List, show, export and add verified routing solvers.",
)
SolverName = Annotated[
    str, typer.Argument(help="The solver's id, a unique beginning of it, or 'last'.")
]


@solver_commands.callback()
@friendly
def listed(context: typer.Context, as_json: Json = False) -> None:
    """List the solvers that are remembered, newest first."""
    if context.invoked_subcommand is not None:
        return
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        rows = [_row(base, one) for one in base.solvers.all()]
    if as_json:
        print_json({"solvers": rows})
        return
    if not rows:
        typer.echo(
            "No solver is remembered yet: 'eurisko solve FILE --model …' creates one, "
            "'eurisko solvers add FILE.py --for INSTANCE' takes yours."
        )
    for row in rows:
        used = (
            f"feasible {row['feasible']} of {row['uses']} times" if row["uses"] else "not used yet"
        )
        typer.echo(
            f"{row['solver']}  {row['constraints']}  ({row['format']}, {row['origin']}; {used})"
        )


@solver_commands.command()
@friendly
def show(solver: SolverName, as_json: Json = False) -> None:
    """Show what a solver solves, what proved it, how it did, and its program."""
    from ..agents.routing.description import Description
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        found = base.solvers.get(solver)
        uses = base.solvers.uses(found.id)
        row = _row(base, found)
    if as_json:
        more = {"description": found.description, "checks": found.checks, "code": found.code}
        said = [
            {"name": u.name, "feasible": u.feasible, "values": u.values, "seconds": u.seconds}
            for u in uses
        ]
        print_json({**row, **more, "uses_list": said})
        return
    typer.echo(f"{found.id} ({found.origin})")
    for line in Description.model_validate(found.description).lines():
        typer.echo(line)
    typer.echo(f"Passed {len(found.checks.get('passed', ()))} checks when it was stored.")
    for use in uses[-10:]:
        value = f"{use.values[0]:.6g}" if use.values else f"no feasible plan: {use.message}"
        typer.echo(f"  {use.name}: {value} in {use.seconds:.1f} s")
    typer.echo(f"\n{found.code}", nl=False)


@solver_commands.command()
@friendly
def export(
    solver: SolverName,
    file: Annotated[Path, typer.Argument(help="The Python file to write.")],
    as_json: Json = False,
) -> None:
    """Write a solver as a program that runs without Eurisko: python FILE --path INSTANCE."""
    from ..evaluators.routing.created import standalone
    from ..knowledge_base import KnowledgeBase

    with KnowledgeBase() as base:
        found = base.solvers.get(solver)
    text = standalone(found.code, found.description["summary"], found.constraints.split(","))
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"Cannot write {file}: {error.strerror}.", as_json=as_json)
    if as_json:
        print_json({"solver": found.id, "path": str(file)})
    else:
        typer.echo(f"{found.id} is in {file}: python {file} --path INSTANCE")


@solver_commands.command()
@friendly
def add(
    file: Annotated[Path, typer.Argument(help="A Python file with the eight functions.")],
    instance: Annotated[
        Path, typer.Option("--for", help="An instance file of the problem that it solves.")
    ],
    seconds: Annotated[float, typer.Option(help="Time for that instance.", min=0.1)] = 5.0,
    seed: Annotated[int, typer.Option(help="Seed of the runs.", min=0)] = 0,
    as_json: Json = False,
) -> None:
    """Verify a solver of your own on an instance and on probes, and remember it."""
    from ..agents.routing.creation import Task
    from ..agents.routing.memory import NotAccepted, remember_file
    from ..knowledge_base import KnowledgeBase
    from ..sandbox import Sandbox

    try:
        code = file.read_text(encoding="utf-8")
    except OSError as error:
        fail(f"Cannot read {file}: {error.strerror}.", as_json=as_json)
    except UnicodeDecodeError:
        fail(f"{file} is not a text file in UTF-8.", as_json=as_json)
    task = Task.of_file(instance)
    with KnowledgeBase() as base, Sandbox(workers=1) as sandbox:
        try:
            solver = remember_file(base, sandbox, task, code, seconds=seconds, seed=seed)
        except NotAccepted as error:
            for check in error.failures if not as_json else ():
                typer.echo(f"failed {check.name}: {check.message}", err=True)
            fail(str(error), as_json=as_json)
        row = _row(base, solver)
    if as_json:
        print_json(row)
    else:
        typer.echo(f"{solver.id} is remembered; it passed {len(solver.checks['passed'])} checks.")


@solver_commands.command()
@friendly
def adopt(
    run: Annotated[str, typer.Argument(help="A run of 'eurisko evolve --solver', or 'last'.")],
    seconds: Annotated[float, typer.Option(help="Time for the user's instance.", min=0.1)] = 5.0,
    as_json: Json = False,
) -> None:
    """Put the best evolved function into its solver, verify the whole, and remember it."""
    from ..agents.routing.evolving import adopt as put_back
    from ..agents.routing.memory import NotAccepted
    from ..knowledge_base import KnowledgeBase
    from ..sandbox import Sandbox

    with KnowledgeBase() as base, Sandbox(workers=1) as sandbox:
        found = base.get_run(run)
        best = (found.result or {}).get("best")
        if found.workflow != "evolve" or best is None:
            fail(f"Run {found.id} has no evolved function to adopt.", as_json=as_json)
        (candidate,) = base.candidates([best])
        try:
            solver = put_back(base, sandbox, found, candidate.code, seconds=seconds)
        except NotAccepted as error:
            fail(str(error), as_json=as_json)
        row = _row(base, solver)
    if as_json:
        print_json(row)
    else:
        typer.echo(f"{solver.id} is remembered; it came from {solver.parent_id}.")


def _row(base: "KnowledgeBase", solver: "Solver") -> dict[str, Any]:
    record = base.solvers.records([solver.id]).get(solver.id)
    return {
        "solver": solver.id,
        "type": solver.type,
        "constraints": solver.constraints,
        "fields": solver.fields,
        "format": solver.format,
        "rounding": solver.rounding,
        "objective": solver.objective,
        "origin": solver.origin,
        "run": solver.run_id,
        "parent": solver.parent_id,
        "uses": record.uses if record else 0,
        "feasible": record.feasible if record else 0,
        "created": solver.created_at.isoformat(),
    }
