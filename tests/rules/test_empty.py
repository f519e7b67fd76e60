"""Empty arrays: where the function has a value, its gradient is empty, or zero."""

import numpy as np
import pytest
from scipy import linalg, ndimage, signal
from scipy.spatial import distance

import yota_ast as ya

from .coverage_lists import Use

NOTHING, NO_ROWS, NO_COLUMNS = np.zeros(0), np.zeros((0, 3)), np.zeros((3, 0))
ONES = np.ones(3)
SCIPY = {"linalg": linalg, "signal": signal, "ndimage": ndimage, "distance": distance}

CASES = [
    ("np.cov(x)", {"x": NO_ROWS}),
    ("np.cov(x)", {"x": NO_COLUMNS}),
    ("np.cov(x, rowvar=False)", {"x": NO_COLUMNS}),
    ("np.corrcoef(x)", {"x": NO_ROWS}),
    ("np.histogram(x)[1]", {"x": NOTHING}),
    ("np.histogram(x, 3, density=True)[0]", {"x": NOTHING}),
    ("np.histogram(x, 3, weights=w)[0]", {"x": NOTHING, "w": NOTHING}),
    ("np.polyval(x, w)", {"x": NOTHING, "w": ONES}),
    ("np.polyval(x, w)", {"x": ONES, "w": NOTHING}),
    ("np.polymul(x, w)", {"x": NOTHING, "w": ONES}),
    ("np.take(x, [-7, 9], 1, mode='clip')", {"x": NO_ROWS}),
    ("np.take(x, [0, 2], axis=1)", {"x": np.zeros((0, 0))}),
    ("np.compress([True, False, True], x, axis=1)", {"x": np.zeros((0, 0))}),
    ("np.median(x)", {"x": NOTHING}),
    ("np.median(x, axis=1)", {"x": NO_COLUMNS}),
    ("np.median(x, axis=0)", {"x": NO_COLUMNS}),
    ("np.nanmedian(x)", {"x": NOTHING}),
    ("np.nanmedian(x, axis=-1)", {"x": NO_COLUMNS}),
    ("np.nanquantile(x, 0.3)", {"x": NOTHING}),
    ("np.nanquantile(x, 0.3, axis=1)", {"x": NO_COLUMNS}),
    ("np.linalg.norm(x, 2)", {"x": NO_ROWS}),
    ("np.linalg.norm(x, 2)", {"x": NO_COLUMNS}),
    ("np.trapezoid(x, w, axis=0)", {"x": NO_COLUMNS, "w": NO_COLUMNS}),
    ("np.trapezoid(x, w, axis=0)", {"x": NO_ROWS, "w": NO_ROWS}),
    ("x @ w", {"x": NO_COLUMNS, "w": NOTHING}),
    ("x @ w", {"x": np.zeros((4, 3, 0)), "w": NOTHING}),
    ("x @ w", {"x": NOTHING, "w": NO_ROWS}),
    ("x @ w", {"x": NO_ROWS, "w": ONES}),
    ("linalg.norm(x, 2)", {"x": NO_ROWS}),
    ("distance.pdist(x)", {"x": NO_ROWS}),
    ("ndimage.convolve(x, w)", {"x": NOTHING, "w": ONES}),
    ("ndimage.correlate(x, w, mode='wrap')", {"x": NOTHING, "w": ONES}),
    ("ndimage.convolve(x, w)", {"x": NO_ROWS, "w": np.ones((3, 3))}),
    ("ndimage.correlate(x, w)", {"x": NO_COLUMNS, "w": np.ones((3, 3))}),
    ("ndimage.map_coordinates(x, w, order=1)", {"x": NOTHING, "w": np.ones((1, 2))}),
    ("ndimage.map_coordinates(x, w)", {"x": NO_ROWS, "w": np.ones((2, 2))}),
    ("ndimage.map_coordinates(x, w)", {"x": ONES, "w": np.ones((1, 0))}),
    ("signal.lfilter(w, [1.0, 0.5], x)", {"x": NOTHING, "w": ONES}),
    ("signal.lfilter(w, [1.0, 0.5], x)", {"x": NO_ROWS, "w": ONES}),
    ("signal.convolve(x, w, 'same')", {"x": NOTHING, "w": ONES}),
    ("signal.correlate(x, w, 'same')", {"x": NOTHING, "w": ONES}),
    ("signal.fftconvolve(x, w)", {"x": NOTHING, "w": ONES}),
]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("text", "values"), CASES, ids=[t for t, _ in CASES])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_gradient_of_nothing_is_nothing(text, values, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    one = Use(f"np.sum({text})", tuple(values.items()), tuple(SCIPY.items()))
    given = list(values.values())
    known = ya.simplegrad(one.fn, *given)(*given)[1:]
    for gradients in (
        list(ya.grad(one.fn, *given)[1]),
        known,
        told_nothing(one, given),
    ):
        for g, x in zip(gradients, given, strict=True):
            assert g.shape == x.shape
            assert not np.any(g[np.isfinite(g)])


def told_nothing(one, given):
    """The gradients by a text made without examples."""
    return ya.simplegrad(one.fn)(*given)[1:]
