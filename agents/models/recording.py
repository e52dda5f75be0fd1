"""Recordings: the calls of a run as a JSONL file that ``replay:FILE`` reads."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .errors import BadRecording
from .types import ModelReply, ModelRequest

VERSION = 1


@dataclass(frozen=True)
class RecordedCall:
    """One line of a recording: an answer, or the sentence why there was none.

    Args:
        key: The call's key.
        role: What the answer was for.
        prompt_hash: `ModelRequest.prompt_hash`.
        text: The answer; ``None`` for a failed call.
        error: Why there was no answer; ``None`` for an answered call.
        model: Who answered.
        prompt_tokens: Tokens of the prompt.
        completion_tokens: Tokens of the answer.
        usd: Money, in US dollars; ``None`` where not known.
        latency_s: Seconds of the successful try.
        attempts: Requests sent.
        finish_reason: Why the model stopped.
        tokens_estimated: True where nobody counted the tokens.
    """

    key: str
    role: str
    prompt_hash: str
    text: str | None
    error: str | None = None
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None
    latency_s: float = 0.0
    attempts: int = 1
    finish_reason: str | None = None
    tokens_estimated: bool = False

    @classmethod
    def of(
        cls, request: ModelRequest, reply: ModelReply | None, error: str | None
    ) -> "RecordedCall":
        """Return the record of one call, as a `CallStore` is told of it."""
        who = (request.key, request.role, request.prompt_hash)
        if reply is None:
            return cls(*who, text=None, error=error or "no answer")
        facts = asdict(reply)
        del facts["cached"]
        return cls(*who, **facts)

    def reply(self) -> ModelReply:
        """Return the answer of an answered call."""
        return ModelReply(
            text=self.text or "",
            model=self.model,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            usd=self.usd,
            latency_s=self.latency_s,
            attempts=self.attempts,
            finish_reason=self.finish_reason,
            tokens_estimated=self.tokens_estimated,
        )


def write_recording(calls: Iterable[RecordedCall], path: Path) -> int:
    """Write ``calls`` to ``path``, all or nothing, and return their number."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    count = 0
    try:
        with temporary.open("w", encoding="utf-8") as out:
            for call in calls:
                out.write(json.dumps({"version": VERSION, **asdict(call)}) + "\n")
                count += 1
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return count


def read_recording(path: Path) -> Iterator[RecordedCall]:
    """Read a recording.

    Raises:
        BadRecording: The file is missing, of another version, or a line is damaged; the message
            names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise BadRecording(
            f"the recording {path} cannot be read ({reason}); give a file that an export wrote"
        ) from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _parse(line, f"line {number} of {path}")


def _parse(line: str, where: str) -> RecordedCall:
    try:
        fields: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise BadRecording(f"{where} is no JSON; was the file cut? Export the run again") from None
    if not isinstance(fields, dict) or fields.get("version") != VERSION:
        raise BadRecording(
            f"{where} is not of recording version {VERSION}; export the run again with this version"
        )
    fields.pop("version")
    try:
        call = RecordedCall(**fields)
    except TypeError as error:
        raise BadRecording(f"{where} has the wrong fields ({error}); export again") from None
    named = (call.key, call.role, call.prompt_hash)
    answer = call.text if call.error is None else call.error
    if not all(isinstance(value, str) for value in (*named, answer)):
        raise BadRecording(f"{where} lacks a key, a prompt hash or an answer; export again")
    return call
