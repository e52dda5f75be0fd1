"""What is run: strategies, seeds and problems at equal budgets, and which runs are one and the same."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eurisko.agents.evolution import Budgets, EvolutionSettings
from eurisko.agents.evolution.strategies import STRATEGIES, StrategyName
from eurisko.evaluators import get_problem

SHORT_PACKING = str(Path(__file__).parents[1] / "short_packing")
PROBLEMS = ("tsp_construct", SHORT_PACKING, "cvrp_construct")
BASE: StrategyName = "hifo"
ENDLESS = 10_000
"""Generations of a run that the budget of model calls is to end."""


@dataclass(frozen=True)
class Job:
    """One run."""

    problem: str
    strategy: StrategyName
    seed: int

    @property
    def title(self) -> str:
        """The problem's short name."""
        return Path(self.problem).name


@dataclass(frozen=True)
class Plan:
    """The whole table.

    Args:
        problems: names of problems, or folders.
        strategies: the first one is what the others are compared with.
        seeds: every strategy gets the same ones, which pairs the runs.
        budget: candidates of a run offline; requests to the model, whatever for, with one.
        population: members that survive.
        model: None for typed genetic programming.
        options: further settings of a run, such as the address of the model.
    """

    problems: tuple[str, ...] = PROBLEMS
    strategies: tuple[StrategyName, ...] = (BASE, *(one for one in STRATEGIES if one != BASE))
    seeds: tuple[int, ...] = tuple(range(10))
    budget: int = 128
    population: int = 4
    model: str | None = None
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def generations(self) -> int:
        """How many generations come closest to the budget: 2P candidates in the first, then 5P."""
        if self.model is not None:
            return ENDLESS
        return max(1, round((self.budget - 2 * self.population) / (5 * self.population)))

    @property
    def candidates(self) -> int:
        """How many candidates an offline run makes, besides the problem's own heuristic."""
        return (2 + 5 * self.generations) * self.population

    def twin(self, strategy: StrategyName) -> StrategyName:
        """Return the strategy whose runs are those of this one, the first in the plan's order.

        Typed genetic programming reads no insights, so that strategies which differ in nothing else
        are the same run without a model.
        """
        if self.model is not None:
            return strategy
        kinds = [_without_hindsight(one) for one in self.strategies]
        return self.strategies[kinds.index(_without_hindsight(strategy))]

    def jobs(self) -> Iterator[Job]:
        """Yield the runs, seed by seed, so that a table can be made at any moment."""
        distinct = [one for one in self.strategies if self.twin(one) == one]
        for seed in self.seeds:
            for problem in self.problems:
                for strategy in distinct:
                    yield Job(problem, strategy, seed)

    def settings(self, job: Job, folder: Path, workers: int) -> EvolutionSettings:
        """Return the settings of a run; insights of earlier runs and tuning are off for all."""
        fields: dict[str, Any] = {
            "problem": job.problem,
            "strategy": job.strategy,
            "seed": job.seed,
            "generations": self.generations,
            "population": self.population,
            "transfer": False,
            "workers": workers,
            "runs_folder": folder / "runs",
            "model": self.model,
            "budgets": Budgets(calls=self.budget if self.model is not None else None),
            **dict(self.options),
        }
        if "tune" in EvolutionSettings.model_fields:
            fields["tune"] = False
        return EvolutionSettings.model_validate(fields)

    def mark(self, job: Job) -> dict[str, Any]:
        """Return what tells whether a stored result is of this run."""
        return {
            "problem": job.title,
            "strategy": job.strategy,
            "seed": job.seed,
            "budget": self.budget,
            "population": self.population,
            "model": self.model,
            "rules": rules(job.problem),
        }


def rules(problem: str) -> str:
    """Return a digest of a problem's version, data sets and grammar, which results depend on."""
    loaded = get_problem(problem)
    sha = hashlib.sha256(f"{loaded.spec.name} {loaded.spec.version}".encode())
    for names in loaded.spec.splits.values():
        for name in names:
            sha.update(loaded.dataset(name).digest.encode())
    if loaded.grammar is not None:
        grammar = loaded.grammar
        symbols: Sequence[Any] = (*grammar.features, *grammar.operators, *grammar.helpers)
        for one in symbols:
            sha.update(f"{one.name} {sorted(one.sources.items())}".encode())
        sha.update(f"{grammar.seed} {grammar.constants}".encode())
    return sha.hexdigest()[:12]


def _without_hindsight(name: StrategyName) -> tuple[Any, ...]:
    one = STRATEGIES[name]
    return one.foresight, one.operator, one.elitist
