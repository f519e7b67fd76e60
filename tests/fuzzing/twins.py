"""Random statements that hold one value twice, of which one is written into.

The derivative of sin is cos, that of exp is exp: what a program computes once more, and
what its derivative computes, may be at hand in an array that a statement in between has
changed. Such an array, a copy or a view of it, or what it was computed from, is written
here before the function, its partner or the same call is read again.
"""

from __future__ import annotations

from .assignments import STORES, WRITES, Assignments
from .patterns import F, M, N, S, Shape, U, V

PAIRS = (
    ("np.sin(@)", "np.cos(@)"), ("np.sin(@)", "np.cos(@)"), ("-np.sin(@)", "np.cos(@)"),
    ("np.cos(@ * 2.0)", "np.sin(@ * 2.0)"), ("np.sin(@) ** 2", "np.cos(@) ** 2"),
    ("np.sinh(@)", "np.cosh(@)"), ("np.sinh(@)", "np.cosh(@)"),
    ("np.cosh(@)", "np.tanh(@)"), ("np.tanh(@)", "np.log(np.cosh(@))"),
    ("np.tanh(@)", "np.tanh(@)"), ("np.tan(@ * 0.5)", "np.tan(@ * 0.5)"),
    ("np.exp(@)", "np.expm1(@)"), ("np.exp(-@)", "1.0 / (1.0 + np.exp(-@))"),
    ("np.exp(@ * 0.5)", "np.exp(@ * 0.5)"), ("np.exp(-@ * @)", "@ * np.exp(-@ * @)"),
    ("np.exp(@)", "np.logaddexp(@, 0.0)"), ("1.5 + @", "np.log(1.5 + @)"),
    ("np.sqrt(1.5 + @ * @)", "1.0 / np.sqrt(1.5 + @ * @)"),
    ("np.sqrt(np.exp(@))", "np.sqrt(np.exp(@)) * @"),
    ("1.0 + @ * @", "np.arctan(@)"), ("1.0 / (1.0 + @ ** 2)", "np.arctan(@)"),
    ("1.0 + @ ** 2", "np.log1p(@ ** 2)"), ("@ * @", "@ * @ * @"), ("2 * @", "@ ** 2"),
    ("3 * @ ** 2", "@ ** 3"), ("@ ** 2", "@ ** 3"), ("np.square(@)", "np.hypot(@, 1.0)"),
    ("2.5 + np.cos(@)", "@ / (2.5 + np.cos(@))"), ("np.abs(@)", "np.sign(@) * @"),
    ("@ + 1.7", "(@ + 1.7) ** 1.5"), ("np.maximum(@, 0.1)", "np.where(@ > 0.1, @, 0.0)"),
    ("np.arcsin(@ * 0.1)", "np.sqrt(1.0 - (@ * 0.1) ** 2)"),
)  # fmt: skip
"""Functions of an array: one, and one that is made of it or has it in its derivative."""
MODULAR = frozenset({"np.abs(@)", "np.maximum(@, 0.1)"})
"""Complex numbers do not go through these."""
TWINS = ("% * 1", "% + 0", "%.copy()", "np.array(%)", "+%", "%[:]", "%",
         "[%, 0.5][0]", "np.asarray(%)", "1.0 * %", "$", "$")  # fmt: skip
"""The same numbers once more: `%` the array, `$` the call that gave it."""
READS = ("np.sum($)", "np.sum($ * %)", "$", "$ * %", "$ + %", "(lambda: $)()")
AGAIN = "again"
"""What a name begins with that holds what was read again: results mostly read it."""
ARGUMENTS = ("x", "w", "W", "g0", "f0", "p", "q")
"""Names of arguments, which derivatives run along."""
WHOLE = ("%[:] = {e}", "%[...] = {e}", "% *= {s}", "% += {e}", "%.fill({s})",
         "%[:] = 0.0", "np.multiply(%, {e}, out=%)", "%[:] = $ * {s}")  # fmt: skip
"""Writes into all of an array."""


class Twins(Assignments):
    """Equal values in memory, with a write between."""

    def twins(self, indent: int) -> None:
        """A value, the same again, a write into one of them, a partner of the call."""
        if self.trying and not self.chance(0.05):
            return self.assign(indent)
        shape = self.pick((V, V, V, U, M, N, F))
        one, two = self.pick(PAIRS)
        one, two = self.pick([(one, two), (two, one), (one, two), (one, one)])
        self.holomorphic &= not MODULAR & {one, two}
        base, mine = self.origin(shape, indent)
        call, again = one.replace("@", base), two.replace("@", base)
        first = self.made(shape, call, indent)
        known = [first, first] + ([base] if mine else [])
        if self.chance(0.7):
            text = self.pick(TWINS).replace("%", first).replace("$", call)
            known.append(self.made(shape, text, indent))
        if self.chance(0.3):
            known.append(self.made(shape, again, indent))
        for _ in range(self.pick([1, 1, 1, 2])):
            self.overwrite(self.pick(known), shape, call, indent)
        self.read(shape, again, self.pick(known), indent)
        if self.chance(0.4):
            self.read(shape, call, self.pick(known), indent)
        return None

    def origin(self, shape: Shape, indent: int) -> tuple[str, bool]:
        """An array to compute from, and whether it may be written into."""
        names = self.scope.of(shape)
        mine = [n for n in names if self.scope.values[n].own and n.isidentifier()]
        if mine and self.chance(0.4):
            return self.pick(mine), True
        given = [n for n in names if n in ARGUMENTS] or names
        if given and self.chance(0.6):
            return self.pick(given), False
        text = self.pick(["%.copy()", "% * {s}", "% + {s}"])
        text = text.replace("%", self.pick(given) if given else "{e}")
        return self.made(shape, text, indent), True

    def made(self, shape: Shape, text: str, indent: int) -> str:
        """A new name for an array of the function's own."""
        name = self.fresh("y")
        self.write(f"{name} = {self.fill(text, shape, 1)}", indent)
        self.bind(name, shape, own=True)
        return name

    def overwrite(self, name: str, shape: Shape, call: str, indent: int) -> None:
        """Write into an array: at once, in a branch, a loop, or through a view."""
        way = self.pick(
            ["at once"] * 4 + ["branch", "branch", "loop", "view", "writer"]
        )
        if way == "branch":
            self.write(f"if {self.test(0)}:", indent)
            self.overwrite(name, shape, call, indent + 1)
            return
        if way == "loop":
            index = self.fresh("i")
            trips = self.fill(self.pick(["2", "{k}"]))
            self.write(f"for {index} in range({trips}):", indent)
            text = self.pick(["%[# % 2] *= {s}", "%[# % 2] = {s}", "%[:] = % * {s}"])
            text = text.replace("# % 2", f"{index} @ 2").replace("%", name)
            self.write(self.fill(text.replace("@", "%"), shape), indent + 1)
            return
        if way == "view":
            view = self.fresh("y")
            part, sign = self.pick(["1:", "::-1", ":1", ":"]), self.pick(["*=", "+="])
            self.write(f"{view} = {name}[{part}]", indent)
            self.write(self.fill(f"{view} {sign} {{s}}"), indent)
            return
        calls = self.scope.writers.get(shape, [])
        if way == "writer" and calls:
            self.write(self.fill(self.pick(calls).replace("{w}", name)), indent)
            return
        self.write(self.fill(self.writing_of(name, shape, call), shape, 1), indent)

    def writing_of(self, name: str, shape: Shape, call: str) -> str:
        """The text of one write."""
        if self.chance(0.5):
            return self.pick(WHOLE).replace("%", name).replace("$", call)
        if self.chance(0.5):
            return self.pick(WRITES[shape]).replace("{w}", name)
        place, value = self.pick(STORES[shape])
        sign = self.pick(["=", "=", "+=", "*="])
        return f"{name}[{place}] {sign} {value}".replace("{w}", name)

    def read(self, shape: Shape, call: str, known: str, indent: int) -> None:
        """Read a call of before, and perhaps what was written."""
        text = self.pick(READS).replace("%", known).replace("$", call)
        sums = [n for n in self.scope.of(S) if n.isidentifier() and self.may_bind(n)]
        if sums and self.chance(0.8 if self.scope.locked else 0.3):
            self.write(f"{self.pick(sums)} += 0.3 * np.sum({text})", indent)
            return
        name, kind = self.fresh(AGAIN), S if text.startswith("np.sum") else shape
        self.write(f"{name} = {text}", indent)
        self.bind(name, kind, own=False)
