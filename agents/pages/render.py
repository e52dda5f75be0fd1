"""Renders a report as one HTML file: plotly, style and data inside, and only our scripts may run."""

import base64
import hashlib
import json
import math
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def render(folder: Path, data: Any, /, **variables: Any) -> str:
    """Return the page of ``page.html.j2`` and ``page.js`` in a folder.

    Texts are escaped; the data are embedded as JSON, which ``page.js`` reads.

    Args:
        folder: of the template and its script.
        data: what the script draws.
        variables: what the template names.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from plotly.offline import get_plotlyjs

    scripts = [
        get_plotlyjs().replace("\r", ""),
        (HERE / "charts.js").read_text(encoding="utf-8"),
        (folder / "page.js").read_text(encoding="utf-8"),
    ]
    environment = Environment(
        loader=FileSystemLoader([folder, HERE]), autoescape=True, undefined=StrictUndefined
    )
    environment.filters.update(number=number, percent=percent, signed=signed)
    return environment.get_template("page.html.j2").render(
        json=embedded(data),
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        scripts=scripts,
        hashes=[_hash(one) for one in scripts],
        **variables,
    )


def save(page: str, path: Path) -> Path:
    """Write a page in one step, so that it is never half-written, and return its path.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.partial")
    temporary.write_text(page, encoding="utf-8")
    temporary.replace(path)
    return path


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
