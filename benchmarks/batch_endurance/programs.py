"""The job: programs of short offline runs, as files."""

from collections.abc import Iterable
from pathlib import Path

from eurisko.agents.batch import plan
from eurisko.agents.evolution import EvolutionSettings, evolve
from eurisko.knowledge_base import KnowledgeBase

PROBLEMS = {
    "tsp_construct": "uniform-50-search",
    "job_shop": "search",
    "flow_shop": "taillard-20x5",
}
"""Each with quick data."""


def make_programs(folder: Path, count: int) -> None:
    """Have ``count`` different programs for each problem in ``folder/programs``."""
    for problem, dataset in PROBLEMS.items():
        target = folder / "programs" / problem
        if len(list(target.glob("*.py"))) >= count:
            continue
        target.mkdir(parents=True, exist_ok=True)
        with KnowledgeBase(f"sqlite:///{folder / 'programs.db'}") as base:
            codes: dict[str, str] = {}
            seed = 0
            while len(codes) < count:
                settings = EvolutionSettings(
                    problem=problem,
                    generations=1 + count // 20,
                    population=6,
                    seed=seed,
                    runs_folder=folder / "runs",
                )
                run = evolve(settings, base).run.id
                seed += 1
                source = {"programs": [{"run": run, "take": "all"}]}
                data = [{"name": problem, "datasets": [dataset]}]
                _, expansion = plan({**source, "problems": data}, base, folder)
                codes.update((one.hash, one.code) for one in expansion.programs)
        for number, code in enumerate(list(codes.values())[:count]):
            (target / f"{number:03}.py").write_text(code)


def job_file(folder: Path, count: int, seeds: Iterable[int]) -> Path:
    """Write the job of ``count`` programs for each problem, and return its path."""
    import yaml

    def part(problem: str, dataset: str) -> dict[str, object]:
        files = [f"programs/{problem}/{number:03}.py" for number in range(count)]
        return {
            "name": problem,
            "datasets": [dataset],
            "programs": [{"files": one} for one in files],
        }

    job = {
        "name": "endurance",
        "problems": [part(*one) for one in PROBLEMS.items()],
        "seeds": list(seeds),
    }
    path = folder / f"job-{count}.yaml"
    path.write_text(yaml.safe_dump(job))
    return path
