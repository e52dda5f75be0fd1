"""One study as a process holds it: the optimiser in step with the knowledge base.

The knowledge base is the only checkpoint. A suggestion, the optimiser's state after it and the
strategist's memory are one transaction, before anybody evaluates the point; so wherever a process
dies, the next one finds either all of a step or nothing of it, and goes on identically.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...evaluators.bayesopt import Inner, Optimizer, OutsideArm, Phase, Suggestion, Surrogate
from ...evaluators.blackbox import Measurement
from ...knowledge_base import KnowledgeBase, NumberTaken
from ...knowledge_base.models import Trial
from ..running.streams import stream, stream_seed
from .choice import Choice, Strategist
from .naming import arms_of
from .observe import observe
from .posterior import EnginePosterior
from .settings import OptimisationSettings
from .state import State
from .target import minimises, space_of

_TRIES = 50  # processes that suggest at the same moment
_NO_CHOICE = "space-filling start"


@dataclass
class OpenStudy:
    """A study that this process works on.

    Args:
        base: where it is stored.
        run_id: its run.
        settings: of the run.
        strategist: who chooses.
        outside: its evolved arms, opened.
    """

    base: KnowledgeBase
    run_id: str
    settings: OptimisationSettings
    strategist: Strategist
    outside: Sequence[OutsideArm] = ()
    optimizer: Optimizer = field(init=False)
    memory: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.load()

    def load(self) -> None:
        """Take over what is stored: the optimiser's last state, and results told since."""
        studies = self.base.studies
        while True:
            study, trials = studies.get(self.run_id), studies.trials(self.run_id)
            optimizer = (
                new_optimizer(self.settings, self.outside)
                if study.optimizer is None
                else Optimizer.from_state(study.optimizer, self.outside)
            )
            if len(trials) == len(optimizer.trials):
                break  # else another process suggested between the two questions
        for trial in trials:
            told(optimizer, trial)
        self.optimizer, self.memory = optimizer, study.memory

    def pending(self) -> Trial | None:
        """Return the first trial without a result."""
        trials = self.base.studies.trials(self.run_id)
        return next((one for one in trials if one.status == "pending"), None)

    @property
    def left(self) -> int:
        """How many suggestions the budget still allows."""
        return self.settings.budget - len(self.optimizer.trials)

    def observe(self) -> tuple[State, Surrogate] | None:
        """Return the state before the next step; None in the initial design or without a model."""
        if len(self.optimizer.trials) < self.optimizer.initial:
            return None
        surrogate = self.optimizer.surrogate()
        if surrogate is None:
            return None
        arms = arms_of(self.settings)
        return observe(self.optimizer, surrogate, self.settings.budget, arms), surrogate

    def choose(self, state: State, surrogate: Surrogate) -> Choice:
        """Ask the strategist."""
        draw = stream(self.settings.seed, "choice", len(self.optimizer.trials))
        posterior = EnginePosterior(self.optimizer, surrogate)
        return self.strategist.choose(state, posterior, self.memory, draw)

    def suggest(
        self,
        state: State | None,
        choice: Choice | None,
        seconds: Callable[[], float] = lambda: 0.0,
    ) -> int:
        """Ask the optimiser for a point and store it; return the trial's number.

        Raises:
            SpaceExhausted: nothing is left to try.
            NumberTaken: another process was faster; the study has been loaded anew.
        """
        (suggestion,) = self.optimizer.ask(None if choice is None else choice.arm)
        memory = self.memory if choice is None else choice.memory
        row = self._row(suggestion, state, choice)
        row["choice_s"] = seconds()
        try:
            self.base.studies.suggest(self.run_id, [row], self.optimizer.state(), memory)
        except NumberTaken:
            self.load()
            raise
        self.memory = memory
        return suggestion.number + 1

    def ask(self) -> int:
        """Observe, choose and suggest, again whenever another process was faster."""
        for attempt in range(_TRIES):
            seen = self.observe()
            choice = None if seen is None else self.choose(*seen)
            try:
                return self.suggest(None if seen is None else seen[0], choice)
            except NumberTaken:
                if attempt == _TRIES - 1:
                    raise
        raise AssertionError("unreachable")

    def tell(self, number: int, measured: Measurement) -> None:
        """Store the result of a trial and learn from it."""
        self.base.studies.tell(
            self.run_id,
            number,
            measured.value,
            noise=measured.noise,
            message=measured.message,
            evaluation_s=measured.seconds,
        )
        self.optimizer.tell(
            number - 1, measured.value, noise_sd=measured.noise, message=measured.message
        )

    def _row(
        self, suggestion: Suggestion, state: State | None, choice: Choice | None
    ) -> dict[str, Any]:
        initial = suggestion.phase is Phase.INITIAL
        row: dict[str, Any] = {
            "number": suggestion.number + 1,
            "point": suggestion.point,
            "phase": "initial" if initial else "model",
            "notes": suggestion.diagnostics,
            "arm": "" if initial else suggestion.arm or "",
            "reason": _NO_CHOICE if initial else "no model could be fitted",
        }
        if choice is not None and state is not None and not initial:
            row |= {"source": choice.source.value, "reason": choice.reason}
            row["state"] = state.to_json()
            if suggestion.arm != choice.arm:
                why = suggestion.diagnostics["notes"][0]
                row["reason"] = f"{choice.reason}; {why}; {suggestion.arm} instead"
        surrogate = None if initial else self.optimizer.surrogate()
        if surrogate is not None:
            mean, deviation = surrogate.predict([suggestion.point])
            row |= {"predicted_mean": float(mean[0]), "predicted_deviation": float(deviation[0])}
        return row


def new_optimizer(settings: OptimisationSettings, outside: Sequence[OutsideArm] = ()) -> Optimizer:
    """Return the optimiser of a run that has no trial yet."""
    return Optimizer(
        space_of(settings),
        # The engine's generators take 63 bits at most, and draw streams of their own from it.
        seed=stream_seed(settings.seed, "optimizer"),
        minimise=minimises(settings),
        noisy=settings.noisy,
        initial=settings.initial,
        surrogate=settings.surrogate,
        inner=Inner(**settings.effort),
        outside=outside,
    )


def told(optimizer: Optimizer, trial: Trial) -> None:
    """Tell the optimiser the stored result of a trial, if there is one."""
    if trial.status != "pending":
        optimizer.tell(trial.number - 1, trial.value, noise_sd=trial.noise, message=trial.message)
