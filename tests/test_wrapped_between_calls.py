"""Wrappers and functions with `*args`: called again at once, each change noticed."""

import functools

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import grad
from yota_ast.api.cache.compiled_gradients import Cache

from .test_changes_between_calls import afresh, by_grad, module_of, outcome, shown
from .test_fast_calls import steps

WRAPPER = """
def traced(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs): return fn(*args, **kwargs)
    return wrapper

def scaled(k):
    def decorate(fn):
        @functools.wraps(fn)
        def wrapper(*args): return fn(*args) * k
        return wrapper
    return decorate

S = 2.0
def g(x, c=1.0): return np.sum(x * x) * c * S
def h(x, c=1.0): return np.sum(x * x * x) * c
"""

PROGRAMS = {
    "the code within": "def change(): g.__code__ = h.__code__",
    "a global within": "def change(): globals()['S'] = 3.0",
    "a default within": "def change(): g.__defaults__ = (4.0,)",
    "a default of another type":
        "def change(): g.__defaults__ = (np.array([1.0, 2.0]).sum(),)",
    "the default is gone": "def change(): g.__defaults__ = None",
    "the cell of the wrapper": "def change(): f.__closure__[0].cell_contents = h",
    "what is said to be wrapped":
        "def k(x, y): return x\ndef change(): f.__wrapped__ = k",
    "a signature is said":
        "import inspect\ndef k(x, y): return x\n"
        "def change(): f.__signature__ = inspect.signature(k)",
    "nothing is said to be wrapped": "def change(): del f.__wrapped__",
    "the code of the wrapper": """
def other(fn):
    def wrapper(*args, **kwargs): return fn(*args, **kwargs) * 2.0
    return wrapper
def change(): f.__code__ = other(g).__code__
""",
    "a default of the wrapper": """
def other(fn):
    @functools.wraps(fn)
    def wrapper(x, c=7.0): return fn(x, c)
    return wrapper
def change(): f.__code__, f.__defaults__ = other(g).__code__, (7.0,)
""",
}  # fmt: skip
FORMS = {"one": "f = traced(g)\n", "stacked": "f = traced(traced(g))\n"}
SCALED = """
f = scaled(2.0)(g)
def change(): f.__closure__[1].cell_contents = 5.0
"""
VARIADIC = {
    "the code": """
def f(x, *rest): return np.sum(x * x) * len(rest)
def k(x, *rest): return np.sum(x * x * x)
def change(): f.__code__ = k.__code__
""",
    "a default by name": """
def f(x, *rest, c=2.0, **more): return np.sum(x * x) * c
def change(): f.__kwdefaults__["c"] = 3.0
""",
    "a cell": """
def made(k):
    def f(x, *rest): return np.sum(x * x) * k
    return f
f = made(2.0)
def change(): f.__closure__[0].cell_contents = 5.0
""",
}
TEXTS = {
    f"{name}, {form}": WRAPPER + made + text
    for name, text in PROGRAMS.items()
    for form, made in FORMS.items()
}
TEXTS |= {"a number of the wrapper": WRAPPER + SCALED, **VARIADIC}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("form", ["kept", "grad"])
def test_what_is_changed_is_noticed(name, form, tmp_path, monkeypatch):
    module = module_of(TEXTS[name], tmp_path)
    f, args = module.f, module.args

    def call(kept):
        return by_grad(f, *args)[:2] if form == "grad" else kept(*args)

    kept = ya.value_and_grad(f)
    before = [shown(outcome(lambda: call(kept))) for _ in range(3)]
    assert before[0] == before[1] == before[2]
    module.change()
    found = [shown(outcome(lambda: call(kept))) for _ in range(3)]
    expected = shown(afresh(monkeypatch, lambda: call(ya.value_and_grad(f))))
    if form == "grad" or "said" not in name:  # whose parameters are those of old
        assert found == [expected] * 3


@pytest.fixture
def fresh(monkeypatch):
    monkeypatch.setattr(grad, "_CACHE", Cache())


def traced(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    return wrapper


def checked(least):
    def decorate(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            if least < 0:
                raise ValueError
            return fn(*args, **kwargs)

        return wrapper

    return decorate


@traced
@checked(1)
def mse(w, X, y, scale=1.0):
    return np.mean((X @ w - y) ** 2) * scale


def of_rest(w, *rest, scale=1.0, **more):
    X, y = rest
    return np.mean((X @ w - y) ** 2) * scale * more.get("twice", 1.0)


def finite(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        for a in args:
            if not np.all(np.isfinite(a)):
                raise ValueError
        return fn(*args, **kwargs)

    return wrapper


@finite
def looked_into(w, X, y):
    return np.mean((X @ w - y) ** 2)


class Model:
    @traced
    def loss(self, w, X, y):
        return np.mean((X @ w - y) ** 2)


W, A, Y = np.ones(4), np.arange(20.0).reshape(5, 4), np.arange(5.0)
CALLS = {
    "wrapped": lambda: ya.grad(mse, W, A, Y, wrt="w"),
    "by name": lambda: ya.grad(mse, W, y=Y, X=A, scale=2.0, wrt="w"),
    "rest": lambda: ya.grad(of_rest, W, A, Y, wrt="w"),
    "rest by name": lambda: ya.grad(of_rest, W, A, Y, twice=2.0, scale=3.0, wrt=0),
    "all of rest": lambda: ya.grad(of_rest, W, A, Y),
    "looked into": lambda: ya.grad(looked_into, W, A, Y, wrt="w"),
    "method": lambda: ya.grad(Model().loss, W, A, Y, wrt="w"),
    "kept": ya.value_and_grad(mse),
}
CALLS["kept"] = lambda kept=CALLS["kept"]: kept(W, A, Y)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.usefixtures("fresh")
def test_a_repeated_call_takes_few_steps(name):
    first = CALLS[name]()
    for _ in range(3):
        CALLS[name]()
    called = steps(CALLS[name])
    assert {"callee_of", "Callee.bind", "Signature.bind"}.isdisjoint(called)
    assert name == "method" or len(called) < 60  # an object is gone through
    assert shown(CALLS[name]()[0]) == shown(first[0])
    parts = ("w",) if name != "kept" else (...,)
    for k in parts:
        np.testing.assert_array_equal(CALLS[name]()[1][k], first[1][k])


@pytest.mark.usefixtures("fresh")
def test_functions_behind_one_decorator_are_told_apart():
    made = [traced(lambda x, k=k: np.sum(x**k)) for k in (1.0, 2.0, 3.0)]
    for _ in range(4):
        for k, f in enumerate(made, 1):
            assert ya.grad(f, np.full(2, 2.0), wrt="x")[0] == 2 * 2.0**k


@pytest.mark.usefixtures("fresh")
def test_the_number_of_arguments_is_told_apart():
    def total(*parts):
        return sum(np.sum(p) * k for k, p in enumerate(parts, 1))

    kept = ya.value_and_grad(total)
    for _ in range(3):
        assert kept(np.ones(2))[0] == 2.0
        assert kept(np.ones(2), np.ones(3))[0] == 8.0
        assert kept(np.ones(2), np.ones((3, 1)))[0] == 8.0
        assert kept(2.0)[0] == 2.0


@pytest.mark.usefixtures("fresh")
def test_a_wrapper_that_looks_into_its_arguments():
    def doubled(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            return fn(*[2 * a for a in args], **kwargs)

        return wrapper

    @doubled
    def line(x, k=3.0):
        return x * k

    for _ in range(3):
        assert ya.grad(line, 1.0, 1.0)[0] == 4.0
        assert ya.grad(line, 1.0, k=1.0)[0] == 2.0
        assert ya.grad(line, 1.0, wrt="x")[0] == 6.0


@pytest.mark.usefixtures("fresh")
def test_a_method_that_its_wrapper_reads_of_the_object():
    def through(fn):
        @functools.wraps(fn)
        def wrapper(self, *args, **kwargs):
            return self.inner(*args, **kwargs)

        return wrapper

    class Held:
        def __init__(self, inner):
            self.inner = inner

        @through
        def loss(self, x, k=2.0):
            return x * k

    def plain(x, k=2.0):
        return x * k * 10.0

    def other(x, k=5.0):
        return x * k

    for _ in range(3):
        for inner, value in ((plain, 20.0), (other, 5.0)):
            assert ya.grad(Held(inner).loss, 1.0, wrt="x")[0] == value
