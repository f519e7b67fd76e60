"""Jacobians and Hessians: both modes, structures, the shapes that SciPy wants."""

import itertools

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import jacobians

T = np.linspace(0.0, 4.0, 7)
X = np.array([1.0, 2.0])


def residuals(p, t):
    return p[0] * np.exp(-p[1] * t) + p[2]


def model(t, a, b, c):
    return a * np.exp(-b * t) + c


def parts(p):
    return {"a": p["w"] ** 2 * p["b"], "s": "text", "l": [p["w"][0], p["b"]]}


def slopes(f, x, h=1e-6):
    """The Jacobian by differences."""
    columns = []
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = h
        step = step.reshape(x.shape)
        columns.append((np.asarray(f(x + step)) - np.asarray(f(x - step))) / (2 * h))
    return np.moveaxis(np.array(columns), 0, -1).reshape(columns[0].shape + x.shape)


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: residuals(x, T), np.array([2.5, 1.3, 0.5])),
        (lambda x: np.sum(x**3), X),
        (lambda x: np.outer(x, x), X),
        (lambda x: x[0] * x, np.array([[1.0, 2.0], [3.0, 4.0]])),
        (lambda x: np.sin(x), np.array(0.5)),
        (lambda x: x * (1 + 2j), X),
    ],
)
def test_both_modes_give_the_same(f, x, mode):
    found = ya.jacobian(f, mode=mode)(x)
    expected = slopes(f, x)
    assert np.shape(found) == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def counting(monkeypatch):
    """How often the compiled tangent and the compiled gradient are asked for."""
    counts = {"forward": 0, "reverse": 0}
    forward, reverse = jacobians.with_tangent, jacobians.gradient_entry

    def with_tangent(*args):
        counts["forward"] += 1
        return forward(*args)

    def gradient_entry(*args, **kwargs):
        counts["reverse"] += 1
        return reverse(*args, **kwargs)

    monkeypatch.setattr(jacobians, "with_tangent", with_tangent)
    monkeypatch.setattr(jacobians, "gradient_entry", gradient_entry)
    return counts


def test_the_cheaper_mode_is_taken_and_looked_up_once(monkeypatch):
    counts = counting(monkeypatch)
    p = np.array([2.5, 1.3, 0.5])
    ya.jacobian(residuals)(p, T)
    assert counts == {"forward": 1, "reverse": 0}
    ya.jacobian(residuals)(p, T[:3])
    assert counts == {"forward": 1, "reverse": 1}
    ya.jacobian(residuals)(p, T[:2])
    assert counts == {"forward": 1, "reverse": 2}
    ya.jacobian(residuals, mode="forward")(p, T[:2])
    assert counts == {"forward": 2, "reverse": 2}


def test_where_one_mode_is_refused_the_other_is_taken():
    def halved(x):
        y = x * 0.5
        try:
            y *= 0.5 if x[0] > 1.0 else x
            y *= 1.0
        except ZeroDivisionError:
            y = x
        return y

    def twice(x):
        return np.concatenate([halved(x), halved(x)])

    expected = 0.25 * np.vstack([np.eye(2)] * 2)
    np.testing.assert_array_equal(ya.jacobian(twice)(np.array([3.0, 1.0])), expected)
    with pytest.raises(ya.UnsupportedSyntax):
        ya.jacobian(twice, mode="forward")(np.array([3.0, 1.0]))


def test_stack_puts_scalar_arguments_on_one_axis():
    found = ya.jacobian(model, wrt=["a", "b", "c"], stack=True)(T, 2.5, 1.3, 0.5)
    e = np.exp(-1.3 * T)
    np.testing.assert_allclose(found, np.stack([e, -2.5 * T * e, np.ones(7)], -1))
    assert ya.jacobian(model, wrt="a", stack=True)(T, 2.5, 1.3, 0.5).shape == (7, 1)
    with pytest.raises(ya.YotaError) as caught:
        ya.jacobian(model, wrt=["a", "t"], stack=True)(T, 2.5, 1.3, 0.5)
    assert caught.value.diagnostic == (
        "YotaError: jacobian: stack=True needs scalar arguments, but 't' is not one\n"
        "Leave `stack` out."
    )


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_structures(mode):
    p = {"w": X, "b": 3.0, "n": 4}
    found = ya.jacobian(parts, mode=mode)(p)
    assert found["s"] is None
    np.testing.assert_array_equal(found["a"]["w"], np.diag(6 * X))
    np.testing.assert_array_equal(found["a"]["b"], X**2)
    np.testing.assert_array_equal(found["a"]["n"], [0.0, 0.0])
    np.testing.assert_array_equal(found["l"]["w"], [[1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_array_equal(found["l"]["b"], [0.0, 1.0])


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_several_arguments_of_a_tuple(mode):
    def f(x, k):
        return np.sum(x) * k, k * x

    (ax, ak), (bx, bk) = ya.jacobian(f, ["x", "k"], mode)(X, 2.0)
    np.testing.assert_array_equal(ax, [2.0, 2.0])
    np.testing.assert_array_equal(bx, 2 * np.eye(2))
    np.testing.assert_array_equal(bk, X)
    assert ak == 3.0
    assert type(ak) is float


def test_lists_of_numbers_are_vectors():
    def f(x):
        return [x[0] ** 2 * x[1], x[1]]

    expected = [[4.0, 1.0], [0.0, 1.0]]
    for x in (X, [1.0, 2.0], [1, 2], [1, 2.0]):
        np.testing.assert_array_equal(ya.jacobian(f)(x), expected)
    np.testing.assert_array_equal(
        ya.hessian(lambda x: x[0] ** 2 * x[1])([1, 2]), [[4.0, 2.0], [2.0, 0.0]]
    )


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_whole_numbers_in_containers_have_derivatives(mode):
    p = {"l": [3, 2.0], "n": 2, "w": np.array([1, 2]), "x": X, "b": True, "s": "t"}

    def f(p):
        return p["x"] * p["l"][0] * p["l"][1] * p["n"] + p["w"][0] ** 2 * p["b"]

    found = ya.jacobian(f, mode=mode)(p)
    np.testing.assert_array_equal(found["w"], [[2.0, 0.0], [2.0, 0.0]])
    np.testing.assert_array_equal(found["l"], np.stack([4 * X, 6 * X], axis=-1))
    np.testing.assert_array_equal(found["n"], 6 * X)
    np.testing.assert_array_equal(found["x"], 12 * np.eye(2))
    assert found["b"] is None
    assert found["s"] is None


WHOLE = {"a": 2.0, "n": 3, "l": [1, 2.5]}


def powers(p, x):
    return p["n"] ** 2 * np.sum(x**2) + p["a"] ** 2 * p["n"] * p["l"][0] * p["l"][1]


def test_second_derivatives_in_whole_numbers_of_containers():
    floats = {"a": 2.0, "n": 3.0, "l": [1.0, 2.5]}
    moving = {"a": 1.0, "n": 0.5, "l": [0.25, -1.0]}
    assert ya.hvp(powers)(WHOLE, moving, X) == ya.hvp(powers)(floats, moving, X)
    h, expected = ya.hessian(powers)(WHOLE, X), ya.hessian(powers)(floats, X)
    for row, column in itertools.product(WHOLE, WHOLE):
        np.testing.assert_array_equal(h[row][column], expected[row][column])


@pytest.mark.parametrize("n", [0.5, None])
def test_tangents_of_whole_numbers_in_containers(n):
    moving, held = {"a": 1.0, "n": n, "l": [None, -1.0]}, {"a": 1.0, "n": n or 0.0}
    slopes = ya.value_and_grad(powers)(WHOLE, X)[1]
    expected = slopes["a"] + held["n"] * slopes["n"] - slopes["l"][1]
    assert ya.jvp(powers)(WHOLE, X, moving, None) == (powers(WHOLE, X), expected)

    def nested(p, x):
        return ya.jvp(powers)(p, x, {"a": 1.0, "n": n, "l": [None, -1.0]}, None)[1]

    assert ya.grad(nested, WHOLE, X)[0] == expected


TRANSFORMED = [
    lambda p, x: ya.value_and_grad(powers)(p, x)[1],
    lambda p, x: ya.grad(powers)(p, x),
    lambda p, x: ya.grad(powers, p, x, wrt="p")[1][0],
    lambda p, x: ya.grad(powers, p, x, wrt=["p", "x"])[1]["p"],
    lambda p, x: ya.vjp(powers)(p, x)[1](1.0),
]


@pytest.mark.parametrize("gradient", TRANSFORMED)
@pytest.mark.parametrize("wrt", [None, "p", "x"])
def test_nested_gradients_in_whole_numbers_of_containers(gradient, wrt):
    def outer(p, x):
        d = gradient(p, x)
        return d["a"] + d["n"] * np.sum(x) + d["l"][0]

    value, _ = ya.grad(outer, WHOLE, X, wrt=wrt)
    assert value == outer(WHOLE, X)


@pytest.mark.parametrize("wrt", [None, "p", "x"])
def test_a_nested_grad_without_wrt_leaves_whole_numbers_out(wrt):
    def outer(p, x):
        d = ya.grad(powers, p, x)[1][0]
        return d["a"] if d["n"] is None and d["l"][0] is None else 0.0

    value, _ = ya.grad(outer, WHOLE, X, wrt=wrt)
    assert value == outer(WHOLE, X) != 0.0


def test_hessians_of_structures():
    def loss(p):
        return np.sum(p["w"] ** 2) * p["b"]

    h = ya.hessian(loss)({"w": np.ones(2), "b": 3.0})
    np.testing.assert_array_equal(h["w"]["w"], 6 * np.eye(2))
    np.testing.assert_array_equal(h["w"]["b"], [2.0, 2.0])
    np.testing.assert_array_equal(h["b"]["w"], [2.0, 2.0])
    assert h["b"]["b"] == 0.0


def test_a_function_that_writes_into_its_arguments_writes_once():
    def written(x):
        x *= 2.0
        return x**2

    for mode in ("forward", "reverse"):
        x = np.array([0.5, 1.5])
        found = ya.jacobian(written, mode=mode)(x)
        np.testing.assert_array_equal(found, np.diag([4.0, 12.0]))
        np.testing.assert_array_equal(x, [1.0, 3.0])


def test_blocks_have_the_dtype_of_the_argument_and_memory_of_their_own():
    x = np.ones(2, np.float32)
    for mode in ("forward", "reverse"):
        assert ya.jacobian(lambda x: x * x, mode=mode)(x).dtype == np.float32
    first, second = ya.jacobian(lambda x: (x, 2 * x))(X)
    assert not np.shares_memory(first, second)
    first[:] = 0.0
    assert second.tolist() == [[2.0, 0.0], [0.0, 2.0]]


def test_jacobians_of_nothing():
    assert ya.jacobian(lambda x: 2 * x)(np.zeros(0)).shape == (0, 0)
    assert ya.jacobian(lambda x: np.ones(3) * np.sum(x))(np.zeros(0)).shape == (3, 0)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ya.jacobian(lambda x: None)(X),
         ("YotaError: jacobian: f returns NoneType, which has no derivative\n"
         "Return numbers or arrays, or a tuple, list or dict of them.")),
        (lambda: ya.jacobian(lambda x: x, mode="forward")(3),
         ("YotaError: jacobian: integers have no tangent\n"
         'Give floats, or use mode="reverse".')),
        (lambda: ya.jacobian(lambda z: z * z)(1j * X),
         ("YotaError: jacobian: the derivative with respect to a complex argument is a "
         "matrix only if f is holomorphic\n"
         "Call `vjp` or `jvp`, or give the real and imaginary parts.")),
    ],
)  # fmt: skip
def test_refused(call, text):
    with pytest.raises(ya.YotaError) as caught:
        call()
    assert caught.value.diagnostic == text


def test_inside():
    def outer(x):
        stacked = ya.jacobian(model, wrt=["a", "b"], stack=True)(T, x[0], x[1], 0.5)
        return np.sum(stacked**2)

    assert ya.gradcheck(outer, X)


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (lambda x: np.sum(ya.jacobian(residuals, mode="forward")(x, T)),
         "the inner `jacobian` has the option `mode=`"),
        (lambda x: np.sum(ya.jacobian(model, wrt="a", stack=x[0] > 0)(T, *x)),
         "the option `stack=` of `jacobian` is unknown"),
    ],
)  # fmt: skip
def test_options_that_are_not_followed_inside(f, reason):
    with pytest.raises(ya.UnsupportedCall) as caught:
        ya.grad(f, np.array([2.5, 1.3, 0.5]))
    assert caught.value.reason == reason


# ---------------------------------------------------------------- complex numbers


def turned(x):
    return np.sin(x) * (1 + 2j)


def bent(z):
    return z * np.abs(z)


def height(z):
    return np.sum(np.abs(z) ** 4)


Z = np.array([1 + 2j, 0.5 - 1j])


@pytest.mark.parametrize(
    "matrix",
    [
        lambda: ya.hessian(height)(Z),
        lambda: ya.hessian(lambda p: height(p["z"]) * p["k"])({"z": Z, "k": 2.0}),
        lambda: ya.vmap(ya.hessian(height))(np.stack([Z, Z])),
        lambda: ya.vmap(ya.jacobian(turned))(np.ones((2, 3))),
        lambda: ya.vmap(ya.jacobian(bent))(np.stack([Z, Z])),
        lambda: ya.grad(lambda x: np.sum(np.abs(ya.jacobian(turned)(x)) ** 2))(Z.real),
        lambda: ya.grad(lambda x: np.abs(ya.jacobian(turned)(x)) ** 2)(0.5),
        lambda: ya.grad(lambda z: np.sum(np.real(ya.jacobian(bent)(z))))(Z),
        lambda: ya.grad(lambda z: np.sum(np.real(ya.hessian(height)(z))))(Z),
    ],
    ids=[
        *("hessian", "in a dict", "batch of hessians", "batch of complex values"),
        *("batch at complex points", "nested", "nested number"),
        *("nested at complex points", "nested hessian"),
    ],
)
def test_no_matrix_tells_the_derivative_in_complex_numbers(matrix):
    """The imaginary parts were lost."""
    with pytest.raises(ya.YotaError, match="complex"):
        matrix()


def test_matrices_in_complex_numbers_that_tell_it():
    sweeps = ya.jacobian(turned)(Z.real)
    np.testing.assert_allclose(sweeps, np.diag(np.cos(Z.real) * (1 + 2j)))
    rows = ya.vmap(ya.jacobian(lambda z: np.abs(z) ** 2))(Z)
    np.testing.assert_allclose(rows, 2 * Z)
    along = ya.hvp(height)(Z, 1j * Z)
    np.testing.assert_allclose(along, 4j * Z * np.abs(Z) ** 2)
