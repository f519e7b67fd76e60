"""A branch may hand a cotangent on as it is: what is written under its new name has the
old one too, by which it may be read later."""

import itertools

import numpy as np
import pytest

import yota_ast as ya

START = """
def f(x, c):
    u = np.cos(x)
    v = np.tanh(x)
    y = np.sin(u)
    if c[0] > 0:
        y {op} 1.5 + v * x
"""
BRANCHES = """\
    if c[1] > 0:
        y {op} 2.0 + np.cumsum(v) * x
    return {returned}
"""
LOOP = """\
    for _ in range(2):
        if c[1] > 0:
            y {op} 2.0 + np.cumsum(v) * x
    return {returned}
"""
RETURNED = ["y + u[::-1]", "y - u[::-1]", "y - u[[1, 0, 2, 3]]", "-(y + u[::-1])"]
X, SEED = np.array([0.3, 0.5, 0.7, 0.2]), np.array([1.0, 2.0, -1.0, 0.5])


@pytest.mark.parametrize("text", [BRANCHES, LOOP], ids=["branches", "loop"])
@pytest.mark.parametrize("op", ["*=", "/=", "+="])
@pytest.mark.parametrize("returned", RETURNED)
def test_a_cotangent_is_read_before_it_is_written_under_another_name(
    text, op, returned
):
    f = ya.from_source((START + text).format(op=op, returned=returned), {"np": np})["f"]
    gradient = ya.simplegrad(f, X, np.ones(2), wrt=["x"]).fn
    for signs in itertools.product([1.0, -1.0], repeat=2):
        c = np.array(signs)
        ahead = [SEED @ f(X + 1e-6 * e, c) for e in np.eye(4)]
        behind = [SEED @ f(X - 1e-6 * e, c) for e in np.eye(4)]
        expected = (np.array(ahead) - behind) / 2e-6
        np.testing.assert_allclose(gradient(X, c, SEED)[-1], expected, atol=1e-5)


VIEWED = """
def f(x, a):
    y = {made}
    v = {view}
    return {sorted} * 2.0 + x[{index}] + y[{index}] + v
"""


@pytest.mark.parametrize("made", ["a * np.ones(4)", "a * np.exp(x)", "np.cumsum(x)"])
@pytest.mark.parametrize("view", ["np.flip(y)", "y[::-1]"])
@pytest.mark.parametrize("taken", ["np.sort(x)", "x", "np.roll(x, 1)"])
@pytest.mark.parametrize("index", ["::-1", "[1, 0, 3, 2]"])
def test_a_cotangent_is_read_before_a_slice_of_it_is_written(made, view, taken, index):
    text = VIEWED.format(made=made, view=view, sorted=taken, index=index)
    f = ya.from_source(text, {"np": np})["f"]
    gradient = ya.simplegrad(f, X, 0.7, wrt=["x"]).fn
    ahead = [SEED @ f(X + 1e-6 * e, 0.7) for e in np.eye(4)]
    behind = [SEED @ f(X - 1e-6 * e, 0.7) for e in np.eye(4)]
    expected = (np.array(ahead) - behind) / 2e-6
    np.testing.assert_allclose(gradient(X, 0.7, SEED)[-1], expected, atol=1e-5)
