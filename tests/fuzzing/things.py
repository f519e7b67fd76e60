"""Random statements with lists, dicts, tuples, objects, closures and calls."""

from __future__ import annotations

from .patterns import S, U, V
from .twins import Twins

CLASSES = """
class Box:
    rate = 0.5

    def __init__(self, v, s):
        self.v = v
        self.s = s

    def step(self, q):
        self.s = self.s * q + np.sum(self.v) * self.rate
        return self.s

    def shift(self, q):
        self.v[1:] += q
        return self

    @property
    def twice(self):
        return 2.0 * self.v

    def __call__(self, q):
        return np.tanh(self.v * q) * self.s


class Slow(Box):
    rate = 0.1

    def step(self, q):
        if q > 0.3:
            return super().step(q * 0.5)
        self.v = self.v * 0.9
        return q

    def __mul__(self, q):
        return Slow(self.v * q, self.s)


@dataclass
class Pair:
    s: float
    v: np.ndarray
    k: float = 0.5

    def mixed(self):
        return self.s * self.v + self.k
"""


class Things(Twins):
    """Containers, objects, closures."""

    def list_(self, indent: int) -> None:
        if self.scope.lists and self.chance(0.75) and not self.trying:
            return self.list_use(indent)
        name = self.fresh("L")
        text = self.pick(
            ["[{s}, {s}]", "[{s}]", "[q * {s} for q in {v}]", "list({u})",
             "[{s}, {c}, {s}]", "[q for q in {v} if q > {c}] + [{s}]",
             "[{v}[q] * {s} for q in range(2)]", "sorted([{s}, {s}])"]
        )  # fmt: skip
        self.write(f"{name} = {self.fill(text, S, 1)}", indent)
        self.scope.lists.append(name)
        return None

    def list_use(self, indent: int) -> None:
        name = self.pick(self.scope.lists)
        target = self.target(S)
        text = self.pick(
            ["%.append({s})", "%[-1] = {s}", "%[0] += {s}", "%.append({s})",
             "@ = sum(%)", "@ = %[-1] * {s}", "@ = %[{k} % len(%)]", "@ = max(%)",
             "@ = np.sum(np.array(%))", "@ = sum([q * q for q in %])", "%.extend([{s}, {c}])",
             "%.extend(q * {s} for q in {u})", "% += [{s}]", "%.extend(q * q for q in list(%))",
             "%.extend(%[-1] * q for q in ({s}, {c}))", "% += (q * {s} for q in {v})",
             "%.reverse()", "%.extend(map(lambda q: q * {s}, {u}))", "% += ({s}, {c})",
             "%.insert(0, {s})", "@ = float(len(%)) * {s}", "@ = %[0] + %[-1]",
             "@ = sum(a1 * b1 for a1, b1 in zip(%, {v}))", "if len(%) > 1: @_ = %.pop()"]
        )  # fmt: skip
        pop = "@_" in text
        text = self.fill(text.replace("%", name), S, 0)
        if pop:
            self.write(text.replace("@_ = ", "").replace(": ", ":"), indent)
            self.lines[-1] = "    " * indent + f"if len({name}) > 1:"
            self.write(f"{name}.pop()", indent + 1)
            return
        self.write(text.replace("@", target), indent)
        if "@" in text:
            self.bind(target, S, own=False)

    def record(self, indent: int) -> None:
        """A dict, a tuple, or an object, whose parts are names from then on."""
        kind = self.pick(["dict", "dict", "tuple", "Box", "Slow", "Pair", "Box"])
        s, v = self.value(S, 1), self.expression(V, 1)
        text, own = v
        if kind == "dict":
            name = self.fresh("D")
            self.write(f'{name} = {{"a": {s}, "b": {text}}}', indent)
            parts = (f'{name}["a"]', f'{name}["b"]', True)
        elif kind == "tuple":
            name = self.fresh("T")
            self.write(f"{name} = ({s}, {text})", indent)
            parts = (f"{name}[0]", f"{name}[1]", False)
        else:
            name = self.fresh("o")
            args = f"{s}, {text}" if kind == "Pair" else f"{text}, {s}"
            self.write(f"{name} = {kind}({args})", indent)
            parts = (f"{name}.s", f"{name}.v", True)
            self.methods(name, kind, own)
        self.bind(parts[0], S, own=False, target=parts[2])
        self.bind(parts[1], V, own=own, target=parts[2])

    def methods(self, name: str, kind: str, own: bool) -> None:
        helpers = self.scope.helpers
        if kind == "Pair":
            helpers.setdefault(V, []).append(f"{name}.mixed()")
            return
        helpers.setdefault(S, []).append(f"{name}.step({{s}})")
        helpers[S].append(f"sum({name}.step(q) for q in ({{s}}, {{s}}))")
        self.scope.changing.append(f"{name}.step({{s}})")
        helpers.setdefault(V, []).extend([f"{name}({{s}})", f"{name}.twice"])
        if own and kind == "Box":
            self.scope.actions.append(f"{name}.shift({{s}})")
        if kind == "Slow":
            helpers[V].append(f"({name} * {{s}}).v")
            self.scope.actions.append(f"{name}.step({{s}})")

    def action(self, indent: int) -> None:
        if not self.scope.actions or self.trying:
            return self.record(indent) if self.chance(0.5) else self.closure(indent)
        self.write(self.fill(self.pick(self.scope.actions), S, 0), indent)
        return None

    def closure(self, indent: int) -> None:
        name = self.fresh("c")
        kind = self.pick(["lambda", "lambda", "def", "nonlocal"])
        shape = self.pick((S, V))
        letter = "s" if shape == S else "v"
        free = [n for n in self.scope.of(S) if n.isidentifier()]
        body = self.fill(f"q * {{s}} + {{{letter}}}", shape, 1)
        if kind == "lambda":
            self.write(f"{name} = lambda q: {body}", indent)
        elif kind == "def" or not free or self.scope.locked:
            self.write(f"def {name}(q, by={self.pick(['0.5', '1.0'])}):", indent)
            if self.chance(0.4):
                self.write(f"if {self.test(0)}:", indent + 1)
                self.write(f"return {self.value(shape, 1)} * by", indent + 1 + 1)
            self.write(f"return {body} * by", indent + 1)
        else:
            changed = self.pick(free)
            self.write(f"def {name}(arg):", indent)
            self.write(f"nonlocal {changed}", indent + 1)
            self.write(f"{changed} = {changed} * 0.5 + arg", indent + 1)
            self.scope.actions.append(f"{name}({{s}})")
            if self.chance(0.5):
                self.write(f"return {changed}", indent + 1)
                self.scope.helpers.setdefault(S, []).append(f"{name}({{s}})")
                self.scope.changing.append(f"{name}({{s}})")
            return
        self.scope.helpers.setdefault(shape, []).append(f"{name}({{{letter}}})")


SHAPED = (S, U, V)
