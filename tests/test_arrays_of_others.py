"""Arrays of other libraries: taken as they are, or refused; never copied in silence."""

import numpy as np
import pandas as pd
import pytest

import yota_ast as ya

from .duck import Duck

X = Duck([1.0, 2.0])


def cubes(x):
    return x**3


def total(x):
    return np.sum(x**3)


def of_dict(p):
    return np.sum(p["w"] ** 3) * p["b"]


TAKEN = {
    "grad": lambda: ya.grad(total, X)[1][0],
    "value_and_grad": lambda: ya.value_and_grad(total)(X)[1],
    "simplegrad": lambda: ya.simplegrad(total, X)(X)[1],
    "vjp": lambda: ya.vjp(cubes)(X)[1](Duck([1.0, 1.0])),
    "jvp": lambda: ya.jvp(cubes)(X, Duck([1.0, 1.0]))[1],
}


@pytest.mark.parametrize("call", TAKEN.values(), ids=TAKEN)
def test_taken_as_they_are(call):
    found = call()
    assert type(found) is Duck
    np.testing.assert_allclose(found.inner, [3.0, 12.0])


REFUSED = {
    "jacobian": lambda: ya.jacobian(cubes)(X),
    "forward": lambda: ya.jacobian(cubes, mode="forward")(X),
    "reverse": lambda: ya.jacobian(cubes, mode="reverse")(X),
    "value": lambda: ya.jacobian(lambda a: a * X)(2.0),
    "hessian": lambda: ya.hessian(total)(X),
    "in a dict": lambda: ya.hessian(of_dict)({"w": X, "b": 2.0}),
    "ravel": lambda: ya.ravel([X]),
    "gradcheck": lambda: ya.gradcheck(total, X),
    "gradcheck of a dict": lambda: ya.gradcheck(of_dict, {"w": X, "b": 2.0}),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refused_where_the_result_is_of_numpy(call):
    with pytest.raises(ya.YotaError) as caught:
        call()
    reason, remedy = str(caught.value).splitlines()
    assert reason.startswith(
        "the result is a NumPy array, but an argument or the value is of"
    )
    assert remedy.startswith("Copy it yourself, by np.asarray(x), or x.get() of CuPy.")


class Unwritable:
    """An array that is changed by `x.at[i].set(v)` alone, as JAX's are."""

    def __init__(self, inner):
        self.inner = np.asarray(inner)
        self.at = self

    dtype = property(lambda self: self.inner.dtype)
    shape = property(lambda self: self.inner.shape)

    def __setitem__(self, index, value):
        raise TypeError("immutable")

    def __sub__(self, other):
        return Unwritable(self.inner - other.inner)


def test_update_replaces_what_cannot_be_written():
    m = {"w": Unwritable([1.0, 2.0])}
    ya.update(m, {"w": Unwritable([0.5, 0.5])})
    np.testing.assert_allclose(m["w"].inner, [0.5, 1.5])


def test_a_table_beside_numbers_is_held_fixed():
    def scaled(given):
        return given["b"] ** 2 * np.sum(given["s"].to_numpy())

    given = {"s": pd.Series([1.0, 2.0]), "b": 2.0}
    assert ya.hessian(scaled)(given) == {"s": None, "b": {"s": None, "b": 6.0}}
    assert ya.jacobian(scaled)(given) == {"s": None, "b": 12.0}
    assert ya.gradcheck(scaled, given)
    frame = pd.DataFrame({"s": [1.0, 2.0], "k": list("ab")})
    assert ya.gradcheck(lambda b, df: b * df.s.sum() ** len(df.k), 2.0, frame)
    flat, unravel = ya.ravel(given)
    assert (flat.tolist(), unravel(flat)["b"]) == ([2.0], 2.0)


class Scaled(Duck):
    """A class with an operator that no compiler reads, as JAX's has."""

    def __rmul__(self, other):
        return Duck(eval("other * self.inner"))


def test_around_a_function():
    x = Scaled([3.0, 4.0])
    _, slope = ya.value_and_grad(lambda w: np.sum(w * x))(2.0)
    assert slope == 7.0
