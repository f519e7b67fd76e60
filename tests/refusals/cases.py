"""What is refused: programs, the arguments they are refused for, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Fn = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Case:
    """A function that is refused.

    why: what of it could not be right, in a sentence or two for the page of the docs.
    known: whether the facts of the arguments are given. ask: how the gradient is asked
    for, where that is not `simplegrad`, perhaps of something without
    a text to point at.
    """

    fn: Fn
    args: tuple[Any, ...]
    why: str
    chapter: str
    known: bool = True
    ask: Callable[[Fn, tuple[Any, ...]], object] | None = None

    @property
    def name(self) -> str:
        """What the files of this case are called."""
        return self.fn.__name__

    def __str__(self) -> str:
        return self.name


CASES: list[Case] = []


def refused(
    why: str,
    *args: Any,
    chapter: str,
    known: bool = True,
    ask: Callable[[Fn, tuple[Any, ...]], object] | None = None,
) -> Callable[[Fn], Fn]:
    """Enter a function into the list."""

    def enter(fn: Fn) -> Fn:
        CASES.append(Case(fn, args, why, chapter, known, ask))
        return fn

    return enter
