"""A method of a container that no handler takes -> reason and remedy of its refusal.

>>> unsupported_method("list", None, "push")
('a list has no method `push`', 'Correct the name.')
>>> unsupported_method("dict", None, "popitem")[0]
'the method `popitem` of a dict is not supported'
"""

from __future__ import annotations

from typing import Final

_PLAIN: Final = {"list": list, "dict": dict, "set": set}


def unsupported_method(kind: str, cls: type | None, name: str) -> tuple[str, str]:
    """Return the reason and the remedy. cls: the class of the container, if known."""
    plain = _PLAIN.get(kind)
    if plain is not None and cls in (None, plain) and not hasattr(plain, name):
        return f"a {kind} has no method `{name}`", "Correct the name."
    return (
        f"the method `{name}` of a {kind} is not supported",
        "Write it as a loop, or with arrays.",
    )
