"""Programs that are refused, the arguments that they are refused for, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import yota_ast as ya

Fn = Callable[..., Any]
PYTHON_RAISES = "Python itself raises an error here when the function runs."


@dataclass(frozen=True, eq=False)
class Case:
    """A function that is refused.

    why: the reason in a sentence or two, for the page. group: the part of the page.
    known: the arguments are given as examples. ask: the call that is refused, where it
    is not `simplegrad(fn)`. works: the program with the remedy followed.
    """

    fn: Fn
    args: tuple[Any, ...]
    why: str
    group: str
    known: bool = True
    ask: Callable[[Fn, tuple[Any, ...]], object] | None = None
    works: Fn | None = None

    def asked(self, fn: Fn) -> object:
        """What is asked for, of this function or of that which works."""
        if self.ask is not None:
            return self.ask(fn, self.args)
        return ya.simplegrad(fn, *(self.args if self.known else ()))

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
    works: Fn | None = None,
) -> Callable[[Fn], Fn]:
    """Enter a function into the list."""

    def enter(fn: Fn) -> Fn:
        CASES.append(Case(fn, args, why, group, known, ask, works))
        return fn

    return enter
