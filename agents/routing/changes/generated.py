"""A rule outside the vocabulary, as a change."""

from dataclasses import replace
from typing import Literal

from ....evaluators.routing import RoutingError
from ....evaluators.routing.generated.rule import GeneratedRule
from .base import Change, RoutingTask


class Generated(Change):
    """A rule that the vocabulary has not, with the checker that a model wrote for it."""

    kind: Literal["generated"] = "generated"
    rule: GeneratedRule

    def apply(self, task: RoutingTask) -> RoutingTask:
        """Add the rule."""
        if any(one.label == self.rule.label for one in task.extra):
            raise RoutingError(f"there is a rule {self.rule.label} already.")
        return replace(task, extra=(*task.extra, self.rule))

    def sentence(self, task: RoutingTask) -> str:
        """Say it, and whose word it is."""
        return f"{self.rule.meaning.rstrip('.')} (checked by a rule that a model wrote)."
