"""Lists, tuples, dicts, sets and records as data."""

from functools import partial

from ..table import MATRIX, VECTOR, construct, form

enter = partial(construct, "containers")

enter(
    "list literal and index",
    form("""
        z = [x, x * a, [a, x * x]]
        y = z[0] * z[1] + z[-1][1] * z[2][0]
    """, a=0.7),
    form("""
        z = [x, x * a, a]
        y = 0.0
        for i in range(len(z)):
            y = y * x + z[i] * z[i - 1]
    """, a=0.7),
    form("""
        z = [x, x * a, a]
        y = z[k] * x
    """, a=0.7, k=1),
)  # fmt: skip
enter(
    "list append in a loop",
    form("""
        z = []
        for i in range(3):
            z.append(x * i)
            z.append(x * x)
        y = z[1] * z[-1] + z[2]
    """),
    form("""
        z = [x[0]]
        for i in range(1, len(x)):
            z.append(z[-1] * x[i])
        y = sum(z) * z[-1]
    """, VECTOR),
    form("""
        z = []
        for v in x:
            if v > 0.8:
                z.append(v * v)
        y = sum(z) * len(z)
    """, VECTOR),
)  # fmt: skip
enter(
    "np.array / np.stack of a built list",
    form("""
        z = np.array([x, x * x, a, 2.0])
        y = np.sum(z * z[::-1])
    """, a=0.7),
    form("""
        rows = []
        for i in range(3):
            rows.append(x * x[i])
        z = np.stack(rows)
        y = np.sum(z * np.array(rows).T[:3, :3].sum())
    """, VECTOR),
    form("""
        z = np.array([[x, a], [x * x, 1.0]])
        y = np.linalg.det(z) + np.sum(np.array([v * v for v in (x, a)]))
    """, a=0.7),
    form("""
        z = np.array([v * v for v in x])
        w = np.concatenate([x, z])
        y = np.sum(w * w) + np.sum(np.vstack((x, z))[1] * x)
    """, VECTOR),
)  # fmt: skip
enter(
    "list element assign l[i] = e",
    form("""
        z = [x, x * a, a]
        z[0] = z[1] * z[0]
        z[-1] += x
        y = z[0] * z[2] + z[1]
    """, a=0.7),
    form("""
        z = [0.0] * 4
        for i in range(4):
            z[i] = x[i] * x[i - 1]
        y = sum(z) * z[1]
    """, VECTOR),
    form("""
        z = [0.0 for _ in range(len(x))]
        z[0] = x[0]
        for i in range(1, len(x)):
            z[i] = z[i - 1] * x[i]
            z[i] += x[0]
        y = z[-1] * z[1]
    """, VECTOR),
    form("""
        z = [0.0] * n
        for i in range(n):
            z[i] = x * (i + 1)
        for i in range(1, n):
            z[i] = z[i] * z[i - 1]
        y = z[n - 1] * x
    """, n=3),
    form("""
        z = [[0.0, 0.0], [0.0, 0.0]]
        for i in range(2):
            for j in range(2):
                z[i][j] = x[i] * x[j] + z[0][0]
        y = z[0][1] * z[1][1]
    """, VECTOR),
)  # fmt: skip
enter(
    "tuple build, index, return",
    form("""
        p, q = both(x, a)
        pair = both(p, q)
        y = pair[0] * pair[-1] + p
    """, a=0.7, setup="""
        def both(u, v):
            return u * v, u + v
    """),
    form("""
        pair = (x, np.sum(x))
        for i in range(2):
            pair = (pair[0] * x, pair[1] + pair[0][i])
        y = np.sum(pair[0]) * pair[1]
    """, VECTOR),
)  # fmt: skip
enter(
    "dict literal, get and item assign",
    form("""
        table = {"p": x, "q": x * a}
        table["r"] = table["p"] * table["q"]
        table["p"] *= a
        y = table["r"] + table.get("p") * table.get("s", x) + len(table)
    """, a=0.7),
    form("""
        table = {0: x, 1: a}
        for i in range(2):
            table[i] = table[i] * x
        y = table[0] * table[1]
    """, a=0.7),
    form("""
        table = {}
        for k in ("p", "q"):
            table[k] = x * len(table) + a
            table.setdefault("z", a)
        table.update(p=x, w=a * a)
        y = table["p"] * table["q"] * table["w"] + table.pop("z")
    """, a=0.7),
)  # fmt: skip
enter(
    "dict(a=..) call",
    form("""
        table = dict(p=x, q=x * a)
        more = dict(table, r=a)
        pairs = dict([("p", x), ("q", a)])
        y = more["p"] * more["q"] + more["r"] * pairs["q"] * len(more)
    """, a=0.7),
    form("""
        table = dict(w=x, b=np.sum(x))
        y = np.sum(table["w"] * table["w"]) * table["b"]
    """, VECTOR),
)  # fmt: skip
enter(
    "list comprehension",
    form("""
        z = [x * i for i in range(4)]
        y = z[1] * z[3] + sum([v * v for v in z])
    """),
    form("""
        z = [v * v for v in x]
        y = sum(z) + z[0] * z[-1]
    """, VECTOR),
    form("""
        z = [x[i] * x[i + 1] for i in range(len(x) - 1)]
        y = max(z) * min(z)
    """, VECTOR),
)  # fmt: skip
enter(
    "list comprehension with if, nested",
    form("""
        z = [x * i + j for i in range(3) for j in range(2) if i != j]
        y = sum(z) * z[1]
        w = [[x * i * j for i in range(2)] for j in range(3)]
        y = y + w[2][1] * w[1][1]
    """),
    form("""
        z = [v * v for v in x if v > 0.8]
        w = [[u * v for u in x] for v in x]
        y = sum(z) + w[1][2] * w[0][3]
    """, VECTOR),
    form("""
        z = [v * v if v > 1.0 else v for v in x if v > 0.8]
        y = sum(z) * len(z)
    """, VECTOR),
)  # fmt: skip
enter(
    "generator expression in sum()",
    form("y = sum(x * i for i in range(4)) * sum(v * v for v in (x, a))", a=0.7),
    form("y = sum(v * v for v in x) * sum(u * v for u, v in zip(x, x[1:]))", VECTOR),
    form("y = sum(x[i] * x[i + 1] for i in range(len(x) - 1) if x[i] > 0.8)", VECTOR),
)
enter(
    "dict comprehension",
    form("""
        table = {k: x * i for i, k in enumerate(("p", "q", "r"))}
        more = {k: v * v for k, v in table.items() if k != "p"}
        y = table["q"] * more["r"] + sum(more.values())
    """),
    form("""
        table = {i: x[i] * x[0] for i in range(3)}
        y = table[0] * table[2]
    """, VECTOR),
)  # fmt: skip
enter(
    "tuple/list concatenation and slicing",
    form("""
        z = [x, a] + [x * a] * 2
        w = (x,) + (a, x * x)
        z += [x]
        y = sum(z[1:]) * z[-1] + w[1:][0] * w[:2][0] + len(z[::2])
    """, a=0.7),
    form("""
        z = [x[0]]
        for i in range(1, 4):
            z = z + [z[-1] * x[i]]
        y = sum(z[1:]) * z[2]
    """, VECTOR),
)  # fmt: skip
enter(
    "set literal / membership",
    form("""
        chosen = {"p", "q"}
        y = x * x if mode in chosen else x
        chosen.add("r")
        if "r" in chosen and len(chosen | {"s"}) == 4:
            y = y * 2.0
    """, mode="p"),
    form("""
        skipped = {1, 3}
        y = 0.0
        for i in range(4):
            if i not in skipped:
                y = y * x + x
    """),
    form("""
        odd = {i for i in range(5) if i % 2}
        y = x * len(odd) + (x * x if 3 in odd else 0.0)
    """),
)  # fmt: skip
POINT = """
    from typing import NamedTuple

    class Point(NamedTuple):
        u: float
        v: float = 2.0

        def norm(self):
            return self.u * self.u + self.v

        @property
        def double(self):
            return Point(self.u * 2, self.v * 2)
"""
enter(
    "NamedTuple",
    form("""
        p = Point(x, v=x * a)
        q = p._replace(u=a * x)
        u, v = q
        y = p.u * q.v + p.norm() * p.double.u + u * v + p[0]
    """, a=0.7, setup=POINT),
    form("""
        p = Point(x[0])
        for i in range(3):
            p = Point(p.u * x[i], p.v + p.u)
        y = p.norm()
    """, VECTOR, setup=POINT),
)  # fmt: skip
DATA = """
    from dataclasses import dataclass, field, replace

    @dataclass
    class State:
        u: float
        v: float = 2.0
        log: list = field(default_factory=list)

        def __post_init__(self):
            self.w = self.u * self.v

        def step(self, by):
            self.u = self.u * by
            self.log.append(self.u)
            return self

    @dataclass(frozen=True)
    class Frozen:
        u: float
        v: float = 2.0
"""
enter(
    "dataclass instance",
    form("""
        s = State(x, a)
        s.step(a).step(x)
        f = Frozen(x, v=s.u)
        y = s.u * s.w + f.v * f.u + sum(s.log)
    """, a=0.7, setup=DATA),
    form("""
        f = Frozen(x, a)
        g = replace(f, v=x * x)
        y = g.u * g.v
    """, a=0.7, setup=DATA),
    form("""
        s = State(x[0])
        for i in range(3):
            s.u = s.u * x[i]
            s = State(s.u, s.w)
        y = s.w * s.u
    """, VECTOR, setup=DATA),
)  # fmt: skip

beyond = partial(construct, "containers", listed=False)

beyond(
    "list pop, extend, insert, reverse, remove, index",
    form("""
        z = [x, a]
        z.extend([x * a, x])
        z.insert(1, x * x)
        last = z.pop()
        first = z.pop(0)
        z.reverse()
        y = last * first + z[0] * z[-1] + len(z)
    """, a=0.7),
    form("""
        stack = [x]
        y = 0.0
        for i in range(3):
            v = stack.pop()
            y = y + v * v
            stack.append(v * a)
        y = y + stack[-1]
    """, a=0.7),
    form("""
        stack = []
        for v in x:
            stack.append(v * v)
        y = 0.0
        while stack:
            y = y * 0.5 + stack.pop()
    """, VECTOR),
)  # fmt: skip
beyond(
    "list of a loop's length, read by index",
    form("""
        z = [x]
        for i in range(n):
            z.append(z[i] * x + a)
        y = z[n] * z[0] + z[-1]
    """, a=0.7, n=3),
    form("""
        z = []
        for i in range(n):
            z.append(x * i)
        y = 0.0
        for i in range(n):
            y = y + z[i] * z[n - 1 - i]
    """, n=3),
)  # fmt: skip
beyond(
    "list(array), x.tolist()",
    form("""
        z = list(x)
        y = z[0] * z[-1] + sum(z)
    """, VECTOR),
    form("""
        z = x.tolist()
        z[1] = z[1] * z[0]
        y = sum(z) * z[1]
    """, VECTOR),
)  # fmt: skip
beyond(
    "zip(*rows), transposition of lists",
    form("""
        rows = [(x, a), (x * x, x)]
        first, second = zip(*rows)
        y = first[0] * first[1] + second[0] * second[1]
    """, a=0.7),
    form("""
        y = 0.0
        for u, v in zip(*x):
            y = y * u + v
    """, MATRIX),
)  # fmt: skip
beyond(
    "dict with computed keys",
    form("""
        table = {}
        for i in range(n):
            table[i] = x * i + a
        y = table[0] * table[n - 1]
    """, a=0.7, n=3),
    form("""
        table = {}
        for i in range(n):
            if i % 2 not in table:
                table[i % 2] = a
            table[i % 2] += x * i
        y = sum(v * v for v in table.values())
    """, a=0.7, n=3),
)  # fmt: skip
beyond(
    "collections: deque, defaultdict, namedtuple, OrderedDict",
    form("""
        p = Pair(x, v=a)
        y = p.u * p.v + p._replace(u=a).u
    """, a=0.7, setup="""
        from collections import namedtuple

        Pair = namedtuple("Pair", "u v")
    """),
    form("""
        table = defaultdict(float)
        table["p"] += x
        table["p"] += x * x
        other = OrderedDict(p=x)
        y = table["p"] * other["p"] + table["none"]
    """, setup="""
        from collections import OrderedDict, defaultdict
    """),
    form("""
        queue = deque([x, a])
        queue.append(x * a)
        queue.appendleft(x * x)
        y = queue.popleft() * queue.pop() + queue[0]
    """, a=0.7, setup="""
        from collections import deque
    """),
)  # fmt: skip
beyond(
    "itertools",
    form("""
        y = 0.0
        for u, v in itertools.product([x, a], [x, 2.0]):
            y = y * u + v
        for u, v in itertools.combinations([x, a, 1.0], 2):
            y = y + u * v
        for v in itertools.chain([x], (a, x)):
            y = y * v
        z = list(itertools.accumulate([x, a, x]))
        y = y + z[-1] * z[1]
    """, a=0.7, setup="import itertools"),
)  # fmt: skip
