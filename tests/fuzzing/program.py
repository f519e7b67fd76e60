"""A random source -> a whole module with a function `program`, and arguments for it.

A seed stands for one program, until a kind of statement is added: seeds in old logs
mean other programs than now.

>>> from random import Random
>>> drawn = draw(Random(1))
>>> "def program(" in drawn.source, len(drawn.args) > 1
(True, True)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from .flows import Flows, Written
from .outside import HOSTILE, outside
from .owned import register
from .patterns import SHAPES, F, M, S, Shape, U, V
from .scope import Entry
from .things import CLASSES
from .twins import AGAIN

HEAD = """import math
from dataclasses import dataclass

import numpy as np

from tests.fuzzing import owned, yielding
"""
LETTERS = {shape: letter for letter, shape in SHAPES.items()}
PARAMS: dict[str, Shape] = {"x": V, "a": S, "w": V, "W": M, "b": S, "g0": U, "f0": F}
RETURNS = {
    "scalar": "return %", "tuple": "return %, %",
    "dict": 'return {"one": %, "two": %}',
}  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """A program. plain: its parameters are floats, arrays and ints.

    holomorphic: complex numbers go through all of it.
    """

    source: str
    args: tuple[Any, ...]
    names: tuple[str, ...]
    plain: bool
    holomorphic: bool


register()


def draw(random: Random) -> Drawn:
    """A program drawn from a source of choices."""
    return _Module(Flows(random)).drawn()


def written(random: Random) -> Drawn:
    """A program that mostly writes into what it, or its derivative, computes twice."""
    return _Module(Written(random)).drawn()


class _Module:
    def __init__(self, writer: Flows) -> None:
        self.writer = writer
        self.parts = [HEAD]
        self.shape: Shape | None = None
        self.form = ""
        self.params: list[tuple[str, Any]] = []
        self.outside = outside(writer.random)
        self.parts += self.outside.parts
        self.outer = {
            name: Entry(shape, target=False)
            for name, shape in self.outside.values.items()
        }

    def drawn(self) -> Drawn:
        w = self.writer
        helpers: dict[Shape, list[str]] = {}
        writers: dict[Shape, list[str]] = {}
        for number in range(w.pick([0, 0, 1, 1, 2])):
            if w.chance(0.65):
                self.helper(number, helpers)
            else:
                self.writing(number, writers)
        w.scope = type(w.scope)(dict(self.outer), helpers=helpers, writers=writers)
        w.lines, w.budget = [], w.pick([2, 4, 6, 8, 10])
        plain = self.parameters()
        self.result(w.pick(w.results))
        for _ in range(w.pick(w.lengths)):
            w.statement(1)
        w.write(self.summary(), 1)
        names = tuple(name for name, _ in self.params)
        header = f"def program({', '.join(self.header())}):"
        body = "\n".join([header, *w.lines])
        text = "\n\n".join([*self.parts, body])
        if any(f"{word}(" in text for word in ("Box", "Slow", "Pair")):
            self.parts.insert(1, CLASSES)
        source = "\n\n".join([*self.parts, body]) + "\n"
        args = tuple(value for _, value in self.params)
        return Drawn(source, args, names, plain, w.holomorphic)

    def header(self) -> list[str]:
        return [
            f"{name}: int" if type(value) is int else name
            for name, value in self.params
        ]

    # ------------------------------------------------------------ parameters

    def parameters(self) -> bool:
        w = self.writer
        rng = np.random.default_rng(w.random.getrandbits(32))

        def real(shape: Shape) -> Any:
            numbers = rng.uniform(-1, 1, shape)
            return numbers if shape else float(numbers)

        chosen = ["x", "a"] + [n for n in list(PARAMS)[2:] if w.chance(0.4)]
        for name in chosen:
            self.params.append((name, real(PARAMS[name])))
            w.scope.values[name] = Entry(PARAMS[name], own=w.chance(0.15))
        if w.chance(0.5):
            self.params.append(("n", w.random.randrange(4)))
            w.scope.ints["n"] = 4
        plain = True
        if w.chance(0.15):
            plain = False
            self.params.append(("P", w.pick([list, tuple])([real(S), real(V)])))
            w.scope.values["P[0]"] = Entry(S, target=False)
            w.scope.values["P[1]"] = Entry(V, target=False)
        if w.chance(0.1):
            plain = False
            odd = w.pick(["a", *HOSTILE])
            self.params.append(("K", {odd: real(S), "b": real(V), "c": real(M)}))
            for key, shape in ((odd, S), ("b", V), ("c", M)):
                w.scope.values[f"K[{key!r}]"] = Entry(shape, target=False)
        if w.chance(0.1):
            self.params.append(("z0", np.array(real(S))))
            w.scope.values["z0"] = Entry(S)
        return plain

    def result(self, kind: str) -> None:
        w = self.writer
        if kind == "array":
            self.shape = shape = w.pick([V, V, U, M])
            w.returns = lambda: f"return {w.value(shape)}"
        else:
            self.form = RETURNS[kind]
            w.returns = lambda: self.returned([])

    def returned(self, parts: list[str]) -> str:
        """A return of a number, parts being added, and of what stands beside it."""
        w = self.writer
        total = " + ".join([w.value(S), *parts])
        head, middle, *tail = self.form.split("%")
        beside = w.value(V, 1) + tail[0] if tail else ""
        return f"{head}{total}{middle}{beside}"

    def summary(self) -> str:
        """The last return: one that reads nearly everything."""
        w = self.writer
        if w.chance(w.plain):
            return w.returns()
        if self.shape is not None:  # several arrays that get one adjoint
            forms = ["{}", "{}", "{}", "{}[::-1]", "0.5 * {}"]
            return " + ".join(
                [w.returns()]
                + [
                    w.pick(forms).format(name)
                    for name, entry in w.scope.values.items()
                    if entry.shape == self.shape and w.chance(0.8)
                ]
            )
        return self.returned(
            [*self.parts_read(), *map("sum({})".format, w.scope.lists)]
        )

    def parts_read(self) -> Iterator[str]:
        """Numbers made of names; of arguments, of those that have been added to."""
        w = self.writer
        for name, entry in w.scope.values.items():
            kept = 0.9 if name.startswith(AGAIN) else 0.7
            given = name in PARAMS and not any(f" {name} += 0.3" in t for t in w.lines)
            if given or not w.chance(kept):
                continue
            weight = w.pick(["", "0.5 * ", "-"])
            yield f"{weight}np.sum({name} * {name})" if entry.shape else weight + name

    # ------------------------------------------------------------ helpers

    def helper(self, number: int, helpers: dict[Shape, list[str]]) -> None:
        w = self.writer
        shape = w.pick([S, V, V, U, M])
        params = [("p", w.pick([S, V, V, M])), ("q", w.pick([S, S, V]))]
        w.scope = type(w.scope)()
        w.scope.values = {**self.outer, **{name: Entry(kind) for name, kind in params}}
        head = f"def h{number}(p, q"
        call = [f"{{{LETTERS[kind]}}}" for _, kind in params]
        if w.chance(0.4):
            head += ", by=0.5"
            w.scope.values["by"] = Entry(S)
            extra = w.pick(["", "", "by={s}", "{s}"])
            call += [extra] if extra else []
        elif w.chance(0.3):
            call[1] = f"q={call[1]}"
        elif w.chance(0.2):
            head += ", *more, **named"
            call += ["{s}", "k={s}"]
            w.scope.values["more[0]"] = Entry(S, target=False)
            w.scope.values['named["k"]'] = Entry(S, target=False)
        w.lines, w.budget = [], w.pick([1, 2, 3, 4])
        w.returns = lambda: f"return {w.value(shape)}"
        for _ in range(w.pick([0, 1, 2, 3])):
            w.statement(1)
        w.write(w.returns(), 1)
        self.parts.append("\n".join([head + "):", *w.lines]))
        helpers.setdefault(shape, []).append(f"h{number}({', '.join(call)})")

    def writing(self, number: int, writers: dict[Shape, list[str]]) -> None:
        """A helper that writes into its first argument."""
        w = self.writer
        shape = w.pick([V, V, M, U])
        w.scope = type(w.scope)()
        w.scope.values = {"p": Entry(shape, own=True), "q": Entry(S)}
        w.lines, w.budget = [], w.pick([1, 2, 3])
        w.returns = lambda: "return"
        for _ in range(w.pick([1, 2, 3])):
            w.pick([w.store, w.store, w.augmented, w.write_call, w.statement])(1)
        self.parts.append("\n".join([f"def w{number}(p, q):", *w.lines]))
        writers.setdefault(shape, []).append(f"w{number}({{w}}, {{s}})")
