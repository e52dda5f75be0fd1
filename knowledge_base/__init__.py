"""The knowledge base: runs, candidates, evaluations, model calls and insights in SQL.

SQLite at ``./eurisko.db`` by default; ``EURISKO_DATABASE_URL`` names any other database that
SQLAlchemy knows.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import KnowledgeBaseBusy as KnowledgeBaseBusy
    from .errors import KnowledgeBaseError as KnowledgeBaseError
    from .errors import UnknownInsight as UnknownInsight
    from .errors import UnknownRun as UnknownRun
    from .errors import UnknownSolver as UnknownSolver
    from .exchange import read_insights as read_insights
    from .exchange import write_insights as write_insights
    from .identity import EvaluationKey as EvaluationKey
    from .identity import this_machine as this_machine
    from .insights import CreditNote as CreditNote
    from .insights import Insights as Insights
    from .insights import family_of as family_of
    from .jobs import Finished as Finished
    from .jobs import Jobs as Jobs
    from .models import Candidate as Candidate
    from .models import Insight as Insight
    from .models import Job as Job
    from .models import JobItem as JobItem
    from .models import JobProgram as JobProgram
    from .models import JobWorker as JobWorker
    from .models import ModelCall as ModelCall
    from .models import NavigatorDecision as NavigatorDecision
    from .models import Run as Run
    from .models import Solver as Solver
    from .models import SolverUse as SolverUse
    from .models import Study as Study
    from .models import Trial as Trial
    from .solvers import SolverKey as SolverKey
    from .solvers import Solvers as Solvers
    from .store import KnowledgeBase as KnowledgeBase
    from .studies import AlreadyTold as AlreadyTold
    from .studies import NumberTaken as NumberTaken
    from .studies import Studies as Studies

_HOMES = {
    "KnowledgeBase": "store",
    "KnowledgeBaseBusy": "errors",
    "KnowledgeBaseError": "errors",
    "UnknownInsight": "errors",
    "UnknownRun": "errors",
    "UnknownSolver": "errors",
    "EvaluationKey": "identity",
    "this_machine": "identity",
    "CreditNote": "insights",
    "Insights": "insights",
    "family_of": "insights",
    "Finished": "jobs",
    "Jobs": "jobs",
    "Job": "models",
    "JobItem": "models",
    "JobProgram": "models",
    "JobWorker": "models",
    "read_insights": "exchange",
    "write_insights": "exchange",
    "Insight": "models",
    "NavigatorDecision": "models",
    "Run": "models",
    "Candidate": "models",
    "Evaluation": "models",
    "ModelCall": "models",
    "Solver": "models",
    "SolverUse": "models",
    "Study": "models",
    "Trial": "models",
    "SolverKey": "solvers",
    "Solvers": "solvers",
    "AlreadyTold": "studies",
    "NumberTaken": "studies",
    "Studies": "studies",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
