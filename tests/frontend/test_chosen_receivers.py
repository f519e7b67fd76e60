"""Changes of a container that a test, an index or a key has chosen."""

import numpy as np
import pytest

import yota_ast as ya

from .every_mode import slopes

X = np.array([0.7, 1.3, -0.4, 2.1, 3.5])
K = np.array([0, 2, 0, 1, -2])
V = np.array([0.3, -0.5, 0.8, 0.2, -0.1])


def weighed(groups):
    return sum(j * sum(group) ** 2 for j, group in enumerate(groups, 1))


def by_index(x, k):
    groups = [[] for _ in range(3)]
    for v, i in zip(x, k):
        groups[i].append(v)
    return weighed(groups)


def under_two_names(x, k):
    groups = [[], [], [x[0]]]
    first = groups[0]
    for i in range(len(x)):
        groups[k[i]].append(x[i] ** 2)
    first.append(x[1])
    return weighed(groups) * len(first)


def one_list_twice(x, k):
    low, high = [], []
    groups = [low, high, low]
    for v, i in zip(x, k):
        groups[i].extend([v, v * v])
    return weighed([low, high]) * len(low)


def by_key(x, k):
    groups = {"low": [], "high": []}
    for v in x:
        name = "low" if v < 1 else "high"
        groups[name].append(v * x[0])
    groups["low" if x[1] < 1 else "high"].append(x[2])
    return weighed(groups.values())


def by_a_test(x, k):
    left, right = [], []
    for v in x:
        (left if v < 1 else right).append(v * v)
    (left if len(left) > 9 else right).append(x[0])
    return sum(right) * x[0] + len(left)


class Node:
    def __init__(self):
        self.left, self.right, self.parts = [], [], [[], []]

    def put(self, v, i):
        (self.left if v < 1 else self.right).append(v)
        self.parts[i % 2].append(v * v)


def of_fields(x, k):
    node = Node()
    for v, i in zip(x, k):
        node.put(v, i)
    return weighed([node.left, node.right, *node.parts])


FUNCTIONS = [by_index, under_two_names, one_list_twice, by_key, by_a_test, of_fields]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_every_mode(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    slope = slopes(lambda x: f(x, K), X)
    val, g = ya.grad(f, X, K)
    assert val == f(X, K)
    np.testing.assert_allclose(g[0], slope, atol=1e-6)
    assert ya.jvp(f, wrt="x")(X, K, V)[1] == pytest.approx(slope @ V, abs=1e-5)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_one_text_serves_all_choices(f):
    made = ya.simplegrad(f, X, K, wrt="x")
    for x, k in ((X[::-1].copy(), K), (X * 2, K[::-1]), (X - 1, K - 1)):
        val, dx = made(x, k)
        assert val == f(x, k)
        np.testing.assert_allclose(dx, slopes(lambda z, k=k: f(z, k), x), atol=1e-5)


def test_an_index_without_a_list_raises():
    made = ya.simplegrad(by_index, X, K, wrt="x")
    with pytest.raises(IndexError):
        made(X, K + 3)


CALLS = []


def noted(v):
    CALLS.append(1)
    return v * v


def test_an_argument_is_evaluated_once():
    def counted(x, k):
        groups = [[], [], []]
        for v, i in zip(x, k):
            groups[i].append(noted(v))
        return weighed(groups)

    CALLS.clear()
    ya.grad(counted, X, K)
    assert len(CALLS) == len(X)


class Counted:
    """Tells how often its rows were asked for."""

    def __init__(self, count):
        self.asked, self.kept = 0.0, [[] for _ in range(count)]

    @property
    def rows(self):
        self.asked += 1.0
        return self.kept


def of_a_property(x, k):
    one, two = Counted(1), Counted(2)
    one.rows[0].append(x[1])
    two.rows[1].append(x[0])
    return one.asked * x[0] + two.asked * x[1] + sum(one.kept[0])


def of_what_may_be_undefined(x, k):
    low = []
    if x[0] > 100.0:
        high = []
    (low if x[0] > -9.0 else high).append(x[1] * x[0])
    return sum(low)


@pytest.mark.parametrize("f", [of_a_property, of_what_may_be_undefined])
def test_what_the_call_reads_is_read_once_and_in_its_arm(f):
    val, g = ya.grad(f, X, K)
    assert val == f(X, K)
    np.testing.assert_allclose(g[0], slopes(lambda x: f(x, K), X), atol=1e-6)
