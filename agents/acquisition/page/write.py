"""The page as a file."""

from pathlib import Path

from ....knowledge_base import KnowledgeBase
from ...pages import render as render_page
from ...pages import save
from .data import PageData, collect

HERE = Path(__file__).parent


def write_report(knowledge_base: KnowledgeBase, run_id: str, path: Path) -> Path:
    """Write the report of an optimisation as one HTML page that needs no network.

    Args:
        knowledge_base: where the run is kept.
        run_id: id of the run, a unique beginning of it, or ``last``.
        path: the file; replaced in one step.

    Raises:
        UnknownRun: there is no such run, or it is no optimisation.
        OSError: the file cannot be written.
    """
    return save(render(collect(knowledge_base, knowledge_base.get_run(run_id))), path)


def render(data: PageData) -> str:
    """Return the page's HTML. Texts of models and users are escaped; only our scripts may run."""
    return render_page(HERE, data.to_json(), data=data, report=data.report, run=data.report.run)
