"""Functions made from text: they have a source, and so a gradient."""

import inspect
import linecache

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.1, 0.2])
TEXT = """
    import numpy as np

    RATE = 2.0

    def helper(x):
        return np.tanh(RATE * x)

    def loss(x):
        return np.sum(helper(x) ** 2)

    class Model:
        def __init__(self, w):
            self.w = w

        def value(self, x):
            return np.sum(self.w * helper(x))
"""


def slope(rate):
    return 2 * np.tanh(rate * X) * (1 - np.tanh(rate * X) ** 2) * rate


def test_its_functions_are_differentiated():
    names = ya.from_source(TEXT)
    np.testing.assert_allclose(ya.grad(names["loss"], X)[1][0], slope(2.0))
    names["RATE"] = 3.0
    np.testing.assert_allclose(ya.grad(names["loss"], X)[1][0], slope(3.0))
    model = names["Model"](np.ones(2))
    expected = 3.0 * (1 - np.tanh(3.0 * X) ** 2)
    np.testing.assert_allclose(ya.grad(model.value, X)[1][0], expected)


def test_equal_texts_have_namespaces_of_their_own():
    first, second = ya.from_source(TEXT), ya.from_source(TEXT)
    first["RATE"] = 3.0
    np.testing.assert_allclose(ya.grad(first["loss"], X)[1][0], slope(3.0))
    np.testing.assert_allclose(ya.grad(second["loss"], X)[1][0], slope(2.0))


def test_it_runs_in_the_namespace_given():
    names = {"np": np, "scale": 2.0}
    assert ya.from_source("def f(x):\n    return scale * np.sin(x)\n", names) is names
    assert ya.grad(names["f"], 1.0)[1][0] == 2.0 * np.cos(1.0)


def test_the_lines_are_found_again_when_the_cache_is_cleared():
    names = ya.from_source("def square(x):\n    return x * x\n")
    linecache.clearcache()
    assert ya.grad(names["square"], 3.0)[1][0] == 6.0
    assert inspect.getsource(names["square"]).startswith("def square(x)")


def test_the_file_has_the_same_name_each_time():
    texts = ("def f(x):\n    return x\n", "def f(x):\n    return -x\n")
    files = [ya.from_source(t)["f"].__code__.co_filename for t in (*texts, texts[0])]
    assert files[0] == files[2] != files[1]


def test_refusals_show_its_lines():
    names = ya.from_source("def f(x):\n    yield x\n")
    with pytest.raises(ya.UnsupportedSyntax, match=r"text\.py:2:5: `yield` is not"):
        ya.grad(names["f"], 1.0)
    with pytest.raises(SyntaxError):
        ya.from_source("def f(x)\n    return x\n")


def test_the_refusal_of_what_exec_made_names_it():
    names = {}
    exec("def f(x):\n    return x * x\n", names)
    with pytest.raises(ya.SourceUnavailable, match=r"ya\.from_source\(text, namesp"):
        ya.grad(names["f"], 1.0)
