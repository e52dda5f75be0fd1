"""What the strategy ``oneplusone`` tells the model about its last attempt (LLaMEA-like)."""

from ...knowledge_base import Candidate
from .proposal import Feedback
from .scoring import Fate, describe_failure
from .survival import Member


def feedback_on(last: Candidate, fate: Fate, best: Member | None) -> Feedback | None:
    """Return feedback on the last candidate; None when it is the best one, which is shown anyway."""
    if best is not None and last.id == best.id:
        return None
    if last.proposal_error is not None:
        return Feedback("none", "# no program", f"there was no program: {last.proposal_error}")
    if fate.failure is not None:
        failure = describe_failure(fate.failure, last.code)
        what = ": ".join(
            part for part in (failure.kind, failure.error_type, failure.message) if part
        )
        where = (
            "" if failure.line is None else f" (line {failure.line}: `{failure.source.strip()}`)"
        )
        return Feedback(last.thought, last.code, f"it failed with {what}{where}")
    if fate.objective is None:
        return None
    return Feedback(last.thought, last.code, f"its objective is {fate.objective:.4f}")
