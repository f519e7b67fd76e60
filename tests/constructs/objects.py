"""Objects among arguments -> dicts of their fields, so that they can be compared."""

from __future__ import annotations

from typing import Any


def as_dicts(value: Any) -> Any:
    """A structure with its objects as dicts of their fields."""
    if isinstance(value, list):
        return [as_dicts(v) for v in value]
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(as_dicts(v) for v in value)
    if isinstance(value, dict):
        return {k: as_dicts(v) for k, v in value.items()}
    if hasattr(value, "__dict__"):
        return as_dicts(vars(value))
    return value


def fields_of(cls: type, fields: dict[str, Any]) -> Any:
    """An object of a class with these fields."""
    made = object.__new__(cls)
    vars(made).update(fields)
    return made


def rebuilt(template: Any, value: Any) -> Any:
    """What `as_dicts` gives, with objects again where the template has them."""
    if isinstance(template, list):
        return [rebuilt(t, v) for t, v in zip(template, value, strict=True)]
    if isinstance(template, tuple) and not hasattr(template, "_fields"):
        return tuple(rebuilt(t, v) for t, v in zip(template, value, strict=True))
    if isinstance(template, dict):
        return {k: rebuilt(template[k], v) for k, v in value.items()}
    if hasattr(template, "__dict__"):
        fields = {k: rebuilt(vars(template)[k], v) for k, v in value.items()}
        return fields_of(type(template), fields)
    return value


def by_path(gradient: Any, template: Any) -> Any:
    """A gradient in the structure of `as_dicts`; zeros for fields that have none."""
    if not hasattr(template, "__dict__"):
        return gradient
    found = zeros(as_dicts(template))
    for path, d in gradient.items():
        at = found
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = d
    return found


def zeros(value: Any) -> Any:
    """Zeros for the floats of a structure, in lists and dicts that can be written."""
    if isinstance(value, list | tuple):
        return [zeros(v) for v in value]
    if isinstance(value, dict):
        return {k: zeros(v) for k, v in value.items()}
    return value * 0.0 if hasattr(value, "dtype") or isinstance(value, float) else value
