"""A call, a change of what it rests on, the same call again: a new gradient.

Each program is called until the call is answered from the caches. Then something is
changed, and the call is compared with that of a fresh copy of the package's caches.
"""

import functools
import itertools
import textwrap
import types

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import grad
from yota_ast.api.cache.compiled_gradients import Cache

START = """
import functools
import numpy as np

class Scaled(np.ndarray):
    def __mul__(self, other):
        return np.multiply(np.asarray(self), other) * 2.0

class Model:
    rate = 2.0

    def __init__(self):
        self.w = np.array([1.0, 2.0])
        self.k = 3.0

    def loss(self, x):
        return np.sum(self.w * x * x) * self.k * self.rate
"""
X = "x = np.array([0.5, 1.5])\n"

PROGRAMS = {
    "a global number": """
        S = 2.0
        def f(x): return np.sum(x * x) * S
        def change(): globals()["S"] = 3.0
    """,
    "a global of another type": """
        S = 2.0
        def f(x): return np.sum(x * S)
        def change(): globals()["S"] = np.array([1.0, 2.0])
    """,
    "a global function": """
        def h(x): return x * x
        def f(x): return np.sum(h(x))
        def g(x): return x * x * x
        def change(): globals()["h"] = g
    """,
    "the code of a helper": """
        def h(x): return x * x
        def f(x): return np.sum(h(x))
        def g(x): return x * x * x
        def change(): h.__code__ = g.__code__
    """,
    "a global that hides a builtin": """
        def f(x): return sum(x * x)
        def change(): globals()["sum"] = lambda x: np.sum(x) * 3.0
    """,
    "a global list": """
        L = [1.0, 2.0]
        def f(x): return np.sum(x * x) * L[0] * sum(L)
        def change(): L[0] = 5.0
    """,
    "a list in a global list": """
        L = [[1.0], [2.0]]
        def f(x): return np.sum(x * x) * L[1][0]
        def change(): L[1][0] = 5.0
    """,
    "the length of a global list": """
        L = [1.0, 2.0]
        def f(x):
            for a in L: x = x * a
            return np.sum(x)
        def change(): L.append(3.0)
    """,
    "a global dict": """
        D = {"a": 2.0}
        def f(x): return np.sum(x * x) * D["a"]
        def change(): D["a"] = 5.0
    """,
    "the keys of a global dict": """
        D = {"a": 2.0}
        def f(x): return np.sum(x * x) * (3.0 if "b" in D else 1.0)
        def change(): D["b"] = 5.0
    """,
    "a global set": """
        K = {"a"}
        def f(x): return np.sum(x * x) * (3.0 if "b" in K else 1.0)
        def change(): K.add("b")
    """,
    "a global set of one size": """
        K = {"a"}
        def f(x): return np.sum(x * x) * (3.0 if "b" in K else 1.0)
        def change(): K.remove("a"), K.add("b")
    """,
    "a global array written in place": """
        A = np.array([1.0, 2.0])
        def f(x): return np.sum(x * x * A)
        def change(): A[0] = 5.0
    """,
    "a global object's field": """
        m = Model()
        def f(x): return np.sum(x * m.w) * m.k
        def change(): m.k = 7.0
    """,
    "a global object's array in place": """
        m = Model()
        def f(x): return np.sum(x * m.w) * m.k
        def change(): m.w[:] = 7.0
    """,
    "a class attribute": """
        m = Model()
        def f(x): return np.sum(x * m.w) * m.rate
        def change(): Model.rate = 7.0
    """,
    "a method": """
        m = Model()
        def f(x): return m.loss(x)
        def loss(self, x): return np.sum(x)
        def change(): Model.loss = loss
    """,
    "a field of an argument": """
        m = Model()
        args = m,
        def f(m): return np.sum(m.w) * m.k
        def change(): m.k = np.array([1.0, 2.0]); m.w = 3.0
    """,
    "the object of a method": """
        m = Model()
        f = m.loss
        def change(): m.w, m.k = 3.0, np.float32(2.0)
    """,
    "what a partial holds": """
        A = [2.0]
        def g(a, x): return np.sum(x * x) * a[0]
        f = functools.partial(g, A)
        def change(): A[0] = 5.0
    """,
    "the keywords of a partial": """
        def g(x, a): return np.sum(x * x) * a
        f = functools.partial(g, a=2.0)
        def change(): f.keywords["a"] = np.array([3.0, 1.0])[0]
    """,
    "a default of a helper": """
        def h(x, k=2.0): return x * k
        def f(x): return np.sum(h(x))
        def change(): h.__defaults__ = (5.0,)
    """,
    "a default": """
        def f(x, k=2.0): return np.sum(x * k)
        def change(): f.__defaults__ = (5.0,)
    """,
    "a default of another type": """
        def f(x, k=2.0): return np.sum(x * k)
        def change(): f.__defaults__ = (np.array([5.0, 1.0]),)
    """,
    "a default of a function that calls itself": """
        def f(x, n=2, k=2.0): return np.sum(x * k) if n == 0 else f(x * k, n - 1)
        args = x, 2, 3.0
        def change(): f.__defaults__ = (2, 5.0)
    """,
    "a default by keyword": """
        def f(x, *, k=2.0): return np.sum(x * k)
        def change(): f.__kwdefaults__ = {"k": 5.0}
    """,
    "a default by keyword in place": """
        def f(x, *, k=2.0): return np.sum(x * k)
        def change(): f.__kwdefaults__["k"] = 5.0
    """,
    "a mutable default": """
        def f(x, k=[2.0]): return np.sum(x * k[0])
        def change(): f.__defaults__[0][0] = 5.0
    """,
    "a mutable default that grows": """
        def f(x, k=[2.0]): return np.sum(x * sum(k))
        def change(): f.__defaults__[0].append(5.0)
    """,
    "the code": """
        def f(x): return np.sum(x)
        def g(x): return np.sum(x * x)
        def change(): f.__code__ = g.__code__
    """,
    "the code and the parameters": """
        def f(x, k=1.0): return np.sum(x) * k
        def g(x, k=1.0, j=2.0): return np.sum(x * x) * k * j
        def change(): f.__code__, f.__defaults__ = g.__code__, (3.0, 4.0)
    """,
    "a cell": """
        def around():
            k = 2.0
            def f(x): return np.sum(x * x) * k
            def change():
                nonlocal k
                k = 5.0
            return f, change
        f, change = around()
    """,
    "a cell of another type": """
        def around():
            k = 2.0
            def f(x): return np.sum(x * x * k)
            def change():
                nonlocal k
                k = np.array([5.0, 1.0])
            return f, change
        f, change = around()
    """,
    "a cell that is None": """
        def around():
            k = 2.0
            def f(x): return np.sum(x * x) * (1.0 if k is None else k)
            def change():
                nonlocal k
                k = None
            return f, change
        f, change = around()
    """,
    "a function in a cell": """
        def around():
            h = lambda x: x * x
            def f(x): return np.sum(h(x))
            def change():
                nonlocal h
                h = lambda x: x * 3.0
            return f, change
        f, change = around()
    """,
    "a list in a cell": """
        def around():
            k = [2.0]
            def f(x): return np.sum(x * x) * k[0]
            def change(): k[0] = 5.0
            return f, change
        f, change = around()
    """,
    "a cell of a helper": """
        def around():
            k = 2.0
            def h(x): return x * k
            def change():
                nonlocal k
                k = 5.0
            return h, change
        h, change = around()
        def f(x): return np.sum(h(x) * x)
    """,
    "a function of a module": """
        def f(x): return np.sum(np.sin(x))
        saved = np.sin
        def change(): np.sin = np.cos
        def restore(): np.sin = saved
    """,
    "the wrapped function": """
        def g(x): return np.sum(x)
        @functools.wraps(g)
        def f(*args, **kwargs): return inner(*args, **kwargs) * 2.0
        inner = g
        def h(x): return np.sum(x * x)
        def change(): globals()["inner"] = h
    """,
}

ARGUMENTS = {
    "dtype": "x.astype(np.float32)",
    "byte order": "x.astype('>f8')",
    "rank": "np.ones((2, 2))",
    "unit axis": "np.ones(1)",
    "no axis": "np.array(2.0)",
    "length": "np.ones(5)",
    "number": "2.0",
    "scalar": "np.float64(2.0)",
    "whole numbers": "np.array([1, 2])",
    "subclass": "x.view(Scaled)",
    "masked": "np.ma.masked_array(x, [False, True])",
    "list": "[0.5, 1.5]",
    "complex": "x + 1j",
    "empty": "np.ones(0)",
    "objects": "np.array([0.5, 1.5], dtype=object)",
    "None": "None",
    "text": "'a'",
    "whole number": "3",
    "truth": "True",
    "layout": "np.ones((4, 4))[::2, 0]",
}
"""What is given in the place of `x`."""

COUNT = itertools.count()


def module_of(text, tmp_path):
    name = f"changing_{next(COUNT)}"
    path = tmp_path / f"{name}.py"
    path.write_text(START + X + "args = x,\n" + textwrap.dedent(text))
    module = types.ModuleType(name)
    module.__file__ = str(path)
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    return module


def outcome(call):
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def shown(found):
    """Values with their types, shapes and dtypes."""
    if isinstance(found, np.ndarray):
        return type(found).__name__, found.dtype.str, found.shape, found.tolist()
    if isinstance(found, (tuple, list)):
        return type(found).__name__, [shown(item) for item in found]
    if isinstance(found, dict):
        return [(key, shown(item)) for key, item in found.items()]
    return type(found).__name__, repr(found)


def by_grad(f, *args):
    value, g = ya.grad(f, *args)
    return value, list(g), g.source


def without_source(found):
    """A value and gradients: data in cells that has changed is a parameter then."""
    return found if isinstance(found, str) else found[:2]


def afresh(monkeypatch, call):
    """What a call gives where nothing has been called before."""
    with monkeypatch.context() as patch:
        patch.setattr(grad, "_CACHE", Cache())
        return outcome(call)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("form", ["kept", "grad"])
def test_what_is_changed_is_noticed(name, form, tmp_path, monkeypatch):
    module = module_of(PROGRAMS[name], tmp_path)
    f, args = module.f, module.args
    kept = ya.value_and_grad(f) if form == "kept" else lambda *args: by_grad(f, *args)
    before = [shown(outcome(lambda: kept(*args))) for _ in range(3)]
    assert before[0] == before[1] == before[2]
    module.change()
    try:
        found = outcome(lambda: kept(*args))
        again = outcome(lambda: kept(*args))
        if form == "kept":
            expected = afresh(monkeypatch, lambda: ya.value_and_grad(f)(*args))
        else:
            expected = afresh(monkeypatch, lambda: by_grad(f, *args))
            found, again, expected = (
                without_source(e) for e in (found, again, expected)
            )
        value = outcome(lambda: f(*args))
    finally:
        vars(module).get("restore", lambda: None)()
    assert shown(found) == shown(again) == shown(expected)
    assert isinstance(expected, str) or shown(found[0]) == shown(value)
    assert shown(found) != before[0]


def square(x):
    return np.sum(x * x)


def product(x, y):
    return np.sum(x * y * y)


def written(x, y):
    x[0] = y[0] * 2.0
    return np.sum(x * y)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_another_argument_is_noticed(name, monkeypatch):
    scope = {}
    exec(START + X, scope)
    x, other = scope["x"], eval(ARGUMENTS[name], scope)
    kept = ya.value_and_grad(square)
    calls = {
        "kept": lambda x: kept(x),
        "grad": lambda x: by_grad(square, x),
        "named": lambda x: list(ya.grad(square, x, wrt="x")[1]),
    }
    for call in calls.values():
        for _ in range(3):
            call(x)
        for given in (other, x, other):
            expected = afresh(monkeypatch, lambda: call(given))
            assert shown(outcome(lambda: call(given))) == shown(expected)


@pytest.mark.parametrize("f", [product, written])
def test_arguments_that_are_one_array_are_noticed(f, monkeypatch):
    def call(x, y):
        return by_grad(f, x, y)

    def pairs():
        x, y = np.array([0.5, 1.5]), np.array([2.0, 3.0])
        z = np.array([0.5, 1.5, 2.5])
        return {"apart": (x, y), "one": (x, x), "views": (z[:2], z[1:])}

    for name in ("apart", "apart", "one", "one", "views", "apart", "views", "one"):
        expected = afresh(monkeypatch, lambda: call(*pairs()[name]))
        assert shown(outcome(lambda: call(*pairs()[name]))) == shown(expected)


def net(p, x):
    total = 0.0
    for name in p:
        total = total + np.sum(p[name][0] * x) * p[name][1]
    return total


class Layer:
    def __init__(self, **fields):
        vars(self).update(fields)

    def loss(self, x):
        return np.sum(self.w * x) * self.k * getattr(self, "extra", 1.0)


def of_layer(layer, x):
    return layer.loss(x) * layer.k


W = np.array([0.5, 1.5])
STRUCTURES = [
    {"a": (W, 2.0)}, {"a": [W, 2.0]}, {"a": (W, 3)}, {"b": (W, 2.0)}, {"a": (2.0, W)},
    {"a": (W, 2.0), "b": (W, 3.0)}, {"b": (W, 2.0), "a": (W.copy(), 3.0)},
    {"a": (W.astype("f4"), 2.0)}, {"a": (np.ones(1), 2.0)}, {"a": (W, None)},
    {"a": (W.view(np.matrix), 2.0)}, {1: (W, 2.0)}, {True: (W, 2.0)}, {"a": (W,)},
    {"a": (W, "b")}, {}, {"a": (np.ones((2, 2)), 2.0)}, {"a": (W, 1j)},
]  # fmt: skip
LAYERS = [
    Layer(w=W, k=2.0), Layer(w=W, k=3), Layer(w=2.0, k=W),
    Layer(w=W.astype("f4"), k=2.0), Layer(w=W, k=2.0, other=W),
    Layer(w=W, k=2.0, extra=3.0), Layer(w=W, k=np.float64(2.0)), Layer(w=[1.0], k=2.0),
    Layer(w=W, k=None), Layer(w=np.ones(1), k=2.0), Layer(),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["dict", "object", "method", "partial"])
def test_what_structures_hold_is_noticed(kind, monkeypatch):
    def call(held):
        calls = {
            "dict": lambda x: by_grad(net, held, x),
            "object": lambda x: by_grad(of_layer, held, x),
            "method": lambda x: by_grad(held.loss, x),
            "partial": lambda x: by_grad(functools.partial(net, held), x),
        }
        return calls[kind](np.array([2.0, 3.0]))

    things = LAYERS if kind in ("object", "method") else STRUCTURES
    for held in (*things, things[0], *things[::-1], *things):
        expected = afresh(monkeypatch, lambda: call(held))
        assert shown(outcome(lambda: call(held))) == shown(expected)


def test_what_is_shared_within_structures_is_noticed(monkeypatch):
    def call(share):
        one, other = np.array([0.5, 1.5]), np.array([2.0, 3.0])
        p = {"a": [one, 2.0], "b": [one if share else other, 3.0]}
        return by_grad(written_within, p, one if share == "argument" else other)

    for share in ("", "", "one", "argument", "", "argument", "one", "argument"):
        expected = afresh(monkeypatch, lambda: call(share))
        assert shown(outcome(lambda: call(share))) == shown(expected)


def written_within(p, x):
    x[0] = p["a"][0][0] * 3.0
    p["b"][0][1] = 2.0
    return np.sum(p["a"][0] * x) + np.sum(p["b"][0] * x)


def test_a_field_that_changes_is_noticed(monkeypatch):
    layer, x = Layer(w=W, k=2.0), np.array([2.0, 3.0])
    for name, value in (
        ("k", 3.0), ("k", 3), ("w", np.ones((2, 2))), ("extra", 5.0), ("extra", W),
        ("k", W), ("w", 1.0), ("k", 2.0),
    ):  # fmt: skip
        for _ in range(3):
            for call in (of_layer, Layer.loss):
                outcome(lambda: by_grad(call, layer, x))
            outcome(lambda: by_grad(layer.loss, x))
        setattr(layer, name, value)
        for call in (
            lambda: by_grad(of_layer, layer, x),
            lambda: by_grad(layer.loss, x),
        ):
            expected = afresh(monkeypatch, call)
            assert shown(outcome(call)) == shown(expected)


def test_a_rule_is_noticed():
    def cubed(x):
        return x**3

    def f(x):
        return cubed(x) * 2.0

    kept = ya.value_and_grad(f)
    assert [kept(2.0)[1] for _ in range(3)] == [24.0] * 3
    scope = {"cubed": cubed, "ya": ya}
    exec('ya.diffrule("cubed(x: float)", "x", "7.0 * dy")', scope)
    assert kept(2.0)[1] == ya.grad(f, 2.0)[1]["x"] == 14.0


def test_passes_are_noticed(monkeypatch):
    texts = []
    for passes in ("all", "all", "none", "all"):
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
        texts.append(ya.grad(written, np.ones(3), np.ones(3))[1].source)
    assert texts[0] == texts[1] == texts[3] != texts[2]


def test_each_form_of_a_call_is_bound_as_python_binds_it():
    def f(a, b=2.0, *more, c=3.0, **named):
        return a * b * c + sum(more) + sum(named.values())

    calls = [
        ((1.0,), {}), ((1.0, 5.0), {}), ((1.0,), {"b": 5.0}), ((), {"a": 1.0}),
        ((1.0, 5.0, 7.0), {}), ((1.0,), {"c": 4.0}), ((1.0,), {"d": 4.0}),
        ((), {"c": 4.0, "a": 1.0}), ((1.0, 5.0, 7.0), {"e": 1.0, "d": 2.0}),
    ]  # fmt: skip
    kept = ya.value_and_grad(f)
    for args, kwargs in calls * 3:
        assert kept(*args, **kwargs)[0] == f(*args, **kwargs)
        value, g = ya.grad(f, *args, **kwargs)
        assert (value, list(g.names)) == (
            f(*args, **kwargs),
            ["a", "b", "more", "c", "named"],
        )
    for args, kwargs in (((), {}), ((1.0,), {"a": 1.0})):
        with pytest.raises(TypeError):
            kept(*args, **kwargs)


TRANSFORMS = {
    "grad": lambda f: ya.grad(f),
    "vjp": lambda f: ya.vjp(f),
    "jvp": lambda f: ya.jvp(f, wrt=0),
    "hvp": lambda f: ya.hvp(f),
    "jacobian": lambda f: ya.jacobian(f),
    "hessian": lambda f: ya.hessian(f),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_every_kept_transform_reads_the_defaults_of_the_call(name):
    def f(x, k=2.0, *, j=1.0):
        return np.sum(x**3) * k * j

    def values_of(made):
        along = (np.ones(2),) if name in ("jvp", "hvp") else ()
        found = made(x, *along)
        return shown((found[0], found[1](1.0)) if name == "vjp" else found)

    x, make = np.array([0.5, 1.5]), TRANSFORMS[name]
    kept = make(f)
    before = values_of(kept)
    f.__defaults__, f.__kwdefaults__ = (5.0,), {"j": 3.0}
    assert values_of(kept) == values_of(make(f)) != before
