"""How the reasons against a solution are shown."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from ..agents.routing.session import RoutingSession


def show_why(console: Console, session: "RoutingSession", seconds: float) -> None:
    """Show what stands against a solution, the surest first."""
    why = session.why(seconds)
    for finding in why.errors:
        nodes = f" (nodes {', '.join(finding.nodes)})" if finding.nodes else ""
        console.print(
            Text(f"{finding.topic}: {finding.message}{nodes}", style="bold red"), soft_wrap=True
        )
    if not why.errors:
        console.print("The data alone show nothing that no plan could keep.")
