"""Named random streams, all derived from the run's seed.

A stream's name is its place in the run (generation, operator, slot, purpose), so nothing has to be
saved: a resumed run draws what an uninterrupted one would have drawn, and no draw of one purpose can
shift another.
"""

import hashlib
import random


def stream_seed(seed: int, *name: str | int) -> int:
    """Return the 63-bit seed of the stream ``name`` of a run with ``seed``."""
    text = "/".join(str(part) for part in (seed, *name))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def stream(seed: int, *name: str | int) -> random.Random:
    """Return the random generator of the stream ``name`` of a run with ``seed``."""
    return random.Random(stream_seed(seed, *name))
