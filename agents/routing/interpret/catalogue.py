"""The kinds of changes in words, for a model: names, purposes and fields of the typed changes."""

from typing import Any

from ..changes import CHANGES


def catalogue() -> list[dict[str, Any]]:
    """Return for each kind of change its name, purpose, and its fields with their types."""
    return [
        {
            "kind": change.model_fields["kind"].default,
            "purpose": " ".join((change.__doc__ or "").split()),
            "fields": _fields(change.model_json_schema()),
        }
        for change in CHANGES
    ]


def _fields(schema: dict[str, Any]) -> list[str]:
    required = set(schema.get("required", ()))
    return [
        f"{name} ({_type(field)}{'' if name in required else ', optional'})"
        for name, field in schema["properties"].items()
        if name != "kind"
    ]


def _type(field: dict[str, Any]) -> str:
    """Return a JSON schema's type in a few words."""
    if "anyOf" in field:
        return " or ".join(_type(one) for one in field["anyOf"])
    if "enum" in field:
        return " | ".join(repr(one) for one in field["enum"])
    kind = field.get("type", "value")
    if kind == "array" and "items" in field:
        return f"list of {_type(field['items'])}"
    if kind == "array" and "prefixItems" in field:
        return "[" + ", ".join(_type(one) for one in field["prefixItems"]) + "]"
    return str(kind)
