"""What the model is shown when it is asked for insights (HiFo-Prompt, section 3.3, and beyond it).

The published prompt shows the ideas of the best members only. Ours shows them with code, scores and
what they changed, pairs of a better and a worse child of the same parent, and what failed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .constants import HindsightConstants

MOST_CONTRASTS = 2
MOST_FAILURES = 3
LONGEST_CODE = 1500  # characters


@dataclass(frozen=True)
class Trial:
    """A candidate as extraction sees it.

    Args:
        id: which candidate.
        thought: its idea.
        code: its source.
        objective: on the search split, minimised; None if it failed.
        parents: what it was made from, the first one being the one it is compared with.
        failure: what went wrong, in a few words; empty if nothing did.

    """

    id: int
    thought: str
    code: str
    objective: float | None
    parents: "tuple[Trial, ...]" = ()
    failure: str = ""


@dataclass(frozen=True)
class Elite:
    """One of the best, and what it changed against its first parent (below zero is better)."""

    thought: str
    code: str
    objective: float
    change: float | None


@dataclass(frozen=True)
class Child:
    """An idea and its objective."""

    thought: str
    objective: float


@dataclass(frozen=True)
class Contrast:
    """The best and the worst child of one parent."""

    parent_thought: str
    parent_objective: float
    better: Child
    worse: Child


@dataclass(frozen=True)
class Failure:
    """What went wrong with which idea."""

    what: str
    thought: str


@dataclass(frozen=True)
class Material:
    """All that the prompt shows."""

    elites: tuple[Elite, ...]
    contrasts: tuple[Contrast, ...]
    failures: tuple[Failure, ...]


def material(
    population: Sequence[Trial], children: Sequence[Trial], constants: HindsightConstants
) -> Material | None:
    """Return what to show after a generation, or None when the population is too small to learn from.

    Args:
        population: its survivors, best first.
        children: all candidates that the generation made.
        constants: sizes.

    """
    if len(population) < constants.fewest_members:
        return None
    count = max(1, int(constants.elite_share * len(population)))
    elites = [_elite(one) for one in population[:count] if one.objective is not None]
    return Material(tuple(elites), _contrasts(children), _failures(children))


def _elite(trial: Trial) -> Elite:
    assert trial.objective is not None
    parent = trial.parents[0].objective if trial.parents else None
    change = None if parent is None else trial.objective - parent
    return Elite(trial.thought, _shortened(trial.code), trial.objective, change)


def _shortened(code: str) -> str:
    if len(code) <= LONGEST_CODE:
        return code
    kept = code[:LONGEST_CODE].rsplit("\n", 1)[0]
    return f"{kept}\n# (the rest is left out here)"


def _contrasts(children: Sequence[Trial]) -> tuple[Contrast, ...]:
    """Return the pairs that differ most, each parent at most once."""
    families: dict[int, tuple[Trial, list[Child]]] = {}
    for child in children:
        parent = child.parents[0] if child.parents else None
        if parent is not None and parent.objective is not None and child.objective is not None:
            _, siblings = families.setdefault(parent.id, (parent, []))
            siblings.append(Child(child.thought, child.objective))
    contrasts = []
    for parent, siblings in families.values():
        better = min(siblings, key=lambda one: one.objective)
        worse = max(siblings, key=lambda one: one.objective)
        if better.objective < worse.objective and parent.objective is not None:
            contrasts.append(Contrast(parent.thought, parent.objective, better, worse))
    contrasts.sort(key=lambda one: one.better.objective - one.worse.objective)
    return tuple(contrasts[:MOST_CONTRASTS])


def _failures(children: Sequence[Trial]) -> tuple[Failure, ...]:
    """Return different failures, in the order in which they happened."""
    seen: dict[str, Failure] = {}
    for child in children:
        if child.failure:
            seen.setdefault(child.failure, Failure(child.failure, child.thought))
    return tuple(list(seen.values())[:MOST_FAILURES])
