"""Containers that a function returns early, put together where its branches end."""

import numpy as np
import pytest

import yota_ast as ya


def as_dict(a, x):
    s = x.mean()
    for i in [0, 2, 1]:
        if x[i] > 0.5:
            return {"one": a, "two": np.zeros(3)}
        continue
    else:
        if x[-1] > 0.3:
            return {"one": s, "two": np.zeros_like(x) + 1.5}
    return {"one": a * s, "two": x.copy()}


def of_dict(a, x):
    r = as_dict(a, x)
    return r["one"] + np.sum(np.sin(r["two"]))


def as_list(a, x):
    for i in range(2):
        if x[i] > 0.5:
            return [a, np.zeros(3)]
    else:
        if x[-1] > 0.3:
            y = x * 1.5
            return [x[0], y]
    return [a * x[1], x.copy()]


def of_list(a, x):
    r = as_list(a, x)
    return r[0] + np.sum(np.sin(r[1]))


POINTS = [[0.1, 0.2, 0.25], [0.1, 0.2, 0.4], [0.6, 0.2, 0.4]]


@pytest.mark.parametrize("fn", [of_dict, of_list])
@pytest.mark.parametrize("x", POINTS)
def test_it_is_built_of_what_either_way_has(fn, x):
    x, e = np.array(x), 1e-6
    slope = [(fn(0.7, x + d) - fn(0.7, x - d)) / (2 * e) for d in np.eye(3) * e]
    value, grads = ya.grad(fn, 0.7, x)
    assert value == fn(0.7, x)
    np.testing.assert_allclose(grads["x"], slope, rtol=1e-6, atol=1e-8)
    assert ya.jvp(fn)(0.7, x, 0.0, x)[1] == pytest.approx(np.dot(slope, x), abs=1e-8)
    given = ya.simplegrad(fn, 0.7, np.array(POINTS[0])).fn
    np.testing.assert_allclose(given(0.7, x)[2], slope, rtol=1e-6, atol=1e-8)


def of_an_unassigned_name(a, x):
    if x[0] > 0.5:
        y = a * x
    r = {"one": a, "two": y}
    return r["one"] + np.sum(r["two"])


def test_a_name_that_is_not_assigned_still_raises():
    assert (
        ya.grad(of_an_unassigned_name, 0.7, np.array([0.6, 1.0]))[0] == 0.7 + 0.7 * 1.6
    )
    with pytest.raises(UnboundLocalError):
        ya.grad(of_an_unassigned_name, 0.7, np.array([0.1, 1.0]))
