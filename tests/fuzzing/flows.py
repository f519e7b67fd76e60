"""Random ways to leave: what skips assignments, and what is there on some ways only.

Loops left from within nested branches and handlers whose other ways assign the same
names; searches, walrus, conditional aliases, local functions that return early.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .blocks import DEEPEST, Blocks
from .patterns import M, S, U, V
from .scope import Entry, Scope

WORDS = ("break", "continue", "break", "continue", "return")
# What may raise, and what: `@` a number's name.
RAISING = (
    ("if {t}:\n    raise ValueError('no')", "ValueError"),
    ("if {t}:\n    raise ValueError('no')", "ValueError"),
    ("if {t}:\n    raise KeyError(1)", "KeyError"),
    ("@ = [{s}, {s}][{k}]", "IndexError"),
    ("@ = {'a': {s}, 1: {s}, 2: {c}}[{k}]", "KeyError"),
    ("@ = math.sqrt({s}) + 0.1", "ValueError"),
    ("@ = float({s}) / {k}", "ZeroDivisionError"),
)
HANDLERS = ("{}", "{}", "{} as error", "({}, TypeError)", "Exception")
ITEMS = (
    "%[0], %[-1] = %[-1], %[0]", "%[{k} % len(%)] += {s}", "%[-1] *= {s}",
    "%[0], %[-1] = %[-1] * {s}, {s}", "%[{k} % len(%)] -= %[0] * {s}",
    "%.reverse()", "%[:] = [q * {s} for q in %]", "%.append(%[0] * {s})",
)  # fmt: skip


class Flows(Blocks):
    """Blocks, and the ways out of them.

    lengths: how many statements a program has. results: what it returns. plain: how
    often its result reads no more than an expression.
    """

    lengths: tuple[int, ...] = (1, 2, 3, 4, 5)
    results: tuple[str, ...] = ("scalar",) * 5 + ("array", "array", "tuple", "dict")
    plain = 0.25

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.names: list[str] = []  # what the next loop assigns again
        self.room = 0

    def kinds(self, indent: int) -> list[Callable[[int], None]]:
        kinds = super().kinds(indent)
        kinds += [self.rotate, self.walrus, self.either, self.either, self.items]
        if indent < DEEPEST and self.budget > 0:
            kinds += [self.knot] * 6 + [self.attempts] * 2
            kinds += [self.search, self.search, self.local, self.local]
        return kinds

    # ------------------------------------------------------------ knots

    def same(self, indent: int) -> list[str]:
        """A few names of before, numbers first, to be assigned again."""
        known = [n for n in self.scope.of(S) if n.isidentifier() and self.may_bind(n)]
        self.random.shuffle(known)
        names = known[:2]
        while len(names) < 2:
            name = self.fresh("s")
            self.write(f"{name} = {self.value(S, 1)}", indent)
            self.bind(name, S, own=False)
            names.append(name)
        arrays = [n for n in self.scope.of(V) if n.isidentifier() and self.may_bind(n)]
        return names + ([self.pick(arrays)] if arrays and self.chance(0.4) else [])

    def knot(self, indent: int) -> None:
        """A loop left from within branches, past assignments of the same names."""
        self.names = self.same(indent)
        self.room = 10
        self.pick([self.loop, self.loop, self.each, self.while_, self.counted])(indent)

    def counted(self, indent: int) -> None:
        """A loop whose test counts."""
        name = self.fresh("k")
        self.write(f"{name} = 0", indent)
        test = self.pick(["", f" and ({self.test(0)})"])
        self.write(f"while ({name} := {name} + 1) < {self.pick('345')}{test}:", indent)
        self.scope.ints[name] = 6
        self.cycle(indent, lambda: None)

    def cycle(self, indent: int, bind: Callable[[], None]) -> None:
        names, self.names = self.names, []
        if not names:
            return super().cycle(indent, bind)
        before = self.scope
        self.scope = before.inner()
        self.loop_depth += 1
        bind()
        self.nest(indent + 1, names, self.pick([1, 2, 2, 3]), WORDS)
        self.loop_depth -= 1
        self.scope = before.meet(self.scope)
        self.scope.locked = before.locked
        if self.chance(0.3):
            self.write("else:", indent)
            outer = self.scope
            self.scope = outer.inner()
            self.nest(indent + 1, names, 1, WORDS if self.loop_depth else ("return",))
            self.scope = outer.meet(self.scope)
            self.scope.locked = outer.locked
        return None

    def nest(
        self, indent: int, names: list[str], depth: int, words: tuple[str, ...]
    ) -> bool:
        """Statements, some in branches that leave; whether the end is reached."""
        for _ in range(1 + self.random.randrange(3)):
            self.room -= 1
            if depth and self.room > 0 and self.chance(0.6):
                fork = self.attempt if self.chance(0.15) else self.fork
                if not fork(indent, names, depth, words):
                    return False
            elif self.chance(0.15) and indent < DEEPEST + 1:
                self.statement(indent)
            else:
                self.again(indent, names)
        if not words or not self.chance(0.1 if self.loop_depth and depth > 1 else 0.45):
            return True
        word = self.pick(words)
        self.write(self.returns() if word == "return" else word, indent)
        return False

    def again(self, indent: int, names: list[str]) -> None:
        name = self.pick(names)
        if not all(each in self.scope.values for each in names):
            self.write("pass", indent)  # a statement before gave one another shape
            return
        entry = self.scope.values[name]
        if self.chance(0.15):
            one, two = names[:2]
            pair = self.fill(f"{two}, {one}" + self.pick(["", " * {s}"]), S, 1)
            self.write(f"{one}, {two} = {pair}", indent)
            for changed in (one, two):
                self.bind(changed, S, own=False)
        elif self.chance(0.3) and (not entry.shape or entry.own):
            sign, text = self.pick(["+=", "-=", "*="]), self.fill("{e}", entry.shape, 1)
            self.write(f"{name} {sign} {text}", indent)
        else:
            text, own = self.expression(entry.shape)
            self.write(f"{name} = {text}", indent)
            self.bind(name, entry.shape, own=own and bool(entry.shape))

    def fork(
        self, indent: int, names: list[str], depth: int, words: tuple[str, ...]
    ) -> bool:
        """Arms that may leave: names of those that do not are there afterwards."""
        before, ends = self.scope, []
        heads = ["if"] + ["elif"] * self.chance(0.2) + ["else"] * self.chance(0.5)
        for head in heads:
            self.scope = before.copy()
            test = "" if head == "else" else f" {self.test()}"
            self.write(f"{head}{test}:", indent)
            if self.nest(indent + 1, names, depth - 1, words):
                ends.append(self.scope)
        if heads[-1] != "else":
            ends.append(before)
        return self.joined(before, ends)

    def joined(self, before: Scope, ends: list[Scope]) -> bool:
        """Go on with what all ends have; whether there is one."""
        self.scope = ends[0] if ends else before
        for end in ends[1:]:
            self.scope = self.scope.meet(end)
        return bool(ends)

    # ------------------------------------------------------------ handlers

    def attempts(self, indent: int) -> None:
        self.room = 8
        names = self.same(indent)
        self.attempt(indent, names, 2, ())

    def attempt(
        self, indent: int, names: list[str], depth: int, words: tuple[str, ...]
    ) -> bool:
        """A `try` in which something raises; its blocks may leave."""
        before, outer, ends = self.scope, self.trying, []
        text, error = self.pick(RAISING)
        if "math" in text:
            self.holomorphic = False
        self.scope = before.inner()
        self.trying = True
        self.write("try:", indent)
        if self.chance(0.4):
            self.nest(indent + 1, names, depth - 1, ())
        filled = self.fill(text.replace("@", names[0]), S, 0)
        for line in filled.split("\n"):
            self.write(line, indent + 1)
        reached = self.nest(indent + 1, names, depth - 1, words)
        middle = before.meet(self.scope)
        if reached:
            ends.append(self.scope)
        self.write(f"except {self.pick(HANDLERS).format(error)}:", indent)
        self.scope = middle.copy()
        if self.nest(indent + 1, names, depth - 1, words):
            ends.append(self.scope)
        if reached and self.chance(0.2):
            self.write("else:", indent)
            self.scope = ends.pop(0)
            if self.nest(indent + 1, names, depth - 1, words):
                ends.append(self.scope)
        self.trying = outer
        self.joined(middle, ends)
        if self.chance(0.3):
            self.write("finally:", indent)
            end, self.scope = self.scope, middle.copy()
            self.again(indent + 1, names)
            self.scope = end.meet(self.scope)
        self.scope.locked = before.locked
        return bool(ends)

    # ------------------------------------------------------------ on some ways only

    def search(self, indent: int) -> None:
        """A name that is None, or not there, until something is found."""
        name, flag = self.fresh("q"), self.fresh("b")
        shape = self.pick((S, S, V))
        unset = self.chance(0.5)
        first, test = (f"{name} = None", f"{name} is not None")
        if unset:
            first, test = f"{flag} = False", flag
        self.write(first, indent)
        item, items = self.fresh("e"), self.pick(["{v}", "[{s}, {c}, {s}]", "{u}"])
        self.write(f"for {item} in {self.fill(items)}:", indent)
        before = self.scope
        self.scope = before.inner()
        self.bind(item, S, own=False)
        once = "" if unset else self.pick(["", f"{name} is None or "])
        self.write(f"if {once}{self.test(0)}:", indent + 1)
        self.write(f"{name} = {self.fill(f'{item} * {{e}}', shape, 1)}", indent + 2)
        if unset:
            self.write(f"{flag} = True", indent + 2)
        if self.chance(0.5):
            self.write(self.pick(WORDS[:2]), indent + 2)
        if self.chance(0.5):
            self.statement(indent + 1)
        self.scope = before.meet(self.scope)
        self.scope.locked = before.locked
        target = self.target(shape)
        self.write(f"if {test}:", indent)
        self.write(f"{target} = {self.fill(f'{name} + {{e}}', shape, 1)}", indent + 1)
        self.write("else:", indent)
        self.write(f"{target} = {self.value(shape, 1)}", indent + 1)
        self.bind(target, shape, own=False)

    def walrus(self, indent: int) -> None:
        name, array = self.fresh("q"), self.fresh("y")
        kind = self.pick(["test", "twice", "sum"])
        text = self.value(S, 1)
        if kind == "test":
            self.write(f"if ({name} := {text}) > {self.fill('{c}')}:", indent)
            before = self.scope
            before.values[name] = Entry(S)
            self.scope = before.copy()
            self.body(indent + 1, 2)
            self.scope = before.meet(self.scope)
            return
        target = self.target(S)
        value = f"({name} := {text}) * {self.fill('{c}')} + {name} * {name}"
        if kind == "sum":
            name, drawn = array, self.value(V, 1)
            value = f"np.sum({name} := {drawn}) - {name}[0]"
        self.write(f"{target} = {value}", indent)
        self.bind(name, V if kind == "sum" else S, own=False)
        self.bind(target, S, own=False)

    def either(self, indent: int) -> None:
        """One of two names, which is then written into where it may be."""
        shape = self.pick((V, V, U, M, S))
        names = [n for n in self.scope.of(shape) if n.isidentifier()]
        if len(names) < 2:
            return self.assign(indent)
        one, two = self.random.sample(names, 2)
        both = self.scope.values[one].own and self.scope.values[two].own
        name = self.target(shape)
        self.write(f"{name} = {one} if {self.test(0)} else {two}", indent)
        self.bind(name, shape, own=both)
        if both and self.chance(0.6):
            self.write(f"{name}[{self.index(2)}] += {self.value(S, 1)}", indent)
        return None

    def rotate(self, indent: int) -> None:
        """Three names, each of which takes another's value."""
        names = [n for n in self.scope.of(S) if n.isidentifier() and self.may_bind(n)]
        if len(names) < 3:
            return self.swap(indent)
        one, two, three = self.random.sample(names, 3)
        last = self.fill(self.pick([one, f"{one} + {{s}}", f"{one} * {two}"]))
        self.write(f"{one}, {two}, {three} = {two}, {three}, {last}", indent)
        for name in (one, two, three):
            self.bind(name, S, own=False)
        return None

    def items(self, indent: int) -> None:
        """Items of a list, written and swapped."""
        if not self.scope.lists or self.trying:
            return self.list_(indent)
        text = self.pick(ITEMS)
        name = self.pick(self.scope.lists)
        parts = [name if p == "%" else p for p in re.split("(%)(?! len)", text)]
        self.write(self.fill("".join(parts)), indent)
        return None

    # ------------------------------------------------------------ local functions

    def local(self, indent: int) -> None:
        """A function that returns early and reads names that are bound anew later."""
        name, shape = self.fresh("c"), self.pick((S, S, V))
        outer, returns, depth = self.scope, self.returns, self.loop_depth
        self.scope = outer.copy()
        values = outer.values.items()
        self.scope.values = {n: Entry(e.shape, target=False) for n, e in values}
        self.scope.locked = frozenset(outer.values)
        self.bind("q", S, own=False)
        self.write(f"def {name}(q):", indent)
        self.returns = lambda: f"return {self.value(shape, 1)}"
        self.loop_depth = 0
        inner = self.fresh("r")
        self.write(f"{inner} = {self.fill('q * {s}')}", indent + 1)
        self.bind(inner, S, own=False)
        self.room = 5
        if self.nest(indent + 1, ["q", inner], 1, ("return",)):
            self.write(self.returns(), indent + 1)
        self.scope, self.returns, self.loop_depth = outer, returns, depth
        free = [n for n in self.scope.of(S) if n.isidentifier() and self.may_bind(n)]
        if free and self.chance(0.6):
            changed = self.pick(free)
            self.write(f"{changed} = {self.fill(f'{changed} * {{s}}', S, 1)}", indent)
            self.bind(changed, S, own=False)
        calls = self.scope.helpers.setdefault(shape, [])
        calls += [f"{name}({{s}})", f"{name}({{s}})"]


class Written(Flows):
    """Programs of which most statements hold a value twice and write into one."""

    lengths, results, plain = (3, 4, 5, 6), ("scalar",) * 4 + ("array", "tuple"), 0.0

    def kinds(self, indent: int) -> list[Callable[[int], None]]:
        kinds = [self.twins] * 6 + [self.assign, self.augmented, self.write_call]
        if indent < DEEPEST and self.budget > 0:
            kinds += [self.branch, self.loop, self.each]
        return kinds
