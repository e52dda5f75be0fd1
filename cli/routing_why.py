"""How the reasons against a solution are shown."""

from typing import TYPE_CHECKING, Any

from rich.console import Console

from .routing_show import plain, show_finding

if TYPE_CHECKING:
    from ..agents.routing.session.explaining import Why

_MOST_WAYS = 8
_MOST_NAMES = 10


def show_why(console: Console, why: "Why", *, take: bool = False) -> None:
    """Show what stands against a solution, and the ways out, the smallest change first.

    Args:
        console: where to.
        why: what was found.
        take: say how a way is taken.
    """
    for finding in why.errors:
        show_finding(console, finding)
    found = why.explanation
    if found is None:
        console.print(plain(why.note or "Nothing more is known."), soft_wrap=True)
        return
    if found.feasible:
        console.print(plain("A plan that keeps every rule was found: solve.", "green"))
        return
    proof = "" if found.proved else " That is no proof that there is none."
    head = "No plan can keep every rule." if found.proved else f"No plan was found.{proof}"
    console.print(plain(head, "bold"), soft_wrap=True)
    for block in found.blocks:
        more = len(block.customers) - _MOST_NAMES
        names = ", ".join(block.customers[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
        whom = f" (customers {names})" if names else ""
        console.print(plain(f"  {block.rule}: {block.message}{whom}"), soft_wrap=True)
    if why.ways:
        how = "; 'take 1' makes the first change" if take else ""
        console.print(plain(f"It works with one of these, the smallest change first{how}:", "bold"))
    for number, way in enumerate(why.ways[:_MOST_WAYS], start=1):
        console.print(plain(f"  {number}. {way.text}: cost {way.cost:g}"), soft_wrap=True)
    if not why.ways:
        console.print("No single change that was tried makes a plan possible.")
    for note in found.notes:
        console.print(plain(f"  {note}", "dim"), soft_wrap=True)


def why_summary(why: "Why") -> dict[str, Any]:
    """Return the same as plain data."""
    found = why.explanation
    blocks = () if found is None else found.blocks
    return {
        "errors": [
            {"topic": one.topic, "message": one.message, "nodes": list(one.nodes)}
            for one in why.errors
        ],
        "proved": found is not None and found.proved,
        "blocks": [
            {
                "rule": one.rule,
                "customers": list(one.customers),
                "message": one.message,
                "proved": one.proved,
            }
            for one in blocks
        ],
        "ways_out": [
            {
                "text": one.text,
                "cost": one.cost,
                "changes": [change.model_dump(mode="json") for change in one.changes],
            }
            for one in why.ways
        ],
        "notes": [why.note] if found is None else list(found.notes),
    }
