"""What makes an evaluation the same evaluation, and which machine this is."""

import hashlib
import json
import platform
import uuid
from dataclasses import asdict, dataclass
from functools import cache


@dataclass(frozen=True)
class EvaluationKey:
    """All that an evaluation's result depends on (DESIGN section 4).

    ``limits`` is the text of the resource limits: a program that timed out under a short limit may
    succeed under a longer one.
    """

    program_hash: str
    problem: str
    problem_version: str
    interface: str
    dataset: str
    dataset_digest: str
    seed: int
    device: str
    limits: str

    @property
    def identity(self) -> str:
        """Return the sha256 of the key, the unique name of its evaluation."""
        fields = asdict(self)
        del fields["dataset"]  # a name; the digest says which data
        text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@cache
def this_machine() -> str:
    """Return a digest that tells machines apart without naming them."""
    facts = f"{uuid.getnode()}/{platform.machine()}/{platform.processor()}"
    return hashlib.sha256(facts.encode()).hexdigest()[:16]
