"""Helpers have names of their own: in a text they stand side by side, and a helper of a
text is known for what it is a copy of, not by its name."""

import ast
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage, signal

import yota_ast as ya
from yota_ast import runtime


def test_no_two_helpers_have_one_name():
    folder = Path(runtime.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.py")]
    nodes = [n for text in texts for n in ast.parse(text).body]
    names = Counter(n.name for n in nodes if isinstance(n, ast.FunctionDef))
    assert [name for name, count in names.items() if count > 1] == []


KERNEL = np.array([[1.0, -0.5, 0.3], [0.2, 0.7, -1.1]])
IMAGE = np.linspace(-1.0, 1.2, 20).reshape(4, 5) ** 2
ROW = np.array([0.3, -0.2, 1.1, 0.6, -0.9])
V = np.cos(np.arange(20.0)).reshape(4, 5)


def both_kinds(x):
    """Of vectors by NumPy and of images by SciPy: each has helpers of its own."""
    wide = signal.convolve2d(x, KERNEL, mode="same")
    flat = np.convolve(x[0], ROW, mode="same")
    back = np.correlate(x[1], ROW, mode="full")
    return np.sum(wide**3) + np.sum(flat**3) + np.sum(back**3)


def along(x):
    smooth = signal.correlate(x, KERNEL, mode="valid")
    return np.sum(np.tanh(smooth) * smooth) + np.sum(signal.fftconvolve(x, x) ** 2)


def by_an_image(x):
    return np.sum(ndimage.correlate1d(x, ROW[:3], axis=1) ** 3)


@pytest.mark.parametrize("f", [both_kinds, along, by_an_image])
@pytest.mark.parametrize("facts", [True, False])
def test_second_order_of_convolutions(f, facts):
    gradient = ya.simplegrad(f, *([IMAGE] if facts else []))
    again = pickle.loads(pickle.dumps(gradient))
    h = 1e-5
    change = (gradient(IMAGE + h * V)[1] - gradient(IMAGE - h * V)[1]) / (2 * h)
    np.testing.assert_allclose(ya.hvp(f)(IMAGE, V), change, atol=1e-6)
    for one in (gradient, again):
        _, (_, found) = ya.jvp(one)(IMAGE, 1.0, V, None)
        np.testing.assert_allclose(found, change, atol=1e-6)


def unsum(x, n):
    """A function of the user's that is called like a helper, and calls itself."""
    return x * x if n == 0 else unsum(x, n - 1) * x


def own(x):
    return np.sum(unsum(x, 3))


def test_a_function_called_like_a_helper():
    x = np.array([0.4, -1.3])
    gradient = ya.simplegrad(own, x)
    np.testing.assert_allclose(gradient(x)[1], 5 * x**4)
