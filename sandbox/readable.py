"""What a confined child may read: interpreter, numpy, torch and the libraries below them.

The list never holds the project: its own folder, wherever it is installed or checked out, is left
out entry by entry where a listed folder lies above it. The same list makes the Landlock rules and
the read-only mounts of the jail.
"""

import functools
import importlib.metadata
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

_SYSTEM = (
    "usr/lib/*-linux-*",
    "usr/lib64",
    "usr/lib/*.so*",
    "usr/lib/locale",
    "lib/*-linux-*",
    "lib64",
    "lib/*.so*",
    "usr/share/zoneinfo",
    "etc/ld.so.cache",
)
DEVICES = ("/dev/null", "/dev/urandom")
PROCESSORS = "/sys/devices/system/cpu"
_ROOTS = ("numpy", "torch")
_NEVER = frozenset({"eurisko", "__pycache__"})
_BUILD_TOOLS = frozenset({"setuptools", "pip", "wheel"})
_PACKAGE_FOLDERS = frozenset({"site-packages", "dist-packages"})

PROJECT = Path(__file__).resolve().parent.parent


def interpreter() -> Path:
    """Return the interpreter's own binary, behind the links of a virtual environment."""
    return Path(sys.executable).resolve()


@functools.cache
def readable_paths() -> tuple[Path, ...]:
    """Return files and folders (with all below) that may be read; none holds the project."""
    base = Path(sys.base_prefix).resolve()
    wide = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    found = [interpreter()]
    for pattern in _SYSTEM:
        found += [path.resolve() for path in Path("/").glob(pattern)]
    if base != Path("/usr"):
        found += sorted((base / "lib").glob("*.so*"))
    for folder in wide:
        if folder.exists():
            found += _without_packages(folder.resolve())
    found += library_entries()
    return tuple(sorted({path for path in found if path.exists()}))


def library_entries() -> list[Path]:
    """Return the top-level files and folders of numpy, torch and what they require."""
    found: set[Path] = set()
    seen: set[str] = set()
    waiting = list(_ROOTS)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in seen or name in _BUILD_TOOLS:
            continue
        seen.add(name)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        found |= _entries(distribution)
        waiting += _requirements(distribution.requires or [])
    return sorted(path for path in found if not _holds_project(path))


def _entries(distribution: importlib.metadata.Distribution) -> set[Path]:
    tops = {path.parts[0] for path in distribution.files or () if path.parts}
    tops |= {distribution.name.lower().replace("-", "_")}
    folder = Path(str(distribution.locate_file("")))
    return {
        (folder / top).resolve()
        for top in tops
        if top not in _NEVER and top != ".." and not top.endswith((".pth", ".dist-info"))
        if (folder / top).exists()
    }


def _requirements(lines: Iterable[str]) -> list[str]:
    names = []
    for line in lines:
        match = re.match(r"[A-Za-z0-9._-]+", line)
        if match is not None and "extra" not in line.partition(";")[2]:
            names.append(match.group())
    return names


def _holds_project(path: Path) -> bool:
    """Whether the project is ``path`` or lies below it."""
    return path == PROJECT or path in PROJECT.parents


def _without_packages(folder: Path) -> Iterator[Path]:
    """Yield the parts of a folder that hold neither installed packages nor the project."""
    below = _package_folders(folder)
    if not below and not _holds_project(folder):
        yield folder
        return
    for entry in sorted(folder.iterdir()):
        if entry.name in _PACKAGE_FOLDERS or entry.resolve() == PROJECT:
            continue
        if any(entry in inner.parents for inner in below) or _holds_project(entry):
            yield from _without_packages(entry)
        else:
            yield entry


def _package_folders(folder: Path) -> list[Path]:
    """Return the folders of installed packages at most two levels below."""
    patterns = (p for name in _PACKAGE_FOLDERS for p in (name, f"*/{name}"))
    return [path for pattern in patterns for path in folder.glob(pattern) if path.is_dir()]
