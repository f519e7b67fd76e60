"""Transforms inside bind their arguments as they do outside, and give memory of their
own: each program is compared with Python running it, and with differences."""

import functools
import math

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import direction, inner, same_bits, still
from tests.test_nesting_functions import slope

X, A = np.array([0.3, 1.2, 0.7]), np.array([1.1, 0.4, 0.9])
T = 2.0


def two(x, a):
    return np.sum(np.sin(x) * a**2 + x**3)


def three(x, a, k=2.0):
    return np.sum(np.sin(x) * a**2 + k * x**3) * k


def vector(x, a, k=2.0):
    return np.sin(x) * a**2 * k


def lead(k, x, a):
    return np.sum(k * np.sin(x) * a**2 + x**3)


def by_position(x, a, /, k=1.5):
    return np.sum(np.sin(x) * a**2 + k * x**3)


def by_keyword(x, *, a, k=1.5):
    return np.sum(np.sin(x) * a**2 + k * x**3)


def more(x, *rest):
    return np.sum(np.sin(x) * rest[0] ** 2 + x**3) * (rest[1] if len(rest) > 1 else 1.0)


def named(x, **given):
    return np.sum(np.sin(x) * given["a"] ** 2 + x**3)


def product(p):
    return np.sum(p[0] ** 3 * p[1] ** 2)


class Model:
    def __init__(self, w):
        self.w = w

    def loss(self, x, k=2.0):
        return np.sum(self.w**2 * np.sin(x) * k)

    def __call__(self, x, k=2.0):
        return np.sum(self.w**2 * np.sin(x) * k**2)

    @staticmethod
    def plain(x, a):
        return two(x, a)

    @classmethod
    def of_class(cls, x, a):
        return two(x, a)


HELD = Model(A)
WEIGHTS = [0.5, 3.0]
FILLED = functools.partial(lead, 2.0)
FILLED_BY_NAME = functools.partial(three, k=0.5)


def squares(*parts):
    return sum(np.sum(part**2) for part in parts)


# ---------------------------------------------------------------- names and positions

VALUE_AND_GRAD = [
    lambda x, a: ya.value_and_grad(two)(a=a, x=x)[1],
    lambda x, a: ya.value_and_grad(two, wrt=1)(a=a, x=x)[1],
    lambda x, a: ya.value_and_grad(two, wrt=[1, 0])(a=a, x=x)[1][0],
    lambda x, a: ya.value_and_grad(three, wrt=-1)(x, a)[1],
    lambda x, a: ya.value_and_grad(three, wrt="k")(x, a)[1],
    lambda x, a: ya.value_and_grad(three, wrt=0)(k=3.0, a=a, x=x)[1],
    lambda x, a: ya.value_and_grad(three, wrt=1)(*(x,), a=a)[1],
    lambda x, a: ya.value_and_grad(by_position, wrt=[0, 1, 2])(x, a)[1][2],
    lambda x, a: ya.value_and_grad(by_keyword, wrt="a")(x, a=a)[1],
    lambda x, a: ya.value_and_grad(by_keyword, wrt=2)(x, a=a)[1],
    lambda x, a: ya.value_and_grad(by_keyword, wrt=-1)(k=2.0, a=a, x=x)[1],
    lambda x, a: ya.value_and_grad(more)(x, a)[1],
    lambda x, a: ya.value_and_grad(more, wrt="rest")(x, a, 2.0)[1][0],
    lambda x, a: ya.value_and_grad(more, wrt=1)(x, a, 2.0)[1][1],
    lambda x, a: ya.value_and_grad(named)(x, a=a)[1],
    lambda x, a: ya.value_and_grad(named, wrt="given")(x, a=a)[1]["a"],
]


def in_names_of_its_own(x, a):
    def inside(u, v=T, *, w=a):
        return np.sum(u**3 * v * w**2)

    return ya.value_and_grad(inside, wrt=2)(v=3.0, u=x)[1]


def of_what_is_left_out(x, a):
    def inside(u, v=a):
        return np.sum(u**3 * v**2)

    return ya.value_and_grad(inside, wrt="v")(x)[1]


def of_any_number(x, a):
    def inside(*parts, scale=1.0):
        return np.sum(parts[0] ** 3 * parts[1] ** 2) * scale

    return ya.value_and_grad(inside)(x, a, scale=2.0)[1][1]


PARTS_AND_METHODS = [
    lambda x, a: ya.value_and_grad(functools.partial(lead, 2.0), wrt=1)(x, a)[1],
    lambda x, a: ya.value_and_grad(functools.partial(lead, x=x), wrt="a")(2.0, a=a)[1],
    lambda x, a: ya.value_and_grad(functools.partial(lead, x=x), wrt=1)(2.0, a=a)[1],
    lambda x, a: ya.value_and_grad(functools.partial(three, k=3.0), wrt=-1)(x, a)[1],
    lambda x, a: ya.value_and_grad(functools.partial(three, k=3.0), wrt="k")(
        x, a, k=4.0
    )[1],
    lambda x, a: ya.value_and_grad(FILLED, wrt=1)(x, a)[1],
    lambda x, a: ya.value_and_grad(FILLED_BY_NAME, wrt=[0, 1, 2])(x, a)[1][2],
    lambda x, a: ya.value_and_grad(functools.partial(more, x), wrt=0)(a, 2.0)[1][0],
    lambda x, a: ya.value_and_grad(functools.partial(Model(a), k=3.0))(x)[1],
    lambda x, a: functools.partial(ya.value_and_grad(two, wrt=1), a=a)(x)[1],
    lambda x, a: functools.partial(ya.value_and_grad, wrt=1)(two)(a=a, x=x)[1],
    lambda x, a: ya.value_and_grad(Model(a).loss)(x=x)[1],
    lambda x, a: ya.value_and_grad(Model(a).loss, wrt=1)(x)[1],
    lambda x, a: ya.value_and_grad(Model.loss, wrt=1)(Model(a), x)[1],
    lambda x, a: ya.value_and_grad(Model(a), wrt=0)(k=3.0, x=x)[1],
    lambda x, a: ya.value_and_grad(Model.plain, wrt=1)(a=a, x=x)[1],
    lambda x, a: ya.value_and_grad(Model.of_class, wrt=1)(a=a, x=x)[1],
    lambda x, a: ya.value_and_grad(HELD, wrt=0)(k=3.0, x=x)[1] * a,
    lambda x, a: ya.value_and_grad(HELD.loss, wrt=1)(k=3.0, x=x)[1] * a,
]
OTHERS = [
    lambda x, a: ya.hessian(two, wrt=1)(a=a, x=x),
    lambda x, a: ya.hessian(three, wrt="k")(x, a),
    lambda x, a: ya.hessian(by_keyword, wrt="a")(a=a, x=x),
    lambda x, a: ya.hessian(more)(x, a, 2.0),
    lambda x, a: ya.jacobian(vector, wrt=1)(a=a, x=x),
    lambda x, a: ya.jacobian(vector, wrt=[0, 2])(x, a)[1],
    lambda x, a: ya.jacobian(vector, wrt=-1)(k=4.0, a=a, x=x),
    lambda x, a: ya.vjp(vector, wrt=[2, "a"])(a=a, x=x)[1](x)[1],
    lambda x, a: ya.vjp(two)(x, a)[1](seed=2.0),
    lambda x, a: ya.hvp(three)(x, a, a, k=3.0),
    lambda x, a: ya.hvp(three)(x, a, a=a, k=3.0),
    lambda x, a: ya.hvp(by_keyword)(x, a, a=a),
    lambda x, a: ya.hvp(more)(x, a, a, 2.0),
    lambda x, a: ya.hvp(functools.partial(lead, 2.0, a=a))(x, a),
    lambda x, a: ya.jacobian(ya.hvp(three), wrt="a")(x, a, a),
    lambda x, a: ya.simplegrad(two, wrt=1)(a=a, x=x)[1],
    lambda x, a: ya.simplegrad(three)(x, a)[3],
    lambda x, a: ya.simplegrad(three, x, a, k=2.0)(x, a, 2.0)[3],
    lambda x, a: ya.simplegrad(vector, wrt="a")(x, a, 1.0, seed=x)[1],
]


def gradients_by_argument(x, a):
    _, g = ya.grad(three, a=a, x=x)
    return g[0] * g["k"] + g[-2] * len(g) + sum(np.sum(d) for d in g)


def gradients_of_some(x, a):
    _, g = ya.grad(three, x, a, wrt="a")
    return sum(1.0 if d is None else np.sum(d**2) for d in g) * len(g)


def gradients_unpacked(x, a):
    _, (dx, da, dk) = ya.grad(three, x, a)
    return dx * da * dk


def gradients_of_keywords(x, a):
    _, g = ya.grad(named, x, a=a)
    return g["given"]["a"] * g[0]


def of_a_seed_that_is_a_parameter(x, a):
    def weighted(u, seed):
        return np.sum(u**3 * seed**2)

    return (
        ya.simplegrad(weighted)(x, seed=a)[2]
        + ya.simplegrad(weighted)(x, a, seed_2=3.0)[1]
    )


def of_a_call_within_a_call(x, a):
    def inside(u, v):
        return np.sum(ya.value_and_grad(two, wrt=1)(a=v, x=u)[1] ** 2)

    return ya.value_and_grad(inside, wrt=1)(v=a, u=x)[1]


# ---------------------------------------------------------------- tangents

TANGENTS = [
    lambda x, a: ya.jvp(three)(x, a, a, x)[1],
    lambda x, a: ya.jvp(three)(x, a, 3.0, a, x, 0.5)[1],
    lambda x, a: ya.jvp(three)(x, a, a, x, k=3.0)[1],
    lambda x, a: ya.jvp(by_keyword)(x, a, a=a)[1],
    lambda x, a: ya.jvp(two)(x, a, None, x)[1],
    lambda x, a: ya.jvp(more)(x, a, 2.0, a, x, None)[1],
    lambda x, a: ya.jvp(more)(x, a, 2.0, a, None, None)[1],
    lambda x, a: ya.jvp(functools.partial(more, x, a))(2.0, 0.5)[1],
    lambda x, a: ya.jvp(product)([x, a], [None, x])[1],
    lambda x, a: ya.jvp(lambda p: product((p["u"], p["v"])))(
        {"u": x, "v": a}, {"u": a}
    )[1],
    lambda x, a: ya.jvp(lambda p: product(p[0]) * p[1])(
        [(x, a), 2.0], [(None, x), None]
    )[1],
    lambda x, a: ya.jvp(lambda p: product(p[0]) * p[1])([(x, a), 2.0], [None, 1.0])[1],
    lambda x, a: ya.jvp(lambda u, n: np.sum(u**n))(x, 3, a, None)[1],
    lambda x, a: ya.jvp(Model(a).loss)(x, a)[1],
    lambda x, a: ya.jvp(lambda q: sum(v**3 for v in q))([*x], [*a])[1],
]


def along_an_alias(x, a):
    y = a * 1.0
    _, d = ya.jvp(lambda u: u + 1.0)(x, y)
    d[0] = 5.0
    return d * y * x


def along_a_view(x, a):
    y = a * 1.0
    _, d = ya.jvp(lambda u: u[1:])(x, y)
    y[1] = 5.0
    return np.sum(d) * y * x


def of_one_array_twice(x, a):
    y = a * 1.0
    _, (d, e) = ya.jvp(lambda u: (u, u))(x, y)
    d[0] = 5.0
    return d * e * y * x


def of_a_container(x, a):
    y = a * 1.0
    _, d = ya.jvp(lambda u: {"p": u, "q": [u, u * 2]})(x, y)
    d["p"][0] = 5.0
    d["q"][0][1] = 7.0
    return y * x + d["p"] * x + d["q"][0] * d["q"][1]


def beside_its_value(x, a):
    y = x * 1.0
    value, d = ya.jvp(lambda u: u)(y, a)
    value[0] = 2.0
    d[0] = 3.0
    return y * value * d


def of_a_product(x, a):
    y = a * 1.0
    d = ya.hvp(lambda u: 0.5 * np.sum(u * u))(x, y)
    d[0] = 5.0
    return d * y * x


# ---------------------------------------------------------------- pullbacks, choices


def pulled_again(x, a):
    _, pull = ya.vjp(vector)(x, a)
    return sum(pull(x * i) ** 2 for i in range(3))


def pulled_before_a_write(x, a):
    y = x * 1.0
    _, pull = ya.vjp(vector)(y, a)
    d = pull(x)
    y[0] = 4.0
    return d * y


def pulled_of_a_copy(x, a):
    y = x * 1.0
    _, pull = ya.vjp(vector)(np.array(y), a)
    y[0] = 4.0
    return pull(y)


def pulled_of_a_list_that_changes(x, a):
    p = [x, a]
    _, pull = ya.vjp(lambda q: np.sin(q[0]) * q[1] ** 2)(p)
    p[1] = x
    return pull(x)[1] * p[1]


def of_its_own_container(x, a):
    p = {"u": x * 1.0}
    value, d = ya.jvp(lambda q: q)(p, {"u": a})
    value["u"] = a
    d["u"] = d["u"] * x
    return p["u"] * d["u"]


def of_one_that_calls_itself(x, a):
    def inside(u, n=2):
        if n == 0:
            return np.sum(u**2 * a)
        return inside(u * 1.5, n - 1) + np.sum(u)

    return ya.value_and_grad(inside)(n=3, u=x)[1]


def beside_a_list_of_a_module(x, a):
    def weighted(u, weights=WEIGHTS):
        return np.sum(u**2) * weights[0] * weights[1]

    return ya.grad(weighted, x)[1]["u"] * a


def in_each_pass(x, a):
    y, total = x * 1.0, 0.0
    for i in range(3):
        y[i] = y[i] * a[0]
        _, pull = ya.vjp(vector)(y, a)
        total += pull(a)
    return total


def other(x, a):
    return np.sum(np.cos(x) * a)


def of_one_of_two(x, a):
    f = two if x[0] > 1.0 else other
    hessian = ya.hessian(f, wrt=1)(a=a, x=x)
    return np.sum(ya.grad(f, x, a=a)[1]["x"] ** 2 + ya.hvp(f)(x, a, a)) + hessian


def of_one_of_two_with_other_names(x, a):
    def swapped(a, x):
        return np.sum(a**3 * x)

    f = two if x[0] > 1.0 else swapped
    return ya.value_and_grad(f, wrt=0)(a=a, x=x)[1] * ya.jvp(f)(x, a, a, None)[1]


def of_one_of_two_partials(x, a):
    f = two if x[0] > 1.0 else three
    return ya.value_and_grad(functools.partial(f, a=a))(x)[1]


def of_a_method_of_one_of_two(x, a):
    m = Model(a) if x[0] > 1.0 else Model(x)
    return ya.value_and_grad(m.loss)(x)[1] * ya.value_and_grad(m)(x, k=3.0)[1]


def pulled_of_one_of_two(x, a):
    g = vector if x[0] > 1.0 else lambda x, a: np.cos(x) * a
    _, pull = ya.vjp(g)(x, a)
    return pull(a)


def of_each_in_a_loop(x, a):
    return sum(ya.value_and_grad(f, wrt=-1)(x, a)[1] for f in (two, three))


EVERY = [
    *VALUE_AND_GRAD, *PARTS_AND_METHODS, *OTHERS, *TANGENTS,
    in_names_of_its_own, of_what_is_left_out, of_any_number, gradients_by_argument,
    gradients_of_some, gradients_unpacked, gradients_of_keywords,
    of_a_seed_that_is_a_parameter, of_a_call_within_a_call, along_an_alias,
    along_a_view, of_one_array_twice, of_a_container, beside_its_value, of_a_product,
    pulled_again, pulled_before_a_write, pulled_of_a_copy,
    pulled_of_a_list_that_changes, of_its_own_container, of_one_that_calls_itself,
    beside_a_list_of_a_module, in_each_pass, of_one_of_two,
    of_one_of_two_with_other_names, of_one_of_two_partials, of_a_method_of_one_of_two,
    pulled_of_one_of_two, of_each_in_a_loop,
]  # fmt: skip


@pytest.mark.part(2)
@pytest.mark.parametrize("part", EVERY, ids=lambda f: f.__name__)
def test_it_is_what_python_computes(part):
    def f(x, a):
        return np.sum(part(x, a) ** 2)

    x, a = X.copy(), A.copy()
    value, g = ya.grad(f, x, a)
    assert np.isclose(value, f(X, A), rtol=1e-12)
    assert same_bits((x, a), (X, A))
    rng = np.random.default_rng(3)
    for k in range(2):
        v = [direction(z, rng) if j == k else still(z) for j, z in enumerate((X, A))]
        assert np.isclose(inner(g[k], v[k]), slope(f, (X, A), v), rtol=1e-6, atol=1e-7)


def test_a_pullback_is_a_function_like_any_other():
    def f(x, a):
        _, pull = ya.vjp(vector)(x, a)
        return np.sum(ya.jvp(pull)(x, a)[1] * x)

    value, g = ya.grad(f, X, A)
    assert np.isclose(value, np.sum(np.cos(X) * A**2 * T * A * X), rtol=1e-12)
    assert np.allclose(g["a"], 3 * np.cos(X) * A**2 * T * X, rtol=1e-12)


def test_what_only_the_run_tells_of_the_shapes_is_asked_there():
    with pytest.raises(ValueError, match="two_jvp: dx must have the shape of x"):
        ya.grad(lambda x, a: ya.jvp(two)(x, a, a[:1], None)[1], X, A)


def written_in_an_arm(y):
    if y[0] > 0.1:
        y[0] = 4.0


def written_by_another_name(y):
    part = y[1:]
    part[0] = 4.0


def written_in_a_loop(y):
    for i in range(3):
        y[i] = y[i] * 2.0


@pytest.mark.parametrize(
    "write", [written_in_an_arm, written_by_another_name, written_in_a_loop]
)
@pytest.mark.parametrize("held", ["argument", "around", "item"])
def test_no_pullback_reads_an_array_that_was_written(write, held):
    def f(x, a):
        y = x * 1.0
        if held == "argument":
            _, pull = ya.vjp(vector)(y, a)
        elif held == "around":
            _, pull = ya.vjp(lambda u: np.sin(u) * y)(a)
        else:
            _, pull = ya.vjp(lambda p: np.sin(p["u"][0]))({"u": (y, a)})
        write(y)
        d = pull(x)
        return np.sum(d if held != "item" else d["u"][0])

    refuse_to_pull(f)


@pytest.mark.parametrize("write", ["item", "append"])
def test_no_pullback_reads_a_list_that_was_changed(write):
    def f(x, a):
        y = [v * 2.0 for v in x]
        _, pull = ya.vjp(lambda q: sum(v**3 for v in q))(y)
        if write == "item":
            y[0] = a[0]
        else:
            y.append(a[0])
        return sum(v**2 for v in pull(1.0))

    refuse_to_pull(f)


def refuse_to_pull(f):
    reason = "an array or list that the pullback reads has changed since the call"
    with pytest.raises(ya.YotaError, match=reason) as caught:
        ya.grad(f, X, A)
    assert caught.value.filename == __file__


def written(x):
    x *= 2.0
    return np.sum(x**3)


def test_a_hessian_of_a_function_that_writes_is_of_one_place():
    def f(x):
        y = x * 1.0
        return np.sum(ya.hessian(written)(y)) * np.sum(y)

    value, g = ya.grad(f, X)
    assert np.isclose(value, 48 * np.sum(X) * 2 * np.sum(X), rtol=1e-12)
    assert np.allclose(g["x"], 192 * np.sum(X), rtol=1e-12)


def shifted(y, a):
    y += a
    y[1:] *= y[:-1]
    return y * y * a


def pulled_from_a_writer(x, a):
    y = x * 1.0
    value, pull = ya.vjp(shifted, wrt=["y", "a"])(y, a)
    dy, da = pull(np.sin(y))
    y *= 2.0
    again, _ = pull(value)
    return np.sum(dy * y) + np.sum(da * again)


def matrix_of_a_writer(x, a):
    y = x * 1.0
    return np.sum(ya.jacobian(shifted)(y, a) @ y)


@pytest.mark.parametrize("f", [pulled_from_a_writer, matrix_of_a_writer])
def test_what_is_called_again_is_of_what_was_there(f):
    value, g = ya.grad(f, X, A)
    assert same_bits(value, f(X, A))
    for k, v in enumerate((X, A)):
        h = 1e-6 * np.cos(v)
        moved_by = [(X + h, A), (X - h, A)] if k == 0 else [(X, A + h), (X, A - h)]
        change = (f(*moved_by[0]) - f(*moved_by[1])) / 2
        assert np.isclose(np.sum(g[k] * h), change, rtol=1e-6)


def with_a_function_inside(x, a, w, b, n):
    def chosen(q):
        r2 = q * q
        if np.tanh(x).max() > -0.2:
            r2 += q * a * b
            q = w[n % 3]
        elif (np.mean(x * w) > 0.7) == ((1 + b**2) ** 0.5 > -0.4):
            q = np.sign(np.sum(w > 0.1) * r2) * x.sum()
            return r2
        else:
            r2 += np.sum((w[1:] * a) ** 2)
            return math.sin(q)
        return a

    b = b * a
    first = [b, 0.1, chosen(b)]
    x -= a * a
    return chosen(a) * b + sum(first)


def test_numbers_that_are_read_around_have_names_of_their_own():
    def outer(x, a, w, b, n):
        d = ya.hvp(with_a_function_inside)(x, x * 0.5, a, w, b, n)
        return np.sum(np.sin(d))

    x = np.array([1.0, 2.0, 0.3])
    value, g = ya.grad(outer, x, -0.6, x * 0.3, -0.6, 3)
    assert value == 0.0
    assert not any(np.any(g[k]) for k in range(4))
