"""The independent verdict on a program, as the workflow sees it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ....evaluators.routing import Reading
from ....evaluators.routing.objectives import Objective
from ....sandbox import Sandbox


@dataclass(frozen=True)
class Verified:
    """What the checks found; plain data, so that a checkpoint can hold it.

    ``failures`` are sentences that a model can act on; ``routes`` and ``vehicles`` are the plan for
    the user's instance, None where the program gave none; ``values`` are the objective's, recomputed.
    """

    passed: bool
    checks: int
    failures: tuple[str, ...] = ()
    routes: tuple[tuple[int, ...], ...] | None = None
    vehicles: tuple[int, ...] = ()
    values: tuple[float, ...] = ()
    feasible: bool = False
    seconds: float = 0.0
    names: tuple[str, ...] = field(default=())
    """Names of the checks, passed ones too."""
    unprobed: tuple[str, ...] = ()
    """Rules on which ``validate`` was not tested; the plans keep them all the same."""

    @property
    def score(self) -> tuple[bool, bool, int]:
        """What makes one program better than another: passed, feasible, checks passed."""
        return self.passed, self.feasible, self.checks - len(self.failures)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "passed": self.passed,
            "checks": self.checks,
            "failures": list(self.failures),
            "routes": None if self.routes is None else [list(route) for route in self.routes],
            "vehicles": list(self.vehicles),
            "values": list(self.values),
            "feasible": self.feasible,
            "seconds": self.seconds,
            "names": list(self.names),
            "unprobed": list(self.unprobed),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Verified":
        """Return what :meth:`to_json` wrote."""
        routes = data["routes"]
        return cls(
            passed=data["passed"],
            checks=data["checks"],
            failures=tuple(data["failures"]),
            routes=None if routes is None else tuple(tuple(route) for route in routes),
            vehicles=tuple(data["vehicles"]),
            values=tuple(data["values"]),
            feasible=data["feasible"],
            seconds=data["seconds"],
            names=tuple(data["names"]),
            unprobed=tuple(data["unprobed"]),
        )


class Verifier(Protocol):
    """Judges programs; it believes nothing that they say."""

    def verify(self, code: str) -> Verified:
        """Run a program on the user's instance and on the probes, in the sandbox."""
        ...


class AcceptanceVerifier:
    """The checks of :func:`~...evaluators.routing.created.accept`.

    Args:
        sandbox: an open one.
        text: the user's file.
        reading: what our reader made of it.
        names: the constraints.
        objective: what is minimised.
        seconds: what the program is given on the user's instance.
        seed: of the program.
        probe_seconds: what it is given on each small instance; default: as ``accept`` has it.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        text: str,
        reading: Reading,
        names: frozenset[str],
        objective: Objective,
        *,
        seconds: float,
        seed: int,
        probe_seconds: float | None = None,
    ) -> None:
        from ....evaluators.routing.created import make_probes
        from ....evaluators.routing.created.accept import PROBE_SECONDS

        self._probe_seconds = PROBE_SECONDS if probe_seconds is None else probe_seconds
        self._sandbox, self._text, self._reading = sandbox, text, reading
        self._names, self._objective = names, objective
        self._seconds, self._seed = seconds, seed
        self._probes = make_probes(reading, names)

    def verify(self, code: str) -> Verified:
        """Run a program on the user's instance and on the probes, in the sandbox."""
        from ....evaluators.routing.created import accept

        found = accept(
            self._sandbox,
            code,
            self._reading,
            self._names,
            self._objective,
            text=self._text,
            seconds=self._seconds,
            seed=self._seed,
            probes=self._probes,
            probe_seconds=self._probe_seconds,
        )
        plan, report = found.plan, found.report
        return Verified(
            passed=found.passed,
            checks=len(found.checks),
            failures=tuple(f"{one.name}: {one.message}" for one in found.checks if not one.passed),
            routes=None if plan is None else tuple(route.stops for route in plan.routes),
            vehicles=() if plan is None else tuple(route.vehicle for route in plan.routes),
            values=() if report is None else report.values,
            feasible=report is not None and report.feasible,
            seconds=found.run.seconds,
            names=tuple(one.name for one in found.checks),
            unprobed=found.unprobed,
        )


def worst_first(failures: Sequence[str], most: int = 6) -> list[str]:
    """Return the failures to show, at most so many; how many are left out is said."""
    shown = list(failures[:most])
    if len(failures) > most:
        shown.append(f"and {len(failures) - most} more failures")
    return shown
