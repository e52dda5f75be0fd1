"""``eurisko evolve --solver``: a created solver's function becomes a problem of its own."""

from pathlib import Path

from .output import fail


def problem_of(
    problem: str | None,
    solver: str | None,
    function: str | None,
    instances: list[Path],
    runs_folder: Path,
    model: str | None,
) -> str:
    """Return the problem to evolve: the one named, or the folder of a solver's function.

    The folder lies in the folder of runs and is made once for each solver and function, unless
    instances are given.
    """
    if solver is None:
        if problem is None or function is not None or instances:
            fail(
                "Name a PROBLEM; --function and --instances go with --solver, the id of a created "
                "solver ('eurisko solvers' lists them)."
            )
        return problem
    if problem is not None:
        fail("Give a PROBLEM or --solver, not both.")
    if function is None:
        fail("Say which function of the solver to evolve: --function initial, destroy or insert.")
    if model is None:
        fail(
            "A solver's function can be evolved with a language model only: add --model, for example "
            "--model openai/NAME."
        )
    from ..agents.routing.evolving import Wanted, make_problem
    from ..knowledge_base import KnowledgeBase
    from ..sandbox import Sandbox

    with KnowledgeBase() as base, Sandbox(workers=1) as sandbox:
        found = base.solvers.get(solver)
        folder = runs_folder.resolve() / "solvers" / f"{found.id}-{function}"
        wanted = Wanted(found, function, tuple(instances))
        return str(make_problem(base, sandbox, wanted, folder))
