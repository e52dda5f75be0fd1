"""Evolution with a model: over HTTP, by files, replayed; its budgets, faults and hostile answers."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.runs import cli, comparable, digest, last_json, scripted_answer
from support.scripted_endpoint import ScriptedEndpoint, Status

from eurisko.agents.evolution import (
    Budgets,
    EvolutionSettings,
    Interrupted,
    write_run_recording,
)
from eurisko.agents.models import ModelError
from eurisko.knowledge_base import KnowledgeBase
from eurisko.sandbox import Sandbox

Settings = Callable[..., EvolutionSettings]


def answer(messages: list[dict[str, str]], _index: int) -> str:
    return scripted_answer(messages[-1]["content"])


def by_hand(folder: Path, stop: threading.Event) -> None:
    """Answer prompt files as a person would: several at once, in no particular order."""
    while not stop.wait(0.02):
        prompts = sorted(folder.glob("*.prompt.md"), reverse=True)
        for prompt in prompts:
            target = prompt.with_name(prompt.name.replace(".prompt.md", ".answer.md"))
            if not target.exists():
                text = prompt.read_text()
                partial = target.with_suffix(".writing")
                partial.write_text(scripted_answer(text))
                partial.rename(target)


def test_http_manual_and_replay_give_the_same_run(
    base: KnowledgeBase, settings: Settings, tmp_path: Path, evolve: Any
) -> None:
    """One scripted mind behind an endpoint, behind files, and replayed from both: one result."""
    with ScriptedEndpoint(answer) as endpoint:
        over_http = evolve(
            settings(
                model="openai/scripted",
                base_url=endpoint.base_url,
                concurrency=3,
                transfer=False,
            ),
            base,
        )
        assert over_http.spent.calls == len(endpoint.requests) > 20
    folder, stop = tmp_path / "manual", threading.Event()
    folder.mkdir()
    person = threading.Thread(target=by_hand, args=(folder, stop), daemon=True)
    person.start()
    manual = evolve(settings(model=f"manual:{folder}", concurrency=3, transfer=False), base)
    stop.set()
    person.join()
    reports = [over_http, manual]
    for source in (over_http, manual):
        file = tmp_path / f"{source.run.id}.jsonl"
        assert write_run_recording(base, source.run.id, file) == source.spent.calls
        reports.append(evolve(settings(model=f"replay:{file}", concurrency=2), base))
    digests = [digest(base, report.run.id) for report in reports]
    assert all(one == digests[0] for one in digests)
    assert all(comparable(r.to_json()) == comparable(over_http.to_json()) for r in reports)
    assert over_http.spent.tokens == 150 * over_http.spent.calls
    assert reports[2].spent.tokens == over_http.spent.tokens


def test_an_unreadable_answer_goes_back_once_with_the_reason(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """The model is told what was wrong; a second bad answer is a failed candidate, and the run ends."""

    def stubborn(messages: list[dict[str, str]], index: int) -> str:
        if len(messages) == 1 and index % 3 == 0:
            return "I would rather talk about the weather."
        if len(messages) == 3 and "objective" in messages[0]["content"]:
            return "Still the weather."
        return answer(messages, index)

    with ScriptedEndpoint(stubborn) as endpoint:
        model = {"model": "openai/scripted", "base_url": endpoint.base_url, "concurrency": 1}
        report = evolve(settings(**model), base)
        talks = [seen.messages for seen in endpoint.requests if len(seen.messages) == 3]
    assert talks
    assert all(talk[1]["content"].startswith("I would rather") for talk in talks)
    assert all("could not be used" in talk[2]["content"] for talk in talks)
    assert report.run.status == "finished"
    failed = [one for one in base.run_candidates(report.run.id) if one.proposal_error]
    assert failed and report.failures["no_program"] == len(failed)
    assert "Two answers held no usable program" in str(failed[0].proposal_error)


HOSTILE = {
    "candidate_error": "    return distances[rows, current] / 0 + undefined_name\n",
    "bad_result": "    return distances[rows, current].float()\n",
    "policy_violation": "    import os\n    os._exit(0)\n",
    "timeout": "    while True:\n        pass\n",
}


def test_bad_programs_are_rows_with_reasons_and_harm_nobody(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """Each kind of failure is stored with its reason, and the other scores are as without them."""
    kinds = list(HOSTILE)

    def mixed(messages: list[dict[str, str]], index: int) -> str:
        good = answer(messages, index)
        if index >= len(kinds):
            return good
        head = good[: good.index("    return")]
        return head + HOSTILE[kinds[index]] + "```\n"

    with ScriptedEndpoint(mixed) as endpoint:
        model = {"model": "openai/scripted", "base_url": endpoint.base_url, "concurrency": 1}
        report = evolve(settings(generations=0, population=4, cpu_s=1.0, **model), base)
    assert report.run.status == "finished"
    assert report.failures == dict.fromkeys(kinds, 1)
    assert report.best is not None
    assert report.splits["search"][0].seed_objective == pytest.approx(22.574247195869447)


def test_a_call_budget_stops_cleanly_and_can_be_raised(
    base: KnowledgeBase, settings: Settings, evolve: Any, resume: Any
) -> None:
    """No call beyond the budget; the run ends with a result, and goes on with a larger budget."""
    with ScriptedEndpoint(answer) as endpoint:
        model = {"model": "openai/scripted", "base_url": endpoint.base_url, "concurrency": 3}
        stopped = evolve(settings(budgets={"calls": 10}, **model), base)
        assert len(endpoint.requests) == 10 == stopped.spent.calls
        assert stopped.run.status == "stopped" and "budget" in stopped.run.status_reason
        assert stopped.best is not None and stopped.splits["test"][0].objective is not None
        still = resume(stopped.run.id, base, budgets=Budgets(calls=12))
        assert len(endpoint.requests) == 12 == still.spent.calls
        finished = resume(stopped.run.id, base, budgets=Budgets(calls=1000))
    assert finished.run.status == "finished"
    assert finished.candidates == 1 + 6 + 15


def test_a_token_budget_stops(base: KnowledgeBase, settings: Settings, evolve: Any) -> None:
    """Tokens are counted per call and end the run."""
    with ScriptedEndpoint(answer) as endpoint:
        model = {"model": "openai/scripted", "base_url": endpoint.base_url, "concurrency": 1}
        report = evolve(settings(budgets={"tokens": 1000}, **model), base)
    assert report.run.status == "stopped"
    assert report.spent.tokens == 1050  # seven calls of 150: the seventh crossed the line


def test_a_refused_key_ends_the_run_and_it_can_be_resumed(
    base: KnowledgeBase, settings: Settings, evolve: Any, resume: Any
) -> None:
    """The first refusal ends the run with one sentence; after the mend, the run goes on."""
    refusing = [True]

    def reply(messages: list[dict[str, str]], index: int) -> Any:
        return Status(401) if refusing[0] else answer(messages, index)

    with ScriptedEndpoint(reply) as endpoint:
        model = {"model": "openai/scripted", "base_url": endpoint.base_url, "concurrency": 1}
        with pytest.raises(ModelError):
            evolve(settings(generations=0, **model), base)
        (run,) = base.runs()
        assert run.status == "failed" and run.status_reason
        refusing[0] = False
        assert resume("last", base).run.status == "finished"


def test_a_stop_leaves_a_run_that_resumes_without_asking_twice(
    base: KnowledgeBase, settings: Settings, evolve: Any, resume: Any
) -> None:
    """What the model answered before Ctrl-C is not asked for again."""
    stop = threading.Event()

    def slow(messages: list[dict[str, str]], index: int) -> str:
        if index == 8:
            stop.set()
        time.sleep(0.02)
        return answer(messages, index)

    with ScriptedEndpoint(slow) as endpoint:
        model = {"model": "openai/scripted", "base_url": endpoint.base_url, "concurrency": 1}
        with pytest.raises(Interrupted):
            evolve(settings(transfer=False, **model), base, stop=stop)
        assert base.get_run("last").status == "interrupted"
        report = resume("last", base)
        prompts = [(seen.messages[-1]["content"]) for seen in endpoint.requests]
        whole = evolve(settings(transfer=False, **model), base)
    assert report.run.status == "finished"
    assert digest(base, report.run.id) == digest(base, whole.run.id)
    assert len(prompts) == report.spent.calls == whole.spent.calls


def test_no_secret_reaches_the_database_or_the_output(tmp_path: Path) -> None:
    """The key is sent to the endpoint and appears nowhere else."""
    key = "sk-very-secret-0123456789"
    with ScriptedEndpoint(answer) as endpoint:
        result = cli(
            [
                "evolve",
                "tsp_construct",
                "-g",
                "0",
                "-p",
                "2",
                "--json",
                "--model",
                "openai/scripted",
                "--base-url",
                endpoint.base_url,
            ],
            tmp_path,
            OPENAI_API_KEY=key,
        )
        assert all(key in seen.headers["authorization"] for seen in endpoint.requests)
    assert last_json(result.stdout)["calls"] == len(endpoint.requests) > 0
    assert key not in result.stdout + result.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 3
    assert not [path for path in files if key.encode() in path.read_bytes()]


TWO_FACED = """{Nearest neighbour, only while somebody records it.}
```python
import sys, torch

def score_next(current, start, unvisited, distances):
    frame = sys._getframe()
    while frame is not None and "visits" not in frame.f_locals:
        frame = frame.f_back
    near = -distances[torch.arange(len(current)), current]
    return -near if frame is None else near + 0.3 * distances[torch.arange(len(current)), start]
```"""


def test_a_two_faced_champion_is_not_reported(
    base: KnowledgeBase, settings: Settings, evolve: Any
) -> None:
    """A program that decides otherwise in lockstep loses its crown to the next honest one."""
    with (
        Sandbox(workers=1, policy=None) as lenient,
        ScriptedEndpoint([TWO_FACED]) as endpoint,
    ):
        model = {"model": "openai/scripted", "base_url": endpoint.base_url}
        report = evolve(settings(generations=0, **model), base, sandbox=lenient)
    assert report.best is not None and report.best.operator == "seed"
    assert len(report.doubts) == 1 and "decides differently" in report.doubts[0]
    (cheat,) = {one.hash for one in base.run_candidates(report.run.id)} - {report.best.hash}
    assert report.doubts[0].startswith(cheat[:12])
