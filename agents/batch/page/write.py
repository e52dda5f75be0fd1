"""The page as a file."""

from pathlib import Path

from ....knowledge_base import KnowledgeBase
from ...pages import render as render_page
from ...pages import save
from .data import PageData, collect

HERE = Path(__file__).parent


def write_results(base: KnowledgeBase, name: str, path: Path) -> Path:
    """Write the results of a job as one HTML page that needs no network.

    Args:
        base: where the job is kept.
        name: the job's id, a unique beginning of it, or ``last``.
        path: the file; replaced in one step.

    Raises:
        UnknownRun: there is no such job.
        OSError: the file cannot be written.
    """
    return save(render(collect(base, name)), path)


def render(data: PageData) -> str:
    """Return the page's HTML. Names and messages are escaped; only our scripts may run."""
    payload = {"job": data.job.id, "problems": [one.to_json() for one in data.sections]}
    return render_page(HERE, payload, data=data, job=data.job)
