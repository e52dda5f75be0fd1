"""The evolutionary navigator: histories, counters and the regime rule (HiFo-Prompt, section 2).

Pure functions over frozen values. :func:`observe` is called once after each generation and
:func:`decide` once before it; neither knows of offspring, so the counters cannot tick within a
generation (the released code's defect).
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .constants import NavigatorConstants
from .regimes import Regime, draw_directive, draw_general_directive

Rule = Literal["warm-up", "stagnation", "diversity", "progress", "otherwise", "lottery", "random"]


@dataclass(frozen=True)
class NavigatorState:
    """What the navigator remembers between generations.

    Args:
        best, mean, diversity: one entry for each generation seen, oldest first, the last ones only.
        stagnation: generations in a row without progress.
        progress: generations in a row with progress; one of the two is always 0.

    """

    best: tuple[float, ...] = ()
    mean: tuple[float, ...] = ()
    diversity: tuple[float, ...] = ()
    stagnation: int = 0
    progress: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return plain data; floats survive a trip through JSON unchanged."""
        return {
            "best": list(self.best),
            "mean": list(self.mean),
            "diversity": list(self.diversity),
            "stagnation": self.stagnation,
            "progress": self.progress,
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> "NavigatorState":
        """Return the state that :meth:`to_json` wrote."""
        return cls(
            best=tuple(plain["best"]),
            mean=tuple(plain["mean"]),
            diversity=tuple(plain["diversity"]),
            stagnation=plain["stagnation"],
            progress=plain["progress"],
        )


@dataclass(frozen=True)
class Decision:
    """What a generation is told to do, and why.

    Args:
        regime: explore, exploit or balanced.
        directive: one phrase that asks for special attention.
        rule: which rule fired.
        reason: the same as a sentence with its numbers.
        numbers: what the rule looked at: ``stagnation``, ``progress``, and ``diversity``, ``best``,
            ``gain`` and ``needed`` where they are known.

    """

    regime: Regime
    directive: str
    rule: Rule
    reason: str
    numbers: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "regime": self.regime.value,
            "directive": self.directive,
            "rule": self.rule,
            "reason": self.reason,
            "numbers": dict(self.numbers),
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> "Decision":
        """Return the decision that :meth:`to_json` wrote."""
        return cls(
            regime=Regime(plain["regime"]),
            directive=plain["directive"],
            rule=plain["rule"],
            reason=plain["reason"],
            numbers=dict(plain["numbers"]),
        )


def observe(
    state: NavigatorState,
    best: float,
    mean: float,
    diversity: float,
    constants: NavigatorConstants = NavigatorConstants(),  # noqa: B008  (frozen)
) -> NavigatorState:
    """Return the state after a generation; the objective is minimised.

    The counters tick from the second generation on: progress when the best objective fell by more
    than :func:`needed_gain`, stagnation otherwise.
    """
    stagnation, progress = state.stagnation, state.progress
    if state.best:
        if state.best[-1] - best > needed_gain(state.best[-1], constants):
            stagnation, progress = 0, progress + 1
        else:
            stagnation, progress = stagnation + 1, 0
    keep = constants.history
    return NavigatorState(
        best=(*state.best, best)[-keep:],
        mean=(*state.mean, mean)[-keep:],
        diversity=(*state.diversity, diversity)[-keep:],
        stagnation=stagnation,
        progress=progress,
    )


def needed_gain(previous: float, constants: NavigatorConstants) -> float:
    """Return the gain that progress must exceed, in objective units."""
    share = abs(previous) if constants.relative else 1.0
    return max(constants.epsilon * share, constants.quantum)


def decide(
    state: NavigatorState,
    rng: random.Random,
    constants: NavigatorConstants = NavigatorConstants(),  # noqa: B008  (frozen)
) -> Decision:
    """Return what the next generation is to do: the first rule that holds (section 2.2)."""
    numbers = _numbers(state, constants)
    if len(state.best) < 2:
        seen = "only one generation" if state.best else "nothing"
        reason = f"{seen} seen so far: no trend to go by"
        directive = draw_general_directive(rng)
        return Decision(Regime.BALANCED, directive, "warm-up", reason, numbers)
    regime, rule, reason = _rule(state, rng, constants)
    return Decision(regime, draw_directive(regime, rng), rule, reason, numbers)


def decide_at_random(
    state: NavigatorState,
    rng: random.Random,
    constants: NavigatorConstants = NavigatorConstants(),  # noqa: B008  (frozen)
) -> Decision:
    """Return a decision by lot, whatever the state says: the ablation of the regime rule."""
    regime = _lottery(rng, constants)
    reason = f"drawn by lot ({_shares(constants)}), as this strategy asks for"
    numbers = _numbers(state, constants)
    return Decision(regime, draw_directive(regime, rng), "random", reason, numbers)


def _rule(
    state: NavigatorState, rng: random.Random, constants: NavigatorConstants
) -> tuple[Regime, Rule, str]:
    if state.stagnation >= constants.stagnation:
        reason = (
            f"no progress for {state.stagnation} generations (threshold {constants.stagnation})"
        )
        return Regime.EXPLORE, "stagnation", reason
    if state.diversity[-1] < constants.diversity:
        reason = f"diversity {state.diversity[-1]:.3f} is below {constants.diversity:g}"
        return Regime.EXPLORE, "diversity", reason
    if state.progress >= constants.progress:
        reason = f"progress for {state.progress} generations (threshold {constants.progress})"
        return Regime.EXPLOIT, "progress", reason
    if constants.otherwise == "lottery":
        return _lottery(rng, constants), "lottery", f"no rule fires: by lot ({_shares(constants)})"
    reason = (
        f"no rule fires: stagnation {state.stagnation}, progress {state.progress}, "
        f"diversity {state.diversity[-1]:.3f}"
    )
    return Regime.BALANCED, "otherwise", reason


def _lottery(rng: random.Random, constants: NavigatorConstants) -> Regime:
    draw = rng.random()
    if draw < constants.explore_share:
        return Regime.EXPLORE
    if draw < constants.explore_share + constants.exploit_share:
        return Regime.EXPLOIT
    return Regime.BALANCED


def _shares(constants: NavigatorConstants) -> str:
    explore, exploit = constants.explore_share, constants.exploit_share
    return f"explore {explore:.0%}, exploit {exploit:.0%}, balanced {1 - explore - exploit:.0%}"


def _numbers(state: NavigatorState, constants: NavigatorConstants) -> dict[str, float]:
    numbers: dict[str, float] = {
        "generations": len(state.best),
        "stagnation": state.stagnation,
        "progress": state.progress,
    }
    if state.best:
        numbers |= {"best": state.best[-1], "diversity": state.diversity[-1]}
    if len(state.best) > 1:
        numbers["gain"] = state.best[-2] - state.best[-1]
        numbers["needed"] = needed_gain(state.best[-2], constants)
    return numbers
