"""Types of arrays that select behaviour, in texts made for the types they have."""

import numpy as np
import pytest

import yota_ast as ya

RANGES = {np.float64: (-1.0, 3.0), np.uint8: (0.0, 255.0)}
WIDER = {"e": np.float32, "f": np.float32, "d": np.float64}


def called(x):
    kind = x.dtype.type
    return np.sum(x**2) * kind(3.0)


def converted(x):
    kind = x.dtype.type
    if np.issubdtype(kind, np.floating):
        return np.sum(x**2) * RANGES[kind][1]
    scale = kind(RANGES[kind][1])
    return np.sum(x / scale)


def looked_up(x):
    kind = WIDER.get(np.dtype(x.dtype).char, np.float64)
    y = x.astype(kind)
    y *= 2
    return np.sum(y**2) * 0.75


def compared(x):
    if x.dtype == np.dtype(np.float64) and not np.can_cast(x.dtype, np.float32):
        return 3 * np.sum(x**2)
    kind = x.dtype.type
    return np.sum(x) * kind(2)


@pytest.mark.parametrize("f", [called, converted, looked_up, compared])
def test_gradients(f):
    x = np.array([1.0, 2.0])
    val, g = ya.grad(f, x)
    assert val == f(x)
    assert np.allclose(g[0], 6 * x)


def test_the_text_checks_the_type():
    df = ya.simplegrad(called, np.ones(2))
    with pytest.raises(ValueError, match="float64"):
        df(np.ones(2, np.float32))


def converted_where_needed(x):
    x = x * 1.0
    y = np.array(x, copy=np._CopyMode.IF_NEEDED)
    y[0] = 3.0
    return np.sum(y * x)


def always_copied(x):
    x = x * 1.0
    y = np.array(x, copy=np._CopyMode.ALWAYS)
    y[0] = 3.0
    return np.sum(y * x)


def test_modes_of_copying_are_no_bools():
    x = np.array([1.0, 2.0, 5.0])
    np.testing.assert_array_equal(
        ya.grad(converted_where_needed, x)[1][0], [0.0, 4.0, 10.0]
    )
    np.testing.assert_array_equal(ya.grad(always_copied, x)[1][0], [3.0, 4.0, 10.0])


def packed(x):
    return {"dtype": x.dtype.name, "kind": x.dtype.kind, "value": x**2}


def test_the_words_of_a_dtype_are_strings():
    x = np.array([1.0, 3.0])
    value, tangent = ya.jvp(packed)(x, np.ones(2))
    assert value["dtype"] == "float64"
    assert value["kind"] == "f"
    assert np.array_equal(tangent["value"], [2.0, 6.0])
    seed = {"dtype": None, "kind": None, "value": np.ones(2)}
    assert np.array_equal(ya.grad(packed, x, seed=seed)[1][0], [2.0, 6.0])
