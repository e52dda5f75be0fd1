"""Reads a space file: YAML or JSON, as ``Space.from_dict`` takes it."""

import re
from pathlib import Path
from typing import Any

from ..errors import InputError

_NUMBER = re.compile(r"^[-+]?(?:\d+\.?\d*|\.\d+)[eE][-+]?\d+$")


def read_space_file(path: Path) -> dict[str, Any]:
    """Return the data of a space file.

    Raises:
        InputError: it cannot be read, is no YAML, or is no mapping.
    """
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Reads 1e-5 as a number, which YAML 1.1 takes for a text."""

    Loader.add_implicit_resolver("tag:yaml.org,2002:float", _NUMBER, list("-+0123456789."))
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader)  # a safe one
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text in UTF-8.") from error
    except yaml.YAMLError as error:
        first = " ".join(str(error).split())
        raise InputError(f"{path} is no YAML: {first}.") from error
    if not isinstance(data, dict):
        raise InputError(f"{path} holds no mapping: it needs 'parameters:' with a list.")
    return data
