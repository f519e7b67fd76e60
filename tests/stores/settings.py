"""A snippet and a setting -> the function that writes there, with source that is found.

Settings: plain; in a loop; in an arm of a branch; in a helper; after what it overwrites
was read nonlinearly; into the caller's own arrays.

>>> print(text_of("y[k] = c", "loop"))  # doctest: +ELLIPSIS
import operator
...
    for k in range(2):
        y[k] = c
...
"""

from __future__ import annotations

import linecache
import textwrap
from collections.abc import Callable
from typing import Any

SETTINGS = ("plain", "loop", "arm", "other_arm", "helper", "after", "caller")

_HEAD = """\
import operator

import numpy as np


class Box:
    def __init__(self, a):
        self.a = a

    def scale(self, by):
        self.a *= by

    def put(self, at, value):
        self.a[at] = value


def scale_half(a, by):
    a[: len(a) // 2] *= by


def first_half(a):
    return a[: len(a) // 2]


def touched(a, by):
    a[1] = by * a[0]
    return a


def into(a, out=None):
    if out is None:
        out = np.zeros_like(a)
    np.multiply(a, a, out=out)
    return out


idx = np.array([0, 2])
rep = np.array([1, 0, 1])
mask = np.array([True, False, True, False])
"""
_OWN = "y = x * 1.5\nm = np.outer(x[:3], x) * c\nk = 1\n"
_RETURN = "return np.sum(np.sin(y) * y) + np.sum(m * m * m) * c\n"
_BEFORE = "s = np.sum(np.exp(y)) + np.sum(m * m) + y[1] * m[1, 2]\n"


def text_of(snippet: str, setting: str) -> str:
    """The module's text; the function is `f`."""
    params, body = "x, c", _OWN + snippet + "\n" + _RETURN
    if setting == "loop":
        inner = textwrap.indent(snippet, "    ")
        body = f"{_OWN}for k in range(2):\n{inner}\n{_RETURN}"
    elif setting in ("arm", "other_arm"):
        inner = textwrap.indent(snippet, "    ")
        test = "c > 0.5" if setting == "arm" else "c < 0.5"
        body = f"{_OWN}if {test}:\n{inner}\nelse:\n    y[1:] *= x[0]\n{_RETURN}"
    elif setting == "helper":
        made = "def helper(y, m, x, c, k):\n" + textwrap.indent(snippet, "    ")
        body = f"{_OWN}helper(y, m, x, c, k)\n{_RETURN}"
        return _text(params, body, made)
    elif setting == "after":
        body = f"{_OWN}{_BEFORE}{snippet}\n{_RETURN.replace('return', 'return s *')}"
    elif setting == "caller":
        params, body = "x, c, y, m", "k = 1\n" + snippet + "\n" + _RETURN
    return _text(params, body, "")


def _text(params: str, body: str, helper: str) -> str:
    parts = [_HEAD, helper, f"def f({params}):\n" + textwrap.indent(body, "    ")]
    return "\n\n".join(p.strip("\n") + "\n" for p in parts if p)


def function_of(snippet: str, setting: str, name: str) -> Callable[..., Any]:
    """The function, compiled under the name of a file that linecache knows."""
    text = text_of(snippet, setting)
    filename = f"<{name} {setting}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    space: dict[str, Any] = {"__name__": "stores"}
    exec(compile(text, filename, "exec"), space)
    return space["f"]
