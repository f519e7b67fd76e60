"""Random branches, loops, handlers, returns: statements made of statements."""

from __future__ import annotations

from collections.abc import Callable

from .patterns import M, S, Shape, U, V
from .scope import Scope
from .things import Things

DEEPEST = 4
LOOPS = (
    ("range(3)", 3), ("range({k})", 4), ("range(1, 3)", 3), ("range(2, -1, -1)", 3),
    ("range(0, 3, 2)", 3), ("range({k}, 0, -1)", 4), ("range(len({v}))", 3),
    ("range(2)", 2), ("range(0)", 1), ("range({k} - 1)", 3), ("range(2, 3)", 3),
    ("range(0, {k} + 1)", 5), ("range({v}.shape[0] - 1, -1, -1)", 3),
    ("reversed(range(3))", 3), ("[0, 2, 1]", 3), ("range(1, 3, {k} + 1)", 3),
)  # fmt: skip
# Targets by shape, iterable; `#` an int below 3.
ITEMS: tuple[tuple[tuple[Shape | int, ...], str], ...] = (
    ((S,), "{v}"), ((U,), "{m}"), ((3, S), "enumerate({v})"), ((S, S), "zip({v}, {v})"),
    ((S,), "[{s}, {s}]"), ((S,), "reversed([{s}, {s}])"), ((3, U), "enumerate({m})"),
    ((S,), "{u}"), ((S,), "({s}, {c})"), ((S, U), "zip({v}, {m})"), ((V,), "{m}.T"),
    ((S,), "{v}[::-1]"), ((S, S), "[({s}, {c}), ({s}, {s})]"), ((3, S), "enumerate({u})"),
    ((S,), "{v}[1:]"), ((V,), "({v}, {v})"), ((3, S), "zip(range(3), {v})"),
    ((S,), "sorted({v})"), ((S,), "sorted([{s}, {s}, {c}], reverse=True)"),
    ((S,), "reversed({v})"), ((3, S), "enumerate(sorted({u}))"),
    ((S, S), "zip(sorted({v}), reversed({v}))"), ((3, S), "enumerate({u}, 1)"),
    ((S,), "sorted({v}, key=lambda q: q * {s})"), ((3, S), "enumerate(reversed([{s}, {s}]))"),
    ((S, S), "zip({v}[1:], {v}[:-1])"), ((S,), "list({v})[::-1]"),
    ((S,), "yielding.rising({v})"), ((S, S), "yielding.couples({v})"),
    ((S,), "yielding.above({v})"), ((3, S), "enumerate(yielding.rising({v}))"),
    ((S,), "yielding.halving({s})"), ((U,), "yielding.both({m})"),
)  # fmt: skip


class Blocks(Things):
    """What has a body."""

    returns: Callable[[], str]

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.loop_depth = 0
        self.budget = 12

    def statement(self, indent: int) -> None:
        self.budget -= 1
        self.pick(self.kinds(indent))(indent)

    def kinds(self, indent: int) -> list[Callable[[int], None]]:
        """What a statement may be, as often as it shall be drawn."""
        kinds = [self.assign] * 7 + [self.augmented] * 4 + [self.store] * 5
        kinds += [self.alias, self.view, self.view, self.write_call, self.write_call]
        kinds += [self.make, self.swap, self.unpack, self.list_, self.record]
        kinds += [self.twins] * 6
        kinds += [self.count, self.closure, self.action, self.write_call, self.list_]
        if indent < DEEPEST and self.budget > 0:
            kinds += [self.branch] * 3 + [self.loop] * 3 + [self.each] * 2
            kinds += [self.while_] * 2 + [self.guarded, self.with_]
            kinds += [] if self.trying else [self.try_]
            kinds += [self.leave]
        return kinds

    def body(self, indent: int, most: int = 3) -> None:
        before = len(self.lines)
        for _ in range(1 + self.random.randrange(most)):
            self.statement(indent)
        if len(self.lines) == before:
            self.write("pass", indent)

    # ------------------------------------------------------------ branches

    def branch(self, indent: int) -> None:
        ends: list[Scope] = []
        before = self.scope
        self.write(f"if {self.test()}:", indent)
        self.arm(indent, before, ends)
        while self.chance(0.25) and len(ends) < 3:
            self.scope = before.copy()
            self.write(f"elif {self.test()}:", indent)
            self.arm(indent, before, ends)
        if self.chance(0.6):
            self.write("else:", indent)
            self.arm(indent, before, ends)
        else:
            ends.append(before)
        self.scope = ends[0]
        for end in ends[1:]:
            self.scope = self.scope.meet(end)

    def arm(self, indent: int, before: Scope, ends: list[Scope]) -> None:
        self.scope = before.copy()
        self.body(indent + 1)
        ends.append(self.scope)

    def guarded(self, indent: int) -> None:
        """A name that is there only where a test held, read where it holds again."""
        test, name, shape = self.fresh("b"), self.fresh("q"), self.pick((S, V))
        self.write(f"{test} = {self.test()}", indent)
        self.write(f"if {test}:", indent)
        self.write(f"{name} = {self.value(shape)}", indent + 1)
        for _ in range(self.random.randrange(3)):
            self.statement(indent)
        self.write(f"if {test}:", indent)
        target = self.target(shape)
        self.write(f"{target} = {self.fill(f'{name} * {{e}}', shape, 1)}", indent + 1)
        entry = self.scope.values.get(target)
        if entry is None or entry.shape != shape:
            self.write("else:", indent)
            self.write(f"{target} = {self.value(shape, 1)}", indent + 1)
        self.bind(target, shape, own=False)

    # ------------------------------------------------------------ loops

    def loop(self, indent: int) -> None:
        items, below = self.pick(LOOPS)
        if self.loop_depth and self.chance(0.4):
            inner = [n for n, b in self.scope.ints.items() if b <= 3]
            if inner:
                index = self.pick(inner)
                items = self.pick([f"range({index}, 3)", f"range({index})",
                                   f"range({index} + 1)", f"range({index}, -1, -1)"])  # fmt: skip
                below = 4
        name = self.fresh("i")
        self.write(f"for {name} in {self.fill(items, S, 0)}:", indent)
        self.cycle(indent, lambda: self.scope.ints.__setitem__(name, below))

    def each(self, indent: int) -> None:
        shapes, items = self.pick(ITEMS)
        text = self.fill(items, S, 0)
        names = []
        for shape in shapes:
            known = [n for n in self.scope.of(shape) if n.isidentifier()] if isinstance(shape, tuple) else []  # fmt: skip
            if known and self.chance(0.1) and known[0] not in names:
                names.append(known[0])
            else:
                names.append(self.fresh("e"))

        def bind() -> None:
            for name, shape in zip(names, shapes, strict=True):
                if isinstance(shape, int):
                    self.scope.ints[name] = shape
                else:
                    self.bind(name, shape, own=False)

        left = ", ".join(names)
        self.write(f"for {left} in {text}:", indent)
        self.cycle(indent, bind)

    def while_(self, indent: int) -> None:
        name = self.fresh("k")
        test = self.pick([f"{name} < {{k}}", f"{name} < 3 and ({{t}})", f"({{t}}) and {name} < 4",
                          f"{name} < 2", "True"])  # fmt: skip
        if self.scope.changing and self.chance(0.5):
            step = self.pick(self.scope.changing)
            test = self.pick([f"{name} < 3 and {step} > {{c}}", f"{step} < {{c}} and {name} < 3",
                              f"{name} < 3 and {step} > {{c}} and {step} < 1.0"])  # fmt: skip
        self.write(f"{name} = {self.pick(['0', '0', '1'])}", indent)
        # What a loop's test reads must keep its shape in the body.
        self.write(f"while {self.fill(test, S, 0)}:", indent)

        def bind() -> None:
            self.write(f"{name} += 1", indent + 1)
            if test == "True":
                self.write(f"if {name} > 3 or {self.test(0)}:", indent + 1)
                self.write("break", indent + 2)

        self.cycle(indent, bind)

    def cycle(self, indent: int, bind: Callable[[], None]) -> None:
        before = self.scope
        self.scope = before.inner()
        self.loop_depth += 1
        bind()
        if self.chance(0.15):
            self.jump(indent + 1)
        self.body(indent + 1)
        if self.chance(0.3):
            self.jump(indent + 1)
            if self.chance(0.6):
                self.body(indent + 1, 2)
        self.loop_depth -= 1
        after = self.scope
        self.scope = before.meet(after)
        self.scope.locked = before.locked
        if self.chance(0.12):
            self.write("else:", indent)
            outer = self.scope
            self.scope = outer.inner()
            self.body(indent + 1, 2)
            self.scope = outer.meet(self.scope)
            self.scope.locked = outer.locked

    def jump(self, indent: int) -> None:
        self.write(f"if {self.test(0)}:", indent)
        if self.chance(0.3):
            before = self.scope.copy()
            self.statement(indent + 1)
            self.scope = before.meet(self.scope)
        word = self.pick(["break", "continue", "break", "continue", "return"])
        self.write(self.returns() if word == "return" else word, indent + 1)

    def leave(self, indent: int) -> None:
        """A clause that returns early."""
        self.write(f"if {self.test()}:", indent)
        if self.chance(0.3):
            before = self.scope.copy()
            self.statement(indent + 1)
            self.scope = before.meet(self.scope)
        self.write(self.returns(), indent + 1)

    # ------------------------------------------------------------ others

    def try_(self, indent: int) -> None:
        before, outer = self.scope, self.trying
        self.scope = before.inner()
        self.trying = True
        self.write("try:", indent)
        self.body(indent + 1, 2)
        if self.chance(0.5):
            self.write(f"if {self.test(0)}:", indent + 1)
            self.write("raise ValueError('no')", indent + 2)
            self.body(indent + 1, 2)
        self.trying = outer
        middle = before.meet(self.scope)
        self.write("except ValueError:", indent)
        self.scope = middle.copy()
        self.body(indent + 1, 2)
        self.scope = middle.meet(self.scope)
        self.scope.locked = before.locked
        if self.chance(0.2):
            self.write("finally:", indent)
            inner = self.scope
            self.scope = inner.copy()
            self.assign(indent + 1)
            self.scope = inner.meet(self.scope)

    def with_(self, indent: int) -> None:
        self.write("with np.errstate(all='ignore'):", indent)
        self.body(indent + 1, 2)


MATRIX = M
