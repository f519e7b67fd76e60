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
            np.testing.assert_allclose(dx[1:], slopes, rtol=1e-5)
