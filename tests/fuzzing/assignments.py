"""Random statements that bind names and write into memory."""

from __future__ import annotations

import re

from .expressions import Expressions
from .patterns import SHAPES, F, M, N, S, Shape, U, V

SIGNS = ("+=", "-=", "*=", "+=", "/=")
KINDS = (S, S, S, V, V, V, V, U, M, M, N, F)
# Where a store goes, and what it takes: (place, value) by the shape of the array.
STORES: dict[Shape, tuple[tuple[str, str], ...]] = {
    V: (
        ("{3}", "{s}"), ("{3}", "{s}"), ("1:", "{u}"), (":", "{v}"), ("...", "{v}"),
        ("1:", "{w}[:-1] * {s}"), (":-1", "{w}[1:]"), ("::2", "{u}"), ("::-1", "{v}"),
        ("::-1", "{w}"), ("[0, 2]", "{u}"), ("[1, 1]", "{u}"), ("[0, 0, 2]", "{v}"),
        ("np.array([2, 0])", "{u}"), ("{w} > {c}", "{s}"), ("{v} > {c}", "{s}"),
        ("[True, False, True]", "{u}"), (":2", "{s}"), ("1:", "{w}[1:] + {w}[:-1]"),
        ("-1", "{w}[0]"), ("{3}", "{w}[{3}] * {s}"), (":", "{s}"), ("1:2", "{s}"),
        ("np.argmax({w})", "{s}"), ("{v} < {v}", "0.0"), (":", "{w}[::-1]"),
        ("{w} > {c}", "{w}[{w} > {c}] * {s}"),
    ),
    U: (("{2}", "{s}"), (":", "{u}"), ("[1, 0]", "{u}"), ("{w} < {c}", "{s}")),
    M: (
        ("{3}", "{u}"), (":, {2}", "{v}"), ("{3}, {2}", "{s}"), ("1:", "{w}[:-1]"),
        ("{3}", "{w}[{3}]"), ("[0, 2]", "{w}[[2, 0]]"), (":, ::-1", "{w}"), ("...", "{m}"),
        ("{w} > {c}", "{s}"), ("[0, 1, 2], [0, 1, 0]", "{v}"), ("1:, 0", "{u}"),
        ("[0, 0]", "{n}[:, :2]"), (":, 0", "{w}[:, 1] * {s}"), (":2, :", "{u}"),
        ("{3}", "{s}"), ("{3}", "{w}[{3}] - {s} * {w}[{3}]"), (":", "{v}[:, None]"),
    ),
    N: (("{2}", "{v}"), (":, {3}", "{u}"), ("{2}, {3}", "{s}"), ("::-1", "{w}")),
    F: (("1:3", "{u}"), ("::2", "{v}"), ("3:", "{w}[:3]"), ("2", "{s}")),
}  # fmt: skip
WRITES: dict[Shape, tuple[str, ...]] = {
    V: (
        "np.add.at({w}, [0, 0, 2], {v})", "np.multiply({w}, {v}, out={w})",
        "np.sin({v}, out={w})", "np.copyto({w}, {v})", "{w}.fill({s})",
        "np.add({v}, {s}, out={w})", "np.put({w}, [0, 2], {u})", "{w}.sort()",
        "np.subtract.at({w}, 1, {s})", "np.cumsum({v}, out={w})",
        "np.putmask({w}, {v} > {c}, {v})", "np.matmul({m}, {u}, out={w})",
        "np.place({w}, {w} > {c}, [0.5])", "np.clip({w}, -0.5, 0.5, out={w})",
        "{w}[1], {w}[0] = {w}[0], {w}[1]", "np.exp(-{v} * {v}, out={w})",
    ),
    U: ("np.add({u}, {u}, out={w})", "np.copyto({w}, {s})"),
    M: (
        "np.fill_diagonal({w}, {s})", "np.multiply({m}, {s}, out={w})",
        "{w}[[0, 1]] = {w}[[1, 0]]", "np.add.at({w}, (slice(None), 0), {v})",
        "np.outer({v}, {u}, out={w})", "np.add.at({w}, [1, 1], {u})", "{w}.fill({s})",
        "{w}[0], {w}[2] = {w}[2].copy(), {w}[0].copy()", "np.copyto({w}, {u})",
    ),
    N: ("np.copyto({w}, {v})",), F: ("np.negative({f}, out={w})",),
}  # fmt: skip
VIEWS: dict[Shape, tuple[tuple[str, Shape], ...]] = {
    V: (("{w}[1:]", U), ("{w}[::-1]", V), ("{w}[:2]", U), ("{w}[:]", V),
        ("{w}.reshape(3)", V), ("{w}[::2]", U), ("{w}.ravel()", V),
        ("np.asarray({w})[1:]", U), ("np.atleast_1d({w})[::-1]", V), ("[{w}][0][:2]", U),
        ("np.atleast_2d({w})[0]", V), ("np.squeeze({w}[None])", V), ("np.flip({w})", V),
        ("({w} if {t} else {w})[1:]", U), ("np.expand_dims({w}, 1)[1:, 0]", U),
        ("np.array({w}, copy=False, ndmin=2)[0]", V), ("{w}.view()", V)),
    U: (("{w}[::-1]", U), ("{w}[:]", U), ("np.asanyarray({w})[:]", U)),
    M: (("{w}.T", N), ("{w}[{3}]", U), ("{w}[:, {2}]", V), ("{w}.reshape(2, 3)", N),
        ("{w}.ravel()", F), ("{w}[::-1]", M), ("{w}.reshape(-1)", F),
        ("np.transpose({w})", N), ("{w}[1:].ravel()[:3]", V), ("{w}[:2, 1]", U),
        ("np.asarray({w}).T", N), ("np.asarray({w})[:, 0]", V), ("np.swapaxes({w}, 0, 1)", N),
        ("np.asarray({w}).reshape(-1)", F), ("np.ravel({w}.T)", F), ("{w}.T.reshape(-1)", F),
        ("np.moveaxis({w}, 0, 1)", N), ("np.flipud({w})", M),
        ("np.split({w}, 2, axis=1)[1][:, 0]", V), ("np.ascontiguousarray({w})[1]", U),
        ("np.ascontiguousarray({w}.T)[1]", V), ("({w}, 0.5)[0].T[0]", V)),
    N: (("np.asarray({w}).T[0]", U), ("np.atleast_2d({w})[1]", V),
        ("{w}.T", M), ("{w}[{2}]", V), ("{w}.reshape(6)", F), ("{w}.ravel()", F)),
    F: (("{w}.reshape(3, 2)", M), ("{w}[:3]", V), ("{w}[1::3]", U)),
}  # fmt: skip


class Assignments(Expressions):
    """Assignments, augmented ones, aliases, stores, views, swaps."""

    def assign(self, indent: int) -> None:
        shape = self.pick(KINDS)
        text, own = self.expression(shape)
        name = self.target(shape)
        self.write(f"{name} = {text}", indent)
        self.bind(name, shape, own=own and bool(shape))

    def count(self, indent: int) -> None:
        """Bind an int, or a test's outcome."""
        if self.chance(0.5):
            name = self.fresh("b")
            self.write(f"{name} = {self.test()}", indent)
            self.scope.tests.append(name)
        else:
            name, length = self.fresh("n"), self.pick([2, 3])
            text = self.pick([f"({self.integer()} + 1) % {length}", f"{self.index(length)} % {length}",
                              f"int({self.test(0)})"])  # fmt: skip
            self.write(f"{name} = {text}", indent)
            self.scope.ints[name] = length

    def alias(self, indent: int) -> None:
        shape = self.pick((V, V, M, U, S))
        names = self.scope.of(shape)
        if not names:
            return self.assign(indent)
        source = self.pick(names)
        name = self.target(shape)
        if name == source:
            return None
        own = self.scope.values[source].own
        self.write(f"{name} = {source}", indent)
        self.bind(name, shape, own=own)
        return None

    def swap(self, indent: int) -> None:
        shape = self.pick((S, S, V))
        names = [n for n in self.scope.of(shape) if self.may_bind(n)]
        if len(names) < 2:
            return self.assign(indent)
        one = self.pick(names)
        two = self.pick([n for n in names if n != one])
        text = self.pick([f"{two}, {one}", f"{two}, {one} * {{e}}", f"{{e}}, {one}"])
        pair = self.fill(text, shape, 1)
        if shape and any(not n.isidentifier() for n in (one, two)):
            return self.assign(indent)
        self.write(f"{one}, {two} = {pair}", indent)
        for name in (one, two):
            self.bind(name, shape, own=False)
        return None

    def unpack(self, indent: int) -> None:
        one, two = self.target(S), self.fresh("t")
        text = self.pick(["{u}", "({s}, {s})", "[{s}, {s}]", "{v}[1:]", "tuple({u})"])
        left = f"{one}, {two}"
        if self.chance(0.3):
            left, text = (
                f"{one}, *_, {two}",
                self.pick(["[{s}, {s}]", "({s}, {c}, {s})"]),
            )
        self.write(f"{left} = {self.fill(text, S, 1)}", indent)
        self.bind(one, S, own=False)
        if two not in self.scope.locked:
            self.bind(two, S, own=False)

    # ------------------------------------------------------------ memory

    def own(self, shapes: tuple[Shape, ...]) -> str | None:
        """An array to write into: mostly one of the function's own."""
        if self.trying and not self.chance(0.05):
            return None
        values = self.scope.values
        names = [n for n, e in values.items() if e.shape in shapes]
        mine = [n for n in names if values[n].own]
        if mine and not self.chance(0.06):
            return self.pick(mine)
        return self.pick(names) if names and self.chance(0.15) else None

    def augmented(self, indent: int) -> None:
        if self.chance(0.4):
            name, shape = self.own((V, U, M, N, F)), None
        else:
            targets = [n for n in self.scope.of(S) if self.may_bind(n)]
            name, shape = (self.pick(targets) if targets else None), S
        if name is None:
            return self.assign(indent)
        shape = self.scope.values[name].shape
        sign = self.pick(SIGNS)
        pattern = "(1.5 + {e} * {e})" if sign == "/=" else self.pick(["{e}", "{s}"])
        if not self.scope.values[name].target and "[" not in name:
            return None
        self.write(f"{name} {sign} {self.fill(pattern, shape, 1)}", indent)
        return None

    def store(self, indent: int) -> None:
        name = self.own((V, V, M, U, N, F))
        if name is None:
            return self.make(indent)
        shape = self.scope.values[name].shape
        place, value = self.pick(STORES[shape])
        left, right = (
            self.fill(part.replace("{w}", name), S, 1) for part in (place, value)
        )
        sign = self.pick(["=", "=", "=", "+=", "-=", "*="])
        self.write(f"{name}[{left}] {sign} {right}", indent)
        return None

    def write_call(self, indent: int) -> None:
        name = self.own((V, V, M, U, N, F))
        if name is None:
            return self.make(indent)
        shape = self.scope.values[name].shape
        calls = self.scope.writers.get(shape, [])
        options = [*WRITES[shape], *calls, *calls]
        pattern = self.pick(options).replace("{w}", name)
        self.write(self.fill(pattern, shape, 0), indent)
        return None

    def view(self, indent: int) -> None:
        name = self.own((V, M, M, N, F))
        if name is None:
            return self.make(indent)
        pattern, shape = self.pick(VIEWS[self.scope.values[name].shape])
        new, own = self.target(shape), self.scope.values[name].own
        text = self.fill(pattern.replace("{w}", name), S, 0)
        if new == name:
            return None
        self.write(f"{new} = {text}", indent)
        self.bind(new, shape, own=own)
        return None

    def make(self, indent: int) -> None:
        """A fresh array to be written into."""
        shape = self.pick((V, V, M, U, N, F))
        name = self.target(shape)
        size = str(shape if len(shape) > 1 else shape[0])
        text = self.pick(
            ["{e}.copy()", "np.zeros(%)", "np.zeros_like({e})", "{e} * {s}",
             "np.ones(%)", "np.empty(%)", "np.array({e})", "np.full(%, {s})", "{e} + {e}"]
        )  # fmt: skip
        filled = self.value(shape, 1)
        if text == "np.empty(%)" and (name in filled or re.search(r"\bc\d", filled)):
            text = "np.zeros(%)"  # it, or a function within, may read what is not set
        self.write(f"{name} = {self.fill(text.replace('%', size), shape, 1)}", indent)
        if text == "np.empty(%)":
            self.write(f"{name}[:] = {filled}", indent)
        self.bind(name, shape, own=True)


ALL_SHAPES = tuple(SHAPES.values())
