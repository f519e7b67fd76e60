"""Transforms called inside a function that is itself differentiated."""

import numpy as np
import pytest

import yota_ast as ya


def energy(x):
    return np.sum(x**3)


def coupled(x, a):
    return np.sum(np.sin(x) * a * x)


def penalty(x):
    value, slope = ya.value_and_grad(energy)(x)
    return np.sum(slope * slope) + value


def both(x, a):
    _, (dx, da) = ya.value_and_grad(coupled, wrt=["x", "a"])(x, a)
    return np.sum(dx * da)


def second(x, a):
    return np.sum(ya.value_and_grad(coupled, wrt=1)(x, a)[1] ** 2)


def within_a_loop(x, n):
    for _ in range(n):
        x = x - 0.1 * ya.value_and_grad(energy)(x)[1]
    return np.sum(x)


def neighbours(x):
    steps = x[1:] * x[:-1]
    return np.sum(steps * steps)


def scattered(x):
    y = x * 1.0
    np.subtract.at(y, [0, 1, 1], x * x)
    return np.sum(y * y) + np.dot(x, x[::-1]) ** 2


def slopes_written_in_parts(x):
    """The texts add to parts of what helpers make, which is no view of x."""
    _, d = ya.value_and_grad(neighbours)(x)
    _, e = ya.value_and_grad(scattered)(x)
    return np.sum(d * d) + np.sum(e * d)


X, A = np.array([0.3, 1.2, 0.7]), np.array([1.1, 0.4, 0.9])


def slope(f, args, k, v, h=1e-6):
    ends = []
    for sign in (1, -1):
        moved = list(args)
        moved[k] = args[k] + sign * h * v
        ends.append(f(*moved))
    return (ends[0] - ends[1]) / (2 * h)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    ("f", "args"),
    [
        (penalty, (X,)),
        (both, (X, A)),
        (second, (X, A)),
        (within_a_loop, (X, 3)),
        (slopes_written_in_parts, (X,)),
    ],
)
def test_value_and_grad_is_lowered_like_a_helper(f, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    val, g = ya.grad(f, *args)
    assert np.isclose(val, f(*args), rtol=1e-14)
    for k, x in enumerate(args):
        if isinstance(x, np.ndarray):
            v = np.random.default_rng(k).normal(size=x.shape)
            assert np.isclose(np.sum(g[k] * v), slope(f, args, k, v), rtol=1e-6)


def vector(x, a):
    return np.sin(x) * a


def quartic(t):
    return t**4


def by_grad(x, a):
    value, g = ya.grad(coupled, x, a)
    return np.sum(g[0] * g["a"]) + value


def by_grad_of_one(x, a):
    _, g = ya.grad(vector, x, a, wrt="a", seed=x)
    return np.sum(g[1] ** 2)


def by_simplegrad(x, a):
    _, dx, da = ya.simplegrad(coupled)(x, a)
    return np.sum(dx * da)


def by_vjp(x):
    value, pullback = ya.vjp(energy)(x)
    return np.sum(pullback(1.0) ** 2) * value


def by_vjp_of_two(x, a):
    value, pullback = ya.vjp(vector, wrt=[0, 1])(x, a)
    dx, da = pullback(value * a)
    return np.sum(dx * da)


def by_jacobian(x, a):
    return np.sum(ya.jacobian(vector)(x, a) ** 3)


def by_jacobian_of_a_number(x, a):
    return np.sum(ya.jacobian(coupled, wrt=1)(x, a) ** 3)


def by_jvp(x, a):
    value, change = ya.jvp(coupled)(x, a, x**2, None)
    return value * change


def by_jvp_of_two(x, a):
    value, change = ya.jvp(vector)(x, a, x**2, a)
    return np.sum(value * change)


def by_hvp(x, a):
    return np.sum(ya.hvp(coupled)(x, a, a) ** 2)


def by_hessian(x, a):
    return np.sum(ya.hessian(coupled, wrt="x")(x, a) ** 2)


def by_scalars(x):
    t = np.sum(x)
    return ya.hessian(quartic)(t) + ya.jacobian(quartic)(t)


def descent(x, a, n):
    for _ in range(n):
        x = x - 0.1 * ya.grad(coupled, x, a)[1]["x"]
    return np.sum(x * a)


def newton(x, n):
    for _ in range(n):
        slope = ya.value_and_grad(bowl)(x)[1]
        x = x - np.linalg.solve(ya.hessian(bowl)(x), slope)
    return np.sum(x**2)


def bowl(x):
    return np.sum(np.cosh(x) + x**2 + 0.3 * x)


EVERY = [
    (by_grad, (X, A)),
    (by_grad_of_one, (X, A)),
    (by_simplegrad, (X, A)),
    (by_vjp, (X,)),
    (by_vjp_of_two, (X, A)),
    (by_jacobian, (X, A)),
    (by_jacobian_of_a_number, (X, A)),
    (by_jvp, (X, A)),
    (by_jvp_of_two, (X, A)),
    (by_hvp, (X, A)),
    (by_hessian, (X, A)),
    (by_scalars, (X,)),
    (descent, (X, A, 3)),
    (newton, (X, 1)),
]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("f", "args"), EVERY)
def test_every_transform_nests(f, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    expected = f(*args)
    val, g = ya.grad(f, *args)
    assert np.isclose(val, expected, rtol=1e-13)
    along = [0.3 + np.arange(3.0) if isinstance(x, np.ndarray) else None for x in args]
    _, change = ya.jvp(f)(*args, *along)
    total = 0.0
    for k, v in enumerate(along):
        if v is not None:
            assert np.isclose(np.sum(g[k] * v), slope(f, args, k, v), rtol=1e-6)
            total += np.sum(g[k] * v)
    assert np.isclose(change, total, rtol=1e-9)


def test_a_gradient_has_a_tangent():
    df = ya.simplegrad(coupled, X, A)
    _, change = ya.jvp(df)(X, A, 1.0, np.ones(3), None, None)
    assert np.allclose(change[1], ya.hvp(coupled)(X, np.ones(3), A))


def in_two_arguments(x, a):
    return np.sum(ya.hessian(coupled, wrt=["x", "a"])(x, a))


def of_no_argument(x, a):
    return np.sum(ya.value_and_grad(coupled, wrt="b")(x, a)[1])


def with_an_option(x, a):
    return np.sum(ya.value_and_grad(coupled, argnums=0)(x, a)[1])


def of_a_writer(x, a):
    def shifted(y):
        y += a
        return np.sum(y * x)

    return np.sum(ya.value_and_grad(shifted)(x)[1])


class Counter:
    def __init__(self):
        self.n = 0

    def counted(self, x):
        self.n += 1
        return np.sum(x * x)


def of_a_counter(x, a):
    return np.sum(ya.value_and_grad(Counter().counted)(x)[1] * a)


UNEXPECTED = (
    "the call of `value_and_grad` is wrong: got an unexpected keyword argument '{}'"
)


@pytest.mark.parametrize(
    ("f", "args", "reason"),
    [
        (
            in_two_arguments,
            (X, A),
            "hessian differentiates one argument, but `wrt` names several",
        ),
        (of_no_argument, (X, A), "wrt: no argument 'b'; the arguments are x, a"),
        (with_an_option, (X, A), UNEXPECTED.format("argnums")),
        (
            of_a_writer,
            (X, A),
            "the function writes into `y`, which may be an array from outside",
        ),
    ],
)
def test_what_does_not_nest(f, args, reason):
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(f, *args)
    assert caught.value.reason == reason
    assert caught.value.filename == __file__


made = ya.simplegrad(energy, X)


def by_a_text(x):
    return np.sum(made(x)[1] ** 2)


def test_a_gradient_made_outside_is_called_inside():
    assert np.allclose(ya.grad(by_a_text, X)[1][0], 36 * X**3)


def pulled(q):
    q = q.copy()
    for _ in range(2):
        a = np.zeros_like(q)
        for i in range(len(q)):
            for j in range(len(q)):
                if i != j:
                    d = q[j] - q[i]
                    a[i] += d * d
        q += 0.1 * a
    return np.sum(q**2)


def test_lists_that_loops_in_loops_save_are_saved_whole():
    q = np.random.default_rng(0).normal(size=(3, 2))
    along = np.random.default_rng(1).normal(size=(3, 2))
    gradient = ya.grad(lambda z: np.sum(np.sin(ya.grad(pulled)(z))))(q)

    def at(t):
        return np.sum(np.sin(ya.grad(pulled, q + t * along)[1][0]))

    slope = (at(1e-6) - at(-1e-6)) / 2e-6
    np.testing.assert_allclose(np.sum(gradient * along), slope, rtol=1e-6)


def saved_in_one_arm(x, a, n):
    if len(x) == 0:
        while n > 0:
            a = np.ones(2) * a
            n -= 1
    a += 0.5
    return a


def test_what_one_arm_alone_saves_is_copied_where_it_is_there():
    def outer(x, a, n):
        value, slope = ya.grad(saved_in_one_arm, x, a, n, wrt=["x", "a"])
        return value + slope["a"] ** 2

    value, gradient = ya.grad(outer, np.ones(3), 0.2, 1)
    assert value == 1.7
    assert gradient["a"] == 1.0
    assert not np.any(gradient["x"])


def lengths_of_slopes(A):
    """The slope of a norm is a unit vector: what a loop saves of it is constant."""
    total = 0.0
    for a in A:
        total = total + np.sum(ya.grad(np.linalg.norm)(a) * a)
    return total


def test_a_loop_saves_the_cotangent_of_a_norm():
    rows = np.array([[3.0, 4.0], [0.6, -0.8]])
    value, slope = ya.value_and_grad(lengths_of_slopes)(rows)
    assert np.isclose(value, 6.0)
    np.testing.assert_allclose(slope, rows / [[5.0], [1.0]], atol=1e-12)


# ---------------------------------------------------------------- lengths below 0


def exchanged(x, a, n):
    for _ in range(n - 1):
        x[1], x[0] = x[0], x[1]
    return np.sum(a * x)


def twice(x, a, n):
    val, d = ya.value_and_grad(exchanged, wrt="a")(x, a, n)
    return val + d


def taken_apart(x):
    first, *others = [2.0, *x[1:]]
    return first * sum(others) + np.sum(x)


def test_a_range_to_less_than_zero_has_no_items():
    """The text refused its own example: it was made for n - 1 = 0."""
    made = ya.simplegrad(twice, np.ones(3), 0.3, 0)
    for n in (0, 1):
        assert made(np.ones(3), 0.3, n)[0] == pytest.approx(3.9)
    with pytest.raises(ValueError, match="made for n - 1 <= 0"):
        made(np.ones(3), 0.3, 2)


def test_a_part_of_an_empty_array_has_no_items():
    made = ya.simplegrad(taken_apart, np.zeros(0))
    assert made(np.zeros(0))[0] == 0.0
    value, dx = made(np.ones(1))
    assert (value, dx.tolist()) == (1.0, [1.0])
    with pytest.raises(ValueError, match=r"made for x.shape\[0\] - 1 <= 0"):
        made(np.ones(2))


def test_complex_numbers_that_are_found_as_it_runs_have_no_inner_matrix():
    from yota_ast.nesting.nested_functions import columns, rows

    message = "the inner jacobian or hessian is of complex numbers: call vjp or jvp"
    x = np.array([1.0, 2.0])
    for run in (lambda: rows(abs, x * 1j, x), lambda: columns(np.add, x * 1j)):
        with pytest.raises(ValueError, match=f"^{message}$"):
            run()
