"""Hindsight: insights from what worked and what did not, shown to later prompts and credited for it.

No model calls, no storage: pure functions over frozen values. A step is one batch of candidates; its
number grows for as long as the run lasts.
"""

from .admission import Admission, admit
from .constants import HindsightConstants
from .credit import Credit, credit_for_failure, credit_for_objective, give_credit, moved
from .eviction import victim
from .extraction import Material, Trial, material
from .insight import Insight, Kind, Pool, Scope
from .retrieval import Occasion, note_use, relevance, retrieve, utility
from .seeds import SEED_INSIGHTS
from .similarity import content_similarity, similarity

__all__ = [
    "SEED_INSIGHTS",
    "Admission",
    "Credit",
    "HindsightConstants",
    "Insight",
    "Kind",
    "Material",
    "Occasion",
    "Pool",
    "Scope",
    "Trial",
    "admit",
    "content_similarity",
    "credit_for_failure",
    "credit_for_objective",
    "give_credit",
    "material",
    "moved",
    "note_use",
    "relevance",
    "retrieve",
    "similarity",
    "utility",
    "victim",
]
