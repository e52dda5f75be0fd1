"""Levels of isolation and the report of what was proved, what is missing and how to get it."""

from dataclasses import dataclass, field
from enum import IntEnum

from .layers import Plan

HOW_TO_GET = {
    "seccomp": "pip install seccompy; a Linux kernel with CONFIG_SECCOMP_FILTER (x86-64 or arm64)",
    "landlock": "pip install landlockpy; Linux 5.13 or newer with Landlock switched on",
    "jail": "apt-get install bubblewrap, or pip install 'eurisko[jail]'; user namespaces allowed",
    "root dropped": "run as an ordinary user",
    "tightened": "do not switch it off",
    "cgroup": "a delegated cgroup of version 2 with memory and pids controllers",
}


class Level(IntEnum):
    """How well programs are confined; each level includes the one before."""

    NONE = 0
    LIMITS = 1
    CONFINED = 2
    JAILED = 3
    JAILED_CGROUP = 4

    @property
    def label(self) -> str:
        """Short text, as stored with every evaluation."""
        return f"L{int(self)} {_NAMES[self]}"

    @classmethod
    def parse(cls, text: "str | int | Level") -> "Level":
        """Read ``L3``, ``3``, ``jailed`` or ``L3 jailed``.

        Raises:
            ValueError: for anything else.
        """
        shown = str(int(text)) if isinstance(text, int) else text.strip().lower()
        for level in cls:
            if shown in (str(int(level)), f"l{int(level)}", _NAMES[level], level.label.lower()):
                return level
        raise ValueError(f"isolation level must be one of L1, L2, L3, L4; got {text!r}")


# What each level from L2 on needs beside the one before.
_LAYERS = (("seccomp", "landlock", "root dropped", "tightened"), ("jail",), ("cgroup",))
_NAMES = {
    Level.NONE: "none",
    Level.LIMITS: "limits",
    Level.CONFINED: "confined",
    Level.JAILED: "jailed",
    Level.JAILED_CGROUP: "jailed+cgroup",
}


@dataclass(frozen=True)
class Canary:
    """One small attack of the self-test: whether it was contained, and what was seen."""

    name: str
    contained: bool
    detail: str


@dataclass(frozen=True)
class Report:
    """The level that the self-test proved. ``missing`` maps a layer to why it is not used."""

    level: Level
    present: dict[str, str]
    missing: dict[str, str]
    canaries: tuple[Canary, ...] = ()
    modifiers: tuple[str, ...] = ()
    how_to_get: dict[str, str] = field(default_factory=lambda: dict(HOW_TO_GET))

    @property
    def isolation(self) -> str:
        """One line for the record of an evaluation, such as ``L3 jailed (seccomp, …)``."""
        layers = ", ".join(f"{name} {found}".strip() for name, found in self.present.items())
        more = "".join(f"+{name}" for name in self.modifiers)
        return f"{self.level.label}{more} ({layers or 'resource limits only'})"

    @property
    def line(self) -> str:
        """One line for the user at each start."""
        passed = sum(canary.contained for canary in self.canaries)
        return f"sandbox: {self.isolation} self-test {passed}/{len(self.canaries)}"

    def lacks(self, wanted: Level) -> str:
        """Return why ``wanted`` is not reached: what of its layers is missing, else what it needs."""
        layers = _LAYERS[max(0, int(self.level) - 1) : int(wanted) - 1]
        if not all(canary.contained for canary in self.canaries) or wanted <= self.level:
            return "; ".join(self.explain())
        names = {name for group in layers for name in group}
        told = "; ".join(text for name, text in self._told() if name in names)
        return told or f"{wanted.label} needs {', '.join(sorted(names))}"

    def explain(self) -> list[str]:
        """Return sentences: what got through, what is missing, and how to get it."""
        lines = [
            f"canary {canary.name!r} got through: {canary.detail}"
            for canary in self.canaries
            if not canary.contained
        ]
        return lines + [text for _, text in self._told()]

    def _told(self) -> list[tuple[str, str]]:
        told = []
        for name, reason in self.missing.items():
            advice = self.how_to_get.get(name)
            more = f" (get it: {advice})" if advice else ""
            told.append((name, f"{name} is missing: {reason}{more}"))
        return told


def promised(plan: Plan) -> Level:
    """Return the level that a plan would give if its layers hold."""
    if plan.filter is None or (plan.opens and not plan.landlock):
        return Level.LIMITS
    if plan.root and plan.user is None:
        return Level.LIMITS
    if plan.bwrap is None:
        return Level.CONFINED
    return Level.JAILED if plan.cgroup is None else Level.JAILED_CGROUP
