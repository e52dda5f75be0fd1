"""What a run is given: the program, its limits, and the arrays that it must return."""

import math
from dataclasses import dataclass

DTYPES = ("<f8", "<f4", "<i8", "<i4", "|u1", "|b1")
ITEM_BYTES = {"<f8": 8, "<f4": 4, "<i8": 8, "<i4": 4, "|u1": 1, "|b1": 1}
MAX_CODE_CHARACTERS = 1_000_000
BASE_BYTES = 256 * 2**20
"""What a run takes of a device beside its rows: work space of libraries, blocks that are kept."""


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    ``cpu_s`` and ``wall_s`` are seconds (``wall_s`` defaults to 1.5 × ``cpu_s`` + 1);
    ``memory_mib`` is address space above the fork server's own and the inputs; ``output_kib`` of
    standard output and error are kept, the rest is read and dropped, and a program that prints more
    than ``output_cut_mib`` is stopped; ``file_mib`` bounds any file that it might write.

    Raises:
        ValueError: for a limit that is not a positive finite number.
    """

    cpu_s: float = 10.0
    wall_s: float | None = None
    memory_mib: int = 2048
    output_kib: int = 8
    output_cut_mib: int = 64
    file_mib: int = 1
    open_files: int = 64

    def __post_init__(self) -> None:
        for name in ("cpu_s", "wall_s", "memory_mib", "output_cut_mib", "open_files"):
            value = getattr(self, name)
            if value is None and name == "wall_s":
                continue
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a positive number, got {value!r}")
        for name in ("output_kib", "file_mib"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)!r}")
        if self.open_files < 32:
            raise ValueError(f"open_files must be at least 32, got {self.open_files!r}")

    @property
    def wall_limit_s(self) -> float:
        """Seconds on the clock after which the run is stopped."""
        return 1.5 * self.cpu_s + 1.0 if self.wall_s is None else self.wall_s


@dataclass(frozen=True)
class ArraySpec:
    """Data type (one of ``DTYPES``) and shape of one array that a program must return.

    Raises:
        ValueError: for another data type or a negative size.
    """

    dtype: str
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype must be one of {', '.join(DTYPES)}; got {self.dtype!r}")
        if len(self.shape) > 8 or any(type(n) is not int or n < 0 for n in self.shape):
            raise ValueError(f"shape must be at most 8 sizes of 0 or more; got {self.shape!r}")

    @property
    def nbytes(self) -> int:
        """Bytes of the raw array."""
        return math.prod(self.shape) * ITEM_BYTES[self.dtype]


@dataclass(frozen=True)
class Rows:
    """The first dimension of all inputs and results, along which a run may be divided.

    A driver then solves as many of the ``count`` rows at once as fit into the memory that the run is
    given, half as many whenever memory runs out all the same, and each row gets the same as in one
    go unless the program makes rows depend on one another. ``bytes_each`` is about what one row
    takes while it is solved.

    Raises:
        ValueError: for a number that is not positive.
    """

    count: int
    bytes_each: int

    def __post_init__(self) -> None:
        if self.count < 1 or self.bytes_each < 1:
            raise ValueError(f"rows and their bytes must be positive, got {self!r}")

    @property
    def need(self) -> int:
        """Bytes of a device for all rows at once, with what a run takes there beside them."""
        return BASE_BYTES + self.count * self.bytes_each

    def within(self, memory: int) -> int:
        """Return how many rows fit into ``memory`` bytes, at least one."""
        return max(1, min(self.count, memory // self.bytes_each))


@dataclass(frozen=True)
class Program:
    """An untrusted candidate, the function that it must define, and the driver that calls it.

    ``driver`` is the text of a self-contained module (numpy, torch, standard library) that
    defines ``solve(heuristic, inputs, device) -> dict[str, ndarray]``. It runs beside the
    candidate, so nothing that it returns is trusted either. ``modules`` are top-level modules that
    the static policy lets this program import beside the usual ones.
    """

    code: str
    function: str
    driver: str
    modules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.function.isidentifier():
            raise ValueError(f"function must be a Python name, got {self.function!r}")
