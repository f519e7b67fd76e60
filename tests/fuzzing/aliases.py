"""A source of choices -> a program that gives its lists, dicts, objects and arrays
several names, in arms, loops and helpers, and writes through any of them.

Which name stands for what may depend on a branch, on how often a loop runs, on what a
helper hands back. At the end all names are read.
"""

from __future__ import annotations

import re
from random import Random
from typing import Final

import numpy as np

from .program import HEAD, Drawn

HELPERS: Final = """

class Box:
    def __init__(self, x, r):
        self.x = x
        self.r = r

    def keep(self, r):
        self.r = r
        return self

    def grow(self, q):
        self.x = self.x * 0.5 + q
        self.r[0] += q


def fill(r, q):
    for i in range(len(r)):
        r[i] = r[i] * 0.5 + q


def put(r, i, q):
    r[i] = q
    return r


def pick(r, t, q):
    if q > 0.1:
        return r
    return t


def same(r):
    return r


def last(r, t, k):
    for _ in range(k):
        r = t
    return r


def halved(v, q):
    v *= 0.5
    v[0] = q
    return v

"""
NEW: Final = {
    "row": ("[@, @]", "[@, 0.5, @]", "[0.0] * 3", "[@] * 2", "[1.0, 2.0]",
            "[@ for _ in range(2)]", "[x[i] * 0.5 for i in range(n + 2)]"),
    "rows": ("[%row, %row]", "[[@, 0.0], [0.0, 0.0]]", "[[0.0] * 2 for _ in range(2)]",
             "[%row, %row, %row]", "[[@] * 2 for _ in range(n + 2)]"),
    "dict": ('{"a": @, "r": %row}', "dict(a=@, r=%row)"),
    "box": ("Box(@, %row)",),
    "pair": ("(%row, %row)",),
    "arr": ("x * @", "np.zeros(3)", "np.array([@, @, 0.5])", "x[::-1].copy()"),
    "arrs": ("[%arr, %arr]",),
    "mat": ("np.outer(x, %arr)", "np.zeros((3, 3))", "np.stack([%arr, x, %arr])"),
    "table": ('{"p": %row, "q": %row}',),
}  # fmt: skip
COPIES: Final = {
    "row": ("list(%)", "%[:]", "[q * 0.5 for q in %]", "% + [@]", "copy.copy(%)"),
    "rows": ("list(%)", "[list(q) for q in %]", "%[:]", "copy.deepcopy(%)"),
    "dict": ("dict(%)", "copy.deepcopy(%)", "{**%}"),
    "box": ("copy.copy(%)", "copy.deepcopy(%)"),
    "pair": ("(%[1], %[0])", "copy.deepcopy(%)"),
    "arr": ("%.copy()", "% * 0.5", "% + @"),
    "arrs": ("list(%)", "[q * 0.5 for q in %]"),
    "mat": ("%.copy()", "% * @", "% + np.eye(3)"),
    "table": ("dict(%)", "copy.deepcopy(%)", "{k: list(q) for k, q in %.items()}"),
}
VIEWS: Final = {
    "arr": ("%[::-1]", "%[:]", "%.ravel()", "np.asarray(%)", "%.reshape(3)"),
    "mat": ("%.T", "%[:]", "%[::-1]", "%.reshape(3, 3)"),
}
"""What shares the memory of an array."""
PARTS: Final = {
    "row": (
        ("rows", "{}[{}]"),
        ("dict", '{}["r"]'),
        ("box", "{}.r"),
        ("pair", "{}[{}]"),
        ("table", "{}[{}]"),
    ),
    "arr": (("arrs", "{}[{}]"), ("mat", "{}[{}]"), ("mat", "{}[:, {}]")),
}
TOTALS: Final = {
    "row": "sum(%) * 0.5 + %[0]",
    "rows": "sum([sum(q) for q in %]) + %[1][0]",
    "dict": '%["a"] * 2.0 + sum(%["r"])',
    "box": "%.x * 0.7 + sum(%.r) * %.r[1]",
    "pair": "%[0][0] * 3.0 + sum(%[1])",
    "arr": "np.sum(% * w)",
    "arrs": "sum([np.sum(q * w) for q in %])",
    "mat": "np.sum(% * w) + %[0, 1]",
    "table": 'sum(%["p"]) * 0.5 + sum([q[0] for q in %.values()])',
}
LOOPS: Final = (
    "for i in range(2):", "for i in range(n):", "for i in range(n + 1):",
    "for i in range(3):", "for i, q in enumerate(x):", "i = 0\nwhile i < n:\n    i += 1",
    "i = 0\nwhile s < 2.0 and i < 3:\n    i += 1\n    s += 0.7",
)  # fmt: skip


def aliased(random: Random) -> Drawn:
    """A program of two arrays, a float and an int."""
    source = f"import copy\n{HEAD}{HELPERS}\n{_Writer(random).program()}"
    rng = np.random.default_rng(random.getrandbits(32))
    args = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), float(rng.uniform(-1, 1))
    names = ("x", "w", "a", "n")
    return Drawn(source, (*args, random.randrange(4)), names, False, False)


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.names: dict[str, list[str]] = {}
        self.budget = random.choice([3, 5, 8, 12])

    def program(self) -> str:
        write, random = self.write, self.random
        write("def program(x, w, a, n):", 0)
        write("s = a", 1)
        kinds = random.sample(list(NEW), random.choice([1, 2, 3]))
        for kind in dict.fromkeys(["row", *kinds]) if random.random() < 0.8 else kinds:
            for number in range(random.choice([2, 2, 3])):
                name = f"{kind}{number}"
                others = self.names.setdefault(kind, [])
                write(f"{name} = {self.value(kind) if others else self.new(kind)}", 1)
                others.append(name)
        while self.budget > 0:
            self.statement(1)
        for kind, names in self.names.items():
            for name in names:
                write(f"s += {TOTALS[kind].replace('%', name)}", 1)
        write("return s", 1)
        return "\n".join(self.lines) + "\n"

    def write(self, text: str, indent: int) -> None:
        self.lines += ["    " * indent + line for line in text.split("\n")]

    def pick(self, items: tuple[str, ...] | list[str]) -> str:
        return self.random.choice(items)

    # ------------------------------------------------------------ values

    def key(self) -> str:
        return self.pick(["0", "0", "1", "1", "-1", "n % 2", "len(x) - 2"])

    def letter(self) -> str:
        return self.pick(['"p"', '"q"', '"p" if x[0] > 0.1 else "q"'])

    def place(self, kind: str) -> str:
        """Where a container of a kind stands: a name, or a part of another."""
        found = list(self.names.get(kind, ()))
        for whole, part in PARTS.get(kind, ()):
            key = self.letter if whole == "table" else self.key
            found += [part.format(n, key()) for n in self.names.get(whole, ())]
        return self.pick(found) if found else ""

    def bindable(self, kind: str) -> str:
        """A place that another container may be put into."""
        while True:
            place = self.place(kind)
            if not place.startswith("pair") or kind == "pair":
                return place

    def new(self, kind: str) -> str:
        text = self.pick(NEW[kind])
        for part in ("row", "arr"):
            while f"%{part}" in text:
                text = text.replace(f"%{part}", self.value(part), 1)
        return self.filled(text)

    def value(self, kind: str) -> str:
        """Some container of a kind: one that is there, a copy, or a new one."""
        place, chance = self.place(kind), self.random.random()
        if not place or chance < 0.2:
            return self.new(kind)
        if chance < 0.35:
            return self.filled(self.pick(COPIES[kind]).replace("%", place))
        if kind in VIEWS and chance < 0.6:
            return self.pick(VIEWS[kind]).replace("%", place)
        if kind == "row" and chance < 0.5:
            other = self.place("row")
            return self.filled(
                self.pick(
                    [f"same({place})", f"pick({place}, {other}, @)", f"put({place}, 0, @)",
                     f"last({place}, {other}, n)", f"({place} if @ > 0.1 else {other})",
                     f"max({place}, {other}, key=sum)"]
                )
            )  # fmt: skip
        if kind == "box" and chance < 0.5 and self.place("row"):
            return f"{place}.keep({self.place('row')})"
        return place

    def number(self) -> str:
        kinds = [k for k in ("row", "arr") if self.place(k)]
        found = ["s", "a", "x[0]", "x[n % 3]", "0.5"]
        for kind in kinds:
            found += [f"{self.place(kind)}[{self.key()}]"] * 3
        found += [f"{name}.x" for name in self.names.get("box", ())]
        found += [f'{name}["a"]' for name in self.names.get("dict", ())]
        return self.pick(found)

    def filled(self, text: str) -> str:
        while "@" in text:
            number = self.number()
            shape = self.pick(
                ["{}", "{}", "{} * 0.5", "np.sin({})", "{} * a", "({} - 0.3)"]
            )
            text = text.replace("@", shape.format(number), 1)
        return text

    # ------------------------------------------------------------ statements

    def statement(self, indent: int) -> None:
        self.budget -= 1
        kinds = [self.bind] * 4 + [self.store] * 5 + [self.swap, self.grow, self.scalar]
        kinds += [self.unpack]
        if indent < 4:
            kinds += [self.branch, self.branch, self.loop, self.loop, self.attempt]
        self.random.choice(kinds)(indent)

    def bind(self, indent: int) -> None:
        kind = self.pick(list(self.names))
        self.write(f"{self.bindable(kind)} = {self.value(kind)}", indent)

    def swap(self, indent: int) -> None:
        kind = self.pick(list(self.names))
        one, two = self.bindable(kind), self.bindable(kind)
        self.write(f"{one}, {two} = {two}, {one}", indent)

    def unpack(self, indent: int) -> None:
        whole = self.place("pair") or self.place("rows")
        if whole and self.names.get("row"):
            one, two = self.bindable("row"), self.bindable("row")
            rest = "" if whole.startswith("pair") else ", *_"
            self.write(f"{one}, {two}{rest} = {whole}", indent)

    def attempt(self, indent: int) -> None:
        self.write("try:", indent)
        self.body(indent + 1)
        self.write(self.filled("if @ > 0.3:\n    raise ValueError"), indent + 1)
        self.body(indent + 1)
        self.write("except ValueError:", indent)
        self.body(indent + 1)

    def store(self, indent: int) -> None:
        every = ("row", "row", "arr", "box", "dict", "mat")
        kinds = [k for k in every if self.place(k)]
        kind = self.pick(kinds)
        place = self.place(kind)
        if kind in ("row", "arr"):
            texts = [
                f"{place}[{self.key()}] = @",
                f"{place}[{self.key()}] += @",
                f"{place}[{self.key()}] *= 0.5",
            ]
        if kind == "row":
            texts += [f"fill({place}, @)", f"put({place}, 1, @)"]
        elif kind == "arr":
            texts += [f"{place} *= 0.5", f"{place}[1:] = @", f"fill({place}, @)",
                      f"np.add({place}, @, out={place})", f"{place}[[0, 2]] += @",
                      f"halved({place}, @)", f"{place}[1:] += {place}[:-1]",
                      f"{place}[{place} > 0.2] *= 0.5"]  # fmt: skip
        elif kind == "mat":
            key = self.key()
            texts = [f"{place}[{key}, 1] = @", f"{place}[{key}] += x",
                     f"{place} *= 0.5", f"{place}[1:, 0] = @",
                     f"for q in {place}:\n    q[1] += @"]  # fmt: skip
        elif kind == "box":
            texts = [f"{place}.x = @", f"{place}.x *= @", f"{place}.grow(@)"]
        elif kind == "dict":
            texts = [f'{place}["a"] = @', f'{place}["a"] += @']  # fmt: skip
        self.write(self.filled(self.pick(texts)), indent)

    def grow(self, indent: int) -> None:
        kind = self.pick(
            [k for k in ("row", "rows", "arrs") if self.place(k)] or ["row"]
        )
        place = self.place(kind)
        if not place:
            return
        if kind == "row":
            texts = [f"{place}.append(@)", f"{place}.extend([@])", f"{place} += [@]",
                     f"{place}.insert(0, @)", f"{place}.reverse()",
                     f"if len({place}) > 2:\n    {place}.pop()", f"{place}.sort()",
                     f"if len({place}) > 2:\n    s += {place}.pop(0)",
                     f"if len({place}) > 2:\n    del {place}[1]"]  # fmt: skip
        else:
            item = self.value("row" if kind == "rows" else "arr")
            texts = [f"{place}.append({item})", f"{place}.reverse()",
                     f"if len({place}) > 2:\n    {place}.pop()"]  # fmt: skip
        self.write(self.filled(self.pick(texts)), indent)

    def scalar(self, indent: int) -> None:
        self.write(self.filled(self.pick(["s += @", "s = s * 0.5 + @ * @"])), indent)

    def branch(self, indent: int) -> None:
        tests = ["@ > 0.1", "@ < @", "n > 1", "n % 2 == 0", "s > 0.0"]
        self.write(f"if {self.filled(self.pick(tests))}:", indent)
        self.body(indent + 1)
        if self.random.random() < 0.6:
            self.write("else:", indent)
            self.body(indent + 1)

    def loop(self, indent: int) -> None:
        rows = self.place("rows") or self.place("arrs")
        if rows and self.random.random() < 0.25:
            other = self.place("rows") or rows
            head = self.pick(
                [f"for q in {rows}:", f"for k, q in enumerate({rows}):",
                 f"for q, t in zip({rows}, {other}):", f"for q in reversed({rows}):"]
            )  # fmt: skip
            self.write(self.filled(f"{head}\n    q[0] += @"), indent)
            return
        self.write(re.sub(r"\bi\b", f"i{indent}", self.pick(LOOPS)), indent)
        self.body(indent + 1)
        if self.random.random() < 0.2:
            test = self.filled("if @ > 0.6:")
            self.write(f"{test}\n    {self.pick(['break', 'continue'])}", indent + 1)
            self.body(indent + 1)

    def body(self, indent: int) -> None:
        for _ in range(self.random.choice([1, 1, 2, 3])):
            self.statement(indent)
