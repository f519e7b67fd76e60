"""Random expressions: patterns whose holes are filled from the names in scope."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any

from .owned import OF_ARRAYS, OF_NUMBERS
from .patterns import (
    ARRAYS,
    CHANGING,
    ELEMENTWISE,
    FRESH,
    NAMES,
    OF_SHAPE,
    SHAPES,
    TESTS,
    S,
    Shape,
)
from .scope import Entry, Scope

_HOLE = re.compile(r"\{([a-z0-9])\}")
CONSTANTS = ("0.3", "-0.4", "0.1", "0.7", "-0.2", "1.2")


def is_closed(text: str) -> bool:
    """Whether an expression stands anywhere without brackets.

    >>> is_closed("np.sum(x + y)"), is_closed("x + y"), is_closed("-x")
    (True, False, False)
    """
    depth = 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and letter == " ":
            return False
    return text[:1].isidentifier() or text[:1] in "("


class Expressions:
    """Draws expressions; `holomorphic` tells whether complex numbers go through."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.scope = Scope()
        self.lines: list[str] = []
        self.holomorphic = True
        self.numbers = 0
        self.trying = False

    # ------------------------------------------------------------ choices

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self.random.randrange(len(options))]

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self, prefix: str) -> str:
        self.numbers += 1
        return f"{prefix}{self.numbers}"

    # ------------------------------------------------------------ expressions

    def expression(self, shape: Shape, depth: int = 2) -> tuple[str, bool]:
        """A text, and whether its memory is certainly new."""
        if depth == 0 or self.chance(0.35):
            return self.atom(shape)
        helpers = self.scope.helpers.get(shape, [])
        if helpers and self.chance(0.25):
            return self.fill(self.pick(helpers), shape, depth - 1), False
        tables = [ELEMENTWISE, OF_SHAPE[shape], OF_SHAPE[shape]]
        tables += [ARRAYS] if shape else []
        if self.chance(0.04):
            tables = [OF_ARRAYS if shape else OF_NUMBERS]
        pattern = self.pick(self.pick(tables))
        fresh = "~" not in pattern and " if " not in pattern and pattern != "+{e}"
        fresh = fresh and "owned.turned" not in pattern
        if pattern.startswith("!"):
            self.holomorphic = False
        return self.fill(pattern.lstrip("~!"), shape, depth - 1), fresh

    def value(self, shape: Shape, depth: int = 2) -> str:
        return self.expression(shape, depth)[0]

    def atom(self, shape: Shape) -> tuple[str, bool]:
        names = self.scope.of(shape)
        if names and not self.chance(0.04):
            return self.pick(names), False
        pattern = self.pick(FRESH[shape]) if self.scope.values else FRESH[shape][0]
        return self.fill(pattern), True

    def fill(self, pattern: str, shape: Shape = S, depth: int = 0) -> str:
        def part(match: re.Match[str]) -> str:
            return self.part(match.group(1), shape, depth)

        return _HOLE.sub(part, pattern)

    def part(self, hole: str, shape: Shape, depth: int) -> str:
        if hole == "c":
            return self.pick(CONSTANTS)
        if hole == "t":
            return f"({self.test(0)})" if depth else self.test(0)
        if hole == "k":
            return self.integer()
        if hole.isdigit():
            return self.index(int(hole))
        text = self.value(shape if hole == "e" else SHAPES[hole], depth)
        return text if is_closed(text) else f"({text})"

    def test(self, depth: int = 1) -> str:
        if self.scope.tests and self.chance(0.15):
            return self.pick(self.scope.tests)
        if self.scope.changing and not self.trying and self.chance(0.1):
            one, two = self.pick(self.scope.changing), self.pick(self.scope.changing)
            tests = [t.replace("@", one).replace("%", two) for t in CHANGING]
            return self.fill(self.pick(tests), S, 0)
        return self.fill(self.pick(TESTS), S, depth)

    def integer(self) -> str:
        if self.scope.ints and self.chance(0.8):
            return self.pick(list(self.scope.ints))
        return self.pick(["1", "2", "3"])

    def index(self, length: int) -> str:
        names = [n for n, below in self.scope.ints.items() if below <= length]
        others = [n for n in self.scope.ints if n not in names]
        if names and self.chance(0.6):
            return self.pick(names)
        if others and self.chance(0.3):
            return f"{self.pick(others)} % {length}"
        return str(self.random.randrange(-length, length))

    # ------------------------------------------------------------ names

    def write(self, text: str, indent: int) -> None:
        self.lines.append("    " * indent + text)

    def target(self, shape: Shape) -> str:
        """A name that may be bound to a value of that shape."""
        locked, values = self.scope.locked, self.scope.values
        known = [n for n in self.scope.of(shape) if self.may_bind(n)]
        names = [n for n in NAMES[shape] if n not in locked or n in known]
        if known and self.chance(0.45):
            return self.pick(known)
        if self.chance(0.06) and not locked:
            plain = [n for n in values if n.isidentifier() and values[n].target]
            names = plain or names
        return self.pick(names) if names else self.fresh(NAMES[shape][0])

    def may_bind(self, name: str) -> bool:
        """Whether a name is a target; in a `try` few of before are."""
        old = self.trying and name in self.scope.locked and not self.chance(0.05)
        return self.scope.values[name].target and not old

    def bind(self, name: str, shape: Shape, *, own: bool, target: bool = True) -> None:
        if name.isidentifier():
            self.scope.drop(name)
        self.scope.values[name] = Entry(shape, own, target)
