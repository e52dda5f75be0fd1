"""Ask and tell: the optimiser as a pure object, without storage, clock or black box."""

import math
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from ..errors import InputError
from .arms import Arm, OutsideArm, arms
from .arms import arm as find_arm
from .fitting import Fitted, Hyper, SurrogateFailure, Training, fit, restore
from .maximise import Inner
from .parameters import Columns
from .propose import DEFAULT_ARM, Request, close, propose, space_filling
from .sampling import LARGEST, design
from .settings import Settings
from .space import Space
from .threads import one_thread
from .training import training_data
from .trial import Phase, Suggestion, Trial, TrialState
from .utility import Scale
from .view import Surrogate

REPEATS = 3  # evaluations of one point that a noisy study allows
FRESH = 5  # every so many evaluations the fit also starts afresh


class SpaceExhausted(InputError):
    """Every point of a finite space was evaluated, has failed or is under way."""


class Optimizer:
    """Proposes points and learns from their values.

    Trials are numbered in the order in which they were asked for or imported; values may come in
    any order. Not thread-safe: one owner at a time.
    """

    def __init__(
        self,
        space: Space,
        *,
        seed: int,
        minimise: bool = True,
        noisy: bool = False,
        initial: int | None = None,
        surrogate: str = "matern",
        threads: int = 1,
        step_seconds: float | None = None,
        inner: Inner | None = None,
        outside: Sequence[OutsideArm] = (),
    ) -> None:
        self.space = space
        self.outside = {one.name: one for one in outside}
        taken = self.outside.keys() & set(arms())
        if taken:
            raise InputError(f"An acquisition function of the portfolio is called {min(taken)!r}.")
        self.settings = Settings(
            seed, minimise, noisy, initial, surrogate, threads, step_seconds, inner or Inner()
        )
        self._trials: list[Trial] = []
        self._hyper: Hyper | None = None
        self._fitted_on: list[Any] | None = None
        self._cache: tuple[list[Any], Fitted, Training, Scale] | None = None

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All trials by number."""
        return tuple(self._trials)

    @property
    def initial(self) -> int:
        """The size of the space-filling start."""
        given = self.settings.initial
        return given if given is not None else 2 * len(self.space.free) + 1

    def ask(self, arm: str | None = None, count: int = 1) -> list[Suggestion]:
        """Return ``count`` points to evaluate, fewer if a finite space runs out.

        Args:
            arm: name of the acquisition function; None: LogEI. Ignored during the initial design.
            count: size of the batch; its points are chosen one after another, each given that the
                earlier ones turn out as expected.

        Raises:
            InputError: an unknown arm.
            SpaceExhausted: nothing is left to try.
        """
        chosen = self._arm(arm or DEFAULT_ARM)
        suggestions: list[Suggestion] = []
        with one_thread(self.settings.threads):
            while len(suggestions) < count:
                try:
                    suggestion = self._next(chosen)
                except SpaceExhausted:
                    if not suggestions:
                        raise
                    break
                suggestions.append(suggestion)
                self._trials.append(
                    Trial(
                        suggestion.number,
                        suggestion.point,
                        TrialState.PENDING,
                        arm=suggestion.arm,
                        phase=suggestion.phase,
                    )
                )
        return suggestions

    def tell(
        self,
        where: int | Mapping[str, Any],
        value: float | None,
        *,
        noise_sd: float | None = None,
        message: str = "",
    ) -> Trial:
        """Record a result and return its trial.

        Args:
            where: number of a trial, or a point (also one that was never asked for).
            value: the result; None, not-a-number and infinity mean that the evaluation failed.
            noise_sd: standard deviation of its noise, if known.
            message: why it failed, or a remark.

        Raises:
            InputError: unknown number, a point outside the space, or another result for a trial
                that has one (the same result again changes nothing).
        """
        if noise_sd is not None and not (noise_sd >= 0 and math.isfinite(noise_sd)):
            raise InputError(f"The noise must be a standard deviation, not {noise_sd}.")
        trial = self._find(where)
        result = _result(trial, value, noise_sd, message)
        if trial.state is not TrialState.PENDING:
            if (trial.state, trial.value) != (result.state, result.value):
                raise InputError(
                    f"Trial {trial.number} already has a result ({trial.state}, {trial.value})."
                )
            return trial
        self._trials[trial.number] = result
        return result

    def warm_start(
        self, table: Sequence[tuple[Mapping[str, Any], float | None]]
    ) -> list[tuple[int, str]]:
        """Take over earlier results, which count towards the initial design.

        Args:
            table: points and values (None: failed).

        Returns:
            The rows left out and why, such as a point outside the space.
        """
        skipped = []
        for index, (point, value) in enumerate(table):
            try:
                self._import(point, value)
            except InputError as error:
                skipped.append((index, str(error)))
        return skipped

    def best(self) -> Trial | None:
        """Return the trial of the best observed value, None before the first."""
        done = [one for one in self._trials if one.state is TrialState.DONE]
        sign = 1.0 if self.settings.minimise else -1.0
        return min(done, key=lambda one: sign * (one.value or 0.0), default=None)

    def surrogate(self) -> Surrogate | None:
        """Return the model of all values told so far; None before the first or if no fit worked."""
        with one_thread(self.settings.threads):
            try:
                fitted, training, scale = self._model()
            except SurrogateFailure:
                return None
            return Surrogate(self.space, fitted, training, scale)

    def state(self) -> dict[str, Any]:
        """Return everything as plain JSON data, the last fit's hyper-parameters included."""
        return {
            "version": 1,
            "space": self.space.to_dict(),
            "settings": asdict(self.settings),
            "trials": [one.to_dict() for one in self._trials],
            "hyper": None if self._hyper is None else dict(self._hyper),
            "fitted_on": self._fitted_on,
        }

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], outside: Sequence[OutsideArm] = ()
    ) -> "Optimizer":
        """Return the optimiser of a state; it goes on exactly as the saved one would have.

        Args:
            state: as `state` gave it.
            outside: arms beside the portfolio, which no state holds.
        """
        if state.get("version") != 1:
            raise InputError(f"Unknown version {state.get('version')!r} of an optimiser's state.")
        settings = {**state["settings"], "inner": Inner(**state["settings"]["inner"])}
        made = cls(Space.from_dict(state["space"]), outside=outside, **settings)
        made._trials = [Trial.from_dict(one) for one in state["trials"]]
        made._hyper = state["hyper"]
        made._fitted_on = state["fitted_on"]
        return made

    def _find(self, where: int | Mapping[str, Any]) -> Trial:
        if isinstance(where, int):
            if not 0 <= where < len(self._trials):
                raise InputError(f"There is no trial {where}; the last is {len(self._trials) - 1}.")
            return self._trials[where]
        point = self.space.check(where)
        for trial in self._trials:
            if trial.point == point and trial.state is TrialState.PENDING:
                return trial
        return self._import(point, None, pending=True)

    def _import(
        self, point: Mapping[str, Any], value: float | None, pending: bool = False
    ) -> Trial:
        checked = self.space.check(point)
        number = len(self._trials)
        trial = Trial(number, checked, TrialState.PENDING, phase=Phase.IMPORTED)
        self._trials.append(trial if pending else _result(trial, value, None, ""))
        return self._trials[-1]

    def _seed(self, what: str, number: int) -> int:
        key = [self.settings.seed, zlib.crc32(what.encode()), number]
        return int(np.random.SeedSequence(key).generate_state(1)[0] >> 1)

    def _rows(self, *states: TrialState) -> Columns:
        return self.space.encode([one.point for one in self._trials if one.state in states])

    def _arm(self, name: str) -> Arm | OutsideArm:
        return self.outside[name] if name in self.outside else find_arm(name)

    def _next(self, arm: Arm | OutsideArm) -> Suggestion:
        number = len(self._trials)
        forbidden = self._forbidden()
        self._check_left(forbidden)
        if number < self.initial or not self._rows(TrialState.DONE).size:
            return self._initial(number, forbidden)
        try:
            fitted, training, _ = self._model()
        except SurrogateFailure as error:
            row = space_filling(
                self.space,
                self._rows(TrialState.DONE, TrialState.FAILED),
                self._rows(TrialState.PENDING),
                forbidden,
                self._seed("fallback", number),
            )
            diagnostics = {"fallback": "space-filling", "notes": [str(error)]}
        else:
            row, diagnostics = self._proposal(fitted, training, arm, forbidden)
            diagnostics["fit"] = list(fitted.steps)
            if fitted.messages:
                diagnostics["fit_messages"] = list(fitted.messages)
        point = self.space.decode(row[None])[0]
        used = DEFAULT_ARM if diagnostics.get("fallback") == DEFAULT_ARM else arm.name
        return Suggestion(number, point, used, Phase.MODEL, diagnostics)

    def _proposal(
        self, fitted: Fitted, training: Training, arm: Arm | OutsideArm, forbidden: Columns
    ) -> tuple[Columns, dict[str, Any]]:
        seconds = self.settings.step_seconds
        rows = training.rows.numpy()
        utilities = training.utilities.numpy()
        incumbent = float(utilities.max())
        if self.settings.noisy:
            import torch

            with torch.no_grad():
                incumbent = float(fitted.model.posterior(training.rows).mean.max())
        request = Request(
            self.space,
            self.settings.inner,
            rows,
            utilities,
            self._rows(TrialState.PENDING),
            forbidden,
            incumbent,
            self._seed("step", len(self._trials)),
            None if seconds is None else time.monotonic() + seconds,
        )
        return propose(fitted.model, arm, request)

    def _initial(self, number: int, forbidden: Columns) -> Suggestion:
        """Return the next point of the Sobol design that isn't taken; far ones after its end."""
        rows = design(self.space, self.initial, self._seed("design", 0))
        free = rows[~close(rows, forbidden)] if len(rows) else rows
        taken = sum(one.phase is Phase.INITIAL for one in self._trials)
        diagnostics: dict[str, Any] = {}
        if len(free) and taken < self.initial:
            row = free[0]
        else:
            diagnostics["notes"] = ["no value yet: space-filling"]
            known = self._rows(*TrialState)
            nothing = known[:0]
            row = space_filling(
                self.space, known, nothing, forbidden, self._seed("filling", number)
            )
        return Suggestion(number, self.space.decode(row[None])[0], None, Phase.INITIAL, diagnostics)

    def _forbidden(self) -> Columns:
        """Return the points that must not be proposed, by the duplicate policy."""
        if not self.settings.noisy:
            return self._rows(*TrialState)
        done = self._rows(TrialState.DONE)
        often = [row for row in done if close(done, row[None]).sum() >= REPEATS]
        never = self._rows(TrialState.PENDING, TrialState.FAILED)
        return np.concatenate([never, np.array(often).reshape(-1, self.space.columns)])

    def _check_left(self, forbidden: Columns) -> None:
        size = self.space.size
        if size is None or size > min(LARGEST, 100 * (len(forbidden) + 1)):
            return
        lattice = np.array(list(self.space.lattice())).reshape(-1, self.space.columns)
        if close(lattice, forbidden).all():
            raise SpaceExhausted(
                f"All {len(lattice)} points of the space were tried, failed or are under way."
            )

    def _model(self) -> tuple[Fitted, Training, Scale]:
        """Return the model of the current data, fitted once."""
        key = [
            [one.number, one.value] for one in self._trials if one.state is not TrialState.PENDING
        ]
        if self._cache and self._cache[0] == key:
            return self._cache[1:]
        training, scale = training_data(self.space, self._trials, self.settings)
        if self._hyper is not None and self._fitted_on == key:
            fitted = restore(training, self._hyper)
        else:
            fresh = len(key) % FRESH == 0
            fitted = fit(training, self._hyper, self.settings.step_seconds, fresh)
            self._hyper, self._fitted_on = fitted.hyper, key
        self._cache = (key, fitted, training, scale)
        return fitted, training, scale


def _result(trial: Trial, value: float | None, noise_sd: float | None, message: str) -> Trial:
    if value is None or not math.isfinite(value):
        reason = message or ("no value" if value is None else f"the value is {value}")
        return replace(trial, state=TrialState.FAILED, message=reason)
    return replace(
        trial, state=TrialState.DONE, value=float(value), noise_sd=noise_sd, message=message
    )
