"""Who reads a text: the rules first; what they leave unclear, a model where there is one."""

from collections.abc import Sequence

from ....evaluators.routing.analysis import Question
from ..changes import RoutingTask
from .by_model import Asking, interpret_by_model
from .results import Interpretation
from .rules import interpret


def understand(
    text: str,
    task: RoutingTask,
    questions: Sequence[Question] = (),
    gateway: Asking | None = None,
    *,
    key: str = "said",
) -> Interpretation:
    """Return what a text means.

    The rules cost nothing and are never wrong about what they accept, so a model is asked only for
    texts that they do not understand as a whole.

    Raises:
        ModelError: the model cannot be asked, or a budget is spent.
    """
    found = interpret(text, task, questions)
    if found.understood or gateway is None:
        return found
    return interpret_by_model(text, task, questions, gateway, key=key)
