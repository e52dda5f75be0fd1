"""Export the best heuristic as a file that runs on its own."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .report import RunReport


def standalone(report: "RunReport") -> str:
    """Return the source of a module that holds the heuristic and can be run by itself.

    It depends on nothing of Eurisko: imported, it offers the heuristic's function; run as a program,
    the problem's own demonstration calls it on a small random instance.
    """
    assert report.best is not None
    lines = [
        f"{report.measure[:1].upper()}{report.measure[1:]} heuristic for {report.run.problem},",
        f"found by Eurisko {report.run.version} in run {report.run.id}.",
        "",
        *_wrap(report.best.thought),
        "",
        *[
            f"{split}: {one.dataset} ({one.instances} instances), mean gap {one.objective:.2f} %"
            for split, results in report.splits.items()
            for one in results
            if one.objective is not None
        ],
    ]
    text = "\n".join(lines).strip().replace("\\", "\\\\").replace('"""', "'''")
    demo = report.interface.demo
    return f'"""{text}\n"""\n\n{report.best.code.strip()}\n' + (
        f"\n\n{demo.strip()}\n" if demo else ""
    )


def _wrap(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(" ".join(text.split()), 96)
