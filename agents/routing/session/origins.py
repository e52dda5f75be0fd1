"""The sources of plans that a session has, in order of preference."""

from typing import TYPE_CHECKING

from .from_memory import MemorySource, OpenMemory, OpenSandbox, known_memory
from .from_model import Confirm, CreatedSource
from .from_reference import ReferenceSource
from .running import open_sandbox
from .sources import Source

if TYPE_CHECKING:
    from ..creation import CreateSettings


def make_sources(
    settings: "CreateSettings | None" = None,
    confirm: Confirm | None = None,
    memory: OpenMemory = known_memory,
    sandbox: OpenSandbox | None = None,
) -> tuple[Source, ...]:
    """Return the sources that work here: memory, a created solver with a model, the reference.

    Args:
        settings: of the creation of solvers; None where no model is configured.
        confirm: is shown a description before a solver is written.
        memory: opens the knowledge base with the verified solvers.
        sandbox: opens the sandbox for programs; by default one of the usual isolation.
    """
    opened = sandbox or open_sandbox
    found: list[Source] = [MemorySource(memory, opened)]
    if settings is not None:
        found.append(CreatedSource(settings, opened, confirm))
    return (*found, ReferenceSource())
