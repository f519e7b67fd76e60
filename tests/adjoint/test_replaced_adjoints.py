"""`replace_grad(x, fn)`: the adjoint that passes is `fn` of what it would be."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([1.0, 2.0, -0.1])
V = np.array([0.3, 0.2, 0.1])
LIMIT = 1.0


def halved(d, by=0.5):
    return by * d


def clipped(x, most):
    h = ya.replace_grad(np.tanh(x), lambda d: np.clip(d, -most, most))
    return np.sum(h * h * h)


def turned(x):
    h = ya.replace_grad(np.tanh(x), lambda d: -2.0 * d[::-1])
    return np.sum(h * h * h)


def turned_slope(x):
    """The gradient of `turned`, and how it changes along V, by hand."""
    h = np.tanh(x)
    d, third = 1 - h * h, -2.0 * (3 * h * h)[::-1]
    moved = (-2.0 * (d * V)[::-1]) * 6 * h
    return d * third, -2 * h * d * third * V + d * (-2.0 * moved[::-1])


def test_the_value_is_the_operand_itself():
    assert ya.replace_grad(X, np.negative) is X
    assert ya.grad(clipped, X, 1.0)[0] == np.sum(np.tanh(X) ** 3)


def test_the_function_stands_in_the_reverse_sweep():
    source = ya.simplegrad(clipped, X, 1.0).source
    assert "    dh = np.clip(dh, -most, most)\n" in source
    assert "replace_grad(" not in source.split("# reverse")[0]
    h = np.tanh(X)
    d = ya.grad(clipped, X, 1.0)[1][0]
    np.testing.assert_array_equal(d, np.clip(3 * h * h, -1, 1) * (1 - h * h))


@pytest.mark.parametrize(
    ("fn", "factor"), [(halved, 0.5), (np.negative, -1.0), (lambda d: d / 4, 0.25)]
)
def test_functions_of_the_module_and_of_numpy(fn, factor):
    d = ya.grad(lambda x: np.sum(ya.replace_grad(x * x, fn)), X)[1][0]
    np.testing.assert_array_equal(d, factor * 2 * X)


def test_numbers():
    assert ya.grad(lambda x: ya.replace_grad(x * x, lambda d: min(d, 0.5)), 3.0)[1][
        0
    ] == pytest.approx(3.0)


def test_a_branch_in_the_function():
    def unit(d):
        size = np.linalg.norm(d)
        if size > LIMIT:
            return d / size
        return d

    d = ya.grad(lambda x: np.sum(ya.replace_grad(x, unit) ** 2), X)[1][0]
    np.testing.assert_allclose(np.linalg.norm(d), 1.0)
    d = ya.grad(lambda x: np.sum(ya.replace_grad(x, unit) ** 2), 0.01 * X)[1][0]
    np.testing.assert_allclose(d, 0.02 * X)


def test_what_it_reads_in_a_loop_is_that_of_its_iteration():
    def f(x, n):
        h = x
        for k in range(n):
            scale = np.sum(h)
            h = ya.replace_grad(np.tanh(h), lambda d: d * scale / (1 + k))
        return np.sum(h)

    h, scales, hs = X, [], []
    for k in range(3):
        scales.append(np.sum(h) / (1 + k))
        h = np.tanh(h)
        hs.append(h)
    d = np.ones(3)
    for scale, h in zip(scales[::-1], hs[::-1], strict=True):
        d = d * scale * (1 - h * h)
    np.testing.assert_allclose(ya.grad(f, X, 3, wrt="x")[1][0], d)


def test_it_prints_once_in_the_reverse_sweep(capsys):
    def tell(d):
        print("adjoint of", d.shape)
        return d

    ya.grad(lambda x: np.sum(ya.replace_grad(x * x, tell)), X)
    assert capsys.readouterr().out == "adjoint of (3,)\n"


def test_single_precision_stays():
    x = X.astype(np.float32)
    d = ya.grad(lambda x: np.sum(ya.replace_grad(x * x, lambda d: d * 0.5)), x)[1][0]
    assert d.dtype == np.float32


def test_forward_mode_takes_the_transpose():
    first, _ = turned_slope(X)
    np.testing.assert_allclose(ya.grad(turned, X)[1][0], first)
    np.testing.assert_allclose(ya.jvp(turned)(X, V)[1], first @ V)

    def rotated(x):
        matrix = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
        return np.sum(ya.replace_grad(np.tanh(x), lambda d: matrix @ d) ** 2)

    d = ya.grad(rotated, X)[1][0]
    np.testing.assert_allclose(ya.jvp(rotated)(X, V)[1], d @ V)


@pytest.mark.parametrize(
    "fn",
    [
        lambda d: d + 1.0,
        lambda d: np.clip(d, -1, 1),
        lambda d: d * d,
        lambda d: np.concatenate([d[1:], np.ones(1)]),
        lambda d: np.where(d > 0, d, 0),
        lambda d: d / np.linalg.norm(d),
        lambda d: d if d[0] > 0 else -d,
        np.floor,
    ],
)
def test_forward_mode_refuses_what_is_not_linear(fn):
    def f(x):
        return np.sum(ya.replace_grad(np.tanh(x), fn) ** 2)

    ya.grad(f, X)
    with pytest.raises(ya.UnsupportedCall, match="is not linear"):
        ya.jvp(f)(X, V)
    if fn is not np.floor:  # through which nothing of the second order goes
        with pytest.raises(ya.UnsupportedCall, match="is not linear"):
            ya.hvp(f)(X, V)


def test_second_derivatives_replace_again():
    _, second = turned_slope(X)
    np.testing.assert_allclose(ya.hvp(turned)(X, V), second)
    np.testing.assert_allclose(ya.hessian(turned)(X) @ V, second)
    nested = ya.grad(lambda x: ya.grad(turned)(x) @ V, X)[1][0]
    np.testing.assert_allclose(nested, second)  # that map is symmetric


def test_the_adjoint_of_an_adjoint_that_is_clipped():
    """As a custom_vjp of JAX: the outer reverse sweep clips too."""

    def squares(x):
        return np.sum(ya.grad(clipped, x, 1.0)[1][0] ** 2)

    h = np.tanh(X)
    d, first = 1 - h * h, np.clip(3 * h * h, -1, 1)
    outer = 2 * first * d
    through = np.clip(outer * d * (3 * h * h <= 1) * 6 * h, -1, 1)
    expected = (-2 * outer * first * h + through) * d
    np.testing.assert_allclose(ya.grad(squares, X)[1][0], expected)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: ya.replace_grad([x, x], abs)[0].sum(), "given a list"),
        (lambda x: np.sum(ya.replace_grad(x)), "the arguments do not fit"),
        (
            lambda x: np.sum(ya.replace_grad(x, lambda d: ya.replace_grad(d, abs))),
            "calls `replace_grad` itself",
        ),
    ],
)
def test_what_is_refused(f, message):
    with pytest.raises(ya.UnsupportedCall, match=message):
        ya.grad(f, X)


def test_an_adjoint_of_another_shape_is_refused():
    def f(x):
        return np.sum(ya.replace_grad(x * x, lambda d: d[1:]))

    with pytest.raises(ya.ShapeError, match=r"shape \(2,\) of one of shape \(3,\)"):
        ya.grad(f, X)
    with pytest.raises(ValueError, match="replace_grad"):
        ya.simplegrad(f)(X)
