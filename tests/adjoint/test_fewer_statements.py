"""Sums that a variable takes one after another, numbers that are computed again, what
is taken apart anew, and quotients by a sum: fewer statements, and where they stay."""

import math

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X, V = np.linspace(0.5, 2.0, 4), np.array([0.3, -1.0, 2.0, 0.7])
A = np.linspace(0.4, 1.7, 12).reshape(4, 3) % 0.9 + 0.2


def reverse_of(f, *args, **options):
    source = ya.simplegrad(f, *args, **options).source
    return source.partition("# reverse\n")[2].partition("\n\n    return")[0]


def both(f, *args, name, monkeypatch, **options):
    """The reverse sweeps with a pass and without; their gradients are compared."""
    made = ya.simplegrad(f, *args, **options)
    monkeypatch.setenv("YOTA_AST_PASSES", f"-{name}")
    plain = ya.simplegrad(f, *args, **options)
    for one, other in zip(made.fn(*args), plain.fn(*args), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-13)
    assert made.fn(*args)[0] == plain.fn(*args)[0]
    return made.source, plain.source


# ------------------------------------------------------------------- sums


def regular(w, x, lam):
    z = x * w
    return np.sum(np.sin(z)) + lam * np.sum(w**2)


def test_one_sum_of_two(monkeypatch):
    made, plain = both(
        regular, V, X, 0.5, name="joined", monkeypatch=monkeypatch, wrt="w"
    )
    assert "    dw = (2 * seed * lam) * w + dz * x\n" in made
    assert "    dw = (2 * seed * lam) * w\n" in plain
    assert "    dw += " in plain


def read_between(x, c):
    y = x * c
    a = y * y
    y *= 2.0
    return np.sum(y**3) + np.sum(a)


def test_a_sum_that_is_read_between_stays(monkeypatch):
    made, _ = both(read_between, X, 2.0, name="joined", monkeypatch=monkeypatch)
    check(read_between, (X, 2.0))
    assert made.count("dy *= 2.0") + made.count("dy = ") >= 1


def of_a_view(x):
    y = x**2
    first = y[:2]
    first *= 3.0
    return np.sum(y**2) + np.sum(first) + np.sum(y * x)


def test_a_view_is_written_through(monkeypatch):
    both(of_a_view, X, name="joined", monkeypatch=monkeypatch)
    check(of_a_view, (X,))


def test_an_array_without_axes_stays_one(monkeypatch):
    def f(x, w):
        y = np.where(x > 0, x * 2, x)
        return y * y * w + np.sin(x) * y

    x, w = np.array(0.7), np.array(1.5)
    made = ya.simplegrad(f, x, w).fn(x, w)
    monkeypatch.setenv("YOTA_AST_PASSES", "none")
    plain = ya.simplegrad(f, x, w).fn(x, w)
    assert [type(g) for g in made] == [type(g) for g in plain]
    np.testing.assert_allclose(made[1:], plain[1:])


@pytest.mark.parametrize("single", ["x", "w"])
def test_narrow_floats_stay_narrow(single, monkeypatch):
    given = {"x": X, "w": V} | {single: X.astype(np.float32)}
    _, made = ya.grad(lambda x, w: regular(w, x, 0.5), given["x"], given["w"])
    monkeypatch.setenv("YOTA_AST_PASSES", "-joined")
    _, plain = ya.grad(lambda x, w: regular(w, x, 0.5), given["x"], given["w"])
    for one, other in zip(made, plain, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-5)


# ------------------------------------------------------------------- places


def residual(u, h):
    inner = u[1:-1]
    slope = (u[2:] - u[:-2]) / h
    bend = (u[2:] - 2 * inner + u[:-2]) / h**2
    return np.sum((inner * slope - bend) ** 2)


def test_one_sum_for_a_place(monkeypatch):
    made, plain = both(
        residual, X, 0.1, name="joined", monkeypatch=monkeypatch, wrt="u"
    )
    assert made.count("du[2:]") == made.count("du[:-2]") == 1
    assert plain.count("du[2:]") == plain.count("du[:-2]") == 2
    check(residual, (X, 0.1), wrt=[0])


def overwritten(u):
    y = np.zeros(6)
    y[:4] = u
    y[1:5] += u**2
    y[:4] = y[:4] * y[1:5]
    y[1:5] -= 3 * u
    return np.sum(y**2)


def running(p, xs):
    a = 0.0
    for x in xs:
        a = np.sum(p * x) + a * p[0] + np.sum(p) * p[1]
    return a


@pytest.mark.parametrize(
    ("f", "args"), [(overwritten, (X,)), (running, (V, X)), (read_between, (X, 2.0))]
)
def test_what_is_written_between(f, args, monkeypatch):
    both(f, *args, name="joined", monkeypatch=monkeypatch)
    check(f, args)


def test_an_index_that_repeats():
    def f(x):
        y = np.zeros(3)
        for k in (0, 1, 1):
            y[k] += np.sin(x[k]) * x[k]
        return np.sum(y**2) + np.sum(x[np.array([0, 0, 2])] * x[1])

    check(f, (X,))


def lengths(A):
    s = 0.0
    for k in range(A.shape[1]):
        s += np.sqrt(np.dot(A[:, k], A[:, k]))
    return s


def test_one_sum_for_a_column(monkeypatch):
    made, plain = both(lengths, A, name="joined", monkeypatch=monkeypatch)
    assert made.count("dA[:, k]") == made.count("dA[:, k] = ") == 1
    assert plain.count("dA[:, k] +=") + plain.count("dA[:, k] = ") == 2
    check(lengths, (A,))


def columns_that_move(A, k):
    k = k.copy()
    s = np.sum(A[:, k] ** 2 * A[:, 1:])
    k += 1
    return s + np.sum(np.sin(A[:, k])) + np.sum(A[:, k] * A[:, k - 1])


def columns_written_between(A):
    A = A.copy()
    for k in range(1, A.shape[1]):
        A[:, k] += A[:, k - 1] ** 2
        A[:, k] *= A[:, k] * A[:, k - 1]
    return np.sum(A[:, -1])


@pytest.mark.parametrize(
    ("f", "args"),
    [(columns_that_move, (A, np.array([0, 1]))), (columns_written_between, (A,))],
)
def test_columns_that_differ(f, args, monkeypatch):
    both(f, *args, name="joined", monkeypatch=monkeypatch, wrt="A")
    check(f, args, wrt=[0])


# ------------------------------------------------------------------- numbers


def decay(x, k, t):
    a = k - 1.0
    return np.sum(np.exp(-a * t * x)) / a


def test_a_number_is_computed_again(monkeypatch):
    made, plain = both(decay, X, 2.5, 0.3, name="numbers", monkeypatch=monkeypatch)
    assert made.count("\n") <= plain.count("\n")
    check(decay, (X, 2.5, 0.3))


def in_a_loop(x, c, n):
    for _ in range(n):
        x = x + math.sin(c * x) * (c * x)
    return x


def test_no_number_is_computed_twice_in_a_loop(monkeypatch):
    made, plain = both(in_a_loop, 0.4, 1.1, 3, name="numbers", monkeypatch=monkeypatch)
    assert made == plain


# ------------------------------------------------------------------- taken apart


def rates(z, p):
    a, b, c = p
    x, y = z
    return np.array([a * x - b * x * y, c * x * y - y])


def steps(p, z, n):
    for _ in range(n):
        one = rates(z, p)
        two = rates(z + 0.05 * one, p)
        three = rates(z + 0.05 * two, p)
        z = z + 0.1 * (one + 2 * two + 2 * three + rates(z + 0.1 * three, p))
    return np.sum(z**2)


def test_values_are_taken_apart_as_the_function_does():
    p, z = np.array([1.1, 0.4, 0.2]), np.array([2.0, 1.0])
    source = ya.simplegrad(steps, p, z, 3).source
    below = source.partition("def _rates_reverse")[2]
    assert "    a, b, c = p\n" in below
    assert "    x, y = z\n" in below
    check(steps, (p, z, 3), wrt=[0, 1])


# ------------------------------------------------------------------- quotients


def softmax(x, v):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    w = e / e.sum(axis=1, keepdims=True)
    return np.sum((w @ v) ** 2)


def of_a_vector(x, v):
    e = np.exp(x - np.max(x))
    w = e / np.sum(e)
    return np.sum((w @ v) ** 2)


def by_columns(x, v):
    e = np.exp(x)
    w = e / e.sum(axis=0)
    return np.sum((v.T @ w) ** 2)


M = np.random.default_rng(0).normal(size=(4, 3))


@pytest.mark.parametrize(
    ("f", "args", "line"),
    [
        (
            softmax, (M, M.T),
            "dx = w * (dw - (dw * w).sum(axis=1, keepdims=True))",
        ),
        (of_a_vector, (M[0], M.T), "dx = w * (dw - np.vdot(dw, w))"),
        (by_columns, (M, M), "dx = w * (dw - (dw * w).sum(axis=0))"),
    ],
)  # fmt: skip
def test_a_quotient_by_a_sum(f, args, line):
    assert f"    {line}\n" in ya.simplegrad(f, *args, wrt="x").source
    check(f, args)
    d = np.ones_like(args[0])
    found = ya.hvp(f)(args[0], d, args[1])
    g = ya.simplegrad(f, *args, wrt="x").fn
    ahead, behind = (g(args[0] + h * d, args[1])[1] for h in (1e-5, -1e-5))
    np.testing.assert_allclose(found, (ahead - behind) / 2e-5, atol=1e-8)


def other_axis(x, v):
    e = np.exp(x)
    w = e / e.sum(axis=1, keepdims=True)
    u = w / w.sum(axis=0, keepdims=True)
    return np.sum((u @ v) ** 2)


def read_again(x, v):
    e = np.exp(x)
    w = e / e.sum(axis=1, keepdims=True)
    return np.sum((w @ v) ** 2) + np.sum(e * e)


def of_another(x, v):
    e = np.exp(x)
    w = e / np.exp(x + 1.0).sum(axis=1, keepdims=True)
    return np.sum((w @ v) ** 2)


@pytest.mark.parametrize("f", [other_axis, read_again, of_another])
def test_other_quotients(f):
    check(f, (M, M.T))


# ------------------------------------------------------------------- helpers


def steep(x, c):
    return np.sum(c * np.sqrt(np.cumsum(x)))


def slope_in_weights(c, x, v):
    _, found = ya.grad(steep, x, c, wrt="x")
    return np.sum(found["x"] * v)


def test_a_quotient_that_may_be_0_is_an_expression():
    made = ya.simplegrad(steep, X, V, wrt="x").source
    assert "def " not in made.partition("def ")[2]
    assert "np.where(t2 == 0, 1, " in made


def test_a_quotient_keeps_its_slope_where_it_is_0():
    c = np.array([0.0, 1.0, 0.0, -2.0])
    check(slope_in_weights, (c, X, V), wrt=[0])


def ramp(u):
    rise = u[1:, :-1] - u[:-1, :-1]
    run = u[:-1, 1:] - u[:-1, :-1]
    return np.sum(rise**4) + np.sum(run**2)


def test_a_sign_moves_out_of_a_sum_for_a_place():
    source = ya.simplegrad(ramp, M).source
    assert "    du[:-1, :-1] -= drun + drise\n" in source
    check(ramp, (M,))


# --------------------------------------------------------------- constants


def of_constants(s, x):
    z = x / math.sqrt(2)
    return np.sum(math.sqrt(2) * z * z / s**2) + np.log(2 * np.pi * s**2)


def walks(a, x):
    total = 0.0
    for k in range(len(x)):
        total = total * (1 - a) + 2 * a * x[k] - (1 - a) * math.sqrt(2)
    return total


def test_constants_have_no_names(monkeypatch):
    check(of_constants, (0.7, X))
    source = ya.simplegrad(of_constants, 0.7, X).source
    assert " = math.sqrt(2)\n" not in source
    assert "seed, s**2" in source.partition("# reverse\n")[2]
    for n in (0, 4):
        check(walks, (0.3, X[:n]))
    assert " = 1 - a\n" not in ya.simplegrad(walks, 0.3, X).source


# ------------------------------------------------------- one line of the user's


def banana(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def picked(z, labels):
    return -np.mean(z[np.arange(len(labels)), labels]) + np.mean(np.sin(z)[labels, 0])


def hinges(c, knots, x, y):
    B = np.maximum(x[:, None] - knots, 0.0) ** 3
    return np.mean((y - B @ c) ** 2)


def test_what_one_line_adds_to_one_place():
    check(banana, (X,))
    check(banana, (X[:1],))
    assert reverse_of(banana, X).count("dx[:-1]") == 1


def test_the_size_of_what_places_pick():
    labels = np.array([2, 0, 1, 1])
    check(picked, (A, labels))
    assert "labels.size" in reverse_of(picked, A, labels)
    assert " = z[" not in ya.simplegrad(picked, A, labels).source


def test_no_matrix_where_a_sum_is_a_product():
    args = (X[:3], V[:3], X, V)
    check(hinges, args)
    assert "np.outer" not in reverse_of(hinges, *args, wrt=["c", "knots"])


def smoothed(u, y):
    e = np.tanh(u) - y
    a, b = u[1:] - u[:-1], u[2:] + u[:-2]
    return np.sum(e**2) + np.sum(a**4) + np.sum(np.sin(b))


def test_what_goes_back_to_all_of_an_array_comes_first(monkeypatch):
    made, plain = both(smoothed, V, X, name="joined", monkeypatch=monkeypatch, wrt="u")
    check(smoothed, (V, X))
    assert "    du = " in made
    assert "np.zeros_like(u)" not in made
    assert "    du = np.zeros_like(u)\n" in plain


def blurred(u, w):
    e = np.fft.ifft(np.fft.fft(u) * w).real
    return np.sum(e**2) + np.sum((u[1:] - u[:-1]) ** 4)


def test_a_view_of_complex_numbers_is_added_to_zeros(monkeypatch):
    made, _ = both(blurred, V, X, name="joined", monkeypatch=monkeypatch, wrt="u")
    assert "    du = np.zeros_like(u)\n" in made
    assert "    du += np.real(" in made


def of_logarithms(p, x):
    a, b, c = np.exp(p)
    return np.sum((a * np.exp(-b * x) + c) ** 2)


def of_logarithms_again(p, x):
    scale = np.exp(p)
    a, b, c = scale
    return np.sum((a * np.exp(-b * x) + c) ** 2) * np.sum(scale)


@pytest.mark.parametrize("f", [of_logarithms, of_logarithms_again])
def test_what_is_taken_apart_is_multiplied_number_by_number(f):
    p = np.array([0.3, -0.2, 0.1])
    check(f, (p, X))
    made = ya.simplegrad(f, p, X, wrt="p")
    assert ("    a, b, c = np.exp(p)\n" in made.source) is (f is of_logarithms)
    single = made.fn(p.astype(np.float32), X.astype(np.float32))[1]
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, made.fn(p, X)[1], rtol=1e-4)


def call_price(x, c, k):
    p = 1 / (1 + np.exp(-1.7 * x))
    q = 1 / (1 + np.exp(-1.7 * (x - 0.3)))
    return np.sum((c * p - k * np.exp(c) * q) ** 2)


def test_the_sign_of_an_adjoint_that_is_read_once_stands_in_front():
    check(call_price, (V, X, X))
    made = ya.simplegrad(call_price, V, X, X, wrt="x").source
    assert "    dq = " not in made
    assert " = -1.7 * " in made


def epidemic(p, n):
    s, i, loss = 0.9, 0.1, 0.0
    for _ in range(n):
        new, gone = p[0] * s * i, p[1] * i
        s, i = s - new, i + new - gone
        loss = loss + (i - 0.2) ** 2
    return loss


def two_readers(w, x):
    total = np.sum(np.exp(w))
    z = x[:, None] * w
    return np.sum(np.sin(z) * np.log(total) - np.cos(z) / total)


@pytest.mark.parametrize("n", [3, 0])
def test_the_sign_of_what_is_read_anyway_has_no_name(n):
    p = np.array([0.4, 0.1])
    check(epidemic, (p, n), wrt=(0,))
    reverse = reverse_of(epidemic, p, n, wrt="p")
    assert "dgone" not in reverse
    check(two_readers, (V, X))


def of_functions(w, X):
    e = X @ w
    risk = np.cumsum(np.exp(e)[::-1])[::-1]
    return np.sum(e * np.log(risk)) + np.linalg.solve(X.T @ X + np.eye(3), w) @ w


def test_what_a_function_reads_alone_is_written_there():
    check(of_functions, (V[:3], A))
    reverse = reverse_of(of_functions, V[:3], A, wrt="w")
    assert "drisk" not in reverse


def centered(x, g):
    m = x.mean(axis=1, keepdims=True)
    y = (x - m) / np.sqrt(np.mean((x - m) ** 2, axis=1, keepdims=True) + 0.1)
    return np.sum(y * g)


def test_a_sum_with_an_array_that_is_read_elsewhere_is_one_statement():
    check(centered, (A, A**2))
    reverse = reverse_of(centered, A, A**2, wrt="x")
    assert reverse.count("    dx ") == 1


def tracked(p, z):
    x, v, cost = z[0], 0.0, 0.0
    for k in range(1, len(z)):
        x = x + 0.1 * v
        r = z[k] - x
        x, v = x + p[0] * r, v + p[1] / 0.1 * r
        cost = cost + r**2
    return cost


def test_more_than_one_term_is_added_to_a_number_at_once():
    z = np.linspace(0.0, 2.0, 5) ** 2
    check(tracked, (np.array([0.4, 0.1]), z), wrt=(0,))
    reverse = reverse_of(tracked, np.array([0.4, 0.1]), z, wrt="p")
    assert reverse.count("        dr ") == 1


def mean_of_rows(w, X):
    e = X * w - 0.3
    return np.mean(np.sum(e**2, axis=1)) + np.mean(np.sqrt(np.sum(X**2, axis=0)) * w)


def test_what_has_no_name_needs_none_for_its_size():
    made = check(mean_of_rows, (V[:3], A))
    assert "max(len(e), 1)" in made
    assert "np.mean(np.sum(e**2, axis=1))" in made
    check(mean_of_rows, (V[:3], A[:1]))


def normed(x, g):
    m, v = x.mean(axis=1, keepdims=True), x.var(axis=1, keepdims=True)
    z = (x - m) / np.sqrt(v + 0.1)
    return np.sum(np.sin(z) * g)


def test_a_quotient_with_a_name_stands_for_its_parts():
    made = check(normed, (A, A**2))
    assert "    z = (x - m) / " in made
    assert "/ t3 * z" in made or "/ t4 * z" in made
    check(normed, (A[:, :1], A[:, :1]))


def delayed(b, x):
    y1 = y2 = loss = 0.0
    for n in range(len(x)):
        y2, y1 = y1, x[n] + b[0] * y1 - b[1] * y2
        loss = loss + y1**2
    return loss


def test_what_is_copied_and_its_successor_share_a_line():
    made = check(delayed, (np.array([0.3, 0.2]), X))
    assert "        y2, y1 = y1, " in made
    check(delayed, (np.array([0.3, 0.2]), X[:0]))
