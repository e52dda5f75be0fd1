"""Templates of prompts: files beside this module, one folder for each workflow."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **variables: Any) -> str:
    """Return the prompt made from a template.

    Args:
        template: Path below the prompts folder without ending, such as ``evolution/e1``.
        variables: What the template names.

    Raises:
        jinja2.TemplateNotFound: There is no such template.
        jinja2.UndefinedError: The template names something that is not in ``variables``.
    """
    return _environment().get_template(f"{template}.j2").render(**variables).strip() + "\n"


@lru_cache(maxsize=1)
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(__package__, package_path=""),
        undefined=StrictUndefined,
        autoescape=False,  # prompts are plain text
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
