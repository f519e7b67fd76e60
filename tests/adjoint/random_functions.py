"""Random choices -> the source of a function, with everything the language allows.

Overwritten names, aliases, helpers, branches, loops over ranges, counted `while` loops,
breaks, reductions, reads through indices, stores.  Values stay of moderate size.
"""

from __future__ import annotations

from random import Random

HELPERS = """
import math
import numpy as np


def scaled(v, s, by=0.5):
    v = v * by
    s = np.tanh(s) + by
    return v * s


def chosen(v, s):
    if s > 0.1:
        return v * s
    v = np.sin(v)
    return v + 0.3


def mixed(v, s):
    out = 0.0
    for j in range(2):
        out = out * s + v[j] * v[j + 1]
    return np.tanh(out)
"""
SCALARS = (
    "{s} * {s}", "{s} + {s}", "{s} - 0.5 * {s}", "np.sin({s})", "np.tanh({s} * {s})",
    "{s} / (1.5 + {s} * {s})", "np.sum({v})", "np.mean({v} * {v})", "{v}[{i}]",
    "{v}[-1] * {s}", "{v} @ {v} * 0.1", "np.max({v})", "mixed({v}, {s})", "-{s}",
    "({s} if {t} else {s})", "0.7",
)  # fmt: skip
VECTORS = (
    "{v} + {v}", "{v} * {s}", "{v} * {v}", "np.sin({v})", "np.tanh({v} - {v})",
    "np.tanh(M @ {v})", "{v}[::-1]", "np.concatenate(({v}[1:], {v}[:1]))",
    "np.where({v} > 0.2, {v}, {s} * {v})", "np.exp(-{v} * {v})", "scaled({v}, {s})",
    "chosen({v}, {s})", "scaled({v}, {s}, by={s})", "{v} / (1.5 + {v} * {v})", "{v}",
    "M[{i}] * {v}", "{v} - np.mean({v})", "np.zeros(3) + {s}", "{v}.copy()",
    "np.sum(np.outer({v}, {v}), axis=1) * 0.1", "np.cumsum({v})[::-1] * 0.3",
)  # fmt: skip
TESTS = ("{s} > 0.3", "{s} * {s} < 0.4", "n > 1", "np.sum({v}) > 0.5", "not {s} > 0.2")


class Writer:
    """Writes one function; what is in scope is what every path has defined."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.scalars = ["a"]
        self.vectors = ["x", "w"]
        self.indices: list[str] = []
        self.own: list[str] = []  # vectors that may be written in place
        self.loops = 0
        self.used = 0

    # ------------------------------------------------------------ expressions

    def pick(self, options: object) -> str:
        return self.random.choice(list(options))  # type: ignore[call-overload]

    def fill(self, pattern: str, depth: int = 1) -> str:
        """The pattern with expressions in its holes."""
        while "{" in pattern:
            hole = pattern[pattern.index("{") :][:3]
            if hole == "{i}":
                part = self.pick([*self.indices, "0", "1", "-1"])
            elif hole == "{t}":
                part = self.fill(self.pick(TESTS), 0)
            else:
                part = self.expression("sv".index(hole[1]), depth)
            pattern = pattern.replace(hole, part, 1)
        return pattern

    def expression(self, kind: int, depth: int) -> str:
        names = (self.scalars, self.vectors)[kind]
        if depth == 0 or self.random.random() < 0.6:
            return self.pick(names)
        return f"({self.fill(self.pick((SCALARS, VECTORS)[kind]), depth - 1)})"

    # ------------------------------------------------------------ statements

    def write(self, text: str, indent: int) -> None:
        self.lines.append("    " * indent + text)

    def statement(self, indent: int) -> None:
        kinds = ["scalar"] * 3 + ["vector"] * 4 + ["augmented", "store", "alias"]
        if indent < 3 and len(self.lines) < 25:
            kinds += ["branch", "loop", "while"]
        getattr(self, self.pick(kinds))(indent)

    def scalar(self, indent: int) -> None:
        text = self.fill(self.pick(SCALARS))
        name = self.pick([*self.scalars, "s", "t"])
        self.write(f"{name} = {text}", indent)
        self.scalars += [] if name in self.scalars else [name]

    def vector(self, indent: int) -> None:
        pattern = self.pick(VECTORS)
        text = self.fill(pattern)
        name = self.pick([*self.vectors, "y", "z"])
        self.write(f"{name} = {text}", indent)
        self.vectors += [] if name in self.vectors else [name]
        self.own = [v for v in self.own if v != name]
        if not pattern.startswith(("{v}[", "chosen", "scaled")) and pattern != "{v}":
            self.own.append(name)

    def alias(self, indent: int) -> None:
        name = self.pick(["y", "z"])
        source = self.pick(self.vectors)
        self.write(f"{name} = {source}", indent)
        self.vectors += [] if name in self.vectors else [name]
        self.own = [v for v in self.own if v != name]
        if source in self.own:
            self.own.append(name)

    def augmented(self, indent: int) -> None:
        if self.own and self.random.random() < 0.6:
            name, sign = self.pick(self.own), self.pick(["+=", "-=", "*="])
            self.write(f"{name} {sign} {self.fill(self.pick(VECTORS), 0)}", indent)
        else:
            name, sign = self.pick(self.scalars), self.pick(["+=", "-=", "*="])
            self.write(f"{name} {sign} {self.fill(self.pick(SCALARS), 0)}", indent)

    def store(self, indent: int) -> None:
        if not self.own:
            self.vector(indent)
            return
        name, sign = self.pick(self.own), self.pick(["=", "+=", "="])
        if self.random.random() < 0.5:
            place = self.fill("{i}")
            value = self.fill(self.pick(SCALARS), 0)
        else:
            place, value = "1:", self.fill("{v}[:-1] * {s}", 0)
        self.write(f"{name}[{place}] {sign} {value}", indent)

    # ------------------------------------------------------------ blocks

    def body(self, indent: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent)

    def _scope(self) -> tuple[list[str], ...]:
        return list(self.scalars), list(self.vectors), list(self.own)

    def _restore(self, scope: tuple[list[str], ...]) -> None:
        self.scalars, self.vectors, self.own = (list(names) for names in scope)

    def branch(self, indent: int) -> None:
        before = self._scope()
        self.write(f"if {self.fill(self.pick(TESTS), 0)}:", indent)
        self.body(indent + 1)
        then = self._scope()
        self._restore(before)
        if self.random.random() < 0.6:
            self.write("else:", indent)
            self.body(indent + 1)
        orelse = self._scope()
        both = [[n for n in p if n in q] for p, q in zip(then, orelse, strict=True)]
        self._restore(tuple(both))

    def loop(self, indent: int) -> None:
        self.loops += 1
        index, before = f"i{self.loops}", self._scope()
        self.write(f"for {index} in range({self.pick(['n', '2', '3', '0'])}):", indent)
        self.indices.append(index)
        self.own = []  # what an earlier iteration made may be shared by then
        self.body(indent + 1)
        if self.random.random() < 0.3:
            self.write(f"if {self.fill(self.pick(TESTS), 0)}:", indent + 1)
            self.write(self.pick(["break", "continue"]), indent + 2)
            self.body(indent + 1)
        self.indices.remove(index)
        self._restore((*before[:2], []))

    def while_(self, indent: int) -> None:
        self.loops += 1
        counter, before = f"k{self.loops}", self._scope()
        self.write(f"{counter} = 0", indent)
        self.write(f"while {counter} < {self.pick(['n', '2'])}:", indent)
        self.own = []
        self.body(indent + 1)
        self.write(f"{counter} = {counter} + 1", indent + 1)
        self._restore((*before[:2], []))

    def __getattr__(self, name: str) -> object:
        if name == "while":
            return self.while_
        raise AttributeError(name)

    def function(self) -> str:
        """The source of a module with helpers and the function `program`."""
        for _ in range(self.random.randint(2, 7)):
            self.statement(1)
        vectors = " + ".join(f"np.sum({v} * {v})" for v in self.vectors)
        scalars = " + ".join(self.scalars)
        result = self.pick([f"{vectors} + {scalars}", f"{self.pick(self.vectors)} * 1.5",
                            f"({self.pick(self.scalars)}, {self.pick(self.vectors)})"])  # fmt: skip
        self.write(f"return {result}", 1)
        header = "def program(x, w, a, M, n):"
        return "\n".join([HELPERS, "", header, *self.lines, ""])


def source_of(random: Random) -> str:
    """The source of a random module, whose function is `program`."""
    return Writer(random).function()
