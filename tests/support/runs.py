"""Shared by the tests of evolution runs."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from eurisko.knowledge_base import KnowledgeBase


def scripted_answer(prompt: str) -> str:
    """Answer a prompt with a heuristic whose weight depends on the prompt alone, or with insights."""
    number = int(hashlib.sha256(prompt.encode()).hexdigest()[:4], 16)
    if "One lesson per line" in prompt:
        what = ("hubs", "corners", "clusters", "gaps", "outliers", "rings", "borders")[number % 7]
        return f"DO: Weigh {what} by rank {number} of distance.\nAVOID: Never cube {what} {number}."
    weight = number / 2**16
    return (
        f"{{Near cities first, and with weight {weight:.4f} those far from the start.}}\n"
        "```python\nimport torch\n\n"
        "def score_next(current, start, unvisited, distances):\n"
        "    rows = torch.arange(len(current))\n"
        f"    return {weight:.4f} * distances[rows, start] - distances[rows, current]\n```\n"
    )


def cli(
    arguments: list[str], folder: Path, *, check: bool = True, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``eurisko`` in ``folder`` as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "eurisko", *arguments],
        cwd=folder,
        env=cli_environment(folder, **environment),
        capture_output=True,
        text=True,
        check=check,
        timeout=240,
    )


def cli_environment(folder: Path, **environment: str) -> dict[str, str]:
    """Return an environment in which nothing is configured but what a test sets."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
    url = f"sqlite:///{folder / 'kb.db'}"
    return {**kept, "EURISKO_DATABASE_URL": url, "COLUMNS": "120", **environment}


def digest(base: KnowledgeBase, run_id: str) -> list[tuple[Any, ...]]:
    """Return all that a run made, without ids and times: two equal runs have equal digests."""
    candidates = base.run_candidates(run_id)
    keys = {one.id: one.key for one in candidates}
    return sorted(
        (
            one.key,
            one.hash,
            one.thought,
            one.proposal_error or "",
            tuple(keys[parent.parent_id] for parent in one.parents),
        )
        for one in candidates
    )


def learnt(report: dict[str, Any]) -> dict[str, Any]:
    """Return what navigator and pool did in a run, without ids: two equal runs have it in common."""
    members = report["insights"]["members"]
    texts = {one["id"]: one["text"] for one in members}
    events = [
        (
            one["generation"],
            one["verdict"],
            texts.get(one["insight_id"]),
            texts.get(one["evicted_id"]),
        )
        for one in report["insights"]["events"]
    ]
    return {
        "foresight": report["foresight"],
        "events": events,
        "credits": {one["text"]: one["credits"] for one in members},
        "effectiveness": {one["text"]: one["effectiveness"] for one in members},
    }


def comparable(report: dict[str, Any]) -> dict[str, Any]:
    """Return what two equal runs have in common: not names, folders, seconds or prices."""
    splits = {
        split: [
            {name: one[name] for name in ("dataset", "objective", "seed_objective", "measure")}
            for one in results
        ]
        for split, results in report["splits"].items()
    }
    best = {name: report["best"][name] for name in ("hash", "objective", "code", "thought")}
    kept = ("history", "candidates", "failures", "status", "seed")
    return {"best": best, "splits": splits, **{name: report[name] for name in kept}}


def last_json(text: str) -> dict[str, Any]:
    """Parse standard output that must hold one JSON object and nothing else."""
    value = json.loads(text)
    assert isinstance(value, dict)
    return value
