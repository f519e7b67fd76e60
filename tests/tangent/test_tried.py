"""Forward mode through `try`: the tangents of the body stand in its `else`, where no
error of theirs is taken for one of the body's."""

import math

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import same_bits
from tests.tangent.checking import check_both_orders

X, V = np.array([0.5, 1.2, 2.0]), np.array([1.0, -2.0, 0.5])


def solves(x, n):
    try:
        y = np.linalg.solve(n * np.diag(x), x**3)
    except np.linalg.LinAlgError:
        y = x**3
    return np.sum(y**2)


def raises_itself(x, n):
    def checked(x):
        if n < 0:
            raise ValueError("below 0")
        return n * x * x

    try:
        y = checked(x)
    except ValueError:
        y = np.sin(x)
    return np.sum(y * x)


def divides(x, n):
    try:
        k = 1 / n
        y = np.exp(k * x)
    except ZeroDivisionError:
        y = x * x
    else:
        y = y * np.cos(x)
    return np.sum(y)


def returns(x, n):
    try:
        return np.sum(x * x) * (1 / n)
    except ZeroDivisionError:
        return np.sum(x**3)


def keeps(x, n):
    y = np.ones(3)
    try:
        y = x * (1 / n)
    except ZeroDivisionError:
        pass
    return np.sum(y * x)


def leaves_a_loop(x, n):
    total = 0.0
    for k in range(5):
        try:
            total = total + x[k] ** 2 * n
        except IndexError:
            break
    return total


def in_a_loop(x, n):
    s = x[0]
    for k in range(3):
        try:
            s = s * s * (1 / (k * n - 1))
        except ZeroDivisionError:
            s = 2 * s
    return s + 0.0 * np.sum(x)


def several(x, n):
    try:
        y = x * {1: 2.0, 2: 3.0}[n]
        z = math.sqrt(n - 1.5) * y
    except KeyError:
        y = z = x
    except ValueError:
        z = np.exp(x)
        y = x * x
    return np.sum(y * z)


def within_another(x, n):
    try:
        try:
            y = x / {0: 2.0}[n]
        except KeyError:
            y = x * (1 / (n - 1))
    except ZeroDivisionError:
        y = x**3
    return np.sum(y * y)


def writes(x, n):
    y = x * 1.0
    try:
        y[0] = x[1] * (1 / n)
    except ZeroDivisionError:
        pass
    return np.sum(y)


def writes_what_it_reads(x, n):
    y = x * 1.0
    try:
        y[0] = y[0] * y[1] * (1 / n)
        y[1] -= y[0] * y[1]
    except ZeroDivisionError:
        y[2] = x[0]
    return np.sum(y * y)


def writes_rows_that_it_reads(x, n):
    y = np.outer(x, x)
    try:
        y[0] = y[0] * y[1] * (1 / n)
        y[1] += y[0] * y[1]
    except ZeroDivisionError:
        y[2] = x
    return np.sum(y * y)


def without_a_value(x, n):
    if n > 3:
        q = np.ones(3)
    try:
        q = x * (1 / n)
    except ZeroDivisionError:
        pass
    return np.sum(x * x) if n == 0 else np.sum(q)


PROGRAMS = (
    solves, raises_itself, divides, returns, keeps, leaves_a_loop, several,
    writes, writes_what_it_reads,
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("n", [0, 1, 2, -1])
@pytest.mark.parametrize("fn", PROGRAMS)
def test_the_tangent_is_that_of_the_way_that_was_taken(fn, n, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    val, d = ya.jvp(fn, wrt="x")(X, n, V)
    assert same_bits(val, fn(X, n))
    h = 1e-6
    want = (fn(X + h * V, n) - fn(X - h * V, n)) / (2 * h)
    assert d == pytest.approx(want, rel=1e-6, abs=1e-6)
    gradient = ya.grad(fn, X, n, wrt="x")[1]["x"]
    assert d == pytest.approx(gradient @ V, rel=1e-10, abs=1e-12)

    def slope(x):
        return ya.grad(fn, x, n, wrt="x")[1]["x"]

    found = ya.hvp(fn, wrt="x")(X, V, n)
    want = (slope(X + h * V) - slope(X - h * V)) / (2 * h)
    np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize(
    "fn", [in_a_loop, within_another, without_a_value, writes_rows_that_it_reads]
)
def test_right_or_refused(fn, n):
    h = 1e-6
    want = (fn(X + h * V, n) - fn(X - h * V, n)) / (2 * h)
    try:
        found = ya.jvp(fn, wrt="x")(X, n, V)[1]
    except ya.UnsupportedSyntax:
        return
    assert found == pytest.approx(want, rel=1e-6)


def raises_in_its_slope(x):
    return x


@ya.diffrule
def _(x, *, dy):
    y = raises_in_its_slope(x)
    dx = dy * math.log(-1.0)


def tries_what_raises_in_its_slope(x):
    try:
        y = raises_in_its_slope(x) * x
    except ValueError:
        y = 7.0 * x
    return y


def test_an_error_of_a_tangent_is_not_caught():
    """The value is x * x: the handler has nothing to do with it."""
    with pytest.raises(ValueError, match="math domain error"):
        ya.jvp(tries_what_raises_in_its_slope)(2.0, 1.0)


def writes_twice(x, n):
    y = x * 1.0
    try:
        y *= x * (1 / n)
    except ZeroDivisionError:
        pass
    return np.sum(y)


def branches_over_two(x, n):
    q = x
    try:
        if x[0] > 0:
            q *= 1 / n
    except ZeroDivisionError:
        pass
    return np.sum(q)


@pytest.mark.parametrize("fn", [writes_twice, branches_over_two])
def test_what_is_refused(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="in forward mode") as caught:
        ya.jvp(fn, wrt="x")(X, 2, V)
    assert "`try`" in caught.value.reason


# ---------------------------------------------------------------- bodies run again


def chooses(x, n):
    """A conditional expression, and an error on one of its ways."""
    try:
        y = x[0] * x[1] if n > 1 else math.sqrt(x[2] - n)
    except ValueError:
        y = x[0] ** 3
    return y * np.sum(x)


def loops(x, n):
    """A loop that stops by an error, and goes on behind it."""
    total = 0.0
    for i in range(3):
        try:
            part = 0.0
            for j in range(i + 1):
                if x[j] < 0.1 * n:
                    raise ValueError(j)  # noqa: TRY301
                part += x[j] * x[i]
        except ValueError:
            total += 2 * x[i]
        else:
            total += part**2
    return total


def fills_its_own(x, n):
    """An array that the body makes, and writes in a loop."""
    try:
        a = np.zeros(3)
        for i in range(3):
            a[i] = math.log(x[i] - 0.1 * n) * x[-1]
        b = a.sum() if a[0] < 0 else a[1]
    except ValueError:
        b = x.prod()
    return b**2


def calls_itself(x, n):
    def go(k):
        return x[k] if k >= 2 else go(k + 1) * x[k] * (1 / (k - n))

    try:
        value = float(go(0))
    except ZeroDivisionError:
        value = x[0] * x[1]
    return value * x[2]


@pytest.mark.parametrize("n", [0, 1, 3, 6])
@pytest.mark.parametrize("f", [chooses, loops, fills_its_own, calls_itself])
def test_a_body_that_branches_is_run_again(f, n):
    x, v = np.array([0.33, 0.45, 0.8]), np.array([0.5, -0.3, 0.7])
    with np.errstate(all="ignore"):
        check_both_orders(f, x, v, n, 1e-6)


def printed(x, n):
    try:
        print(n)
        y = x[0] if x[2] > n else x[1] ** 2
    except ValueError:
        y = x[2]
    return y


def test_a_body_that_prints_is_not_run_again():
    x = np.array([0.3, 0.45, 0.8])
    with pytest.raises(ya.YotaError) as caught:
        ya.jvp(printed)(x, 1, x, None)
    assert caught.value.reason == (
        "a `try` on the path of a derivative branches and writes, in forward mode"
    )
    assert str(caught.value).endswith(
        "\nUse reverse mode (`grad`), which handles it. Or assign in the `try` alone, "
        "and branch and write after it."
    )


def changes_places(x, n):
    """The loop raises at once: what it would define has no value."""
    b = x[0] * 2
    try:
        other = writes
        for e in sorted:
            mine = b
            if x[1] > n:
                break
            other, mine = mine, other
            mine += e
            break
    except Exception:
        b = x[1] ** 2
    return b * x[2]


def test_names_without_values_in_a_body_that_is_run_again():
    x, v, h = np.array([0.33, 0.45, 0.8]), np.array([0.5, -0.3, 0.7]), 1e-6
    f = changes_places
    slope = (f(x + h * v, 1) - f(x - h * v, 1)) / (2 * h)
    assert ya.jvp(f)(x, 1, v, None)[1] == pytest.approx(slope, rel=1e-6)


def adds_to_chosen_elements(x, n):
    y = np.sin(x)
    bad = x > n
    try:
        y[~bad] += np.cos(y[~bad]) * x[~bad]
        y[[0, 1]] -= y[[1, 0]] ** 2
    except NameError:
        y = x * x
    return np.sum(y * x)


def fills_and_adds(x, n):
    try:
        y = np.empty_like(x)
        good = x < n
        y[good] = np.arctan(x[good] ** 2)
        y[~good] = x[~good] ** 3
        y[good] += np.sin(y[good]) / np.cos(y[good])
    except NameError:
        y = x
    return np.sum(y * x)


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("f", [adds_to_chosen_elements, fills_and_adds])
def test_elements_are_read_before_they_are_added_to(f, n):
    value, dvalue = ya.jvp(f)(X, n, V, None)
    assert value == f(X, n)
    np.testing.assert_allclose(dvalue, ya.grad(f, X, n)[1][0] @ V, rtol=1e-12)


def adds_to_a_view(x, n):
    y = np.sin(x)
    try:
        y[1:] += np.cos(y[:-1]) * n
    except NameError:
        y = x * x
    return np.sum(y * x)


def test_a_view_is_read_after_the_write():
    """The cosine of what has been overwritten since: no tangent is made of it."""
    with pytest.raises(ya.UnsupportedSyntax, match="branches and writes"):
        ya.jvp(adds_to_a_view)(X, 2, V, None)
