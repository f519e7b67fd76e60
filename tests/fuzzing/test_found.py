"""What random programs have found: each was wrong once, by name."""

import math

import numpy as np
import pytest

import yota_ast as ya

from .program import HEAD, Drawn
from .things import CLASSES
from .trial import try_program

X, W = np.array([0.4, -0.7, 0.9]), np.array([-0.2, 0.6, 0.3])
M = np.array([[0.3, -0.5], [0.8, 0.1], [-0.9, 0.7]])
VALUES = {
    "x": X, "w": W, "a": -0.35, "b": 0.6, "W": M, "n": 2, "P": (0.3, W),
    "K": {"a": 0.3, "b": W}, "g": np.array([0.2, -0.8]), "z": np.array(0.4),
}  # fmt: skip

FOUND = {
    "an exponent that is one of a number, an array and None": """
def program(x, a, P):
    q1 = None
    for e3 in P:
        if P[0] > 1.2:
            q1 = e3
    if q1:
        z = q1
    else:
        z = x
    a -= z
    return 1.5 ** a
""",
    "a power of a square, of an exponent that float() gives": """
def program(x, a, W, n):
    return (x ** 2) ** float(a)
""",
    "a sum that goes on with a literal": """
def program(x, a):
    y = (a / x).copy()
    s = sum(q * a for q in x[:2])
    return y + s
""",
    "a list that a function of the text gives": """
def program(x, w, a, n):
    s = a
    row = [a, a]
    table = {"p": row, "q": row}
    other = table["p" if x[0] else "q"]
    s += sum(table["p"])
    return s
""",
    "adjoints without axes that several names are": """
def program(x, a, n):
    b8 = False
    for e9 in [a, 0.3, a]:
        if n:
            q7 = e9 * x.max()
            b8 = True
    if b8:
        a = q7 + a
    r = a ** 2
    return np.array(np.where(a, r, a))
""",
    "a list that is given anew in a loop, with more items": """
def program(a, n):
    row = [0.0]
    row[0] = 0
    for i in range(n):
        row = [1, 0.3]
    return a + sum(row)
""",
    "a comprehension over what its target names outside": """
def program(x, a, w):
    squares = [x * x for x in x * a]
    def helper(q, q_):
        return sum(q * q_ * sum([q for q in q * w]) for q in np.full(3, q))
    return squares[1] + helper(a, 0.5) + sum(a for a in w if a < 0.4)
""",
    "the caller's array is written, and not read again": """
def program(x, w, a):
    x += a
    x = w
    return np.sum(w * a)
""",
    "the caller's array is written in a loop, and not read again": """
def program(x, w, a):
    for i in range(2):
        x[i] = w[i]
    return np.sum(w * a)
""",
    "what the right operand of and changes": """
def program(x, b):
    o = Box(x, b)
    o.step(o.s) > 1.2 and o.step(b) < -0.2
    s = o.s
    o.step(b) > -5 or o.step(o.s) > 0.2
    return o.s * s
""",
    "what the test of a while changes": """
def program(x, b):
    o = Box(x, b)
    n = 0
    while o.step(b) < 2.5 and n < 4:
        n += 1
    return o.s * b
""",
    "what the test of a while changes that is false at once": """
def program(x, b):
    def lower(by):
        nonlocal b
        b = b * 0.5 - by
        return b
    while lower(0.5) > 1.0:
        b = b * x[0]
    return b * b
""",
    "a dict, or None, or a number": """
def program(x, a, w, b, n: int, K):
    q = None
    for e in [K, 0.4, a]:
        if n:
            q = e
    w = q
    for e in x:
        b += a
        a += w
    return b
""",
    "a slice of an array that np.asarray hands on as it is": """
def program(x, a):
    f = np.full(6, np.sin(a))
    v = np.asarray(f)[3:]
    f[4] = 2.0
    u = np.atleast_1d(x * 1.0)[1:]
    u[0] = a
    return v * np.sum(u * u)
""",
    "an adjoint from which a loop starts, and which is read after it": """
def program(g, a):
    u = g.copy()
    for e in u:
        q = e * a
    s = q
    np.add(g, u, out=u)
    return -u + s
""",
    "the adjoint of an array is a number on one way, and divided by a column": """
def program(x, g, b):
    m = np.full((3, 2), b) / (2 + np.max(np.outer(x, x[1:]), axis=1, keepdims=True))
    for q in x:
        if b < q:
            k = 0
            while q < 0.2 and k < 4:
                k += 1
                m[1] += g
            return q
        b = b * 0.9
    return np.sum(m * m)
""",
    "a float that a list of the items of an array gets": """
def program(x, a, W):
    held = list(x)
    held.extend([a, -0.4])
    return W + sum(held)
""",
    "a float added to what may be an array without axes": """
def program(x, a, z):
    if a > 5:
        z = np.sum(x)
    z += a
    return z
""",
    "an array of which no iteration gives an adjoint": """
def program(x, a):
    v = x
    for i in range(0):
        e = x.mean()
    for i in range(0):
        if a > 5:
            x = v
        else:
            return x
        v = e
    return a
""",
    "a name that only finally reads after a return, and adds to": """
def program(a, b, n):
    for i in range(3):
        try:
            raise KeyError
        except KeyError:
            if n > i:
                return b * a
            else:
                b = a
        finally:
            b -= 1.5
    return b
""",
    "a name that a branch of a handler assigns, and only finally reads": """
def program(a, b):
    while b < 2:
        try:
            if b > 0.3:
                raise KeyError(1)
            b, a = a, b
            continue
        except Exception:
            if a > 2:
                b = a
            return +a
        finally:
            b = b * a
    return b
""",
    "a value that may be undefined beside one read at the top": """
def program(x, a, w, P):
    for e in x:
        if e > 5:
            return a, P[1]
    return a, w
""",
    "an item of an argument, first read in an inner loop": """
def program(x, K):
    for i in range(2):
        for j in range(2):
            y = K["b"] * x[j]
    return np.sum(K["b"] * y)
""",
    "a dict returned from within a loop": """
def program(x, a, b):
    for i in range(2):
        if b > 0.9:
            continue
        if a > 0.3:
            return {"one": a, "two": x}
    return {"one": b, "two": x}
""",
    "a dict returned from within a loop, by the loop": """
def program(x, a, b):
    for i in range(3):
        if x[i] < a:
            return {"one": a * x[i], "two": x * b}
    return {"one": b, "two": x}
""",
    "a product in a loop, of which the last is read": """
def program(x, w):
    for i in range(2):
        y = w.reshape(3, 1) @ x.reshape(1, 3)
    return np.sum(w * y)
""",
    "a transpose in inner loops, of which the last is read": """
def program(x, w):
    for i in range(2):
        for j in range(2):
            y = np.outer(x, w).T * x[j]
        if w[0] > 3:
            y = y @ y
    return np.sum(w @ y)
""",
    "an argument rebound in a list's loop that may return it": """
def program(x, a, z):
    for e in [0.5, a]:
        if z > 0.9:
            return x
        x = np.array(x)
    return x * a
""",
    "what np.where gives of numbers is an array, and is not added to": """
def program(a, w, b):
    a += b
    for e in w:
        if e > 5:
            return b
    else:
        b += a
    return np.where(b > 0, b, b * a)
""",
    "the std of equal numbers, which rounding leaves above 0": """
def program(x, a):
    return np.std(np.full(3, a * -0.35 + 0.7)) + np.sum(x)
""",
    "a column of sums is spread before it is added to": """
def program(x):
    h = np.outer(x, x)
    v = np.sum(h, axis=1, keepdims=True)[:, 0]
    return h[1], v
""",
    "a column of sums is spread before the whole is added to it": """
def program(x):
    h = np.outer(x, x)
    m = np.sum(h, axis=1, keepdims=True)
    return np.sum(m[1:] * x[0]) + np.sum(h * h) + h[0, 1]
""",
    "a dict returned in one arm, something else from a loop in the other": """
def program(x, a, w):
    if a > 2:
        if a < 3:
            return {"one": x * a, "two": w}
    else:
        for i in range(3):
            if x[i] > 0.5:
                return {"one": x * w, "two": w * a}
    return {"one": x, "two": w}
""",
    "an array without axes as the value: its seed is no number": """
def program(x, b, z):
    z += b
    return z
""",
    "an item by a computed index is a number, whatever is written later": """
def program(x, g):
    u = x[:2]
    s = x[np.argmax(x)]
    np.add(g, g, out=u)
    return s * u[0]
""",
    "what no statement defines, handed round a loop": """
def program(x, a, W):
    while True:
        if a > -5:
            break
        a, _, t = x
        W += W.sum()
        break
    return 0.5 * a
""",
    "the greater of two numbers, of which one may be NumPy's": """
def program(a, w, b):
    for i in range(0, -1, -1):
        a += np.max(w)
    return max(a, b)
""",
    "a column of sums in a loop, without facts": """
def program(x, w, W):
    for a in x:
        v = np.sum(W, axis=1, keepdims=True)[:, 0]
    return v * w
""",
    "the seed of an array without axes in a dict is not written to": """
def program(x, z):
    if z > 0.9:
        return {"one": z, "two": x}
    x[...] -= z
    return {"one": z, "two": x}
""",
    "an argument rebound in a loop to what is written there": """
def program(x, w, a):
    for i in range(3):
        x += w * a
        if x[0] > 0.5:
            x = w.copy()
    return np.sum(x * w)
""",
    "the adjoint of a number among arrays that are joined": """
def program(x, a):
    a += np.maximum(0, a)
    return {"one": 0.5, "two": np.hstack([a, 0])}
""",
    "an item augmented within a try": """
def program(x, a, g):
    try:
        g[1] *= a
    except ValueError:
        pass
    return g * x[0]
""",
    "what may be undefined, before its memory is written": """
def program(x, a):
    bound = a > 0.1
    if bound:
        q = x
    if bound:
        x = q * x
    if not a > 0.2:
        return x
    np.sin(x, out=x)
    return x
""",
    "the caller's cotangent of an array without axes, carried": """
def program(x, a, w, K, z):
    np.add(K["b"], z, out=x)
    k5 = 0
    while k5:
        t6 = w
        z, t6 = t6
    return z, x
""",
    "an item of a list that may be a number, augmented and not read": """
def program(x, a, z):
    items = [z, 0.2]
    items[0] += a
    return x
""",
    "a part of the seed for a number among arrays": """
def program(x, a, P):
    given = lambda q: q + (a if x.max() > 1.2 else P[0])
    return 3, np.append(1, given(P[0]))
""",
    "a part of the seed for a number, joined": """
def program(x, a, P):
    given = lambda q: q + (a if x.max() > 1.2 else P[0])
    return 3, np.hstack([x, given(P[0])]), np.ediff1d(x, to_end=given(P[0]))
""",
    "a part of an adjoint that one arm hands on, and a sum in place after it": """
def program(x, W, g):
    t = np.roll(x, 1)
    if W.max():
        x[::2] += g
    return np.logaddexp(t, x)
""",
    "a mean of which nothing but the last iteration is reached": """
def program(x, a, W, g):
    for i in range(3):
        if not a:
            return g
        x = W.mean(axis=1)
    return x
""",
    "a Python float whose adjoint is a sum of what is not known": """
def program(a):
    return np.prod(np.full(3, a).sum(axis=0)) + a
""",
    "a test that only a branch of the reverse sweep may make": """
def program(x, a, b):
    for i, e in enumerate(np.ones(2), 1):
        if i % 2 == 0:
            b += np.max(x)
        elif abs(max(a, e)) > 0.3:
            b += 0.5
            a += x[-1]
            continue
        b = np.sin(b)
    return b
""",
    "an adjoint of an array that is a number still, and has no elements": """
def program(x, a, b, n):
    b += 5
    for i in range(n):
        y = x
        for e, _ in zip(x[1:], x):
            if b > 5:
                break
            if a > 7:
                return np.sum(y)
            x = e * y
    return b
""",
    "names that change places in a try before it surely raises": """
def program(x, a, W):
    q, r = a * a, x
    try:
        q, r = r, q
        if 2 % 2 == 0:
            raise ValueError("no")
        r *= np.sum(W)
    except ValueError:
        q += q
        return q
    return r
""",
    "an attribute of what an argument holds, after a write": """
def program(x, K):
    K["b"][[0, 2]] = K["b"][[2, 0]] * x[0]
    return K["b"].T[-1]
""",
    "a view that is checked when its base has been written": """
def program(x, n):
    y = x.ravel()
    np.place(x, x > 0.3, [0.5])
    return y + x[::-1] + y
""",
    "a row of an array that may be its copy, and is checked": """
def program(w):
    x = np.array(w, copy=False, ndmin=2)[0]
    w[np.array([2, 0])] += 1.0
    return np.mean(w * np.outer(x, w)[-1])
""",
    "a tangent that no iteration has made yet": """
def program(x, a, n):
    for i2 in range(0, 1):
        for e6 in x:
            q4 = e6
        a = q4
        for e10 in np.array([0.5, a]):
            q8 = x
        x = q8
    return a
""",
    "an adjoint that a loop leaves at 0, of an array that was written before it": """
def program(x, a, w, g, n):
    for i1 in range(x.shape[0] - 1, -1, -1):
        r = x.max()
        k3 = 0
        while (k3 := k3 + 1) < 3:
            w[1:] = w[:-1] * (np.array(r) * a)
            a = np.tanh(r)
    s5 = a
    for i6 in range(2):
        if np.any(np.full((3, 2), s5)[:, n % 2] > 0.5):
            w = np.sign(x) * w
            s5 = np.max(x)
        else:
            s5 *= (s5 ** 2)
        if a > 0.7:
            np.clip(w, -0.5, 0.5, out=w)
        return np.maximum(np.dot(np.zeros((3, 2)), g), np.full(3, a) + s5)
    h = np.outer(x, w[1:])
    return np.cross((h @ g), w) + x + w
""",
    "a view that the function writes through, beside tangents": """
def program(x, w, a, n):
    arrs0 = [np.zeros(3), x * x[n % 3] * 0.5]
    pair0 = ([arrs0[len(x) - 2][len(x) - 2], 0.5, a * a], [1.0, 2.0])
    pair1 = (pair0[1], pair0[0])
    mat0 = np.zeros((3, 3))
    mat1 = mat0.T
    s = a
    i1 = 0
    while s < 2.0 and i1 < 3:
        i1 += 1
        s += 0.7
        pair1[-1][0] = arrs0[n % 2][1]
    mat0 *= 0.5
    mat1[:, len(x) - 2][[0, 2]] += pair0[1][0]
    s += sum([np.sum(q * w) for q in arrs0])
    s += pair1[0][0] * 3.0 + sum(pair1[1])
    s += np.sum(mat0 * w) + mat0[0, 1]
    s += np.sum(mat1 * w) + mat1[0, 1]
    return s
""",
}
WRITTEN_IN_A_LOOP = """
def program(x, K):
    for i in range(2):
        K["b"][:] = x * K["a"]
    return K["b"]
"""


def test_a_part_of_an_argument_written_in_a_loop():
    assert found(WRITTEN_IN_A_LOOP).kind in ("right", "refused")


HELD_BY_A_LIST = """
def program(x, z, W):
    held = [e for e in x if e > 0.5] + [z]
    z += np.min(W)
    return held
"""


@pytest.mark.parametrize("joined", ["[x[0]] + [z]", "[z].copy()", "2 * [z]"])
def test_a_list_that_holds_an_array_which_is_written(joined):
    source = HELD_BY_A_LIST.replace("[e for e in x if e > 0.5] + [z]", joined)
    for text in (HELD_BY_A_LIST, source):
        assert found(text).kind in ("right", "refused")


UNREAD = """
def program(x, a, n):
    a = np.zeros(6)
    h = np.vstack([x, x[:2]])
    return float(a * x[0])
"""


def test_what_raises_in_what_nobody_reads_raises_as_the_function_does():
    assert found(UNREAD).kind == "raises"
    assert found(UNREAD.replace("h = ", "x[0] = ")).kind != "lenient"


CROSSING = """
def program(x, w, a, n):
    s = a
    mat0 = np.outer(x, x.copy())
    mat1 = mat0
    mat2 = mat0
    mat2[:, -1] = mat1[1]
    s += mat2
    return s
"""


def test_a_row_that_is_stored_into_a_column():
    """NumPy overwrites what it has still to read; see tests/stores/test_crossing.py."""
    assert found(CROSSING).kind == "refused"


TOO_MANY = """
def program(x, a, w):
    def c1(q):
        r2 = a
        q, r2 = r2
        q *= a
        return float(q)
    a = np.zeros(6)
    return c1(1.5)
"""


def test_a_wrong_number_of_items_is_told_as_python_tells_it():
    assert found(TOO_MANY).kind == "raises"


def found(source, number=0):
    """The outcome of a program, its arguments by the names of its parameters."""
    text = HEAD + (CLASSES if "Box" in source or "Pair" in source else "") + source
    header = source.split("def program(")[1].split(")")[0]
    names = tuple(name.partition(":")[0].strip() for name in header.split(","))
    args = tuple(VALUES[name] for name in names)
    plain = not any(isinstance(value, tuple | dict) for value in args)
    return try_program(Drawn(text, args, names, plain, holomorphic=True), number)


def test_the_root_of_what_is_0_whatever_the_arguments():
    """The chain rule says 0 times infinity: nan, in either mode; what is not read of x
    is 0 (docs/conventions.md)."""

    def program(x, a):
        b = np.sum(np.zeros(2) * x[1])
        return math.sqrt(b) + a

    x = np.array([0.3, 0.4, 0.5])
    with np.errstate(all="ignore"):
        value, (dx, da) = ya.grad(program, x, 0.5)
        _, along = ya.jvp(program)(x, 0.5, np.array([0.0, 1.0, 0.0]), None)
    np.testing.assert_array_equal(dx, [0.0, np.nan, 0.0])
    assert (value, da) == (0.5, 1.0)
    assert np.isnan(along)


@pytest.mark.part(2)
@pytest.mark.parametrize("number", [0, 1, 4], ids=["all", "forward", "none"])
@pytest.mark.parametrize("name", FOUND)
def test_found(name, number):
    outcome = found(FOUND[name], number)
    assert outcome.kind == "right", outcome.detail
