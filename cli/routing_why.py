"""How the reasons against a solution are shown."""

from typing import TYPE_CHECKING, Any

from rich.console import Console

from .routing_show import plain

if TYPE_CHECKING:
    from ..agents.routing.session.explaining import Why


def show_why(console: Console, why: "Why") -> None:
    """Show what stands against a solution, the surest first."""
    for finding in why.errors:
        nodes = f" (nodes {', '.join(finding.nodes)})" if finding.nodes else ""
        console.print(
            plain(f"{finding.topic}: {finding.message}{nodes}", style="bold red"), soft_wrap=True
        )
    if not why.errors:
        console.print("The data alone show nothing that no plan could keep.")


def why_summary(why: "Why") -> dict[str, Any]:
    """Return the same as plain data."""
    return {
        "errors": [
            {"topic": one.topic, "message": one.message, "nodes": list(one.nodes)}
            for one in why.errors
        ]
    }
