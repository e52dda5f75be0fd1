"""Answers to the questions that data cannot answer, as changes."""

from collections.abc import Callable, Mapping

from ....evaluators.errors import did_you_mean
from ....evaluators.routing import RoutingError
from ....evaluators.routing.analysis.inference import LOAD_RULES
from ....evaluators.routing.objectives import MEASURES
from ....evaluators.routing.rounding import ROUNDINGS
from ..changes import Change, FleetSize, LoadRule, ObjectiveOrder, ReturnRule, Rounding


def answer_change(key: str, option: str) -> Change:
    """Return the change that an answer means.

    Args:
        key: ``return``, ``load_rule``, ``rounding``, ``fleet_size`` or ``objective``.
        option: one of the question's options; a number for ``fleet_size``, any measures joined by
            ", then " for ``objective``.

    Raises:
        RoutingError: no such question, or no such option.
    """
    if key not in _MEANINGS:
        raise RoutingError(f"there is no question {key!r}; {did_you_mean(key, _MEANINGS)}")
    return _MEANINGS[key](" ".join(option.strip().lower().split()))


def _one_of(key: str, option: str, known: tuple[str, ...]) -> str:
    if option not in known:
        raise RoutingError(f"{key}: {option!r} is none of {', '.join(known)}.")
    return option


def _fleet_size(option: str) -> Change:
    if option == "unlimited":
        return FleetSize(count=None)
    if not (option.isdigit() and 0 < int(option) < 10**9):
        raise RoutingError(f"fleet_size: {option!r} is neither 'unlimited' nor a number from 1.")
    return FleetSize(count=int(option))


def _objective(option: str) -> Change:
    measures = [part.strip().removeprefix("then ").strip() for part in option.split(",")]
    order = tuple(_one_of("objective", one, tuple(MEASURES)) for one in measures)
    return ObjectiveOrder(order=order)


_MEANINGS: Mapping[str, Callable[[str], Change]] = {
    "return": lambda option: ReturnRule.model_validate(
        {"rule": _one_of("return", option, ("closed", "open"))}
    ),
    "load_rule": lambda option: LoadRule.model_validate(
        {"rule": _one_of("load_rule", option, LOAD_RULES)}
    ),
    "rounding": lambda option: Rounding(rule=_one_of("rounding", option, tuple(ROUNDINGS))),
    "fleet_size": _fleet_size,
    "objective": _objective,
}
