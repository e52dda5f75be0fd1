"""The steps of the optimise workflow."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...evaluators.bayesopt import SpaceExhausted, Surrogate, TrialState
from ...evaluators.blackbox import Blackbox
from ...knowledge_base import NumberTaken
from ..models.errors import BudgetExhausted
from ..running.budget import Spent, TimeBudget
from .choice import Choice, Source
from .errors import Interrupted
from .events import Listener, Progress
from .graph import OptimisationState
from .state import State
from .study import OpenStudy

Update = dict[str, Any]


@dataclass
class Steps:
    """The nodes of the graph; each returns what it changes of the state."""

    study: OpenStudy
    blackbox: Blackbox
    budget: TimeBudget
    listener: Listener
    stop: threading.Event
    progress: Progress
    spent: Callable[[], Spent] = Spent
    _surrogate: Surrogate | None = field(default=None, init=False)
    _started: float = field(default=0.0, init=False)

    def observe(self, state: OptimisationState) -> Update:
        """Look at the study: a trial under way comes first, then the budget, then the next step.

        Raises:
            Interrupted: somebody asked the run to stop.
        """
        if self.stop.is_set():
            raise Interrupted("The optimisation was asked to stop.")
        self._started = time.monotonic()
        pending = self.study.pending()
        if pending is not None:
            return {"next": "evaluate", "number": pending.number}
        if self.study.left <= 0:
            return {"next": "end"}
        why = self.budget.exhausted()
        if why:
            return {"next": "end", "stop": why}
        seen = self.study.observe()
        if seen is None:
            return {"next": "suggest", "state": None, "choice": None}
        self._surrogate = seen[1]
        return {"next": "choose", "state": seen[0].to_json()}

    def choose(self, state: OptimisationState) -> Update:
        """Ask the strategist; a used-up budget of a model ends the run."""
        assert state["state"] is not None
        assert self._surrogate is not None
        try:
            choice = self.study.choose(State.from_json(state["state"]), self._surrogate)
        except BudgetExhausted as error:
            return {"next": "end", "stop": str(error)}
        fields = {"arm": choice.arm, "reason": choice.reason, "source": choice.source.value}
        return {"next": "suggest", "choice": {**fields, "memory": dict(choice.memory)}}

    def suggest(self, state: OptimisationState) -> Update:
        """Turn the choice into a point and store it."""
        chosen, seen = state["choice"], state["state"]
        choice = None
        if chosen is not None:
            choice = Choice(**{**chosen, "source": Source(chosen["source"])})
        try:
            number = self.study.suggest(
                None if seen is None else State.from_json(seen),
                choice,
                lambda: time.monotonic() - self._started,
            )
        except SpaceExhausted as error:
            return {"next": "end", "stop": str(error)}
        except NumberTaken:
            number = self.study.ask()
        return {"next": "evaluate", "number": number}

    def evaluate(self, state: OptimisationState) -> Update:
        """Evaluate the trial that waits, store the result and learn from it."""
        assert state["number"] is not None
        number = state["number"]
        trial = self.study.base.studies.trials(self.study.run_id)[number - 1]
        progress = self.progress
        progress.number, progress.point = number, trial.point
        progress.arm, progress.source, progress.reason = trial.arm, trial.source, trial.reason
        progress.choice_s = trial.choice_s
        self.listener("suggested", progress)
        started = time.monotonic()
        measured = self.blackbox.evaluate(trial.point)
        progress.evaluation_s = time.monotonic() - started
        before = self.study.optimizer.best()
        self.study.tell(number, measured)
        best = self.study.optimizer.best()
        assert self.study.optimizer.trials[number - 1].state is not TrialState.PENDING
        progress.value, progress.message = measured.value, measured.message
        progress.incumbent = None if best is None else best.value
        progress.improved = best is not None and (before is None or best.number != before.number)
        spent = self.spent()
        progress.calls, progress.tokens, progress.usd = spent.calls, spent.tokens, spent.usd
        self.listener("evaluated", progress)
        return {"state": None, "choice": None, "number": None}
