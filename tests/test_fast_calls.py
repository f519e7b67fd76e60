"""A call like one before takes none of the steps of the first: held by counts."""

import functools
import inspect
import linecache
import sys

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import grad
from yota_ast.api.cache.compiled_gradients import Cache
from yota_ast.codegen.compile import is_generated


@pytest.fixture(autouse=True)
def cache(monkeypatch):
    fresh = Cache()
    monkeypatch.setattr(grad, "_CACHE", fresh)
    return fresh


def steps(call):
    """The functions of Python that a call runs, of this package and of `inspect`."""
    called = []

    def note(frame, event, _arg):
        if event == "call":
            path = frame.f_code.co_filename
            if "yota_ast" in path or path == inspect.__file__:
                called.append(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return called


SCALE, SHIFT = 2.0, [1.0, 2.0]


def mse(w, X, y):
    return np.mean((X @ w - y) ** 2) * SCALE + SHIFT[0]


def closure(k):
    return lambda w, X, y: mse(w, X, y) * k


class Net:
    def __init__(self, w):
        self.w = w

    def loss(self, X, y):
        return mse(self.w, X, y)


def of_dict(p, X, y):
    return mse(p["w"], X, y)


def calls():
    rng = np.random.default_rng(0)
    w, X, y = np.ones(4), rng.normal(size=(5, 4)), rng.normal(size=5)
    kept, several = ya.value_and_grad(mse), ya.value_and_grad(mse, wrt=["w", "y"])
    aux = ya.value_and_grad(lambda w: (mse(w, X, y), w), has_aux=True)
    derivative, part = ya.grad(mse), functools.partial(mse, X=X)
    by_keyword = ya.value_and_grad(part)
    decorated, net = ya.differentiable(mse), Net(w)
    numbers = iter(range(1000))
    return {
        "value_and_grad": lambda: kept(w, X, y),
        "by keyword": lambda: kept(w, y=y, X=X),
        "several": lambda: several(w, X, y),
        "aux": lambda: aux(w),
        "derivative": lambda: derivative(w, X, y),
        "grad": lambda: ya.grad(mse, w, X, y),
        "wrt": lambda: ya.grad(mse, w, X, y, wrt="w"),
        "wrt list": lambda: ya.grad(mse, w, X, y, wrt=["w", 2]),
        "new arrays": lambda: ya.grad(mse, w + 1.0, X[:3], y[:3]),
        "partial": lambda: ya.grad(part, w, y=y),
        "kept partial": lambda: by_keyword(w, y=y),
        "decorated": lambda: decorated.grad(w, X, y),
        "closure": lambda: ya.grad(closure(float(next(numbers))), w, X, y),
        "closure of integers": lambda: ya.grad(closure(next(numbers)), w, X, y),
        "method": lambda: ya.grad(net.loss, X, y),
        "object": lambda: ya.grad(Net.loss, net, X, y),
        "dict": lambda: ya.grad(of_dict, {"w": w}, X, y),
    }


@pytest.mark.parametrize("name", calls())
def test_a_repeated_call_skips_binding_describing_and_comparing(name):
    call = calls()[name]
    for _ in range(4):
        call()
    called = steps(call)
    left_out = {
        "callee_of", "Callee.bind", "Signature.bind", "signature", "Signature._bind",
        "Dependencies.hold", "Watch.holds", "Cache.find", "Entry.serves", "lower",
        "compile_text", "grad_of_call", "facts_of_call",
    }  # fmt: skip
    assert left_out.isdisjoint(called)
    if name not in ("method", "object", "dict"):  # what they hold is gone through
        assert len(called) < 30


def test_the_steps_that_are_left_out_are_those_of_the_first_call():
    called = {*steps(lambda: ya.grad(mse, np.ones(2), np.ones((3, 2)), np.ones(3)))}
    assert {"callee_of", "Callee.bind", "Signature.bind", "Cache.find"} <= called


def test_play_of_a_compiled_tape_adds_nothing_of_note():
    value, tape = ya.trace(mse, np.ones(2), np.ones((3, 2)), np.ones(3))
    compiled = ya.compile(tape)
    args = np.ones(2), np.ones((3, 2)), np.ones(3)
    assert ya.play(tape, *args) == value == compiled(*args)
    assert len(steps(lambda: ya.play(tape, *args))) < 8


def test_the_tables_of_calls_are_bounded(cache):
    def f(x, y=1.0, *, z=1.0):
        return np.sum(x) * y * z

    for rank in range(1, 7):
        for units in range(2**rank):
            shape = [1 if units >> k & 1 else 2 for k in range(rank)]
            assert ya.grad(f, np.ones(shape))[0] == np.prod(shape)
    (site,) = cache.fast.sites.values()
    assert len(site.calls) <= 64
    assert len(site.latest) <= 64
    held = {id(e) for entries in cache.entries.values() for e in entries}
    assert {id(known.entry) for known in site.calls.values()} <= held


def test_the_sites_are_bounded(cache, monkeypatch):
    monkeypatch.setattr("yota_ast.api.cache.fast_calls.CODES", 5)
    for k in range(9):
        scope = {}
        exec(f"def f(x):\n    return {k}.0 * x", scope)
        cache.fast.site_of(scope["f"])
    assert len(cache.fast.sites) == 5


def test_what_the_cache_drops_leaves_linecache(monkeypatch):
    monkeypatch.setattr("yota_ast.api.cache.compiled_gradients.FUNCTIONS", 2)

    def texts():
        return {name for name in linecache.cache if is_generated(name)}

    before = texts()
    for f in (lambda x: x * 7.03125, lambda x: x * 7.15625, lambda x: x * 7.28125):
        ya.grad(f, 1.0)
        assert len(texts() - before) <= 2
    made = ya.simplegrad(lambda x: x * 7.03125, 1.0)  # the text of the first
    for f in (lambda x: x * 7.03125, lambda x: x * 7.46875, lambda x: x * 7.59375):
        ya.grad(f, 1.0)
    assert inspect.getsource(made.fn) in made.source
