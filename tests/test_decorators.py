"""Functions behind decorators: calls are bound by the signature that is told, and the
wrapper is differentiated as it is written."""

import contextlib
import functools
import inspect
import math

import numpy as np
import pytest

import yota_ast as ya

X, W = np.array([0.5, 2.0]), np.array([3.0, -1.0])


def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    return wrapper


def scaled(factor):
    def decorate(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            return factor * fn(*args, **kwargs)

        return wrapper

    return decorate


def halved(fn):
    @functools.wraps(fn)
    def wrapper(first, *rest, **kwargs):
        return fn(0.5 * first, *rest, **kwargs)

    return wrapper


def of_two(fn):
    @functools.wraps(fn)
    def wrapper(w, x, scale=2.0):
        return fn(w, x, scale=scale)

    return wrapper


def plain(w, x, scale=2.0):
    return np.sum((w - scale * x) ** 2)


WRAPPED = {
    "once": (timed(plain), plain),
    "twice": (timed(timed(plain)), plain),
    "with an argument": (
        scaled(3.0)(plain),
        lambda w, x, scale=2.0: 3.0 * plain(w, x, scale),
    ),
    "stacked": (
        timed(scaled(2.0)(timed(plain))),
        lambda w, x, scale=2.0: 2.0 * plain(w, x, scale),
    ),
    "changes an argument": (
        halved(plain), lambda w, x, scale=2.0: plain(0.5 * w, x, scale)
    ),
    "of its own parameters": (of_two(plain), plain),
}  # fmt: skip


@pytest.fixture(params=WRAPPED)
def pair(request):
    return WRAPPED[request.param]


def test_gradients_by_name_and_by_position(pair):
    f, expected = pair
    value, g = ya.grad(f, W, X)
    want, d = ya.grad(expected, W, X)
    assert value == want
    for name in ("w", "x"):
        assert np.array_equal(g[name], d[name])
    assert np.array_equal(g[0], d[0])
    assert np.array_equal(ya.grad(f, W, X, wrt="x")[1]["x"], d["x"])
    assert np.array_equal(ya.grad(f, W, x=X, wrt="x")[1]["x"], d["x"])


def test_transforms(pair):
    f, expected = pair
    for make in (ya.value_and_grad, ya.jacobian, ya.hessian):
        np.testing.assert_equal(make(f)(W, X), make(expected)(W, X))
        named = make(f, wrt="x")(W, X, scale=1.5)
        np.testing.assert_equal(named, make(expected, wrt="x")(W, X, scale=1.5))
        parameters = inspect.signature(make(f)).parameters
        assert list(parameters) == ["w", "x", "scale"]
    along = (W, X, 2.0, np.ones(2), None, None)
    np.testing.assert_equal(ya.jvp(f)(*along), ya.jvp(expected)(*along))
    np.testing.assert_equal(ya.hvp(f)(W, X, X), ya.hvp(expected)(W, X, X))


def test_code_and_nesting(pair):
    f, expected = pair
    made = ya.simplegrad(f, W, X, wrt="w")
    assert np.allclose(made(W, X)[1], ya.grad(expected, W, X)[1]["w"])
    assert np.allclose(made.fn(2 * W, X)[1], ya.grad(expected, 2 * W, X)[1]["w"])

    def outer(w, x):
        return np.sum(ya.value_and_grad(f, wrt="x")(w, x)[1] ** 2)

    def plainly(w, x):
        return np.sum(ya.value_and_grad(expected, wrt="x")(w, x)[1] ** 2)

    np.testing.assert_allclose(ya.grad(outer, W, X)[1][0], ya.grad(plainly, W, X)[1][0])


class Model:
    def __init__(self, scale):
        self.scale = scale

    @timed
    def loss(self, w, x):
        return self.scale * plain(w, x)

    @staticmethod
    @timed
    def held(w, x):
        return plain(w, x)

    @classmethod
    @scaled(2.0)
    def made(cls, w, x):
        return plain(w, x)


@pytest.mark.parametrize(
    ("name", "factor"), [("loss", 1.5), ("held", 1.0), ("made", 2.0)]
)
def test_methods(name, factor):
    f = getattr(Model(1.5), name)
    _, g = ya.grad(f, W, X, wrt=["w", "x"])
    _, d = ya.grad(plain, W, X)
    assert np.allclose(g["w"], factor * d["w"])
    assert np.allclose(ya.value_and_grad(f, wrt="x")(W, X)[1], factor * d["x"])


def test_a_context_manager_as_a_decorator():
    @contextlib.contextmanager
    def quiet():
        with np.errstate(all="ignore"):
            yield

    f = quiet()(plain)
    try:
        found = ya.grad(f, W, X)[1]["w"]
    except ya.YotaError:
        return
    assert np.array_equal(found, ya.grad(plain, W, X)[1]["w"])


def test_a_partial_of_a_wrapper():
    f = functools.partial(timed(plain), W, scale=1.0)
    assert np.array_equal(ya.grad(f, X)[1]["x"], ya.grad(plain, W, X, 1.0)[1]["x"])
    assert list(inspect.signature(ya.value_and_grad(f)).parameters) == ["x", "scale"]


def test_scipy():
    from scipy.optimize import minimize

    @timed
    def bowl(x):
        return np.sum((x - 1.0) ** 2)

    found = minimize(ya.value_and_grad(bowl), np.zeros(3), jac=True)
    assert np.allclose(found.x, 1.0)


def test_an_array_of_one_is_taken_as_scipy_takes_it():
    def one(x):
        return (x - 2.0) ** 2

    value, d = ya.value_and_grad(one)(np.array([0.5]))
    assert np.array_equal(value, [2.25])
    assert np.array_equal(d, [-3.0])
    with pytest.raises(ya.YotaError):
        ya.value_and_grad(one)(np.array([0.5, 1.0]))


class Doubled:
    """An object that is called, and seems to be of the module of what it wraps."""

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn

    def __call__(self, *args, **kwargs):
        return 2 * self.fn(*args, **kwargs)


wave, total = scaled(3.0)(np.sin), scaled(3.0)(np.sum)
curve, middle = Doubled(np.cos), Doubled(math.sqrt)


@pytest.mark.parametrize(
    ("fn", "slope"),
    [
        (lambda x: np.sum(wave(x)), 3 * np.cos(X)),
        (lambda x: total(x * x), 6 * X),
        (total, 3 + 0 * X),
        (lambda x: np.sum(curve(x)), -2 * np.sin(X)),
        (lambda x: middle(x[0]), [1 / np.sqrt(X[0]), 0.0]),
    ],
    ids=["a ufunc", "a function", "itself", "an object", "math"],
)
def test_around_a_function_of_a_library(fn, slope):
    value, d = ya.value_and_grad(fn)(X)
    assert value == fn(X)
    np.testing.assert_allclose(d, slope, rtol=1e-12)


class Composed:
    """Its class has a property that tells the signature."""

    def __init__(self, *fns):
        self.fns = fns

    @property
    def __signature__(self):
        return inspect.signature(self.fns[0])

    def __call__(self, *args, **kwargs):
        inside = self.fns[0](*args, **kwargs)
        for fn in self.fns[1:]:
            inside = fn(inside)
        return inside


class Misled(Composed):
    """What it tells does not fit."""

    def __call__(self, u):
        return 2 * self.fns[0](u, 1.0)


def bent(x, power=2.0):
    return x**power


def test_a_signature_that_the_class_tells():
    f = Composed(bent, np.sum)
    assert list(inspect.signature(ya.value_and_grad(f)).parameters) == ["x", "power"]
    assert ya.value_and_grad(f)(X)[1].tolist() == (2 * X).tolist()
    assert ya.grad(f, X, power=3.0)[1]["x"].tolist() == (3 * X**2).tolist()


def test_a_signature_of_the_class_that_does_not_fit():
    f = Misled(lambda x, k: k * np.sum(x * x))
    assert ya.grad(f, X)[1]["u"].tolist() == (4 * X).tolist()


class Doubling:
    """A decorator that is a class: a method is twice the function, a plain call is not
    what an object's attribute gives."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, *args):
        return 10.0 * self.fn(*args)

    def __get__(self, owner, cls=None):
        if owner is None:
            return self
        return lambda *args: 2.0 * self.fn(owner, *args)


class Spring:
    stiffness = 3.0

    @Doubling
    def energy(self, x):
        return np.sum(self.stiffness * x**2)


class Damped(Spring):
    @Doubling
    def energy(self, x):
        return super().energy(x)


SPRING = Spring()


@pytest.mark.parametrize(
    ("f", "factor"),
    [
        (lambda x: Spring().energy(x), 12.0),
        (lambda x: SPRING.energy(x), 12.0),
        (lambda x: Damped().energy(x), 24.0),
        (lambda x: Spring.energy(SPRING, x), 60.0),
    ],
    ids=["made here", "of the module", "super", "by the class"],
)
def test_a_decorator_with_get_and_call(f, factor):
    value, dx = ya.value_and_grad(f)(X)
    assert value == f(X)
    np.testing.assert_allclose(dx, factor * X)


def test_a_wrapper_with_the_defaults_of_what_it_wraps():
    """As the package `decorator` makes it: `def f(*args)` has defaults, which Python
    ignores."""

    def wrapper(*args, **kwargs):
        return plain(*args, **kwargs)

    wrapper.__defaults__ = plain.__defaults__
    value, dw = ya.value_and_grad(lambda w: wrapper(w, X, scale=3.0))(W)
    assert value == plain(W, X, 3.0)
    np.testing.assert_allclose(dw, 2 * (W - 3.0 * X))


class Lens:
    focus = 2.0

    def power(self, x):
        return np.sum(self.focus * x)

    wrapped = timed(power)


LENS = Lens()


def test_the_function_inside_of_a_method():
    _, dx = ya.value_and_grad(lambda x: Lens.wrapped.__wrapped__(LENS, x))(X)
    np.testing.assert_allclose(dx, [2.0, 2.0])
    _, dx = ya.value_and_grad(lambda x: LENS.wrapped.__wrapped__(LENS, x))(X)
    np.testing.assert_allclose(dx, [2.0, 2.0])


class Gauge:
    scale = 3.0

    def reading(self, x, power=1):
        return self.scale * np.sum(x**power)

    squared = functools.partialmethod(reading, power=2)

    @functools.singledispatchmethod
    def level(self, x):
        return self.scale * np.sum(x)

    @level.register
    def _(self, x: float):
        return self.scale * x**3


GAUGE = Gauge()


def test_methods_that_functools_makes():
    for made in (lambda x: GAUGE.squared(x), lambda x: Gauge().squared(x)):
        value, dx = ya.value_and_grad(made)(X)
        assert value == GAUGE.squared(X)
        np.testing.assert_allclose(dx, 6 * X)
    _, dx = ya.value_and_grad(lambda x: GAUGE.level(x))(X)
    np.testing.assert_allclose(dx, [3.0, 3.0])
    assert ya.grad(lambda x: Gauge().level(x))(2.0) == 36.0
    assert ya.grad(lambda m, x: m.level(x) + m.squared(x), wrt="x")(GAUGE, 2.0) == 48.0


class Open:
    scale = 3.0

    @functools.singledispatchmethod
    def level(self, x):
        return self.scale * np.sum(x)


OPEN = Open()


def test_a_method_that_is_registered_later():
    def level(x):
        return OPEN.level(x)

    np.testing.assert_allclose(ya.grad(level, X)[1][0], [3.0, 3.0])
    made = ya.simplegrad(level, X)
    Open.level.register(np.ndarray)(lambda self, x: self.scale * np.sum(x**2))
    np.testing.assert_allclose(ya.grad(level, X)[1][0], 6 * X)
    with pytest.raises(ValueError, match="has changed since this gradient was made"):
        made(X)
