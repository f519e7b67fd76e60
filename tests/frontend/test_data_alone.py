"""What a library makes of tables alone is a constant of the run, not looked into."""

import importlib
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest

import yota_ast as ya

from .every_mode import check_every_mode

LIBRARY = """
    import numpy as np

    COUNT = []

    class Result:
        def __init__(self, model, params):
            self.__dict__.update(model=model, params=params)
            self.rsquared = float(np.sum(params**2))

        @property
        def resid(self):
            return self.model.endog - self.model.exog @ self.params

    class OLS:
        def __init__(self, endog, exog, **kept):
            self.__dict__.update(kept, endog=np.asarray(endog), exog=np.asarray(exog))

        def fit(self):
            COUNT.append(1)
            return Result(self, np.linalg.lstsq(self.exog, self.endog)[0])

        def loss(self, b):
            return np.sum((self.endog - self.exog @ b) ** 2)

    def factory(data):
        def loss(b):
            return np.sum((np.asarray(data)[0] - b) ** 2)
        return loss

    def ratio(values, scale=1.0):
        return eval("values.mean() / values.std() * scale")
"""
RNG = np.random.default_rng(3)
FRAME = pd.DataFrame(RNG.random((6, 3)), columns=["a", "b", "y"])
P, V = np.array([0.3, 0.7]), np.array([1.0, -2.0])


@pytest.fixture(scope="module")
def fitlib(tmp_path_factory):
    folder = tmp_path_factory.mktemp("env") / "site-packages"
    folder.mkdir()
    (folder / "fitlib.py").write_text(textwrap.dedent(LIBRARY))
    sys.path.insert(0, str(folder))
    yield importlib.import_module("fitlib")
    sys.path.remove(str(folder))
    del sys.modules["fitlib"]


def fitted(lib):
    def f(p):
        r = lib.OLS(FRAME.y, FRAME[["a", "b"]]).fit()
        return np.sum((r.params - p) ** 2) * r.rsquared + r.resid[0] * p[0]

    return f


def fitted_to_numbers_of_a_table(lib):
    def f(p):
        X = np.column_stack([np.ones(len(FRAME)), FRAME.a])
        r = lib.OLS(FRAME.y.to_numpy(), X, note="first").fit()
        return np.sum((r.params - p) ** 2)

    return f


def of_functions(lib):
    def f(p):
        return p[0] ** 2 * lib.ratio(FRAME.a) + p[1] * lib.ratio(FRAME.b, scale=2.0)

    return f


def of_a_function_that_is_made(lib):
    return lambda p: lib.factory(FRAME.to_numpy())(p[0])


def outside_of_the_function(lib):
    model = lib.OLS(FRAME.y, FRAME[["a", "b"]])
    return lambda p: model.loss(p)


@pytest.mark.parametrize(
    "make",
    [
        fitted, fitted_to_numbers_of_a_table, of_functions, of_a_function_that_is_made,
        outside_of_the_function,
    ],
)  # fmt: skip
def test_every_mode(fitlib, make):
    check_every_mode(make(fitlib), P, V)


def test_it_is_written_as_the_user_wrote_it(fitlib):
    source = ya.grad(fitted(fitlib), P)[1].source
    assert 'r = OLS(FRAME.y, FRAME[["a", "b"]]).fit()' in source


def test_it_runs_once_in_a_call(fitlib):
    f = fitted(fitlib)
    value_and_grad = ya.value_and_grad(f)
    value_and_grad(P)
    before = len(fitlib.COUNT)
    value_and_grad(P)
    assert len(fitlib.COUNT) == before + 1


def method_of_what_is_made(lib):
    return lambda p: lib.OLS(FRAME.y, FRAME[["a", "b"]]).loss(p)


def test_a_method_that_is_given_a_differentiated_value_is_refused(fitlib):
    with pytest.raises(ya.UnsupportedSyntax) as caught:
        ya.grad(method_of_what_is_made(fitlib), P)
    first, *_, remedy = str(caught.value).splitlines()
    assert first.startswith(f"{__file__}:")
    assert remedy.endswith(
        "Make an object whose methods you call outside of the function."
    )


def with_a_differentiated_argument(lib):
    return lambda p: lib.OLS(P * p[0], np.eye(2)).loss(p) + lib.factory([p])(p[0])


def test_a_differentiated_argument_is_followed(fitlib):
    check_every_mode(with_a_differentiated_argument(fitlib), P, V)
