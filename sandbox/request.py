"""The sealed request: all that a child learns of its task, besides the inputs."""

import json
from collections.abc import Mapping

from .limits import ArraySpec, Program
from .memfd import sealed


def sealed_request(
    program: Program,
    *,
    seed: int,
    device: str = "cpu",
    kind: str | None = None,
    steps: Mapping[str, ArraySpec] | None = None,
    rows: tuple[int, int] | None = None,
    device_bytes: int | None = None,
) -> int:
    """Return a descriptor of the request; ``steps`` describes a session's observations.

    ``device`` is what the driver is told, ``kind`` that of a prepared worker, ``device_bytes`` what
    it may hold there. ``rows`` says to solve in batches: how many rows there are, and how many to
    try at once.

    Raises:
        ValueError: for a seed outside 0 to 2**63 − 1.
    """
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed must be between 0 and 2**63 - 1, got {seed!r}")
    request = {
        "code": program.code,
        "function": program.function,
        "driver": program.driver,
        "seed": seed,
        "device": device,
        "kind": kind,
        "rows": rows,
        "device_bytes": device_bytes,
        "steps": None
        if steps is None
        else {key: [spec.dtype, spec.shape] for key, spec in steps.items()},
    }
    return sealed("request", [json.dumps(request).encode()])
