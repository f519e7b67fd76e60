"""Functions of heapq, bisect and random that change a list."""

import bisect
import heapq
import random

import numpy as np
import pytest

import yota_ast as ya

from .every_mode import slopes

X = np.array([0.7, 1.3, -0.4, 2.1])
V = np.array([0.3, -0.5, 0.8, 0.2])


def in_order(x):
    heap, total, weight = [], 0.0, 1.0
    for v in x:
        heapq.heappush(heap, v * v)
        if len(heap) > 3:
            total += heapq.heappop(heap)
    while heap:
        total += weight * heapq.heappop(heap) ** 2
        weight += 1.0
    return total


def shortest_path(x):
    lengths = np.abs(np.subtract.outer(x, 2 * x)) + 0.1
    best, queue = [np.inf] * len(x), [(0.0, 0)]
    while queue:
        length, here = heapq.heappop(queue)
        if length >= best[here]:
            continue
        best[here] = length
        for there in range(len(x)):
            heapq.heappush(queue, (length + lengths[here, there] ** 2, there))
    return sum(best)


def exchanged(x):
    heap = [v + 0.0 for v in x]
    heapq.heapify(heap)
    first = heapq.heappushpop(heap, x[0] * 3)
    second = heapq.heapreplace(heap, x[1] ** 2)
    few = heapq.nsmallest(2, x) + heapq.nlargest(2, x, key=abs)
    return first * 2 + second**2 + heap[0] * 3 + sum(v**k for k, v in enumerate(few))


def inserted(x):
    found = [x[0]]
    for k in range(1, len(x)):
        bisect.insort(found, x[k] ** 2)
    bisect.insort_left(found, x[0], 0, 2)
    return sum(v**2 * k for k, v in enumerate(found))


def mixed_up(x):
    order, values = list(range(len(x))), list(x)
    random.seed(3)
    random.shuffle(order)
    random.shuffle(values)
    return sum(k * x[i] ** 2 * v for k, (i, v) in enumerate(zip(order, values)))


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [in_order, shortest_path, exchanged, inserted, mixed_up])
def test_it_is_right(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    gradient = ya.simplegrad(fn, X)
    for x in (X, X[::-1] + 0.2, np.array([1.1, 0.4, 0.4, 0.9, 3.1, -2.0])):
        val, dx = gradient(x)
        assert val == fn(x)
        if len(set(x)) == len(x):
            np.testing.assert_allclose(dx, slopes(fn, x), atol=1e-5)
    assert ya.jvp(fn)(X, V)[1] == pytest.approx(slopes(fn, X) @ V, abs=1e-5)
