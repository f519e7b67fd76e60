"""Values that are repeated rather than named, and parts of lists, which are not: each
`saved[::-1]` copies the list."""

from __future__ import annotations

import numpy as np

import yota_ast as ya

X = np.array([0.4, -0.3, 0.9, 0.2])


def smoothed(x, c):
    v = np.empty_like(x)
    v[0] = x[0]
    for t in range(1, len(x)):
        v[t] = c * x[t - 1] ** 2 + (1 - c) * v[t - 1]
    return np.sum(v**2)


def grown(x, c):
    y = x
    for k in range(3):
        y = np.sin(y) * c + y * y
    return np.sum(y)


def test_a_place_beside_a_counter_is_written_where_it_is_read():
    text = ya.hessian(smoothed)
    found = text(X, 0.3)
    assert "t - 1]" in text.source
    assert " = t - 1\n" not in text.source
    product = ya.hvp(smoothed)
    columns = [product(X, e, 0.3) for e in np.eye(4)]
    np.testing.assert_allclose(found, columns, atol=1e-12)


def test_a_list_is_turned_once():
    made = ya.hessian(grown)
    found = made(X, 0.3)
    assert "[::-1][" not in made.source
    assert made.source.count("[::-1]") == 2  # the values, and their derivatives
    ends = [
        [ya.grad(grown, X + h * e, 0.3)[1][0] for e in np.eye(4)] for h in (1e-6, -1e-6)
    ]
    np.testing.assert_allclose(found, (np.array(ends[0]) - ends[1]) / 2e-6, atol=1e-6)


def test_sums_are_written_without_what_they_do_anyway():
    made = ya.hessian(lambda x: np.var(x) * x[0])
    made(X)
    assert "keepdims=False" not in made.source
    assert "None" not in made.source


def turned(poses, i, j):
    c = np.cos(poses[i, 2])
    s = np.sin(poses[i, 2]) * poses[j, 2]
    return c * s


def over_places(poses, ks):
    e = 0.0
    for k in ks:
        e += np.cos(poses[k, 2]) * np.sin(poses[k, 1])
    return e


def overwritten_place(poses, i):
    """The index is another where the reverse sweep reads it."""
    c = np.cos(poses[i, 2])
    for i in range(2):  # noqa: PLR1704
        c = c * poses[i, 1]
    return c * poses[i, 0]


def test_an_index_of_two_places_is_written_where_an_item_is_read():
    poses = np.linspace(0.1, 0.9, 9).reshape(3, 3)
    text = ya.simplegrad(turned, poses, 0, 1).source
    assert "    dposes[i, 2] += ds * poses[j, 2] * np.cos(poses[i, 2])\n" in text
    text = ya.simplegrad(over_places, poses, np.array([0, 2, 0])).source
    assert "        dposes[k, 2] -= seed * t2 * np.sin(poses[k, 2])\n" in text
    assert ya.gradcheck(turned, poses, 1, 1)
    assert ya.gradcheck(over_places, poses, np.array([0, 2, 0]))
    assert ya.gradcheck(overwritten_place, poses, 2)
