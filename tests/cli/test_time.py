"""Gap against time on the command line."""

import json
from pathlib import Path

import pytest
from support.runs import cli

pytestmark = pytest.mark.slow


def test_runs_and_show_give_the_front(tmp_path: Path) -> None:
    """JSON holds the same front in both, from fast to good; its members can be exported."""
    options = ["-g", "0", "-p", "3", "--no-tune", "--objective", "gap+time", "--quiet"]
    report = json.loads(cli(["evolve", "tsp_construct", *options, "--json"], tmp_path).stdout)
    front = report["front"]
    assert front and report["seconds_per_instance"] == 0.15 and report["tuning"] == {}
    seconds = [one["seconds_per_instance"] for one in front]
    gaps = [one["objective"] for one in front]
    assert seconds == sorted(seconds) and gaps == sorted(gaps, reverse=True)
    for results in report["splits"].values():
        for one in results:
            assert one["seconds_per_instance"] == one["cpu_s"] / one["instances"]
    (run,) = json.loads(cli(["runs", "--json"], tmp_path).stdout)["runs"]
    names = ("candidate", "objective", "seconds_per_instance")
    assert run["front"] == [{name: one[name] for name in names} for one in front]
    assert f"{gaps[-1]:.2f} ({1000 * seconds[-1]:.3g})" in cli(["runs"], tmp_path).stdout
    fastest = ["export", "last", "--candidate", str(front[0]["candidate"]), "-o", "fast.py"]
    cli(fastest, tmp_path)
    assert front[0]["thought"].split()[0] in (tmp_path / "fast.py").read_text()
    refused = cli(["export", "last", "--candidate", "999", "-o", "no.py"], tmp_path, check=False)
    assert refused.returncode and "has no program of candidate 999" in refused.stderr
    shown = cli(["show", "last"], tmp_path).stdout
    assert "limit: 150 ms per instance" in shown and f"{1000 * seconds[0]:.3g}" in shown


def test_runs_are_listed_without_their_problem(tmp_path: Path) -> None:
    """A run whose problem is gone is still listed, without a front."""
    cli(["new", "gone"], tmp_path)
    cli(["evolve", "./gone", "-g", "0", "-p", "2", "--no-tune", "--quiet"], tmp_path)
    (tmp_path / "gone").rename(tmp_path / "moved")
    (run,) = json.loads(cli(["runs", "--json"], tmp_path).stdout)["runs"]
    assert run["front"] is None
