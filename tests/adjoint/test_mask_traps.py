"""What a mask leaves out contributes exactly nothing, whichever way it is left out and
wherever it was computed: 0 times an infinite slope would be nan."""

import itertools
import linecache

import hypothesis
import numpy as np
import pytest

import yota_ast as ya

LONG = hypothesis.settings.get_current_profile_name() == "fuzz"  # `make fuzz-tests`

UNSAFE = {
    "1 / x": "1 / x2",
    "x * np.log(x)": "x2 * np.log(x2)",
    "np.sqrt(x)": "np.sqrt(x2)",
    "np.log(x)": "np.log(x2)",
    "x**0.5": "x2**0.5",
    "np.arcsin(1 - x)": "np.arcsin(1 - x2)",
    "np.hypot(x, 0.0) / x": "np.hypot(x2, 0.0) / x2",
}
ARMS = {
    "inline": ([], "{f}"),
    "a statement earlier": (["a = {f}"], "a"),
    "several steps": (["a = {f}", "a = 2 * a + 1", "a = a * a"], "a"),
    "a helper": ([], "unsafe(x)"),
    "a sum": (["x2 = np.stack([x, x], axis=1)", "a = np.sum({f2}, axis=1)"], "a"),
    "a mean": (["x2 = np.stack([x, x], axis=1)", "a = 2 * np.mean({f2}, 1)"], "a"),
    "a maximum": (["x2 = np.stack([x, x], axis=1)", "a = np.max({f2}, axis=1)"], "a"),
    "a list": ([], "np.sum([{f}], axis=0)"),
    "one of a list": ([], "np.sum([x, {f}], axis=0)"),
    "a row": ([], "np.array([x, {f}])[1]"),
    "a stack": ([], "np.stack([{f}, x])[0]"),
    "rows": ([], "np.vstack([{f}, x])[0]"),
    "a column": ([], "np.column_stack([x, {f}])[:, 1]"),
    "a piece": ([], "np.concatenate([{f}, x])[:3]"),
    "a new axis": ([], "({f})[None, :].sum(axis=0)"),
    "another shape": ([], "np.reshape({f}, (3, 1)).T[0]"),
    "two axes": ([], "np.atleast_2d({f})[0]"),
    "tiles": ([], "np.tile({f}, 2)[3:]"),
    "a running sum": ([], "np.cumsum([x, {f}], axis=0)[1]"),
    "a broadcast": ([], "np.broadcast_to({f}, (2, 3))[1]"),
    "a mean of rows": ([], "np.mean(np.array([x, {f}]), axis=0)"),
    "a size": ([], "np.abs({f})"),
    "a square": ([], "np.square({f})"),
    "the larger": ([], "np.maximum({f}, 0.1)"),
    "an einsum": ([], "np.einsum('i,i->i', {f}, x)"),
    "a norm": ([], "np.linalg.norm([{f}, x], axis=0)"),
    "a matrix product": ([], "(({f})[:, None] @ np.ones((1, 1)))[:, 0]"),
    "an outer product": ([], "np.outer({f}, [1.0])[:, 0]"),
}
SELECTED = {
    "where": "np.where(m, {a}, x)",
    "where not": "np.where(~m, x, {a})",
    "choose": "np.choose(m.astype(int), [x, {a}])",
    "select": "np.select([m, x > 5], [{a}, x], 0.0)",
    "select, default": "np.select([~m], [x], {a})",
    "sum": "np.sum({a}, where=m)",
    "mean": "np.mean({a}, where=m)",
    "prod": "np.prod({a}, where=m)",
    "max": "np.max({a}, where=m, initial=-5.0)",
    "var": "np.var({a}, where=m)",
    "index": "({a})[m]",
    "compress": "np.compress(m, {a})",
    "extract": "np.extract(m, {a})",
    "nansum": "np.nansum(np.where(m, {a}, np.nan))",
    "copyto": "picked(x, m, {a})",
    "store": "stored(x, m, {a})",
    "piecewise": "np.piecewise(x, [m], [unsafe, lambda z: z])",
    "times": "np.where(m, {a} * x, x)",
}
TEXT = """\
def unsafe(x):
    return {f}


def picked(x, m, a):
    y = x.copy()
    np.copyto(y, a, where=m)
    return y


def stored(x, m, a):
    y = x.copy()
    y[m] = a[m]
    return y


def f(x):
    m = x > 0
    {body}
    return np.sum(y * 1.5)
"""
X = np.array([0.0, 4 / 9, 0.25])


def program(f, arm, selected):
    lines, a = ARMS[arm]
    lines = [line.format(f=f, f2=UNSAFE[f]) for line in lines]
    lines.append("y = " + SELECTED[selected].format(a=a.format(f=f)))
    text = TEXT.format(f=f, body="\n    ".join(lines))
    name = f"<masked {f} {arm} {selected}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {"np": np}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]


EVERY = [
    (f, arm, selected)
    for f, arm, selected in itertools.product(UNSAFE, ARMS, SELECTED)
    if selected != "piecewise" or arm == "inline"
]
SHORT = [row for k, row in enumerate(EVERY) if k % 3 == 0 or row[0] == "1 / x"]


@pytest.mark.part(8)
@pytest.mark.parametrize(("f", "arm", "selected"), EVERY if LONG else SHORT)
def test_what_is_left_out_contributes_nothing(f, arm, selected):
    fn = program(f, arm, selected)
    with np.errstate(all="ignore"):
        if not np.isfinite(fn(X)):
            pytest.skip("the value itself is not a number")
        slopes = []
        for k in (1, 2):
            h = np.zeros(3)
            h[k] = 1e-6
            slopes.append((fn(X + h) - fn(X - h)) / 2e-6)
        texts = [ya.simplegrad(fn, X, wrt="x")]
        if selected != "piecewise" and (LONG or f == "1 / x"):
            texts.append(ya.simplegrad(fn, wrt="x"))
        for text in texts:
            _, dx = text(X)
            assert np.isfinite(dx[0]), text.source
            np.testing.assert_allclose(dx[1:], slopes, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("f", ["x * np.log(x)", "np.sqrt(x)", "x**0.5"])
@pytest.mark.parametrize("selected", ["where", "sum", "index"])
@pytest.mark.parametrize(
    "arm", ["inline", "one of a list", "a piece", "a size", "a square", "tiles"]
)
def test_what_is_left_out_contributes_nothing_to_a_second_derivative(f, arm, selected):
    fn = program(f, arm, selected)

    def outer(x):
        value, gradient = ya.grad(fn, x)
        return np.sum(np.sin(value + 0.3 * gradient[0]))

    with np.errstate(all="ignore"):
        value, gradient = ya.grad(outer, X)
        first = ya.grad(fn, X)
        assert value == np.sum(np.sin(first[0] + 0.3 * first[1][0]))
        for k in (1, 2):
            h = np.zeros(3)
            h[k] = 1e-6
            slope = (outer(X + h) - outer(X - h)) / 2e-6
            np.testing.assert_allclose(gradient[0][k], slope, rtol=1e-4)
    assert np.isfinite(gradient[0][0])


def constant_mask(x, m):
    return np.sum(m * np.sqrt(x))


def test_a_mask_may_be_a_factor():
    m = np.array([False, True, True])
    _, gradient = ya.grad(constant_mask, X, m)
    np.testing.assert_array_equal(gradient[0], [0.0, *(0.5 / np.sqrt(X[1:]))])


@pytest.mark.parametrize("axis", [0, 1])
def test_a_mask_is_spread_as_its_cotangent_is(axis):
    def f(x):
        return np.sum(np.sum(np.stack([x * np.log(x), x], axis), axis)[x > 0])

    with np.errstate(all="ignore"):
        for fn in (ya.simplegrad(f, X), ya.simplegrad(f)):
            _, dx = fn(X)
            assert dx.shape == X.shape
            np.testing.assert_allclose(dx, [0, *(np.log(X[1:]) + 2)])
