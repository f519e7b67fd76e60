"""A random program -> another one that calls it, as text.

>>> from random import Random
>>> drawn = Drawn(
...     "def program(x, n):\\n    return x * n\\n", (1.0, 2), ("x", "n"), True, True
... )
>>> print(calling(drawn, "return inner(x, n) ** 2").source)
def inner(x, n):
    return x * n
<BLANKLINE>
<BLANKLINE>
def program(x, n):
    return inner(x, n) ** 2
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import replace
from textwrap import indent
from typing import Any

import numpy as np

from ..program import Drawn


def calling(drawn: Drawn, body: str, head: str = "") -> Drawn:
    """A program whose function `program` has that body, and may call `inner`."""
    inner = drawn.source.replace("def program(", "def inner(")
    names = ", ".join(drawn.names)
    source = f"{head}{inner}\n\ndef program({names}):\n{indent(body, '    ')}\n"
    return replace(drawn, source=source, holomorphic=False)


def first_argument(drawn: Drawn, position: int) -> Drawn:
    """The same program with one of its arguments in the first place."""
    order = [position, *(k for k in range(len(drawn.names)) if k != position)]
    moved = replace(
        drawn,
        names=tuple(drawn.names[k] for k in order),
        args=tuple(drawn.args[k] for k in order),
    )
    return calling(moved, f"return inner({', '.join(drawn.names)})")


def total(value: Any, text: str) -> str:
    """An expression for a number made of all floats of a value that a text gives."""
    if isinstance(value, dict):
        parts = [total(v, f"{text}[{k!r}]") for k, v in value.items()]
    elif isinstance(value, tuple | list):
        parts = [total(v, f"{text}[{k}]") for k, v in enumerate(value)]
    elif isinstance(value, np.ndarray):
        return f"np.sum(np.sin({text}))" if value.dtype.kind == "f" else ""
    else:
        return text if isinstance(value, float) else ""
    return " + ".join(part for part in parts if part)
