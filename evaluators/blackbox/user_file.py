"""A user's Python file: which function is the objective, and how it is called.

The file defines ``objective``; its parameters are called by name: ``def objective(x, kind): ...``. It
returns a number, or a pair of a number and the standard deviation of its noise.
"""

from pathlib import Path

from ..errors import InputError

FUNCTION = "objective"


def read_file(path: Path) -> str:
    """Return the source of a user's file.

    Raises:
        InputError: it cannot be read, is no Python, or lacks the function.
    """
    import ast

    try:
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source, filename=str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text in UTF-8.") from error
    except SyntaxError as error:
        raise InputError(f"{path}, line {error.lineno}: {error.msg}.") from error
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    if FUNCTION not in names:
        found = f"it defines {', '.join(names)}" if names else "it defines no function"
        raise InputError(
            f"{path} needs a function 'def {FUNCTION}(...)' with one argument per parameter: {found}."
        )
    return source
