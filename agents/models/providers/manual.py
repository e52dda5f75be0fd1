"""``manual:FOLDER``: a person, or any assistant without an API, is the model.

Each prompt becomes the file ``KEY.prompt.md`` (slashes in the key become dashes); the call waits
for ``KEY.answer.md``. Several prompts can be open at once. An answer that is there already is
used, so a run can be resumed. An answer counts as complete when it is not empty, has stood still
for a moment, and no process has it open for writing (where the file system can tell); the safest
way to write one is under another name, then renamed.
"""

import hashlib
import os
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import GatewayClosed, ManualFolderError
from ..types import ModelReply, ModelRequest, estimate_tokens
from .answers import prompt_text
from .open_files import being_written

_HEADINGS = {"system": "Instructions", "user": "Request", "assistant": "Your earlier answer"}


@dataclass(frozen=True)
class Patience:
    """How the folder is watched.

    Args:
        poll_s: Seconds between two looks.
        settle_s: Seconds for which an answer must stand still.
        settle_unsure_s: The same where the file system cannot say whether it is being written.
    """

    poll_s: float = 0.05
    settle_s: float = 0.25
    settle_unsure_s: float = 2.0


class ManualProvider:
    """Writes prompts to a folder and waits, without a time limit of its own, for answers.

    Args:
        folder: Where the files go; made if missing.
        check_time: Called between two looks; raises when the run's time is used up.
        patience: How the folder is watched.

    Raises:
        ManualFolderError: The folder cannot be made or written.
    """

    def __init__(
        self,
        folder: Path,
        *,
        check_time: Callable[[], None] = lambda: None,
        patience: Patience = Patience(),
    ) -> None:
        self.name = f"manual:{folder}"
        self._folder = folder
        self._check_time = check_time
        self._patience = patience
        self._closed = threading.Event()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ManualFolderError(
                f"the folder {folder} cannot be made ({error.strerror}); name another one"
            ) from None
        if not os.access(folder, os.W_OK):
            raise ManualFolderError(f"the folder {folder} cannot be written; name another one")

    def complete(self, request: ModelRequest) -> ModelReply:
        """Show the prompt and wait for its answer.

        Raises:
            ManualFolderError: The folder holds another prompt under this key.
            GatewayClosed: The gateway was closed while waiting.
        """
        started = time.monotonic()
        name = file_stem(request.key)
        prompt = as_text(request)
        self._show(self._folder / f"{name}.prompt.md", prompt)
        text = self._wait_for(self._folder / f"{name}.answer.md", request.key)
        return ModelReply(
            text=text,
            model=self.name,
            prompt_tokens=estimate_tokens(prompt_text(request)),
            completion_tokens=estimate_tokens(text),
            usd=None,
            latency_s=time.monotonic() - started,
            tokens_estimated=True,
        )

    def close(self) -> None:
        """End the waiting; the files stay."""
        self._closed.set()

    def _show(self, path: Path, prompt: str) -> None:
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
        try:
            if path.exists():
                if path.read_text(encoding="utf-8", errors="replace") == prompt:
                    return
                raise ManualFolderError(
                    f"{path} holds a prompt of another run; name an empty folder, or remove it "
                    "and its answer"
                )
            temporary.write_text(prompt, encoding="utf-8")
            temporary.replace(path)
        except OSError as error:
            raise ManualFolderError(
                f"the prompt {path} cannot be written ({error.strerror}); mend that and resume"
            ) from None

    def _wait_for(self, path: Path, key: str) -> str:
        seen: tuple[int, int] | None = None
        since = time.monotonic()
        while not self._closed.is_set():
            now = _state_of(path)
            if now != seen:
                seen, since = now, time.monotonic()
            if now is not None and now[0] > 0:
                # a file from an earlier process has stood still for longer than we watched it
                stood_s = max(time.monotonic() - since, time.time() - now[1] / 1e9)
                text = self._take(path, now, stood_s)
                if text is not None:
                    return text
            self._check_time()
            self._closed.wait(self._patience.poll_s)
        raise GatewayClosed(
            f"the run stopped while call {key} waited for {path.name}; resume it to wait again"
        )

    def _take(self, path: Path, state: tuple[int, int], stood_s: float) -> str | None:
        """Return the answer if it is complete, else ``None``."""
        if stood_s < self._patience.settle_s:
            return None
        busy = being_written(path)
        if busy or (busy is None and stood_s < self._patience.settle_unsure_s):
            return None
        try:
            text = path.read_text(encoding="utf-8-sig", errors="replace")
        except OSError:
            return None  # gone again, or not readable yet: keep waiting
        return text if text.strip() and _state_of(path) == state else None


def file_stem(key: str) -> str:
    """Return the file name for a call's key, without an ending; different keys differ."""
    stem = re.sub(r"[^A-Za-z0-9_.]", "-", key)
    if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_./]*", key) and len(stem) <= 120:
        return stem
    digest = hashlib.sha256(key.encode()).hexdigest()[:8]
    return f"{stem[:120].lstrip('.-') or 'call'}-{digest}"


def as_text(request: ModelRequest) -> str:
    """Return the request as plain text that can be pasted anywhere."""
    if len(request.messages) == 1:
        return request.messages[0].content.rstrip() + "\n"
    parts = (
        f"## {_HEADINGS.get(message.role, message.role)}\n\n{message.content.strip()}"
        for message in request.messages
    )
    return "\n\n".join(parts) + "\n"


def _state_of(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
