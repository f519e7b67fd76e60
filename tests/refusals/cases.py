"""Programs that are refused, the arguments that they are refused for, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Fn = Callable[..., Any]
PYTHON_RAISES = "Python itself raises an error here when the function runs."


@dataclass(frozen=True, eq=False)
class Case:
    """A function that is refused.

    why: the reason in a sentence or two, for the page. group: the part of the page.
    known: the arguments are given as examples. ask: the call that is refused, where it
    is not `simplegrad(fn)`.
    """

    fn: Fn
    args: tuple[Any, ...]
    why: str
    group: str
    known: bool = True
    ask: Callable[[Fn, tuple[Any, ...]], object] | None = None

    @property
    def name(self) -> str:
        """The name of the files of this case."""
        return self.fn.__name__

    def __str__(self) -> str:
        return self.name


CASES: list[Case] = []


def refused(
    why: str,
    *args: Any,
    group: str,
    known: bool = True,
    ask: Callable[[Fn, tuple[Any, ...]], object] | None = None,
) -> Callable[[Fn], Fn]:
    """Enter a function into the list."""

    def enter(fn: Fn) -> Fn:
        CASES.append(Case(fn, args, why, group, known, ask))
        return fn

    return enter
