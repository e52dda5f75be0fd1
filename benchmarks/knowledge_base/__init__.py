"""How fast the knowledge base answers with a million candidates and ten million evaluations in it.

    python -m benchmarks knowledge_base [--candidates 1000000] [--database URL] [--folder FOLDER]

Runs of 500 candidates with lineage, ten evaluations of each, a model call for every fifth, 50,000
insights and a job of 100,000 items are loaded in bulk; then the questions that the commands ask are
timed, each with random targets, and rows are stored the way runs and jobs store them. ``--database``
is a SQLite file that is not there yet, an upgraded and empty PostgreSQL database, or one that was
loaded before; default: a temporary SQLite file.
"""

import argparse
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

from eurisko.knowledge_base import KnowledgeBase

from ..report import machine_facts, markdown_table, write_result
from .ask import insert_rates, questions, timed
from .load import load

TARGET_MS = 100.0


def main(arguments: Sequence[str] = ()) -> None:
    """Load, ask, and write ``results/knowledge_base[-BACKEND].md``."""
    chosen = _parser().parse_args(arguments)
    if chosen.folder is not None:
        chosen.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        url = chosen.database or f"sqlite:///{Path(folder) / 'kb.db'}"
        with KnowledgeBase(url) as base:
            filled = load(base, chosen.candidates)
            rows = timed(questions(base, filled), chosen.calls)
            rates = insert_rates(base)
            backend = base.engine.dialect.name
    command = shlex.join(["python", "-m", "benchmarks", "knowledge_base", *arguments])
    facts = "\n".join(f"- {fact}" for fact in machine_facts("sqlalchemy"))
    loaded = "loaded before" if filled.seconds is None else f"loaded in {filled.seconds:.0f} s"
    head = ["question", "median ms", "p95 ms", "longest ms", "CPU ms", "CPU p95 ms"]
    stored = ["stored", "rows/s", "CPU ms per row"]
    text = (
        f"# Knowledge base at scale: {backend}\n\n"
        f"{filled.candidates:,} candidates of {filled.runs:,} runs, "
        f"{filled.evaluations:,} evaluations, {filled.insights:,} insights, "
        f"{filled.calls:,} model calls, a job of {filled.items:,} items; {filled.size_gib:.1f} GiB, "
        f"{loaded}. Each question {chosen.calls} times with random targets; "
        f"target: p95 of at most {TARGET_MS:g} ms. CPU ms are this process's own, the server's not "
        f"included: on a machine that others use the clock also counts their turns. "
        f"Made by `{command}`.\n\n"
        f"{markdown_table(head, rows)}\n\n{markdown_table(stored, rates)}\n\n{facts}\n"
    )
    write_result(f"knowledge_base-{backend}", text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks knowledge_base",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--candidates", type=int, default=1_000_000)
    parser.add_argument("--calls", type=int, default=100, help="of each question")
    parser.add_argument("--database", help="URL of an empty knowledge base")
    parser.add_argument("--folder", type=Path, help="where the temporary file lies")
    return parser
