"""The commands: one clear sentence for each error, one JSON object for each --json."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.runs import cli, cli_environment, last_json
from typer.testing import CliRunner, Result

from eurisko import __version__
from eurisko.cli.main import app

NN = """import numpy as np

def select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix):
    return unvisited_nodes[np.argmin(distance_matrix[current_node][unvisited_nodes])]
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run a command in this process, in an empty folder with nothing configured."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("EURISKO_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(app, arguments)

    return call


def sentence(result: Result) -> str:
    """Return the one sentence of a failed command."""
    assert result.exit_code != 0
    assert not result.exception or isinstance(result.exception, SystemExit), result.exception
    lines = [line for line in result.stderr.strip().splitlines() if line]
    assert lines[-1].startswith("Error: "), result.stderr
    return lines[-1]


def test_version(run) -> None:
    """--version prints the package's version."""
    assert run("--version").stdout == f"eurisko {__version__}\n"


def test_unknown_problem_names_what_is_close(run) -> None:
    """A misspelt problem is answered with the right name, on both streams with --json."""
    assert "tsp_construct" in sentence(run("evolve", "tsp_constuct"))
    result = run("evolve", "tsp_constuct", "--json")
    assert "tsp_construct" in json.loads(result.stdout)["error"]
    assert result.exit_code == 1


def test_unknown_option_is_an_error(run) -> None:
    """An option that does not exist is refused, not ignored."""
    result = run("evolve", "tsp_construct", "--generatoins", "3")
    assert result.exit_code == 2
    assert "--generatoins" in result.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--population", "1"], ["population", "greater than or equal to 2"]),
        (["--generations", "-1"], ["generations", "greater than or equal to 0"]),
        (["--budget-usd", "-3"], ["budgets.usd", "greater than 0"]),
        (["--interface", "vectorised"], ["interface", "vectorised", "batched"]),
        (["--model", "gpt"], ["gpt", "PROVIDER/NAME"]),
        (["--model", "replay:missing.jsonl"], ["missing.jsonl", "cannot be read"]),
        (["--model", "openai/x", "--base-url", "localhost"], ["base URL", "http://"]),
        (["--base-url", "http://me:sesame@host/v1"], ["base_url", "--api-key-env"]),
        (["--model", "openai/x", "--api-key-env", "MY_KEY"], ["MY_KEY", "not set"]),
    ],
)
def test_unusable_settings_say_which_and_why(run, options: list[str], words: list[str]) -> None:
    """Each setting that cannot work is named, before anything runs."""
    message = sentence(run("evolve", "tsp_construct", *options))
    assert all(word in message for word in words), message
    assert "sesame" not in message


def test_a_model_that_never_answers_ends_in_one_sentence(tmp_path: Path) -> None:
    """A stalled endpoint is given up after its time limit; the run is stored and can be resumed."""
    from support.scripted_endpoint import ScriptedEndpoint, Stall

    with ScriptedEndpoint([Stall(60)]) as endpoint:
        options = ["--model", "openai/x", "--base-url", endpoint.base_url, "--model-timeout", "0.2"]
        result = cli(["evolve", "tsp_construct", *options], tmp_path, check=False)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert "0.2" in result.stderr and "resume" in result.stderr
    listed = last_json(cli(["runs", "--json"], tmp_path).stdout)["runs"]
    assert [one["status"] for one in listed] == ["failed"]


def test_runs_show_and_resume_of_nothing(run) -> None:
    """An empty knowledge base is no error to list, and a clear one to show."""
    assert run("runs", "--json").stdout.strip() == '{\n  "runs": []\n}'
    assert "eurisko evolve" in run("runs").stdout
    for command in ("show", "resume"):
        assert "There is no run 'abc'" in sentence(run(command, "abc"))
    assert "There is no run" in sentence(run("export", "abc", "-o", "x.py"))


def test_evaluate_measures_what_llm4ad_measures(tmp_path: Path) -> None:
    """Nearest neighbour in the scalar interface: mean length 6.98671, measured on LLM4AD itself."""
    (tmp_path / "nn.py").write_text(NN)
    arguments = ["evaluate", "nn.py", "--problem", "tsp_construct", "--json"]
    first = last_json(cli(arguments, tmp_path).stdout)
    assert first["mean_length"] == pytest.approx(6.9867137, abs=5e-8)
    assert (first["problem"], first["data"], first["outcome"]) == (
        "tsp_construct",
        "uniform-50-search",
        "ok",
    )
    assert first["objective"] == pytest.approx(first["gap"])
    assert last_json(cli(arguments, tmp_path).stdout) == first


@pytest.mark.parametrize(
    ("code", "outcome", "words"),
    [
        ("def select_next_node(a, b, c, d:\n    pass\n", "syntax_error", ["line 1"]),
        ("def select_next_node(a):\n    return 0\n", "candidate_error", ["select_next_node"]),
        (NN + "    # visits\n", None, []),
        (NN.replace("np.argmin", "np.argmin") + "\nselect_next_node = None\n", None, []),
        (
            "def select_next_node(a, b, unvisited_nodes, d):\n    return 0\n",
            "infeasible",
            ["node 0", "visited already"],
        ),
        (
            "def select_next_node(a, b, unvisited_nodes, d):\n    return 'north'\n",
            "bad_result",
            ["north"],
        ),
    ],
)
def test_a_bad_heuristic_is_explained(
    tmp_path: Path, code: str, outcome: str | None, words: list[str]
) -> None:
    """What a program did wrong is one sentence with the file, and a non-zero exit."""
    (tmp_path / "h.py").write_text(code)
    arguments = ["evaluate", "h.py", "--problem", "tsp_construct", "--json"]
    result = cli(arguments, tmp_path, check=False)
    report = last_json(result.stdout)
    if outcome is None:
        assert report["outcome"] in ("ok", "candidate_error")
        return
    assert result.returncode == 1
    assert report["outcome"] == outcome and report["objective"] is None
    assert "h.py" in result.stderr and all(word in result.stderr for word in words), result.stderr
    assert "Traceback" not in result.stderr


def test_files_that_cannot_be_used(run, tmp_path: Path) -> None:
    """A missing program or instance, half an instance, unknown data: each says what and where."""
    options = ["--problem", "tsp_construct"]
    assert "Cannot read none.py" in sentence(run("evaluate", "none.py", *options))
    (tmp_path / "nn.py").write_text(NN)
    missing = sentence(run("evaluate", "nn.py", *options, "--data", "none.tsp"))
    assert "none.tsp" in missing
    half = (
        "NAME: half\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n"
    )
    (tmp_path / "half.tsp").write_text(half)
    cut = sentence(run("evaluate", "nn.py", *options, "--data", "half.tsp"))
    assert "half.tsp" in cut and "3" in cut
    unknown = sentence(run("evaluate", "nn.py", *options, "--split", "tset"))
    assert "'tset'" in unknown and "test" in unknown


def test_an_instance_file_is_scored_in_its_own_distances(tmp_path: Path) -> None:
    """A square of side 10 has a tour of 40 in rounded Euclidean distances; no reference, no gap."""
    (tmp_path / "nn.py").write_text(NN)
    lines = "1 0 0\n2 10 0\n3 10 10\n4 0 10\n"
    head = "NAME: square\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n"
    (tmp_path / "square.tsp").write_text(head + lines + "EOF\n")
    arguments = [
        "evaluate",
        "nn.py",
        "--problem",
        "tsp_construct",
        "--data",
        "square.tsp",
        "--json",
    ]
    report = last_json(cli(arguments, tmp_path).stdout)
    assert report["mean_length"] == 40 == report["objective"]
    assert report["gap"] is None


def test_a_database_that_cannot_be_used(tmp_path: Path) -> None:
    """A newer, a locked and a read-only knowledge base: one sentence each, non-zero exit."""
    cli(["runs"], tmp_path)
    path = tmp_path / "kb.db"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    newer = cli(["runs"], tmp_path, check=False)
    assert newer.returncode == 1 and "newer Eurisko" in newer.stderr
    wrong = cli(["runs"], tmp_path, check=False, EURISKO_DATABASE_URL="sqlite:////no/such/kb.db")
    assert wrong.returncode == 1 and "cannot be opened" in wrong.stderr
    for result in (newer, wrong):
        assert "Traceback" not in result.stderr and len(result.stderr.strip().splitlines()) == 1


@pytest.mark.slow
def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    """SIGINT ends the run with status 130 and one hint; the hinted command finishes the run."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "eurisko",
            "evolve",
            "job_shop",
            *["-g", "30", "-p", "4", "--no-tune"],
        ],
        cwd=tmp_path,
        env=cli_environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    assert process.stderr is not None
    for line in process.stderr:
        if "generation   1/30" in line or time.monotonic() > deadline:
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    hint = errors.strip().splitlines()[-1]
    assert "eurisko resume job_shop-" in hint
    name = hint.split()[-1]
    (run,) = last_json(cli(["runs", "--json"], tmp_path).stdout)["runs"]
    assert (run["id"], run["status"]) == (name, "interrupted")
    resumed = last_json(cli(["resume", name, "--budget-seconds", "1", "--json"], tmp_path).stdout)
    assert resumed["run"] == name and resumed["best"]["objective"] > 0


def test_export_runs_on_its_own(tmp_path: Path) -> None:
    """The exported file needs no Eurisko, prints what it reaches, and scores as the run said."""
    for problem, interface in (("tsp_construct", "batched"), ("job_shop", "scalar")):
        small = ["-g", "0", "-p", "2", "--no-tune", "--interface", interface]
        command = ["evolve", problem, *small]
        report = last_json(cli([*command, "--json", "-q"], tmp_path).stdout)
        cli(["export", report["run"], "-o", "best.py"], tmp_path)
        alone = subprocess.run(
            [sys.executable, "-I", "best.py"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert float(alone.stdout.split()[-1]) > 5
        again = ["evaluate", "best.py", "--problem", problem, "--json"]
        scored = last_json(cli(again, tmp_path).stdout)
        assert scored["interface"] == interface
        assert scored["objective"] == report["best"]["objective"]
        shown = last_json(cli(["show", report["run"], "--json"], tmp_path).stdout)
        assert shown["best"] == report["best"] and shown["splits"] == report["splits"]


def test_doctor_finds_a_healthy_installation(tmp_path: Path) -> None:
    """Every check passes here, and each says what it found."""
    report = last_json(cli(["doctor", "--json"], tmp_path).stdout)
    assert report["ok"] is True
    assert all(check["text"] for check in report["checks"])
    broken = cli(["doctor"], tmp_path, check=False, EURISKO_DATABASE_URL="nonsense")
    assert broken.returncode == 1 and "FAIL" in broken.stdout


@pytest.mark.parametrize("command", ["evolve", "evaluate"])
def test_a_device_that_is_not_there(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """A device that is misspelt, missing or of no use to the problem is one sentence."""
    from eurisko.sandbox import devices

    (tmp_path / "h.py").write_text(NN)

    def ask(problem: str, device: str) -> str:
        where = ["h.py", "--problem", problem] if command == "evaluate" else [problem]
        return sentence(run(command, *where, "--device", device))

    assert "'cuda:N' or 'auto'" in ask("tsp_construct", "gpu")
    monkeypatch.setattr(devices, "_torch_build", lambda: None)
    message = ask("tsp_construct", "cuda")
    assert "built without CUDA" in message and "use the device 'cpu'" in message
    monkeypatch.setattr(devices, "_absent", lambda: None)
    assert "'cpu' only" in ask("bin_packing_online", "cuda")


def test_auto_is_decided_before_it_is_stored(tmp_path: Path) -> None:
    """A run that was asked for auto is stored with the device that it then ran on."""
    import torch

    from eurisko.knowledge_base import KnowledgeBase

    options = ["--device", "auto", "-g", "0", "-p", "2", "--no-tune", "--quiet"]
    cli(["evolve", "tsp_construct", *options], tmp_path)
    with KnowledgeBase(cli_environment(tmp_path)["EURISKO_DATABASE_URL"]) as base:
        (stored,) = base.runs(10)
        wanted = "cuda" if torch.cuda.is_available() else "cpu"
        assert stored.config["device"] == wanted
