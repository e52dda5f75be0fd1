"""Recordings and their replay."""

import json

import pytest
from scripted_endpoint import Status, Text

from eurisko.agents.models import (
    MemoryStore,
    ModelError,
    RecordedCall,
    open_gateway,
    read_recording,
    write_recording,
)
from eurisko.agents.models.errors import BadRecording, NoRecordedAnswer, RecordedFailure


def test_a_replay_gives_the_recorded_answers(scripted_endpoint, gateway_to, question, tmp_path):
    """A recorded run replays exactly: texts, models, tokens and failures, in any order."""
    server = scripted_endpoint(
        lambda messages, n: (
            Status(400)
            if "bad" in messages[0]["content"]
            else Status(500)
            if n == 2
            else Text(f"reply {n}")
        )
    )
    store = MemoryStore()
    recorded = gateway_to(server.base_url, store=store)
    requests = [question(f"g{n}/e1/0/0", text=f"prompt {n % 2}") for n in range(5)]
    answers = [recorded.ask(request) for request in requests]
    with pytest.raises(ModelError):
        recorded.ask(question("g9", text="bad"))
    path = tmp_path / "run.jsonl"
    assert write_recording(store.calls(), path) == 6
    with open_gateway(f"replay:{path}") as replay:
        for request, answer in reversed(list(zip(requests, answers, strict=True))):
            assert replay.ask(request) == answer
        with pytest.raises(RecordedFailure, match="400"):
            replay.ask(question("g9", text="bad"))
        assert replay.usage.tokens == recorded.usage.tokens
    assert len(server.requests) == 7, "the replay asked nobody"


def test_the_same_prompt_under_another_key(question, tmp_path):
    """An unknown key gets an answer to the same prompt, and always the same one."""
    prompt = question().prompt_hash
    calls = [RecordedCall(f"k{n}", "heuristic", prompt, f"answer {n}") for n in range(3)]
    write_recording(calls, tmp_path / "r.jsonl")
    with open_gateway(f"replay:{tmp_path / 'r.jsonl'}") as first:
        one = [first.ask(question(f"other{n}")).text for n in range(8)]
    with open_gateway(f"replay:{tmp_path / 'r.jsonl'}") as second:
        two = [second.ask(question(f"other{n}")).text for n in reversed(range(8))]
    assert one == two[::-1]
    assert len(set(one)) > 1


@pytest.mark.parametrize(
    ("key", "text", "why"),
    [("k0", "changed prompt", "another prompt"), ("k7", "new prompt", "neither")],
)
def test_a_missing_answer(key, text, why, question, tmp_path):
    """A call without a recorded answer is one sentence that names the key and the reason."""
    call = RecordedCall("k0", "heuristic", question("k0").prompt_hash, "answer")
    write_recording([call], tmp_path / "r.jsonl")
    with (
        open_gateway(f"replay:{tmp_path / 'r.jsonl'}") as gateway,
        pytest.raises(NoRecordedAnswer, match=why) as caught,
    ):
        gateway.ask(question(key, text=text))
    assert f"call {key} " in str(caught.value)
    assert caught.value.fatal


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (None, "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b'{"version": 1, "key"', "line 1"),
        (b'{"version": 2}', "version 1"),
        (b"[1]", "version 1"),
        (b'{"version": 1, "key": "a"}', "wrong fields"),
        (b'{"version": 1, "key": "a", "role": "r", "prompt_hash": "h", "text": null}', "lacks"),
    ],
)
def test_a_damaged_recording(content, what, tmp_path):
    """A file that is missing, cut or of another version is refused when it is opened."""
    path = tmp_path / "r.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadRecording, match=what) as caught:
        open_gateway(f"replay:{path}")
    assert str(path) in str(caught.value)


def test_lines_carry_the_version(question, tmp_path):
    """Every line is JSON with the version, so recordings can be joined with cat."""
    text = "two lines\nand \u2028 é"
    write_recording([RecordedCall("k", "heuristic", "h", text)] * 2, tmp_path / "r.jsonl")
    lines = (tmp_path / "r.jsonl").read_text().strip().split("\n")
    assert [json.loads(line)["version"] for line in lines] == [1, 1]
    assert [call.text for call in read_recording(tmp_path / "r.jsonl")] == [text, text]


def test_a_failed_export_leaves_the_old_file(tmp_path):
    """Writing is all or nothing."""
    path = tmp_path / "r.jsonl"
    path.write_text("old")

    def calls():
        yield RecordedCall("k", "heuristic", "h", "text")
        raise RuntimeError("the database went away")

    with pytest.raises(RuntimeError):
        write_recording(calls(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
