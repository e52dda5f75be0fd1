"""What came of a creation."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....evaluators.routing import Plan, Route
from ....evaluators.routing.created import standalone
from ..description import Description
from .verifying import Verified


@dataclass(frozen=True)
class Created:
    """A created solver, or the best attempt at one.

    ``code`` is empty where no whole program came about; ``stop`` says why the creation ended early;
    ``unread`` counts answers that could not be read even at the second try. ``calls`` and ``tokens``
    are those of the whole run, by role in ``by_role``; ``usd`` is None where a price is unknown.
    """

    run: str
    description: Description
    code: str
    verified: Verified | None
    repairs: int
    unread: int
    stop: str
    calls: int
    tokens: int
    usd: float | None
    by_role: dict[str, int]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether the program passed every independent check."""
        return self.verified is not None and self.verified.passed

    @property
    def plan(self) -> Plan | None:
        """The program's plan for the user's instance, None where it gave none."""
        found = self.verified
        if found is None or found.routes is None:
            return None
        vehicles = found.vehicles or (0,) * len(found.routes)
        return Plan(tuple(Route(r, v) for r, v in zip(found.routes, vehicles, strict=True)))

    def standalone(self) -> str:
        """Return the program with file access and printing added, to run without Eurisko."""
        rules = [rule.name for rule in self.description.constraints]
        return standalone(self.code, self.description.summary, rules)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "run": self.run,
            "passed": self.passed,
            "description": self.description.model_dump(mode="json"),
            "verified": None if self.verified is None else self.verified.to_json(),
            "repairs": self.repairs,
            "unread": self.unread,
            "stop": self.stop,
            "calls": self.calls,
            "tokens": self.tokens,
            "usd": self.usd,
            "by_role": self.by_role,
            "seconds": self.seconds,
            "code": self.code,
        }

    def write(self, folder: Path) -> None:
        """Write ``report.json`` and, where there is a program, ``solver.py`` into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.to_json(), indent=2) + "\n"
        (folder / "report.json").write_text(text, encoding="utf-8")
        if self.code:
            (folder / "solver.py").write_text(self.standalone(), encoding="utf-8")
