"""A seed -> the text of random statements, in no particular layout."""

import random

_NAMES = ("x", "W1", "dh_2", "h1_in", "seed", "np.pi", "m.first.W", "total")
_FUNCTIONS = ("np.exp", "np.linalg.norm", "f", "np.concatenate", "some_function")


class Statements:
    """Statements such as generated text has, and some that it has not."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def choice(self, *options):
        option = self.random.choice(options)
        return option() if callable(option) else option

    def name(self):
        long = self.random.choice("abcdW") * self.random.choice([1, 5, 9, 14, 20])
        return self.choice(long, self.random.choice(_NAMES))

    def leaf(self):
        return self.choice(self.name, self.name, "1.5", "-1", "2", "True", "'txt'")

    def several(self, depth, *counts):
        return [self.expression(depth) for _ in range(self.choice(*counts))]

    def arguments(self, depth):
        arguments = self.several(depth - 1, 0, 1, 1, 2, 3)
        if self.random.random() < 0.3:
            arguments.append(f"axis={self.expression(depth - 1)}")
        return ", ".join(arguments)

    def index(self, depth):
        bound = self.choice("", lambda: self.expression(depth - 2))
        other = self.choice("", lambda: self.expression(depth - 2))
        a_slice = f"{bound}:{other}{self.choice('', '', ':2')}"
        return self.choice(a_slice, "None", "-1", "i + 1", self.expression(depth - 2))

    def expression(self, depth):
        if depth <= 0 or self.random.random() < 0.1:
            return self.leaf()
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        return self.choice(
            f"({a}) {self.choice(*'+-*/@')} ({b})",
            f"({a}) {self.choice(*'+-*/@')} ({b})",
            f"({a})**({b})",
            f"{self.random.choice(_FUNCTIONS)}({self.arguments(depth)})",
            f"{self.random.choice(_FUNCTIONS)}({self.arguments(depth)})",
            f"({a})[{self.index(depth)}]",
            f"({a})[{self.index(depth)}, {self.index(depth)}]",
            f"({a}).{self.choice('T', 'shape')}",
            f"({a}).{self.choice('sum', 'reshape')}({self.arguments(depth)})",
            f"-({a})",
            f"({a}) {self.choice('<', '==', 'is not', 'in')} ({b})",
            f"({a}) {self.choice('and', 'or')} not ({b})",
            f"({a}) if ({b}) else ({self.leaf()})",
            f"({', '.join(self.several(depth - 1, 1, 2, 3))},)",
            f"[{', '.join(self.several(depth - 1, 0, 1, 3))}]",
            f"{{('a', 'b'): {a}, 'c': {b}}}",
            f"[({a}) for i, j in ({b}) if {self.leaf()}]",
        )

    def target(self):
        name = self.name().replace(".", "_")
        return self.choice(name, f"val, {name}", "m.W", f"da[{self.index(2)}]")

    def statement(self):
        depth = self.choice(1, 2, 3, 4)
        value = self.expression(depth)
        values = ", ".join(self.several(depth - 1, 1, 2, 4))
        return self.choice(
            f"{self.target()} = {value}",
            f"{self.target()} = {value}",
            f"{self.target()} = {values}",
            f"dx {self.choice(*'+-*')}= {value}",
            f"return {values}",
            f"if {value}:\n    pass",
            f"while {value}:\n    pass",
            f"for i, j in {value}:\n    pass",
            f"raise ValueError({value})",
            f"assert {value}",
        )
