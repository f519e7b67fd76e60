"""Large functions that are called in several places: lowered once, and right."""

import importlib.util

import pytest

import yota_ast as ya
from yota_ast.frontend.calls.large_functions import Foresight
from yota_ast.frontend.interpret import lower as lowering
from yota_ast.frontend.interpret.function_lowering import FunctionLowering

TERMS = "\n".join(
    f"    y = y * x + {k}.5 * x * x - {k}.25 * y / (x + {k + 2}.0)" for k in range(32)
)
NAMES = ("sin", "cos", "tanh", "arctan")
CALLS = "\n".join(f"    y = np.{NAMES[k % 4]}(y)" for k in range(60))
INDENTED = CALLS.replace("    y", "        y")
PLACES = "\n".join(f"    s += large_by_calls(x * {k}.5)" for k in range(8))
DEEPER = PLACES.replace("    s", "        s")
OBJECTS = "\n".join(f"    s += Large(x * {k}.5)(k)" for k in range(8))
LISTS = "\n".join(f"    s += large_of_list([x * {k}.5, k])" for k in range(8))
TEXT = f"""
import numpy as np


def large(x):
    y = x
{TERMS}
    return y * 1e-9


def twice(x, k):
    return large(x) + large(x * k)


def once(x, k):
    if k is None:
        return large(x)
    return large(x * 1.5)


def handed(f, x):
    return f(x) * f(x + 1.0)


def by_another(x, k):
    return handed(large, x)


def by_local_functions(x, k):
    def first(sign):
        return large(sign * x)

    def second(sign):
        return large(sign + x)

    return first(1.0) + second(-k)


def large_by_calls(x):
    y = x
{CALLS}
    return y


def many_calls(x, k):
    s = 0.0
{PLACES}
    return s


def other(x):
    return large_by_calls(x) + large_by_calls(2.0 * x) + large_by_calls(-x)


def within_others(x, k):
    return other(x) + other(k * x) + other(x + k)


class Large:
    def __init__(self, x):
        self.x = x

    def __call__(self, y):
        y = y + self.x
{INDENTED}
        return y


def of_objects(x, k):
    s = 0.0
{OBJECTS}
    return s


def large_of_list(xs):
    y = xs[0] + xs[1]
{CALLS}
    return y


def of_lists(x, k):
    s = 0.0
{LISTS}
    return s


def seldom(x, k):
    s = large_by_calls(x)
    if k is None:
{DEEPER}
    return s
"""


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    path = tmp_path_factory.mktemp("foreseen") / "several_places.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location("several_places", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lowered(fn, monkeypatch):
    """The text of a gradient, and how often the function was lowered for it."""
    times = []
    lower = FunctionLowering.lower

    def counted(self, *args):
        times.append(self)
        return lower(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(FunctionLowering, "lower", counted)
        source = ya.simplegrad(fn, 0.7, 1.1, wrt="x").source
    return source, len(times)


TIMES = {
    "twice": (1, 2),
    "by_another": (1, 2),
    "by_local_functions": (1, 2),
    "once": (2, 1),
    "many_calls": (1, 2),
    "of_objects": (1, 2),
    "of_lists": (1, 2),
    "seldom": (2, 1),
}
"""How often a function is lowered by one who foresees, and by one who does not."""


@pytest.mark.parametrize("name", TIMES)
def test_the_text_is_that_of_one_who_foresees_nothing(name, functions, monkeypatch):
    fn, (seen, unseen) = getattr(functions, name), TIMES[name]
    source, times = lowered(fn, monkeypatch)
    monkeypatch.setattr(lowering, "foresight", lambda *_: Foresight())
    assert lowered(fn, monkeypatch) == (source, unseen)
    assert times == seen
    outlined = "_large" in source or "_call_forward" in source
    assert outlined is (name not in ("once", "seldom"))


def test_what_is_small_without_what_it_calls_is_inlined(functions, monkeypatch):
    source, times = lowered(functions.within_others, monkeypatch)
    assert times == 1
    assert source.count("_large_by_calls_forward(") == 1 + 9
    assert "def _other" not in source


@pytest.mark.parametrize("name", [*TIMES, "within_others"])
def test_the_gradient_is_right(name, functions):
    fn, step = getattr(functions, name), 1e-30
    value, grads = ya.grad(fn, 0.7, 1.1, wrt="x")
    assert value == fn(0.7, 1.1)
    slope = fn(0.7 + step * 1j, 1.1).imag / step
    assert abs(grads["x"] - slope) <= 1e-12 * abs(slope)
