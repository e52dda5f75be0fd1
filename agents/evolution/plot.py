"""The convergence plot of a run."""

from collections.abc import Sequence
from pathlib import Path

from ...knowledge_base import Run


def convergence_plot(
    run: Run, history: Sequence[Sequence[float]], baseline: float | None, path: Path
) -> None:
    """Draw best and mean objective by generation, beside the seed heuristic's, as a PNG.

    Args:
        run: named in the title.
        history: ``[best, mean]`` after each generation, from generation 0.
        baseline: objective of the seed heuristic on the same split, if known.
        path: the file to write; replaced in one step, so that it is never half-written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(7.2, 4.2), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    generations = range(len(history))
    best = [entry[0] for entry in history]
    axes.plot(generations, best, color="#0b6e4f", marker="o", markersize=4, label="best")
    axes.plot(
        generations, [entry[1] for entry in history], color="#7a9e9f", label="population mean"
    )
    if baseline is not None:
        axes.axhline(baseline, color="#c1666b", linestyle="--", linewidth=1, label="seed heuristic")
    axes.annotate(
        f"{best[-1]:.2f}",
        (len(history) - 1, best[-1]),
        textcoords="offset points",
        xytext=(0, -14),
        ha="center",
        color="#0b6e4f",
    )
    axes.set_xlabel("generation")
    axes.set_ylabel("objective on the search split (mean gap, %)")
    axes.set_title(f"{run.id}: {run.problem}, proposed by {run.proposer}", fontsize=10, loc="left")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(y=0.15)
    axes.legend(frameon=False)
    temporary = path.with_suffix(".partial.png")
    figure.savefig(temporary)
    temporary.replace(path)
