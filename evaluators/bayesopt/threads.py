"""One thread by default.

Measured on a busy two-core machine, two threads made one step 5 to 20 times slower than one; run
studies side by side instead.
"""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread(threads: int = 1) -> Iterator[None]:
    """Run the block with so many torch threads and with random draws that leave no trace."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_num_threads(before)
