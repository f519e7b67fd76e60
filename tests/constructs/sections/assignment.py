"""Assignments of every form."""

from functools import partial

from ..table import MATRIX, VECTOR, construct, form

enter = partial(construct, "assignment")

enter(
    "reassign a name",
    form("""
        y = a * x
        y = math.sin(y) * x
        y = y * y
    """, a=0.7),
    form("""
        z = a * x
        z = np.sin(z) * x
        z = z[::-1] * z
        y = np.sum(z)
    """, VECTOR, a=0.7),
)  # fmt: skip
enter(
    "chained assign a = b = e",
    form("""
        p = q = x * x
        q = q * x
        y = p + q * p
    """),
    form("""
        p = q = x * 2.0
        q *= x
        y = np.sum(p * q)
    """, VECTOR),
    form("""
        p = q[0] = np.sum(x) if False else x[1]
        y = p * q[0]
    """.replace("p = q[0]", "q = np.zeros(2)\n        p = q[0]"), VECTOR),
)  # fmt: skip
enter(
    "tuple assign a, b = e1, e2",
    form("""
        p, q = x * x, x + 1.0
        y = p * q
    """),
    form("""
        p, q = x[0], x[1:]
        y = p * np.sum(q * q)
    """, VECTOR),
    form("""
        p, q = x[1:3]
        y = p * q
    """, VECTOR),
)  # fmt: skip
enter(
    "nested unpack (a, (b, c)) = ..",
    form("""
        (p, (q, r)) = (x, (x * x, x + a))
        y = p * q - r
    """, a=0.3),
    form("""
        [p, (q, r)] = [x[0], x[1:3]]
        y = p * q * r
    """, VECTOR),
)  # fmt: skip
enter(
    "starred unpack a, *r = ..",
    form("""
        p, *rest = (x, x * x, a)
        y = p * rest[0] + rest[1] * rest[-1]
    """, a=0.3),
    form("""
        p, *rest, q = [x, x * x, a, x + a]
        y = p * sum(rest) + q
    """, a=0.3),
    form("""
        p, *rest = x
        y = p * rest[0] + rest[-1] ** 2 + len(rest)
    """, VECTOR),
)  # fmt: skip
enter(
    "swap a, b = b, a",
    form("""
        p, q = x, a * x * x
        p, q = q, p
        y = p / q
    """, a=0.3),
    form("""
        p, q, r = x[:2], x[2:], 2.0
        p, q = q, p * r
        y = np.sum(p * p * q)
    """, VECTOR),
    form("""
        z = x * 1.0
        z[0], z[1] = z[1], z[0] * z[2]
        y = np.sum(z * x)
    """, VECTOR),
)  # fmt: skip
enter(
    "augassign to scalar name",
    form("""
        z = x * a
        z += x
        z *= x
        z -= 0.5
        z /= a
        z **= 2
        y = z
    """, a=0.7),
    form("""
        z = x[0]
        z += x[1]
        z *= x[0]
        y = z + x[0]
    """, VECTOR),
)  # fmt: skip
enter(
    "augassign to array name",
    form("""
        z = x * a
        z += x
        z *= x
        z -= 0.5
        z /= a
        z **= 2
        y = np.sum(z * x)
    """, VECTOR, a=0.7),
    form("""
        z = np.array(x)
        w = z * z
        z *= w[::-1]
        y = np.sum(z * w)
    """, VECTOR),
)  # fmt: skip
enter(
    "augassign array: alias seen through (z = y; y *= 2)",
    form("""
        w = x * a
        z = w
        w *= x
        y = np.sum(z * z)
    """, VECTOR, a=0.7),
    form("""
        w = x * a
        z = w
        s = np.sum(z ** 3)
        w *= 2.0
        z += x
        y = np.sum(z * w) * s
    """, VECTOR, a=0.7),
)  # fmt: skip
enter(
    "subscript assign y[i] = e",
    form("""
        z = np.zeros(4)
        z[0] = x * a
        z[k] = x * x
        z[-1] = z[0] * z[k]
        y = np.sum(z * z)
    """, a=0.7, k=2),
    form("""
        z = np.zeros(len(x))
        for i in range(len(x)):
            z[i] = np.sin(x[i]) * x[i - 1]
        y = np.sum(z * z)
    """, VECTOR),
    form("""
        z = np.zeros(x.shape)
        z[0, 1] = x[1, 0]
        z[1] = x[0] * x[1]
        y = np.sum(z * x)
    """, MATRIX),
)  # fmt: skip
enter(
    "subscript assign overwrites a used value",
    form("""
        z = x * a
        s = z[1] * z[1] * z[0]
        z[1] = x[0] * s
        y = np.sum(z * z) + s
    """, VECTOR, a=0.7),
    form("""
        z = x * a
        for i in range(1, 4):
            z[i] = z[i] * z[i - 1]
            z[0] = z[i] * z[0]
        y = np.sum(z)
    """, VECTOR, a=0.7),
)  # fmt: skip
enter(
    "subscript augassign y[i] += e",
    form("""
        z = np.zeros(3)
        z[0] += x * a
        z[0] += x * x
        z[0] *= x
        z[k] -= z[0]
        y = np.sum(z * z)
    """, a=0.7, k=1),
    form("""
        z = x * a
        for i in range(3):
            z[i] += z[i + 1] * x[i]
            z[i + 1] *= z[i]
        y = np.sum(z * z)
    """, VECTOR, a=0.7),
)  # fmt: skip
enter(
    "slice assign y[1:3] = e",
    form("""
        z = x * a
        z[1:3] = x[:2] * x[2:]
        z[::2] = z[1::2] * 2.0
        y = np.sum(z * z * x)
    """, VECTOR, a=0.7),
    form("""
        z = np.ones(x.shape)
        z[:, 1:] = x[:, :2] * x[:, 1:]
        z[0] = 1.0
        y = np.sum(z * z)
    """, MATRIX),
    form("""
        z = x * 1.0
        z[1:] += z[:-1]
        z[:-1] = z[1:] * z[:-1]
        y = np.sum(z * z)
    """, VECTOR),
)  # fmt: skip
enter(
    "bool/fancy assign y[mask] = e",
    form("""
        z = x * a
        z[x > 1.0] = a * a
        z[z < 0.5] *= 3.0
        y = np.sum(z * z)
    """, VECTOR, a=0.7),
    form("""
        z = x * a
        z[[2, 0, 2]] = x[:3] * x[1:]
        z[np.array([1, 1])] += x[:2]
        y = np.sum(z * z)
    """, VECTOR, a=0.7),
)  # fmt: skip
enter(
    "write through a view (v = y[1:3]; v[:] = e)",
    form("""
        z = x * a
        v = z[1:3]
        s = np.sum(v * v * v)
        v[:] = x[:2] * x[2:]
        v[0] *= 2.0
        y = np.sum(z * z) + s * v[1]
    """, VECTOR, a=0.7),
    form("""
        z = x * a
        t = z.T
        t[0] = x[:, 1] * x[:, 2]
        row = z[1]
        row *= x[0]
        y = np.sum(z * z)
    """, MATRIX, a=0.7),
)  # fmt: skip

PAIR = """
class Pair:
    def __init__(self, left, right):
        self.left = left
        self.right = right
"""
enter(
    "attribute assign o.a = e",
    form("""
        o = Pair(x, a)
        o.left = o.left * x
        o.extra = o.left * o.right
        y = o.left + o.extra * x
    """, setup=PAIR, a=0.7),
    form("""
        o = Pair(x, a)
        for i in range(3):
            o.left = o.left * x
            if i > 0:
                o.right = o.left + o.right
        y = o.right * np.sum(o.left) if False else o.right * o.left
        y = np.sum(y)
    """, VECTOR, setup=PAIR, a=0.7),
)  # fmt: skip
enter(
    "attribute augassign o.a += e",
    form("""
        o = Pair(x, a)
        o.left += a
        o.right *= o.left
        o.left **= 2
        y = o.left * o.right
    """, setup=PAIR, a=0.7),
    form("""
        o = Pair(x * a, a)
        w = o.left
        o.left *= x
        o.right -= np.sum(w)
        y = np.sum(o.left * w) * o.right
    """, VECTOR, setup=PAIR, a=0.7),
)  # fmt: skip
enter(
    "annotated assign y: T = e",
    form("""
        z: float = x * a
        w: "float"
        w = z * z
        y: float = w * x
    """, a=0.7),
    form("""
        z: np.ndarray = x * a
        y: float = np.sum(z * z)
    """, VECTOR, a=0.7),
)  # fmt: skip
enter(
    "walrus :=",
    form("""
        if (z := x * a) > 0.2:
            y = z * z
        else:
            y = z
        y = y * (w := y + z) + w
    """, a=0.7),
    form("""
        i = 0
        y = 1.0
        while (z := y * x[i]) > -1.0 and i < 2:
            y = y + z * z
            i += 1
        y = y * z
    """, VECTOR),
    form("""
        found = [w for v in (x, x * x) if (w := v * 2.0) > 0.1]
        y = found[0] * w
    """),
)  # fmt: skip
enter(
    "del name",
    form("""
        z = x * a
        w = z * z
        del z
        z = w * x
        y = z
    """, a=0.7),
    form("""
        table = {"p": x, "q": x * x}
        items = [x, a, x * a]
        y = table["p"] * table["q"]
        del table["p"], items[0]
        y = y + sum(table.values()) * items[1] + len(table) * items[0]
    """, a=0.7),
)  # fmt: skip
