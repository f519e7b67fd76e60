"""Forward mode of functions that call themselves, and their second derivatives."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.directional import tangent_source
from yota_ast.ir.abstract_values import INT, fact_of

from .checking import check_both_orders

X = np.array([0.7, 1.3, 0.4, 0.9, 1.1])
V = np.array([0.3, -0.2, 0.5, 0.1, -0.4])


def powers(x, n):
    """Along an array and a number that stays."""
    return np.sum(x) if n == 0 else np.prod(x * powers(x, n - 1))


def sums(x, n):
    """Several results, of which one has no tangent."""

    def parts(low, high):
        if high - low == 1:
            return x[low], x[low] ** 2, 1
        middle = (low + high) // 2
        a, b, k = parts(low, middle)
        c, d, m = parts(middle, high)
        return a + c, b * d, k + m

    total, product, count = parts(0, len(x))
    return total * product * count + n


def even(v, n):
    return v if n == 0 else odd(v * v, n - 1)


def odd(v, n):
    return v + 1 if n == 0 else even(v * 0.5, n - 1)


def each_other(x, n):
    """Two that call each other, on numbers and on arrays."""
    return even(x[0], n) * odd(x[1], n + 1) + np.sum(even(x, n))


def handed_through(x, n):
    """A result that is, or is a view of, an argument."""

    def rest(v, k):
        return v if k == 0 else rest(v[1:], k - 1)

    return np.sum(np.sin(rest(x, n)) * x[n:] + rest(x * 2, 0)[0])


def folded(x, n):
    """A list of which each call writes into a copy."""

    def fold(items, k):
        if k == 0:
            return items[0] * items[-1]
        items = list(items)
        items[k - 1] = items[k - 1] * x[k] + items[k]
        return fold(items, k - 1) + items[0]

    items = list(x)
    return fold(items, n) * items[1]


def started(x, n):
    """Constant at first, varying later."""

    def sum_to(total, k):
        return total if k == len(x) else sum_to(total * x[k] + 1.0, k + 1)

    return sum_to(0.0, 0) * np.sum(sum_to(np.ones(2), n))


def branched(x, n):
    """What only some of the calls compute."""

    def integral(a, b, whole, depth):
        middle = 0.5 * (a + b)
        left, right = np.sin(x[0] * a) * x[1], np.exp(-x[2] * b)
        if depth == 0 or abs(left + right - whole) < 0.3:
            return left + right + 0.1 * whole
        return integral(a, middle, left, depth - 1) + integral(
            middle, b, right, depth - 1
        )

    return integral(0.0, 2.0, np.sum(x), n)


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize(
    "f", [powers, sums, each_other, handed_through, started, branched]
)
def test_both_orders(f, n):
    check_both_orders(f, X, V, n, 1e-6)


def complex_transform(x, n):
    def transform(a):
        if len(a) == 1:
            return a
        one, other = transform(a[::2]), transform(a[1::2])
        turned = np.exp(-2j * np.pi * np.arange(len(one)) / len(a)) * other
        return np.concatenate([one + turned, one - turned])

    return np.sum(np.abs(transform(x[:4].astype(complex))[: n + 1]) ** 2)


def test_along_complex_numbers():
    check_both_orders(complex_transform, X, V, 2, 1e-6)


def test_the_text_hands_tangents_on():
    facts = {"x": fact_of(X, "x"), "n": INT}
    source = tangent_source(powers, wrt="x", facts=facts)
    _, _, function = source.partition("def _powers_tangent")
    assert function.startswith(TEXT)


TEXT = """(x, n, dx):
    \"\"\"Value of powers and its tangent along dx.\"\"\"
    if n == 0:
        val = np.sum(x)
        t1 = np.sum(dx)
    else:
        t2, t3 = _powers_tangent(x, n - 1, dx)
"""


# ---------------------------------------------------------------- the other way round


def longest(x, n):
    """The gradient writes into adjoints of items at unknown places."""
    best = [0.0] * len(x)
    for i in range(len(x)):
        best[i] = x[i] ** n
        for j in range(i):
            if x[j] < x[i] and best[j] + x[i] ** 2 > best[i]:
                best[i] = best[j] + x[i] ** 2
    return max(best) * x[0]


def relaxed(x, n):
    """A dict whose items are compared, and replaced."""
    cost = dict.fromkeys(range(len(x)), 9.0)
    cost[0] = 0.0
    for _ in range(n):
        for i in range(len(x)):
            j = (i + 2) % len(x)
            cost[j] = min(cost[j], cost[i] + x[i] ** 2)
    return sum(cost.values())


def orthogonal(x, n):
    """A list of arrays, of unknown length."""
    basis = []
    for k in range(n + 1):
        v = np.roll(x, k) + 0.3 * k
        v = v - sum(np.dot(v, b) * b for b in basis)
        if np.sum(v * v) > 1e-10:
            basis.append(v / np.sqrt(np.sum(v * v)))
    return np.sum(np.array(basis)[:, 0] * np.arange(1.0, n + 2.0))


OTHER_WAY = [longest, relaxed, orthogonal, folded, each_other]


@pytest.mark.parametrize("f", OTHER_WAY)
def test_columns_of_a_hessian(f):
    def gradient(x):
        return ya.grad(f, x, 2)[1][0]

    h = 1e-6
    columns = [(gradient(X + h * e) - gradient(X - h * e)) / (2 * h) for e in np.eye(5)]
    hessian = ya.hessian(f)
    np.testing.assert_allclose(hessian(X, 2), np.transpose(columns), atol=1e-6)
    np.testing.assert_allclose(ya.hvp(f)(X, V, 2), hessian(X, 2) @ V, atol=1e-12)
    assert "def " in hessian.source


def test_a_list_of_tangents_is_not_copied_in_loops():
    facts = {"x": fact_of(X, "x"), "n": INT}
    for f in (longest, relaxed):
        source = tangent_source(f, wrt="x", facts=facts)
        assert "copy" not in source
        assert " list(" not in source


def weighted(scale, x, options, n, *more, shift=0.0):
    return options["by"] * longest(x + shift, n) * scale + np.sum(more[0])


def test_beside_other_arguments():
    def gradient(x):
        found = ya.grad(weighted, 1.5, x, {"by": 2.0}, 2, X, shift=0.1, wrt="x")
        return found[1]["x"]

    h = 1e-6
    change = (gradient(X + h * V) - gradient(X - h * V)) / (2 * h)
    product = ya.hvp(weighted, wrt="x")
    for _ in range(2):  # by the long way, and by what is known then
        found = product(1.5, V, X, {"by": 2.0}, 2, X, shift=0.1)
        np.testing.assert_allclose(found, change, atol=1e-6)


class Model:
    def __init__(self, power):
        self.power = power

    def loss(self, x):
        return longest(x, self.power)


def test_of_a_method():
    found = ya.hvp(Model(2).loss)(X, V)
    np.testing.assert_allclose(found, ya.hvp(longest)(X, V, 2))


def test_other_lengths_and_a_direction_that_does_not_fit():
    product = ya.hvp(longest)
    for x in (X, X[:2], X[:1]):
        assert product(x, x, 2).shape == x.shape
    with pytest.raises(ya.ShapeError) as caught:
        product(X, V[:3], 2)
    assert str(caught.value) == (
        "jvp: the tangent of 'x' has shape (3,), but 'x' has shape (5,)\n"
        "Give it the shape of its argument, or None."
    )


def test_refused_both_ways_it_says_what_forward_mode_says():
    def chosen(x):
        def select(items, k):
            low = [v for v in items if v < items[0]]
            high = [v for v in items if v > items[0]]
            if k < len(low):
                return select(low, k)
            return select(high, k - len(low)) if k > len(low) else items[0] ** 2

        return select(list(x), 2)

    with pytest.raises(ya.YotaError) as caught:
        ya.hvp(chosen)(X, V)
    assert caught.value.reason.startswith(
        "the gradient of `chosen` is not differentiated again: "
    )
