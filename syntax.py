"""Python's parser, one thread at a time.

CPython 3.11 keeps the depth of its conversion to syntax trees in one place for all threads: where the
collector lets another thread parse in between, it raises ``SystemError: AST constructor recursion
depth mismatch`` (python/cpython#106905). Replies are read, and programs hashed and checked, in
threads; so all of that goes through this lock.
"""

import ast
import threading

_ONE_AT_A_TIME = threading.Lock()


def parse(source: str, filename: str = "<unknown>") -> ast.Module:
    """Return the syntax tree of a module.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as :func:`ast.parse` does.
    """
    with _ONE_AT_A_TIME:
        return ast.parse(source, filename)
