"""Draws from data: each slope goes to where its number came from."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

V, W = np.array([0.3, 1.2, -0.5, 2.0]), np.array([1.1, -0.4, 0.9, 0.6])


def chosen(v, w):
    r = np.random.default_rng(3)
    some = r.choice(v * w, size=3) @ w[:3] + r.choice(v)
    return float(some + r.choice(v, 2, False) @ w[:2] + r.random())


def chosen_by_weight(v, w):
    r = np.random.default_rng(3)
    return float(np.sum(r.choice(v, (2, 2), p=[0.1, 0.2, 0.3, 0.4]) ** 2) * w[0])


def chosen_columns(v, w):
    r = np.random.default_rng(3)
    return float(np.sum(r.choice(np.outer(v, w), 2, axis=1) ** 2))


def chosen_by_the_old_generator(v, w):
    np.random.seed(3)  # noqa: NPY002
    return float(np.random.choice(v, 3) @ w[:3])  # noqa: NPY002


def along_an_axis(v, w):
    r = np.random.default_rng(3)
    m = np.outer(v, w)
    return float(np.sum(r.permutation(m, axis=1) * m + r.permutation(m, axis=0)))


def each_line(v, w):
    r = np.random.default_rng(3)
    m = np.outer(v, w)
    turned = r.permuted(m, axis=1) * m + r.permuted(m, axis=0)
    return float(np.sum(turned * r.permuted(v)))


def each_line_in_place(v, w):
    r = np.random.default_rng(3)
    m = np.outer(v, w)
    r.permuted(m, axis=-1, out=m)
    return float(np.sum(m * w))


def shuffled(v, w):
    r = np.random.default_rng(3)
    y = v * w
    r.shuffle(y)
    m = np.outer(y, w)
    r.shuffle(m[1])
    r.shuffle(m, axis=1)
    return float(np.sum(m**2 * w) + y @ w + r.random())


def shuffled_by_the_old_generator(v, w):
    np.random.seed(3)  # noqa: NPY002
    y = v * w
    np.random.shuffle(y)  # noqa: NPY002
    return float(y @ w)


def in_batches(v, w):
    r = np.random.default_rng(3)
    order = np.arange(4)
    p = 0.0
    for _ in range(2):
        r.shuffle(order)
        for start in range(0, 4, 2):
            k = order[start : start + 2]
            p = p - 0.1 * np.sum(v[k] * p - w[k])
    return float(p)


@pytest.mark.parametrize(
    "f",
    [
        chosen, chosen_by_weight, chosen_columns, chosen_by_the_old_generator,
        along_an_axis, each_line, each_line_in_place, shuffled,
        shuffled_by_the_old_generator, in_batches,
    ],
)  # fmt: skip
def test_gradients_are_right(f):
    check(f, V, W)


def all_elements(v, w):
    return float(np.sum(np.random.default_rng(3).permuted(np.outer(v, w).T) * w))


def test_the_order_in_memory_is_not_followed():
    with pytest.raises(ya.NoRule, match="permuted has no rule"):
        ya.grad(all_elements, V, W)


def by_what_varies(v, w):
    r = np.random.default_rng(3)
    return float(np.sum(r.choice(w, 2, p=v / np.sum(v))))


def test_what_is_chosen_jumps_with_its_chances():
    check(by_what_varies, V**2, W)
