"""The page as a file."""

from pathlib import Path

from ....knowledge_base import Job, KnowledgeBase
from ...pages import render as render_page
from ...pages import save
from .data import PageData, collect

HERE = Path(__file__).parent


def write_page(base: KnowledgeBase, job: Job, path: Path) -> Path:
    """Write the results of a job as one HTML page that needs no network.

    Raises:
        OSError: the file cannot be written.
    """
    return save(render(collect(base, job)), path)


def render(data: PageData) -> str:
    """Return the page's HTML. Names and messages are escaped; only our scripts may run."""
    from .... import __version__

    return render_page(HERE, data.to_json(), data=data, job=data.job, version=__version__)
