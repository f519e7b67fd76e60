"""A source of choices -> a program that reads a nested container in several ways.

Some write into it first, or in between. What reaches a row through `X[i]`, through
`X[0]` read by itself, and through a loop over X is one adjoint. Each program joins a few
ways of reading, in any order, some of them twice or in an arm. Some keep a row under
another name from the beginning, or write into it in between, and read it at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from textwrap import indent
from typing import Any, Final

import numpy as np

from .program import HEAD, Drawn

HELPERS: Final = """

def by_rows(M):
    total = 0.0
    for i in range(len(M)):
        total += M[i][0] * (i + 1)
    return total + M[0][1]


def by_items(r):
    total = r[0]
    for v in r:
        total = total * 0.5 + v
    return total


def fill(M, i, v):
    M[i][0] = v
    M[0][i] *= v


def by_keys(d):
    total = 0.0
    for k in d:
        total += d[k][0] * d["a"][1]
    return total


class Model:
    def __init__(self, X):
        self.X, self.first = X, X[0]

    def rated(self, i):
        return self.X[i][0] * self.first[1]

"""
OF_ROWS: Final = """
s += X[1][2] * a

s *= X[0][0] + 1.5

s += X[-1][-1] * s

s += X[n][1] * X[n - 1][2]

for i in range(3):
    s += X[i][1] * (i + 1)

for i in range(2):
    s += X[i][-1] * X[i + 1][0]

for i in range(2):
    for j in range(2):
        s += X[i][j] * X[j][i]

r = X[0]
for i in range(3):
    s += r[i] * (i - 1.5)

r = X[1]
for i in range(2):
    s += r[i] * X[i][2]

r = X[n]
s += r[0] * r[1]

for row in X:
    s += row[0] * row[2]

for row in X:
    for v in row:
        s += v * v

for row in X[1:]:
    s += row[0] * a

for row in reversed(X):
    s = s * 0.5 + row[2]

for i, row in enumerate(X):
    s += row[i] * a

for u, v in zip(X[0], X[2]):
    s += u * v

p, q, t = X
s += p[0] * q[1]

Y = [X[0], X[2]]
for y in Y:
    s += y[1] * a

i = 0
while i < 2:
    s = s * 0.5 + X[i][1]
    i += 1

if s > 0.3:
    s += X[2][0]
else:
    s -= X[n][1]

f = lambda r: r[0] * r[1]
s += f(X[0]) + sum(map(f, X))

m = Model(X)
s += m.rated(0) * m.rated(n) + m.X[2][0]

s += X[0][1] if X[0][1] > 0 else X[1][0]

s += sum(X[1]) * a

s += sum(q[1] for q in X)

s += sum(a * v for row in X for v in row)

s += [r[2] for r in X][1]

s += np.sum(np.array(X) ** 2)

s += np.dot(X[0], X[1])

s += max(X[0]) * a

s += by_rows(X)

s += by_items(X[1])

s += by_items(X[0]) * X[0][1]
"""
WRITES: Final = """
X[0][1] = X[1][0] * a

X[2][0] += a

r = X[0]
r[1] = r[0] * a

for i in range(2):
    X[i][0] = X[i + 1][1] * a

for row in X:
    row[2] *= a

X[n][1] = s

X[0], X[2] = X[2], X[0]

X[1] = X[0]

fill(X, 1, s)

other = X[n]
other[0] = s * a

other = max(X, key=lambda r: r[0])
other[1] *= a
"""
BUILDS: Final = """
rows = []
for v in X[0]:
    row = [v, a]
    rows.append(row)
    row[1] = v * 2
s += rows[n][1] * rows[0][0]

rows = []
for v in X[0]:
    row = [v, a]
    row[1] += v * s
    rows.append(row)
s += rows[n][1] * rows[0][0]

rows, row = [], [0.5, a]
for v in X[0]:
    row[0] += v
    rows.append(list(row))
s += rows[-1][0] * rows[0][0]

rows, row = [], [0.5, a]
for v in X[0]:
    rows.append(row)
    row[0] = v
s += rows[n][0] * row[1]

rows, row = [], [0.5, a]
for v in X[0]:
    row = row[:]
    row[0] += v
    rows.append(row)
s += rows[n][0] * rows[0][1]

rows = [[a, 1.0], [s, 2.0]]
for v in X[0]:
    last = rows[-1]
    rows.append([last[0] + v, last[1] * v])
s += rows[-1][0] * rows[n][1]

rows = [[a, s], [s, X[0][0]]]
kept = rows[n]
rows[1][0] = s * a
s += kept[0] * rows[0][1]

rows = [[a, s], [s, X[0][0]]]
kept = rows[n]
rows[0] = [s, 1.0]
s += kept[0] * rows[0][1]

rows = {"p": [a, s], "q": [s, 1.0]}
kept = rows["p" if a > 0 else "q"]
rows["q"][0] = a * 2
s += kept[0]

rows = [X[0][0]] * 3
for i in range(3):
    rows[i] = rows[i - 1] * a + X[1][i]
s += rows[n] * rows[-1]

rows = [[0.0] * 2 for _ in range(3)]
for i in range(3):
    rows[i][0] = X[i][0] * a
s += rows[n][0] + rows[0][1]

rows = [[0.5] * 2] * 2
rows[0][1] = s
s += rows[1][1] * a

kept, row = {}, [a, s]
for k in ("u", "v"):
    kept[k] = row
row[1] = X[0][0]
s += kept["u"][1] * a

rows = []
for i, r in enumerate(X):
    cell = {"w": r[0], "k": i}
    cell["w"] *= a
    rows.append(cell)
s += rows[n]["w"] * rows[0]["w"]
"""
HELD: Final = """
X[n]

X[-n]

X[0] if a > 0.2 else X[1]

max(X, key=lambda r: r[1])

sorted(X, key=lambda r: r[0])[1]

min(X, key=sum)

[X[1], X[0]][n]

(X[n], a)[0]

{0: X[2], 1: X[0]}[n]

X[int(a > 0)]
"""
HOLDING: Final = 0.5

OF_KEYS: Final = """
s += X["a"][2] * a

s *= X["c"][0]

s += X["b"][-1] ** 2

s += X.get("a")[1]

for k in X:
    s += X[k][1] * a

for k, v in X.items():
    s += v[0] * v[1]

for v in X.values():
    s += sum(v)

for k in ("a", "c"):
    s += X[k][n] * a

for u, v in zip(X["a"], X["c"]):
    s += u * v

for i in range(3):
    s += X["a"][i] * X["c"][i]

r = X["b"]
for i in range(3):
    s += r[i] * (i + 1)

k = "b" if n > 0 else "a"
s += X[k][2]

s += sum(v[1] for v in X.values())

s += sum(X[k][0] for k in sorted(X))

s += np.sum(np.array(list(X.values())))

s += by_items(X["b"])

s += by_keys(X)
"""
OF_RECORDS: Final = """
s += X[1]["u"] * a

s += X[n]["u"]

s += X[-1]["v"] * X[0]["u"]

for d in X:
    s += d["u"] * d["v"]

for d in X[1:]:
    s += d["v"] ** 2

for d in X:
    for v in d.values():
        s += v * a

for i, d in enumerate(X):
    s += d["u"] * i

for i in range(3):
    s += X[i]["v"] * (i + 1)

for k in ("u", "v"):
    s += X[0][k] * X[n][k]

r = X[0]
s += r["u"] * r["v"]

r = X[2]
for k in r:
    s += r[k] * a

p, q, t = X
s += p["u"] * t["v"]

s += sum(d["u"] for d in X)

s += sum(x["u"] * y["v"] for x, y in zip(X, X[1:]))

s += max(X, key=lambda d: d["u"])["v"]
"""
OF_PARTS: Final = """
s += X["p"][0][1] * a

s += X["q"][n] * X["p"][n][0]

for row in X["p"]:
    s += row[0] * X["q"][0]

for i in range(2):
    s += X["p"][i][i]

for u, v in zip(X["p"][0], X["q"]):
    s += u * v

P = X["p"]
for i in range(2):
    s += P[i][1] * X["q"][i]

P = X["p"]
r = P[0]
s += r[0] * P[n][1]

p = X["p"]
q = p[1]
for row in p:
    s += row[1] * q[0]

r = X["p"][1]
for i in range(2):
    s += r[i] * a

s += sum(X["q"])

s += by_items(X["p"][0])

s += by_rows(X["p"])
"""


def nested(random: Random) -> Drawn:
    """A program of a nested container, a float and an int."""

    def number() -> float:
        return round(random.uniform(-1, 1), 3)

    container, ways = random.choice(SHAPES)
    body = ["s = a", *(_way(random, ways) for _ in range(random.randint(2, 4)))]
    if ways == OF_ROWS + WRITES and random.random() < HOLDING:
        held = random.choice(HELD.strip().split("\n\n"))
        body[1:1] = [f"held = {held}"]
        body.append("s += held[1] * held[0] + sum(held)")
    body.append(random.choice(["return s", "return s * a"]))
    source = f"{HEAD}{HELPERS}\ndef program(X, a, n):\n{indent(chr(10).join(body), '    ')}\n"
    args = container(number), number(), 1
    return Drawn(source, args, ("X", "a", "n"), plain=False, holomorphic=False)


def _way(random: Random, ways: str) -> str:
    """One of the ways of reading, perhaps in a loop or in an arm."""
    one = random.choice(ways.strip().split("\n\n"))
    around = random.choice(["", "", "", "", "", "for _ in range(2):", "if a > -5:"])
    return f"{around}\n{indent(one, '    ')}" if around else one


Number = Callable[[], float]


def _rows(number: Number) -> list[list[float]]:
    return [[number() for _ in range(3)] for _ in range(3)]


SHAPES: Final[list[tuple[Callable[[Number], Any], str]]] = [
    (_rows, OF_ROWS),
    (_rows, OF_ROWS + WRITES),
    (_rows, OF_ROWS + BUILDS),
    (_rows, BUILDS),
    (lambda number: tuple(_rows(number)), OF_ROWS),
    (lambda number: [tuple(r) for r in _rows(number)], OF_ROWS),
    (lambda number: tuple(map(tuple, _rows(number))), OF_ROWS),
    (lambda number: [np.array(r) for r in _rows(number)], OF_ROWS),
    (lambda number: [np.array(r) for r in _rows(number)], OF_ROWS + WRITES),
    (lambda number: dict(zip("abc", _rows(number), strict=True)), OF_KEYS),
    (lambda number: {k: np.array([number(), number(), 0.1]) for k in "abc"}, OF_KEYS),
    (lambda number: [{"u": number(), "v": number()} for _ in range(3)], OF_RECORDS),
    (lambda number: {"p": [r[:2] for r in _rows(number)[:2]], "q": [number(), 0.2]},
     OF_PARTS),
]  # fmt: skip
