"""The static policy: a fast, friendly first answer to what no heuristic needs. Not the wall.

It reads the syntax tree and names the first import, name or attribute that a heuristic has no use
for, in words that help a person or a model to do without it. A program can get round it (with
``getattr`` and text, for instance); what such a program can do is limited by the confinement.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from .. import syntax
from .outcome import Outcome, OutcomeKind
from .text import clean_text


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODULES = _words(
    """
    __future__ abc array bisect cmath collections contextlib copy dataclasses decimal enum
    fractions functools graphlib heapq itertools math numbers numpy operator random re
    statistics string sys textwrap time torch types typing typing_extensions warnings
    """
)
# Parts of allowed packages that load code, files, processes or the network.
PATHS = _words(
    """
    numpy.ctypeslib numpy.distutils numpy.f2py numpy.testing numpy.lib.npyio numpy.lib.format
    numpy.load numpy.save numpy.savez numpy.savez_compressed numpy.savetxt numpy.loadtxt
    numpy.genfromtxt numpy.fromfile numpy.memmap scipy.io scipy.datasets torch.load torch.save
    torch.from_file torch.compile torch._dynamo torch._inductor torch.distributed torch.hub
    torch.multiprocessing torch.onnx torch.package torch.serialization torch.utils.cpp_extension
    torch.utils.data torch.utils.model_zoo torch.utils.tensorboard torch.ops.load_library
    sys.modules sys._getframe sys.exit sys.settrace sys.setprofile sys.meta_path sys.path
    """
)
NAMES = _words(
    """
    __builtins__ __import__ __loader__ __spec__ breakpoint compile eval exec exit globals help
    input locals open quit vars
    """
)
ATTRIBUTES = _words(
    """
    __bases__ __builtins__ __closure__ __code__ __getattribute__ __globals__ __import__ __loader__
    __mro__ __reduce__ __reduce_ex__ __spec__ __subclasses__ __traceback__ ag_frame cr_frame
    f_back f_builtins f_globals f_locals gi_frame mro tb_frame tb_next ctypeslib tofile
    """
)
ADVICE = {
    "compile": "compiling does not work here; the plain functions are fast enough",
    "joblib": "the program has one process and one thread; work on whole arrays instead",
    "multiprocessing": "the program has one process and one thread; work on whole arrays instead",
    "threading": "the program has one thread; work on whole arrays instead",
    "concurrent": "the program has one process and one thread; work on whole arrays instead",
    "numba": "numba is not available here; use numpy or torch",
    "scipy": "scipy is not available here; use numpy or torch",
    "sklearn": "scikit-learn is not available here; use numpy or torch",
    "networkx": "networkx is not available here; use plain Python, numpy or torch",
    "os": "a heuristic works on its arguments alone",
}
MAX_CHARACTERS = 200_000


@dataclass(frozen=True)
class Policy:
    """What a program may name.

    ``modules`` are the top-level modules that it may import; ``paths`` are parts of them, and
    ``names`` and ``attributes`` are words, that it may not use.
    """

    modules: frozenset[str] = MODULES
    paths: frozenset[str] = PATHS
    names: frozenset[str] = NAMES
    attributes: frozenset[str] = ATTRIBUTES
    advice: dict[str, str] = field(default_factory=lambda: dict(ADVICE), hash=False)

    def with_modules(self, *names: str) -> "Policy":
        """Return a policy that also allows some top-level modules."""
        return Policy(
            self.modules | set(names), self.paths, self.names, self.attributes, self.advice
        )

    def check(self, code: str) -> Outcome | None:
        """Return a policy_violation, or None; a source that cannot be parsed passes.

        Its syntax error is found again where the program is run.
        """
        if len(code) > MAX_CHARACTERS:
            return _violation(f"the source has {len(code)} characters; at most {MAX_CHARACTERS}")
        try:
            tree = syntax.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return None
        for node, reason in self._faults(tree):
            return _violation(reason, getattr(node, "lineno", None))
        return None

    def _faults(self, tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from self._module(node, alias.name)
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                if node.level:
                    yield node, "a relative import has nothing to refer to"
                else:
                    yield from self._module(node, module)
                    for alias in node.names:
                        yield from self._module(node, f"{module}.{alias.name}")
                        yield from self._attribute(node, alias.name)
            elif isinstance(node, ast.Name) and node.id in self.names:
                yield node, self._worded(f"the name {node.id!r} is not allowed", node.id)
            elif isinstance(node, ast.Attribute):
                yield from self._attribute(node, node.attr)
                yield from self._path(node)

    def _module(self, node: ast.AST, name: str) -> Iterator[tuple[ast.AST, str]]:
        top = name.partition(".")[0]
        if top not in self.modules:
            yield node, self._worded(f"the module {top!r} is not allowed", top)
        elif any(name == barred or name.startswith(barred + ".") for barred in self.paths):
            yield node, self._worded(f"{name!r} is not allowed", name.rpartition(".")[2])

    def _attribute(self, node: ast.AST, name: str) -> Iterator[tuple[ast.AST, str]]:
        if name in self.attributes:
            yield node, self._worded(f"the attribute {name!r} is not allowed", name)

    def _path(self, node: ast.Attribute) -> Iterator[tuple[ast.AST, str]]:
        """Find barred parts of packages that are reached by attributes."""
        parts = [node.attr]
        value = node.value
        while isinstance(value, ast.Attribute) and len(parts) < 6:
            parts.append(value.attr)
            value = value.value
        if not isinstance(value, ast.Name):
            return
        top = {"np": "numpy"}.get(value.id, value.id)
        path = ".".join([top, *reversed(parts)])
        if path in self.paths:
            yield node, self._worded(f"{path!r} is not allowed", node.attr)

    def _worded(self, text: str, name: str) -> str:
        advice = self.advice.get(name)
        return f"{text}: {advice}" if advice else text


def _violation(reason: str, line: int | None = None) -> Outcome:
    return Outcome(
        OutcomeKind.POLICY_VIOLATION,
        error_type="policy",
        message=clean_text(reason, 300),
        line=line,
    )


DEFAULT_POLICY = Policy()
