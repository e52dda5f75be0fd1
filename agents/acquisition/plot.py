"""The convergence plot of an optimisation."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .report import Report

_COLOURS = {
    "": "#9aa5b1",
    "rule": "#0b6e4f",
    "bandit": "#3d5a98",
    "model": "#b8651b",
    "fallback": "#c1666b",
}


def convergence_plot(report: "Report", path: Path) -> None:
    """Draw every value and the incumbent by evaluation, coloured by who chose, as a PNG.

    Args:
        report: with one value at least.
        path: the file to write; replaced in one step, so that it is never half-written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(7.2, 4.2), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for source, colour in _COLOURS.items():
        some = [t for t in report.trials if t.source == source and t.value is not None]
        if some:
            label = source or "start"
            numbers, values = [t.number for t in some], [float(t.value or 0.0) for t in some]
            axes.scatter(numbers, values, s=16, color=colour, label=label, zorder=2)
    best = [(t.number, v) for t, v in zip(report.trials, report.incumbents, strict=True)]
    known = [(number, value) for number, value in best if value is not None]
    axes.step(*zip(*known, strict=True), where="post", color="#222222", label="incumbent", zorder=3)
    if report.optimum is not None:
        axes.axhline(report.optimum, color="#c1666b", linestyle="--", linewidth=1, label="optimum")
    axes.set_xlabel("evaluation")
    axes.set_ylabel("value (minimised)" if report.minimise else "value (maximised)")
    title = f"{report.run.id}: {report.run.config['strategist']}, seed {report.run.seed}"
    axes.set_title(title, fontsize=10, loc="left")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    temporary = path.with_suffix(".partial.png")
    figure.savefig(temporary)
    temporary.replace(path)
