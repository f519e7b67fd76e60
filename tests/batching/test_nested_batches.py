"""Batches in functions that are differentiated, or batched: as a loop gives them."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya

from .comparing import same, stacked
from .models import MODELS, NAMES, Model, mlp

GOLDEN = Path(__file__).parent / "golden"
each_model = pytest.mark.parametrize("model", MODELS, ids=NAMES)
X = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, 0.9]])
V = np.array([0.5, -0.3, 1.7])


def weighted(values):
    """A number in which each value has another weight."""
    return np.sum(np.cos(np.arange(len(values))) * values**2)


def by_batch(model):
    """A number that comes from the values of all examples."""
    names = ", ".join(model.fn.__code__.co_varnames[: len(model.args)])
    text = f"""
    def total({names}):
        return weighted(ya.vmap(fn, in_axes={model.in_axes})({names}))
    """
    around = {"ya": ya, "fn": model.fn, "weighted": weighted}
    return ya.from_source(inspect.cleandoc(text), around)["total"]


@each_model
@pytest.mark.parametrize("passes", ["all", "none"])
def test_the_gradient_of_a_batch(model, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    batch, names = by_batch(model), list(model.wrt)
    wrt = [model.fn.__code__.co_varnames.index(name) for name in names]
    _, found = ya.grad(batch, *model.args, wrt=wrt)
    each = ya.value_and_grad(model.fn, wrt=names)
    values, gradients = stacked(model.each(each))
    slopes = 2 * np.cos(np.arange(len(values))) * values
    pairs = zip(wrt, gradients if len(wrt) > 1 else (gradients,), strict=True)
    for place, rows in pairs:
        wanted = np.tensordot(slopes, rows, 1)
        np.testing.assert_allclose(found[place], wanted, 1e-10, 1e-10)


@each_model
def test_a_batch_of_batches(model):
    """Two models, each on all examples."""
    place = next(k for k, a in enumerate(model.args) if np.ndim(a))
    args = [np.stack([a, 1.1 * a]) if k == place else a
            for k, a in enumerate(model.args)]  # fmt: skip
    outer = tuple(0 if k == place else None for k in range(len(args)))
    inner = ya.vmap(model.fn, in_axes=model.in_axes)
    found = ya.vmap(inner, in_axes=outer)(*args)
    wanted = [
        np.stack(Model(model.fn, (*args[:place], a, *args[place + 1 :]),
                       model.in_axes, ()).each(model.fn))
        for a in args[place]
    ]  # fmt: skip
    same(found, np.stack(wanted))


def distance(x, y):
    return np.sqrt(np.sum((x - y) ** 2))


def test_all_pairs():
    rows = ya.vmap(distance, in_axes=(None, 0))
    pairs = ya.vmap(rows, in_axes=(0, None))
    Y = np.arange(12.0).reshape(4, 3)
    same(pairs(X, Y), np.stack([[distance(x, y) for y in Y] for x in X]))
    assert "\n    for " not in pairs.source


def squared_error(w, x, y):
    return (w @ x - y) ** 2


def clipped(w, X, Y):
    """Gradients of examples, each at most as long as 1, and what they sum up to."""
    _, G = ya.value_and_grad(squared_error, each=["w"])(w, X, Y)
    lengths = np.sqrt(np.sum(G**2, axis=1))
    return np.sum(G * np.minimum(1.0, 1.0 / lengths)[:, np.newaxis])


def clipped_by_loop(w, X, Y):
    total = 0.0
    for k in range(len(X)):
        g = ya.grad(squared_error)(w, X[k], Y[k])
        total = total + np.sum(g * min(1.0, 1.0 / np.sqrt(np.sum(g**2))))
    return total


def by_columns(w, A):
    return np.sum(ya.vmap(lambda c: np.tanh(w @ c), in_axes=1)(A) ** 2)


def by_columns_in_a_loop(w, A):
    total = 0.0
    for k in range(A.shape[1]):
        total = total + np.tanh(w @ A[:, k]) ** 2
    return total


def slopes_of_distances(X, y):
    values, slopes = ya.vmap(ya.value_and_grad(distance), in_axes=(0, None))(X, y)
    return np.sum(values * slopes[:, 0])


def slopes_in_a_loop(X, y):
    total = 0.0
    for x in X:
        value, slope = ya.value_and_grad(distance)(x, y)
        total = total + value * slope[0]
    return total


ALIKE = {
    clipped: (clipped_by_loop, (V, X, np.array([0.2, -0.4]))),
    by_columns: (by_columns_in_a_loop, (V, X.T.copy())),
    slopes_of_distances: (slopes_in_a_loop, (X, V)),
}


@pytest.mark.parametrize("fn", ALIKE, ids=lambda f: f.__name__)
def test_derivatives_are_those_of_a_loop(fn):
    other, args = ALIKE[fn]
    (value, g), (wanted, h) = ya.grad(fn, *args), ya.grad(other, *args)
    np.testing.assert_allclose(value, wanted, 1e-12)
    for a, b in zip(g, h, strict=True):
        np.testing.assert_allclose(a, b, 1e-10, 1e-12)
    along = ya.jvp(fn)(*args, *args), ya.jvp(other)(*args, *args)
    np.testing.assert_allclose(*along, 1e-10, 1e-12)
    np.testing.assert_allclose(
        *(ya.hvp(f)(args[0], args[0], *args[1:]) for f in (fn, other)), 1e-9, 1e-11
    )


def root(x):
    if x > 0:
        return np.sqrt(x)
    return 0.0 * x


def logarithm(x):
    if x == 0:
        return 0.0 * x
    return np.log(x) / x


@pytest.mark.parametrize("fn", [root, logarithm, np.abs])
def test_the_way_not_taken_has_no_slope(fn):
    x = np.array([0.0, 1.0, 4.0])
    with np.errstate(all="ignore"):
        found = ya.grad(lambda x: np.sum(ya.vmap(fn)(x)), x)[1][0]
        wanted = [ya.grad(lambda v: fn(v) * 1.0, v)[1][0] for v in x]
    np.testing.assert_allclose(found, wanted, 1e-12)


def test_the_code_is_as_written_by_hand(golden):
    model = MODELS[NAMES.index("mlp")]

    def total(W1, b1, W2, b2, x, y):
        losses = ya.vmap(mlp, in_axes=(None, None, None, None, 0, 0))
        return np.mean(losses(W1, b1, W2, b2, x, y))

    gradient = ya.simplegrad(total, *model.args, wrt=list(model.wrt))
    golden(GOLDEN / "mlp_within.txt", gradient.source)


# ------------------------------------------------------------------ what is refused

REFUSED = {
    "ya.vmap(np.sin)(1.0)": "is no array of examples",
    "ya.vmap(np.sin)([x, x])": "is no array of examples",
    "ya.vmap(np.sum, in_axes=2)(X)": "has no axis 2",
    "ya.vmap(np.sum, in_axes=None)(X)": "no array of examples",
    "ya.vmap(lambda a: int(a[0]) * a)(X)": "`int` has no batched form",
    "ya.vmap(halved)(X[0])": "oftener than others",
    "ya.vmap(written)(X)": "writes into",
    "ya.value_and_grad(np.dot, wrt='a', each='a')(x, X)[0]": "both given",
}
TEXT = """
def halved(x):
    while x > 1.0:
        x = x / 2
    return x


def written(x):
    x[0] = 2.0
    return x * x


def f(x, X):
    return np.sum(RESULT)
"""


@pytest.mark.parametrize("result", REFUSED)
def test_refused_by_line(result):
    names = ya.from_source(TEXT.replace("RESULT", result), {"np": np, "ya": ya})
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(names["f"], V, X)
    assert REFUSED[result] in caught.value.reason
    assert caught.value.lineno is not None
    assert caught.value.remedy


def test_another_count_is_an_error_when_it_is_called():
    def total(X, Y):
        return np.sum(ya.vmap(np.dot)(X, Y))

    gradient = ya.simplegrad(total, X, X)
    with pytest.raises(ValueError, match=r"as many examples|made for"):
        gradient(X, X[:1])
