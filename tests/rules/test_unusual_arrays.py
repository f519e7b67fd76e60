"""Arrays of the other byte order, as files hold them, and numbers taken for arrays."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.83, 0.37, 0.61, 1.19])
V = np.array([0.2, 0.5, 0.7, 0.3])
PROGRAMS = {
    "max": lambda x: np.max(x),
    "min by rows": lambda x: np.sum(np.min(x.reshape(2, 2), axis=1, keepdims=True)),
    "max by columns": lambda x: np.sum(np.max(x.reshape(2, 2), axis=0)),
    "median": lambda x: np.median(x),
    "ptp": lambda x: np.ptp(x),
    "nanmax": lambda x: np.nanmax(x),
    "nanmean": lambda x: np.nanmean(x),
    "nanstd": lambda x: np.nanstd(x),
    "quantile": lambda x: np.quantile(x, 0.3),
    "prod": lambda x: np.prod(x),
    "sort": lambda x: np.sum(np.sort(x) * V),
    "cumsum": lambda x: np.sum(np.cumsum(x) ** 2),
    "norm": lambda x: np.linalg.norm(x),
    "solve": lambda x: np.sum(np.linalg.solve(x.reshape(2, 2), np.ones(2))),
    "methods": lambda x: x.max() * x.min() * x.mean() * x.std() * x.prod(),
    "fft": lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2),
    "items": lambda x: sum(v * v for v in x) + x[0] * x[1],
}
# Of a number or an array without axes.
SPREAD = {
    "repeat": lambda a: np.sum(np.repeat(a, 3, axis=0) ** 3),
    "repeat from the end": lambda a: np.sum(np.repeat(a, 3, axis=-1) ** 3),
    "repeat by a list": lambda a: np.sum(np.repeat(a, [3], axis=0) ** 3),
    "method": lambda a: np.sum(np.asarray(a).repeat(3, axis=0) ** 3),
    "take": lambda a: np.sum(np.take(a, [0, 0, 0], axis=0) ** 3),
    "tile": lambda a: np.sum(np.tile(a, (1, 3)) ** 3),
}


def results(function, x):
    """The gradient in three ways, and a product with the Hessian."""
    v = V.astype(x.dtype)
    return [
        ya.grad(function, x)[1][0], ya.simplegrad(function, x)(x)[1],
        ya.simplegrad(function, x.astype(x.dtype.type))(x)[1],
        ya.jvp(function)(x, v)[1], ya.hvp(function)(x, v),
    ]  # fmt: skip


@pytest.mark.part(2)
@pytest.mark.parametrize("dtype", [">f8", ">f4", "<f8"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_byte_order_makes_no_difference(name, dtype):
    native = np.dtype(dtype).type
    swapped = results(PROGRAMS[name], X.astype(dtype))
    for one, two in zip(swapped, results(PROGRAMS[name], X.astype(native))):
        assert np.allclose(one, two, rtol=1e-4 if native is np.float32 else 1e-12)
    assert swapped[0].dtype == np.dtype(dtype)


@pytest.mark.parametrize("a", [1.5, np.array(1.5), np.float64(1.5)], ids=type)
@pytest.mark.parametrize("name", SPREAD)
def test_a_number_is_an_array_of_one(name, a):
    function, one = SPREAD[name], np.ones_like(a) if isinstance(a, np.ndarray) else 1.0
    gradients = (
        ya.grad(function, a)[1][0], ya.simplegrad(function, a)(a)[1],
        ya.simplegrad(function)(a)[1], ya.jvp(function)(a, one)[1],
    )  # fmt: skip
    for gradient in gradients:
        assert np.shape(gradient) == ()
        assert np.isclose(gradient, 9 * 1.5**2)
    assert np.isclose(ya.hvp(function)(a, one), 18 * 1.5)
