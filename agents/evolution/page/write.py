"""The page as a file."""

import base64
from pathlib import Path

from ....knowledge_base import KnowledgeBase
from ...pages import render as render_page
from ...pages import save
from ..errors import EvolutionError
from ..export import standalone
from .code import differences
from .data import PageData, collect

HERE = Path(__file__).parent


def write_report(knowledge_base: KnowledgeBase, run_id: str, path: Path) -> Path:
    """Write the report of a run as one HTML page that needs no network, and return its path.

    Args:
        knowledge_base: where the run is kept.
        run_id: id of the run, a unique beginning of it, or ``last``.
        path: the file; replaced in one step, so that it is never half-written.

    Raises:
        UnknownRun: there is no such run.
        EvolutionError: the run is no evolution.
        OSError: the file cannot be written.
    """
    run = knowledge_base.get_run(run_id)
    if run.workflow != "evolve":
        raise EvolutionError(f"Run {run.id} is no evolution.")
    return save(render(collect(knowledge_base, run_id)), path)


def render(data: PageData) -> str:
    """Return the page's HTML. Texts that a model made are escaped; only our scripts may run."""
    best = data.report.best
    return render_page(
        HERE,
        data.to_json(),
        data=data,
        report=data.report,
        unit=" %" if data.gaps else "",
        digits=2 if data.gaps else 4,
        diff=[] if best is None else differences(data.seed_code, best.code),
        program="" if best is None else base64.b64encode(standalone(data.report).encode()).decode(),
    )
