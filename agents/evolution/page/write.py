"""The page as a file."""

import base64
import hashlib
import json
import math
from pathlib import Path
from typing import Any

from ....knowledge_base import KnowledgeBase
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
        EvolutionError: the run evolved nothing, so that there is nothing to show.
        OSError: the file cannot be written.
    """
    run = knowledge_base.get_run(run_id)
    if run.workflow != "evolve":
        raise EvolutionError(
            f"Run {run.id} is no evolution, and pages show only those so far: "
            f"'eurisko show {run.id}' prints it."
        )
    page = render(collect(knowledge_base, run_id))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.partial")
    temporary.write_text(page, encoding="utf-8")
    temporary.replace(path)
    return path


def render(data: PageData) -> str:
    """Return the page's HTML. Texts that a model made are escaped; only our scripts may run."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from plotly.offline import get_plotlyjs

    scripts = [get_plotlyjs().replace("\r", ""), (HERE / "page.js").read_text(encoding="utf-8")]
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined
    )
    environment.filters.update(number=number, percent=percent, signed=signed)
    best = data.report.best
    return environment.get_template("page.html.j2").render(
        data=data,
        report=data.report,
        unit=" %" if data.gaps else "",
        digits=2 if data.gaps else 4,
        json=embedded(data.to_json()),
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        scripts=scripts,
        hashes=[_hash(one) for one in scripts],
        diff=[] if best is None else differences(data.seed_code, best.code),
        program="" if best is None else base64.b64encode(standalone(data.report).encode()).decode(),
    )


def embedded(value: Any) -> str:
    """Return JSON that cannot end the script element which holds it."""
    text = json.dumps(_finite(value), separators=(",", ":"), default=str)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def number(value: float | None, digits: int = 2) -> str:
    """Return a number with thin spaces between thousands; a dash where there is none."""
    return "–" if value is None else f"{value:,.{digits}f}".replace(",", "\u202f")


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign."""
    return f"{value:+.{digits}f}".replace("-", "−")


def percent(part: float, whole: float) -> str:
    """Return a share in whole percent."""
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _hash(script: str) -> str:
    """Return a script's source expression for the content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
