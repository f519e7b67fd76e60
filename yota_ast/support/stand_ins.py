"""A callable that stands for a function -> that function.

It is apart from the compiler, which `@differentiable` does not load.

>>> class Logged(Wrapper):
...     def __init__(self, fn):
...         self.fn = fn
>>> Logged(abs).fn is abs
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Wrapper:
    """A callable that stands for the function `fn`, and differentiates like it."""

    fn: Callable[..., Any]
