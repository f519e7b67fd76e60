"""A compiled gradient is used again while everything that it was made from holds."""

import sys
import textwrap
import threading
from types import ModuleType

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import grad
from yota_ast.api.cache import compiled_gradients


@pytest.fixture
def made(monkeypatch):
    """The names of the functions whose gradients were compiled."""
    names = []
    compiled = grad.compiled

    def noting(program):
        names.append(program.name)
        return compiled(program)

    monkeypatch.setattr(grad, "compiled", noting)
    return names


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A way to write a module, and to write it anew."""
    count = 0

    def write(text):
        nonlocal count
        count += 1
        found = sys.modules.get("cached_model")
        if found is None:
            found = ModuleType("cached_model")
            monkeypatch.setitem(sys.modules, "cached_model", found)
        path = tmp_path / f"cached_model_{count}.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        found.__file__ = str(path)
        exec(compile(path.read_text(), str(path), "exec"), vars(found))
        return found

    return write


MODEL = """
import numpy as np
SCALE = 2.0
WEIGHTS = [1.0, 2.0]
TABLE = {"rate": 3.0}

class Config:
    rate = 5.0

config = Config()

def helper(x):
    return x * SCALE

def scaled(x):
    return np.sum(helper(x))

def weighted(x):
    return x * WEIGHTS[0] + x * TABLE["rate"]

def configured(x):
    return x * config.rate

def defaulted(x):
    return inner(x)

def inner(x, factor=2.0):
    return x * factor
"""


def gradient(fn, *args):
    return ya.grad(fn, *args)[1][0]


def test_used_again(made):
    def square(x):
        return np.sum(x * x)

    for n in (2, 3, 5):
        assert ya.grad(square, np.ones(n))[1][0].tolist() == [2.0] * n
    assert len(made) == 1
    ya.grad(square, np.ones((2, 2)))
    ya.grad(square, np.ones(2, np.float32))
    ya.grad(square, 1.0)
    assert len(made) == 4
    ya.grad(square, np.ones(7))
    assert len(made) == 4


def test_wrt_is_part_of_the_signature(made):
    def product(x, y):
        return x * y

    ya.grad(product, 2.0, 3.0, wrt="x")
    ya.grad(product, 2.0, 3.0, wrt=0)
    assert len(made) == 1
    assert ya.grad(product, 2.0, 3.0, wrt="y")[1]["y"] == 2.0
    assert len(made) == 2


def test_passes_are_part_of_the_signature(monkeypatch):
    def stored(x):
        y = x * 2.0
        y[0] = 1.0
        return np.sum(y * x)

    texts = []
    for passes in ("all", "none", "all"):
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
        texts.append(ya.grad(stored, np.ones(3))[1].source)
    assert texts[0] == texts[2] != texts[1]


def test_unit_axes(made):
    def affine(W, b):
        return np.sum(W + b)

    assert gradient(lambda b, W: affine(W, b), np.ones(3), np.ones((2, 3))).shape == (
        3,
    )
    for shape in ((1,), (3,), (1, 3), (2, 1), (2, 3), ()):
        W, b = np.ones((2, 3)), np.ones(shape)
        g = ya.grad(affine, W, b)[1]["b"]
        assert g.shape == shape
        assert np.sum(g) == 6.0


def test_lengths_that_the_text_takes_for_equal():
    def both(x, y):
        return np.sum(x * y)

    assert ya.grad(both, np.ones(3), np.ones(3))[1][1].tolist() == [1.0] * 3
    assert ya.grad(both, np.ones(3), np.ones(1))[1][1].tolist() == [3.0]
    assert ya.grad(both, np.ones(1), np.ones(3))[1][0].tolist() == [3.0]
    assert ya.grad(both, np.ones(3), np.ones(3))[1][1].tolist() == [1.0] * 3


def test_a_function_defined_anew(module):
    model = module(MODEL)
    assert gradient(model.scaled, np.ones(1)).tolist() == [2.0]
    module(MODEL.replace("np.sum(helper(x))", "3 * np.sum(helper(x))"))
    assert gradient(model.scaled, np.ones(1)).tolist() == [6.0]


def test_a_helper_defined_anew(module):
    model = module(MODEL)
    scaled = model.scaled
    assert gradient(scaled, np.ones(1)).tolist() == [2.0]
    module(MODEL.replace("x * SCALE", "x * SCALE * 10"))
    assert gradient(scaled, np.ones(1)).tolist() == [20.0]


def test_the_code_of_a_function_replaced(module):
    model = module(MODEL)
    helper = model.helper
    assert gradient(model.scaled, np.ones(1)).tolist() == [2.0]
    module(MODEL.replace("x * SCALE", "x * SCALE * 10"))
    helper.__code__, model.helper = model.helper.__code__, helper
    assert gradient(model.scaled, np.ones(1)).tolist() == [20.0]


def test_a_global_bound_anew(module, made):
    model = module(MODEL)
    assert gradient(model.scaled, np.ones(1)).tolist() == [2.0]
    model.SCALE = 7.0
    assert gradient(model.scaled, np.ones(1)).tolist() == [7.0]
    model.SCALE = np.array([8.0])
    assert gradient(model.scaled, np.ones(1)).tolist() == [8.0]
    model.UNREAD = 3.0
    ya.grad(model.scaled, np.ones(1))
    assert len(made) == 3


def test_what_global_containers_hold(module):
    model = module(MODEL)
    assert gradient(model.weighted, 1.0) == 4.0
    model.WEIGHTS[0] = 10.0
    assert gradient(model.weighted, 1.0) == 13.0
    model.TABLE["rate"] = 4.0
    assert gradient(model.weighted, 1.0) == 14.0


def test_attributes_of_global_objects_and_their_classes(module):
    model = module(MODEL)
    assert gradient(model.configured, 1.0) == 5.0
    model.Config.rate = 6.0
    assert gradient(model.configured, 1.0) == 6.0
    model.config.rate = 7.0
    assert gradient(model.configured, 1.0) == 7.0


def test_defaults_of_helpers(module):
    model = module(MODEL)
    assert gradient(model.defaulted, 1.0) == 2.0
    model.inner.__defaults__ = (9.0,)
    assert gradient(model.defaulted, 1.0) == 9.0


def test_defaults_of_the_function():
    def power(x, n=2):
        return x**n

    assert gradient(power, 3.0) == 6.0
    power.__defaults__ = (3,)
    assert gradient(power, 3.0) == 27.0


def test_closure_cells():
    factor = 2.0

    def times(x):
        return x * factor

    assert gradient(times, 1.0) == 2.0
    factor = 5.0
    assert gradient(times, 1.0) == 5.0


def test_functions_of_the_same_code():
    def scaled_by(factor):
        return lambda x: x * factor

    assert [gradient(scaled_by(k), 1.0) for k in (2.0, 3.0, 2.0)] == [2.0, 3.0, 2.0]


def ruled(x):
    return x * 1.0


def use_ruled(x):
    return ruled(x) + 0.0


def test_a_rule_added_or_replaced():
    assert gradient(use_ruled, 1.0) == 1.0
    ya.diffrule("ruled(x)", "x", "2 * dy")
    assert gradient(use_ruled, 1.0) == 2.0
    ya.diffrule("ruled(x)", "x", "3 * dy")
    assert gradient(use_ruled, 1.0) == 3.0


class A:
    def __init__(self, w):
        self.w = w

    def value(self):
        return self.w * 2.0


class B(A):
    def value(self):
        return self.w * 3.0


class Holder:
    def __init__(self, part, act):
        self.part, self.act = part, act


def of_object(m):
    return m.value()


def sum_of_object(m):
    return np.sum(m.value())


def of_field(h):
    return h.act(h.part.value())


def sine(x):
    return np.sin(x)


def cosine(x):
    return np.cos(x)


def test_classes_of_objects():
    for cls, slope in ((A, 2.0), (B, 3.0), (A, 2.0)):
        assert gradient(of_object, cls(1.0)) == {("w",): slope}


def test_classes_and_functions_in_fields():
    for cls, slope in ((A, 2.0), (B, 3.0), (A, 2.0)):
        for act, d in ((sine, np.cos), (cosine, lambda t: -np.sin(t)), (sine, np.cos)):
            g = gradient(of_field, Holder(cls(1.0), act))
            assert g["part", "w"] == pytest.approx(slope * d(slope))


def test_methods_defined_anew(monkeypatch):
    assert gradient(of_object, A(1.0)) == {("w",): 2.0}
    monkeypatch.setattr(A, "value", lambda self: self.w * 11.0)
    assert gradient(of_object, A(1.0)) == {("w",): 11.0}


def test_kinds_of_fields(made):
    for w in (1.0, np.ones(1), np.ones((1, 1)), np.float32(1)):
        assert type(gradient(sum_of_object, A(w))["w",]) is type(w)
    assert len(made) >= 3
    count = len(made)
    ya.grad(sum_of_object, A(2.0))
    assert len(made) == count


def test_functions_as_arguments():
    def apply(fn, x):
        return fn(x)

    assert ya.grad(apply, sine, 1.0)[1]["x"] == np.cos(1.0)
    assert ya.grad(apply, cosine, 1.0)[1]["x"] == -np.sin(1.0)


def test_threads():
    def work(x, k):
        for _ in range(3):
            x = np.sin(x) * k
        return np.sum(x)

    expected = {n: ya.grad(work, np.full(n, 0.3), 2.0)[1][0] for n in (1, 2, 3)}
    wrong = []
    start = threading.Barrier(4)

    def run(n):
        start.wait()
        for _ in range(30):
            got = ya.grad(work, np.full(n, 0.3), 2.0)[1][0]
            if not np.array_equal(got, expected[n]):
                wrong.append(got)

            def fresh(x, n=n):
                return np.sum(x**2) * n

            if ya.grad(fresh, np.ones(n), wrt=0)[1][0].tolist() != [2.0 * n] * n:
                wrong.append(n)

    threads = [threading.Thread(target=run, args=(1 + k % 3,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_cache_does_not_grow_without_end(monkeypatch):
    monkeypatch.setattr("yota_ast.api.cache.compiled_gradients.FUNCTIONS", 3)
    cache = compiled_gradients.Cache()
    monkeypatch.setattr(grad, "_CACHE", cache)
    for k in range(6):
        ya.grad(lambda x, k=k: x * float(k), 1.0)
    for k in range(6):
        scale = float(k)
        ya.grad(lambda x, s=scale: x * s, 1.0)
    assert len(cache.entries) <= 3
    assert {key for keys in cache.of_code.values() for key in keys} == {*cache.entries}
    held = {id(entry) for entries in cache.entries.values() for entry in entries}
    assert {*cache.fast.answering} <= held
    for site in cache.fast.sites.values():
        assert {id(known.entry) for known in site.calls.values()} <= held
