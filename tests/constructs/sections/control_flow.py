"""Branches and loops."""

from functools import partial

from ..table import MATRIX, VECTOR, construct, form

enter = partial(construct, "control flow")

enter(
    "if/elif/else on a value",
    form("""
        if x > 5.0:
            y = x
        elif x > a:
            z = x * x
            y = z * a
        else:
            y = a
    """, a=0.7),
    form("""
        if np.sum(x) > a:
            z = x * x
            w = z * 2.0
        else:
            z = x
        if np.sum(x) > a:
            z = z * w
        y = np.sum(z)
    """, VECTOR, a=0.7),
)  # fmt: skip
enter(
    "conditional expression a if c else b",
    form("y = (x * x if x > a else x) * (a if x < 0 else x / a)", a=0.7),
    form("y = np.sum(x * x if np.all(x > 0) else x) * (x[0] if k else x[1])",
         VECTOR, k=0),
)  # fmt: skip
enter(
    "while on a value",
    form("""
        z = x
        while z < 6.0:
            z = z * z + a
        y = z * x
    """, a=0.7),
    form("""
        z = x
        n = 0
        while np.sum(z * z) > 0.5:
            z = z * a
            n += 1
        y = np.sum(z * x) * n
    """, VECTOR, a=0.7),
)  # fmt: skip
enter(
    "while True with break",
    form("""
        z = x
        while True:
            z = 0.5 * (z + a / z)
            if abs(z * z - a) < 1e-3:
                break
        y = z * x
    """, a=0.7),
    form("""
        z = x
        while 1:
            w = z * a
            if np.sum(w) < 1.0:
                break
            z = w
        y = np.sum(z * w)
    """, VECTOR, a=0.7),
)  # fmt: skip
enter(
    "while/else",
    form("""
        z = x
        while z < 6.0:
            z = z * z + a
            if z > limit:
                break
        else:
            z = z * x
        y = z
    """, a=0.7, limit=50.0),
    form("""
        i = 0
        y = 0.0
        while i < len(x):
            if x[i] > 1.2:
                y = y * x[i]
                break
            y = y + x[i] * x[i]
            i += 1
        else:
            y = y * 3.0
    """, VECTOR),
)  # fmt: skip
enter(
    "for over range(n)",
    form("""
        y = x
        for i in range(4):
            y = y * x + i
    """),
    form("""
        z = x
        for i in range(4):
            z = np.sin(z) * x[i]
        y = np.sum(z) * i
    """, VECTOR),
)  # fmt: skip
enter(
    "for over range(a, b, -1)",
    form("""
        y = x
        for i in range(5, 1, -1):
            y = y * x / i
        for i in range(0, 7, 3):
            y = y + x * i
    """),
    form("""
        z = x * 1.0
        for i in range(len(x) - 1, 0, -1):
            z[i - 1] = z[i] * z[i - 1]
        y = np.sum(z)
    """, VECTOR),
)  # fmt: skip
enter(
    "for over range(len(x))",
    form("""
        y = 0.0
        for i in range(len(x)):
            y = y * 0.5 + x[i] * x[i]
    """, VECTOR),
    form("""
        y = 0.0
        for i in range(len(x)):
            for j in range(x.shape[1]):
                y = y + x[i, j] * x[i - 1, j] * y
            y = y + 0.1
    """, MATRIX),
)  # fmt: skip
enter(
    "range(n) where n is an argument",
    form("""
        y = x
        for i in range(n):
            y = y * x + a
    """, a=0.7, n=3),
    form("""
        y = x
        for i in range(n):
            y = y * x + a
    """, a=0.7, n=0),
    form("""
        z = x
        for i in range(1, n):
            z = z * x[i] + z[0]
        y = np.sum(z)
    """, VECTOR, n=3),
)  # fmt: skip
enter(
    "for over array elements",
    form("""
        y = 1.0
        for v in x:
            y = y * v + v
    """, VECTOR),
    form("""
        z = np.zeros(3)
        for row in x:
            z = z * row + row
        y = np.sum(z * z)
    """, MATRIX),
    form("""
        y = 0.0
        for row in x:
            for v in row:
                y = y + v * v * y + v
    """, MATRIX),
    form("""
        y = 0.0
        for v in x * x:
            y = y * v + v
    """, VECTOR),
)  # fmt: skip
enter(
    "for over list",
    form("""
        y = 1.0
        for v in [x, x * x, a]:
            y = y * v + v
    """, a=0.7),
    form("""
        zs = []
        for i in range(len(x)):
            zs.append(x[i] * x[i])
        y = 1.0
        for z in zs:
            y = y * z + z
    """, VECTOR),
    form("""
        y = 0.0
        for c in [0.5, 1.5, -0.3]:
            y = y * x + c
    """),
)  # fmt: skip
enter(
    "for over enumerate",
    form("""
        y = 0.0
        for i, v in enumerate(x):
            y = y * v + v * i
    """, VECTOR),
    form("""
        y = 0.0
        for i, v in enumerate([x, a, x * a], start=1):
            y = y * v + v ** i
    """, a=0.7),
    form("""
        y = 0.0
        for i, row in enumerate(x, 1):
            y = y + np.sum(row * row) * i * row[i]
    """, MATRIX),
)  # fmt: skip
enter(
    "for over zip",
    form("""
        y = 0.0
        for u, v in zip(x, w):
            y = y * u + v * u
    """, VECTOR, w=VECTOR[::-1].copy()),
    form("""
        y = 0.0
        for u, v in zip(x, [a, 2.0, a * a]):
            y = y * u + v * u
    """, VECTOR, a=0.7),
    form("""
        y = 0.0
        for u, v in zip(x[:-1], x[1:]):
            y = y + u * v * y + u
    """, VECTOR),
    form("""
        y = 0.0
        for i, (u, v) in enumerate(zip(x, w)):
            y = y * u + v * u * i
    """, VECTOR, w=VECTOR[:3].copy()),
    form("""
        y = 0.0
        for u, v in zip([x, a], (a, x * x)):
            y = y * u + v * u
    """, a=0.7),
    form("""
        y = 0.0
        for u, v in zip(x, w, strict=True):
            y = y * u + v * u
    """, VECTOR, w=VECTOR[::-1].copy()),
)  # fmt: skip
enter(
    "for over dict.items()",
    form("""
        y = 0.0
        for k, v in {"p": x, "q": x * a}.items():
            y = y * x + v * (2.0 if k == "p" else 3.0)
    """, a=0.7),
    form("""
        table = {"p": x, "q": x * a}
        for k in table:
            table[k] = table[k] * x
        y = 0.0
        for v in table.values():
            y = y * v + v
        for k in table.keys():
            y = y + table[k]
    """, a=0.7),
)  # fmt: skip
enter(
    "for over reversed(...)",
    form("""
        y = 0.0
        for v in reversed(x):
            y = y * v + v
    """, VECTOR),
    form("""
        y = 0.0
        for i in reversed(range(len(x))):
            y = y * x[i] + x[i]
        for v in reversed([x[0], x[1]]):
            y = y * v + v
    """, VECTOR),
    form("""
        y = 0.0
        for c in reversed((0.5, 1.5, -0.3)):
            y = y * x + c
    """),
)  # fmt: skip
enter(
    "nested for",
    form("""
        y = 0.0
        for i in range(3):
            for j in range(i):
                y = y * x + a * j
            y = y + x
    """, a=0.7),
    form("""
        z = np.zeros((2, 2))
        for i in range(2):
            for j in range(2):
                for k in range(3):
                    z[i, j] += x[i, k] * x[j, k] * z[0, 0]
                z[i, j] += x[i, j]
        y = np.sum(z * z)
    """, MATRIX),
)  # fmt: skip
enter(
    "for with break",
    form("""
        y = x
        for i in range(10):
            y = y * x
            if y > 3.0:
                break
            y = y + 0.1
    """),
    form("""
        y = 0.0
        for v in x:
            if v > 1.2:
                break
            y = y + v * v
        y = y * v
    """, VECTOR),
    form("""
        y = 0.0
        for i in range(3):
            for j in range(4):
                if x[j] > 1.2:
                    break
                y = y + x[j] * x[i]
            if y > 2.0:
                break
    """, VECTOR),
)  # fmt: skip
enter(
    "for with continue",
    form("""
        y = x
        for i in range(5):
            if i % 2:
                continue
            y = y * x + i
    """),
    form("""
        y = 0.0
        for v in x:
            y = y * 0.5
            if v > 1.2:
                continue
            y = y + v * v
    """, VECTOR),
)  # fmt: skip
enter(
    "for/else",
    form("""
        y = x
        for i in range(6):
            y = y * x
            if y > limit:
                break
        else:
            y = y * y
    """, limit=100.0),
    form("""
        y = 0.0
        for v in x:
            if v > 1.2:
                y = y * v
                break
            y = y + v * v
        else:
            y = y * 5.0
    """, VECTOR),
)  # fmt: skip
enter(
    "early return in if",
    form("""
        if x > 5.0:
            return x * a
        y = x * x
        if y > a and x < 0:
            return y
        y = y * a
    """, a=0.7),
    form("""
        if x[0] < a:
            return x[0] * x[1] * a
        y = np.sum(x * x)
    """, VECTOR, a=0.7),
    form("""
        def kind(u):
            if u < 1.0:
                return u * u
            elif u < 1.25:
                return 3.0 * u
            return u

        y = kind(x) * kind(a) + kind(1.2 * a)
    """, a=0.7),
)  # fmt: skip
enter(
    "return inside a loop",
    form("""
        y = x
        for i in range(6):
            y = y * x + a
            if y > limit:
                return y * x
        y = y * a
    """, a=0.7, limit=4.0),
    form("""
        y = 0.0
        for v in x:
            y = y + v * v
            while y > 2.0:
                y = y - v
                if y < 1.5:
                    return y * v
    """, VECTOR),
    form("""
        def search(w, limit):
            for i in range(len(w)):
                if w[i] > limit:
                    return w[i] * i
            return w[0]

        y = search(x, 1.0) * search(x, 9.0)
    """, VECTOR),
)  # fmt: skip
enter(
    "and / or / not in conditions",
    form("""
        if x > 1.0 and not x > 4.0 or a > x:
            y = x * x
        else:
            y = x
        if not (x < 0 or a < 0):
            y = y * a
        y = y * (x > 1.0 and a) + (0.0 or x)
    """, a=0.7),
    form("""
        y = 0.0
        for i in range(5):
            if i < len(x) and x[i] > 0.8:
                y = y + x[i] * x[i]
    """, VECTOR),
)  # fmt: skip
enter(
    "chained comparison 0 < s < 9",
    form(
        """
        y = x * x if 0 < x < 2.0 < 9 else x
        if a <= x <= 1.0 or 0.5 < a * 1.0 != x:
            y = y * a
    """,
        a=0.7,
    ),
    form("y = np.sum(x) * (2.0 if 0 < x[0] < 1 < np.sum(x) else 3.0)", VECTOR),
)
enter(
    "in / not in",
    form("""
        y = x * x if mode in ("square", "power") else x
        if "qua" in mode:
            y = y + x
        if mode not in {"a": 1, "b": 2}:
            y = y * 3.0
        if mode not in ["square"]:
            y = y * 7.0
    """, mode="square"),
    form("""
        y = 0.0
        for i in range(4):
            if i in (0, 3) and i not in {2, 5}:
                y = y * x + x
    """),
    form("""
        table = {"p": x}
        y = table["p"] if "p" in table else 1.0
        if "q" not in table:
            y = y * x
    """),
    form("""
        chosen = [1, 3]
        y = 1.0
        for i, v in enumerate(x):
            if i in chosen:
                y = y * v
    """, VECTOR),
)  # fmt: skip
enter(
    "is None test",
    form("""
        scale = x if b is None else b
        y = x * scale if scale is not None else 0.0
    """, b=None),
    form("""
        best = None
        for i in range(len(x)):
            if best is None or x[i] > best:
                best = x[i]
        y = best * best
    """, VECTOR),
    form("""
        def scaled(v, by=None):
            if by is None:
                by = v
            return v * by

        y = scaled(x) * scaled(x, 3.0)
    """),
)  # fmt: skip
enter(
    "match statement",
    form("""
        match mode:
            case "square":
                y = x * x
            case "cube" | "third":
                y = x ** 3
            case _:
                y = x
    """, mode="cube"),
    form("""
        match (x, x * 2.0):
            case (0, w):
                y = w
            case (v, w) if v > 0.2:
                y = v * w
            case _:
                y = 0.0
    """),
    form("""
        y = 0.0
        for i in range(4):
            match i:
                case 0:
                    y = y + x
                case 1 | 2:
                    y = y * x
                case other:
                    y = y * other
    """),
)  # fmt: skip

beyond = partial(construct, "control flow", listed=False)

beyond(
    "a variable defined in one arm only",
    form("""
        if x > 0.2:
            z = x * x
        if x > 0.1 and x > 0.2:
            y = z * x
        else:
            y = x
    """),
    form("""
        for i in range(3):
            if i == 1:
                z = x[i] * x[0]
        y = z * x[1]
    """, VECTOR),
)  # fmt: skip
beyond(
    "loop variables after and inside the loop",
    form("""
        i = 7
        y = x
        for i in range(3):
            y = y * x + i
            i = i + 10
        y = y * i
    """),
    form("""
        y = 0.0
        for v in x:
            v = v * v
            y = y + v
        y = y * v
    """, VECTOR),
)  # fmt: skip
beyond(
    "carried swap a, b = b, a * x",
    form("""
        p, q = x, a
        for i in range(4):
            p, q = q, p * x + q
        y = p * q
    """, a=0.7),
)  # fmt: skip
beyond(
    "bounds of an inner loop from outer variables",
    form("""
        y = 0.0
        n = 1
        for i in range(3):
            for j in range(i, n):
                y = y + x[j] * x[i]
            n = n + i
        y = y * n
    """, VECTOR),
)  # fmt: skip
beyond(
    "for over a string that selects behaviour",
    form("""
        y = x
        for step in "sqs":
            if step == "s":
                y = y * x
            else:
                y = y + a
    """, a=0.7),
    form("""
        y = x
        for step in steps:
            if step == "s":
                y = y * x
            else:
                y = y + a
    """, a=0.7, steps="sqs"),
)  # fmt: skip
beyond(
    "loop that does not run",
    form("""
        y = x
        for i in range(0):
            y = y * x
        for v in []:
            y = y * v
        while x < -1.0:
            y = y * x
    """),
)  # fmt: skip
beyond(
    "iter and next",
    form("""
        source = iter([x, x * a, a])
        y = next(source) * next(source) + next(source)
        y = y + next(source, x)
    """, a=0.7),
    form("""
        y = next(v for v in (x, a) if v is not None) * x
    """, a=0.7),
    form("""
        source = iter([x, x * a, a])
        first = next(source)
        y = first
        for v in source:
            y = y * first + v
    """, a=0.7),
)  # fmt: skip
