"""Dicts and lists of lists that get keys and places which the run alone knows."""

from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import yota_ast as ya

from .every_mode import slopes

X = np.array([0.7, 1.3, -0.4, 2.1, 3.5])
K = np.array([2, 0, 2, 7, 0])
V = np.array([0.3, -0.5, 0.8, 0.2, -0.1])


def sums(x, k):
    d = defaultdict(float)
    for i in range(len(x)):
        d[k[i]] += x[i] ** 2
    return sum(v**2 * (key + 1) for key, v in d.items()) + d[99]


def by_get(x, k):
    d = {5: x[0]}
    for i in range(len(x)):
        d[int(k[i]), "a"] = d.get((int(k[i]), "a"), 0.0) + x[i] ** 2
    return sum(v**2 for v in d.values()) * len(d)


def by_test(x, k):
    d = OrderedDict()
    for i in range(len(x)):
        key = str(k[i])
        if key in d:
            d[key] *= x[i]
        else:
            d[key] = x[i]
    best = 0.0
    for key in d:
        best += d[key] * x[1] if key != "2" else d[key] ** 2
    return best


class Store:
    def __init__(self):
        self.of = {}

    def put(self, key, v):
        self.of[key] = v


def in_a_helper(x, k):
    store, cache = Store(), {}

    def wave(n):
        if n not in cache:
            cache[n] = np.sin(n * x[0])
        return cache[n]

    for i in range(len(x)):
        if x[i] > 0:
            store.put(k[i], x[i] * wave(k[i]))
    other = dict(store.of)
    other[0] = x[2]
    return sum(store.of.values()) * sum(other.values())


def removed(x, k):
    d = {k[i]: x[i] ** 2 for i in range(len(x))}
    return d.pop(k[1]) * 3.0 + sum(d.values()) ** 2


def lists(x, k):
    d = defaultdict(list)
    for i in range(len(x)):
        d[k[i]].append(x[i])
    return sum(np.mean(v) ** 2 * key for key, v in d.items()) + len(d[0])


def lists_by_test(x, k):
    d = {}
    for i in range(len(x)):
        if k[i] not in d:
            d[k[i]] = []
        d[k[i]].append((i, x[i] ** 2))
    total = 0.0
    for items in d.values():
        for i, v in items:
            total = total * 0.9 + v * i
    return total


def rows(x, k):
    found = [[] for _ in range(len(x) + 5)]
    total = 0.0
    for i in range(len(x)):
        row = found[k[i]]
        row.append(x[i] ** 2)
        total += sum(found[k[i]]) ** 2 + row[0] * found[k[i]][-1]
    return total


FUNCTIONS = [sums, by_get, by_test, in_a_helper, removed, lists, lists_by_test, rows]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_it_is_right(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    gradient = ya.simplegrad(fn, X, K, wrt=["x"])
    for x, k in ((X, K), (X[:4] + 1.0, K[1:]), (X[:3], np.array([1, 1, 1]))):
        val, dx = gradient(x, k)
        assert val == fn(x, k)
        np.testing.assert_allclose(dx, slopes(lambda x: fn(x, k), x), atol=1e-6)
    tangent = ya.jvp(fn, wrt="x")(X, K, V)[1]
    assert tangent == pytest.approx(slopes(lambda x: fn(x, K), X) @ V, abs=1e-6)


@pytest.mark.parametrize("fn", [sums, by_get, by_test])
def test_second_derivatives(fn):
    up, down = (ya.grad(fn, X + s * V, K, wrt="x")[1]["x"] for s in (1e-5, -1e-5))
    np.testing.assert_allclose(ya.hvp(fn)(X, V, K), (up - down) / 2e-5, atol=1e-5)


def test_zero_trips():
    gradient = ya.simplegrad(rows, X, K, wrt=["x"])
    assert gradient(X[:0], K)[0] == rows(X[:0], K)


def test_an_update_is_one_statement():
    text = ya.simplegrad(sums, X, K, wrt=["x"]).source
    assert "] + x[i] ** 2\n" in text
    assert "def_float" not in text
    assert "KeyedDict" not in text


def missing(x, k):
    d = {}
    for i in range(len(x)):
        d[k[i]] = x[i]
    return d[100]


def test_a_missing_key_raises_as_in_python():
    with pytest.raises(KeyError, match="100"):
        ya.grad(missing, X, K, wrt="x")


def returned(x, k):
    d = {}
    for i in range(len(x)):
        d[k[i]] = x[i]
    return d


def test_such_a_dict_is_not_returned():
    with pytest.raises(ya.UnsupportedSyntax, match=r"list\(d.values\(\)\)"):
        ya.grad(returned, X, K, wrt="x")


def late_items(x, k):
    held, total = [], 0.0
    for i in range(len(x)):
        if i > 1:
            held[0] += x[i] * held[-1]
            total += held[0]
        held.append(x[i] ** 2)
    return total


def test_items_that_a_later_turn_puts_there_are_numbers():
    gradient = ya.simplegrad(late_items, X, K, wrt=["x"])
    np.testing.assert_allclose(
        gradient(X, K)[1], slopes(lambda x: late_items(x, K), X), atol=1e-6
    )
    assert "isscalar" not in gradient.source
