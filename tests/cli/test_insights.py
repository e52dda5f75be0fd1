"""``eurisko insights`` and what the commands say of foresight and hindsight."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.models import answer
from support.runs import cli, last_json
from support.scripted_endpoint import ScriptedEndpoint
from typer.testing import CliRunner, Result

from eurisko.cli.main import app
from eurisko.knowledge_base import KnowledgeBase

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process, in an empty folder with nothing configured."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("EURISKO_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *arguments: CliRunner().invoke(app, ["insights", *arguments])


@pytest.fixture
def three(run: Run) -> list[int]:
    """Three insights in the knowledge base of the folder."""
    plain = {"kind": "do", "scope": "problem", "problem": "tsp_construct", "origin": "extracted"}
    with KnowledgeBase() as base:
        rows = base.insights.add(
            [
                {**plain, "text": "Penalise long edges.", "effectiveness": 0.25},
                {**plain, "text": "Cube distances.", "kind": "avoid", "problem": "tsp_gls"},
                {**plain, "text": "Mind the end.", "scope": "general", "effectiveness": 0.5},
            ]
        )
    return [one.id for one in rows]


def listed(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [one["text"] for one in json.loads(result.stdout)["insights"]]


def test_an_empty_knowledge_base_says_so(run: Run) -> None:
    """Nothing learnt is no error."""
    assert "no insights yet" in run("list").stdout
    assert listed(run("list", "--json")) == []


def test_list_and_search(run: Run, three: list[int]) -> None:
    """The most effective first; by problem, scope and words."""
    assert listed(run("list", "--json")) == [
        "Mind the end.",
        "Penalise long edges.",
        "Cube distances.",
    ]
    assert listed(run("list", "--problem", "tsp_construct", "--json")) == [
        "Mind the end.",
        "Penalise long edges.",
    ]
    assert listed(run("list", "--scope", "general", "--json")) == ["Mind the end."]
    assert listed(run("list", "--limit", "1", "--json")) == ["Mind the end."]
    assert listed(run("search", "EDGES", "long", "--json")) == ["Penalise long edges."]
    shown = run("list").stdout
    assert "do: Penalise long edges." in shown and "avoid: Cube distances." in shown
    assert "+0.25" in shown and "tsp_gls" in shown
    assert "None of the 3 insights fits" in run("search", "absent").stdout


def test_pin_and_retire_and_back(run: Run, three: list[int]) -> None:
    """Pinned ones come first, retired ones are hidden, and both can be undone."""
    long, cube, _ = map(str, three)
    assert json.loads(run("pin", cube, "--json").stdout)["pinned"] is True
    assert listed(run("list", "--json"))[0] == "Cube distances."
    assert "[pinned]" in run("list").stdout
    assert "retired" in run("retire", long).stdout
    assert "Penalise long edges." not in listed(run("list", "--json"))
    assert "Penalise long edges." in listed(run("list", "--retired", "--json"))
    run("retire", long, "--undo")
    run("pin", cube, "--undo")
    assert listed(run("list", "--json"))[-1] == "Cube distances."


def test_export_and_import(run: Run, three: list[int], tmp_path: Path) -> None:
    """A file carries insights to another knowledge base; a second import changes nothing."""
    file = tmp_path / "learnt.json"
    assert json.loads(run("export", str(file), "--json").stdout)["insights"] == 3
    (tmp_path / "eurisko.db").unlink()
    for suffix in ("-wal", "-shm"):
        (tmp_path / f"eurisko.db{suffix}").unlink(missing_ok=True)
    assert json.loads(run("import", str(file), "--json").stdout) == {
        "file": str(file),
        "new": 3,
        "known": 0,
    }
    assert "0 new insights, 3 known" in run("import", str(file)).stdout
    assert len(listed(run("list", "--json"))) == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pin", "99"], ["no insight 99", "insights list"]),
        (["retire", "99"], ["no insight 99"]),
        (["list", "--scope", "world"], ["world", "family"]),
        (["import", "missing.json"], ["Cannot read", "missing.json"]),
        (["export", "nowhere/x.json"], ["Cannot write", "nowhere"]),
    ],
)
def test_mistakes_are_one_sentence(run: Run, arguments: list[str], words: list[str]) -> None:
    """What cannot be done says why, without a traceback; with --json too."""
    for extra in ([], ["--json"]):
        result = run(*arguments, *extra)
        assert result.exit_code == 1
        assert not result.exception or isinstance(result.exception, SystemExit)
        assert all(word in result.stderr for word in words), result.stderr
        if extra:
            assert words[0] in json.loads(result.stdout)["error"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--strategy", "hi-fo"], ["strategy", "hifo-no-foresight"]),
        (["--diversity", "taste"], ["diversity", "behaviour"]),
        (["--set", "stagnation=4"], ["--set stagnation=4", "navigator.NAME=VALUE"]),
        (["--set", "navigator.stagnation"], ["navigator.NAME=VALUE"]),
        (["--set", "navigator.stagnaton=4"], ["navigator", "stagnaton"]),
        (["--set", "hindsight.shown=0"], ["hindsight", "at least 1"]),
        (["--set", "hindsight.similarity=cosine"], ["hindsight", "overlap"]),
    ],
)
def test_unusable_settings_of_the_mechanism_are_named(
    run: Run, options: list[str], words: list[str]
) -> None:
    """Each option that cannot work is named before anything runs."""
    result = CliRunner().invoke(app, ["evolve", "tsp_construct", *options])
    assert result.exit_code == 1
    assert all(word in result.stderr for word in words), result.stderr


def test_a_second_run_says_that_it_begins_with_what_was_learnt(tmp_path: Path) -> None:
    """On the terminal of the run, in its report, and in 'show'; with --fresh-insights it does not."""
    with ScriptedEndpoint(answer) as endpoint:
        small = ["evolve", "tsp_construct", "-g", "1", "-p", "3", "--json"]
        command = [*small, "--model", "openai/x", "--base-url", endpoint.base_url]
        first = cli([*command, "--set", "hindsight.shown=2"], tmp_path)
        second = cli([*command, "-s", "1"], tmp_path)
        third = cli([*command, "-s", "2", "--fresh-insights"], tmp_path)
    assert "begins with" not in first.stderr + third.stderr
    report = last_json(second.stdout)
    count = report["insights"]["inherited"]
    assert count > 0 and f"begins with {count} insights of earlier runs" in second.stderr
    assert report["strategy"] == "hifo"
    assert [one["generation"] for one in report["foresight"]] == [0, 1]
    uses = sum(one["uses"] for one in last_json(first.stdout)["insights"]["members"])
    assert uses == 2 * (last_json(first.stdout)["candidates"] - 1)
    shown = cli(["show", report["run"]], tmp_path).stdout
    for part in ("what the navigator decided", "insights", "strategy hifo", "inherited"):
        assert part in shown
    assert f"The run began with {count} insight" in " ".join(shown.split())
    assert last_json(cli(["show", report["run"], "--json"], tmp_path).stdout) == report
