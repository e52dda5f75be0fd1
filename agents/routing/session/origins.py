"""The sources of plans that a session has, in order of preference."""

from ...models import ModelGateway
from .from_reference import ReferenceSource
from .sources import Source


def make_sources(gateway: ModelGateway | None = None) -> tuple[Source, ...]:
    """Return the sources that work here: memory, a created solver with a model, the reference."""
    return (ReferenceSource(),)
