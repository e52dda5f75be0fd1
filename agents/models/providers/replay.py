"""``replay:FILE``: the answers of a recorded run."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from ..errors import NoRecordedAnswer, RecordedFailure
from ..recording import RecordedCall, read_recording
from ..types import ModelReply, ModelRequest


class ReplayProvider:
    """Answers as the recording says, with the tokens and the money of the recorded run.

    A call is found by its key and its prompt; failing that by its prompt alone, where the choice
    among several answers depends on the key only, not on the order of the calls.

    Args:
        path: A file written by `write_recording`.

    Raises:
        BadRecording: The file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.name = f"replay:{path}"
        self._by_call: dict[tuple[str, str], RecordedCall] = {}
        self._by_prompt: dict[str, list[RecordedCall]] = {}
        self._keys: set[str] = set()
        self.priced = True
        for call in read_recording(path):
            self._by_call[call.key, call.prompt_hash] = call
            self._by_prompt.setdefault(call.prompt_hash, []).append(call)
            self._keys.add(call.key)
            if call.error is None and call.usd is None:
                self.priced = False

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the recorded answer.

        Raises:
            NoRecordedAnswer: There is none.
            RecordedFailure: The recorded call failed.
        """
        call = self._by_call.get((request.key, request.prompt_hash))
        if call is None:
            answered = [c for c in self._by_prompt.get(request.prompt_hash, ()) if c.error is None]
            call = _pick(answered, request.key)
        if call is None:
            why = (
                "that key was recorded with another prompt"
                if request.key in self._keys
                else "neither the key nor the prompt was recorded"
            )
            raise NoRecordedAnswer(
                f"{self.name} has no answer for call {request.key} ({why}); replay with the "
                "problem, seed and settings of the recorded run"
            )
        if call.error is not None:
            raise RecordedFailure(f"call {call.key} failed in the recorded run: {call.error}")
        return call.reply()

    def close(self) -> None:
        """Nothing is held open."""


def _pick(calls: Sequence[RecordedCall], key: str) -> RecordedCall | None:
    if not calls:
        return None
    number = int.from_bytes(sha256(key.encode()).digest()[:8], "big")
    return calls[number % len(calls)]
