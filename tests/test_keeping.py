"""A generated function follows what its function reads, or says that it cannot."""

import pickle
import sys
import textwrap
from types import ModuleType

import numpy as np
import pytest

import yota_ast as ya

MODEL = """
import functools
import numpy as np
import kept_other

SCALE = 2.0
BIAS = np.array([1.0, 2.0, 3.0])
TABLE = {"rate": 3.0}
WEIGHTS = [1.0, 2.0]
COUNT = 2
PLACE = 1
FAST = True
AXIS = 0

class Config:
    rate = 5.0

config = Config()
config.gain = 1.5
config.step = 0

def helper(v):
    return v * v

def cube(v):
    return v * v * v

def scaled(x): return (SCALE * x).sum()
def biased(x): return (BIAS * x).sum()
def looked_up(x): return (TABLE["rate"] * x).sum()
def weighted(x): return (WEIGHTS[0] * x).sum() * WEIGHTS[1]
def configured(x): return (config.gain * x * x).sum()
def of_class(x): return (Config.rate * x * x).sum()
def counted(x):
    for i in range(COUNT):
        x = x * x
    return x.sum()
def chosen(x): return (x * x if FAST else 3.0 * x).sum()
def compared(x): return (x * x if SCALE > 1 else 3.0 * x).sum()
def placed(x): return x[PLACE] * x[0]
def helped(x): return helper(x).sum()
def both(x): return (SCALE * x + kept_other.scaled(x)).sum()

class Spring:
    def __init__(self): self.rate = 2.0
    def force(self, x): return self.rate * x
spring = Spring()
pull = spring.force
spring.chain = Spring()
spring.chain.chain = Spring()
spring.chain.chain.chain = Spring()
spring.chain.chain.chain.chain = Spring()
def noted(x): return noted.rate * x.sum()
noted.rate = 2.0
def forced(s, x): return s.rate * x
bound = functools.partial(forced, spring)
class Table:
    def __init__(self): self.table = {"rate": 2.0}
    def __getattr__(self, name): return self.table[name]
table = Table()
def of_a_table(x): return table.rate * x.sum()
def of_an_attribute(x): return noted(x)
def of_a_method(x): return pull(x).sum()
def of_a_partial(x): return bound(x).sum()
def of_a_chain(x): return spring.chain.chain.chain.chain.rate * x.sum()

def made():
    k = 2.0
    def closed(x): return (k * x).sum()
    def set_k(v):
        nonlocal k
        k = v
    return closed, set_k
closed, set_k = made()
"""
OTHER = """
SCALE = 2.0
def scaled(x): return SCALE * x * x
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    for name, text in (("kept_other", OTHER), ("kept_model", MODEL)):
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        found = ModuleType(name)
        found.__file__ = str(path)
        monkeypatch.setitem(sys.modules, name, found)
        exec(compile(text, str(path), "exec"), vars(found))
    found.scale = found.kept_other
    found.kept_other.SCALE = found.SCALE  # the very same number
    return found


X = np.array([0.5, 1.5, 2.5])


def agrees(f, df):
    """Whether the gradient is that of the function as it is now."""
    val, dx = df(X.copy())
    slopes = [(f(X + e) - f(X - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    return val == f(X) and np.allclose(dx, slopes, atol=1e-6)


LIVE = [
    ("scaled", "SCALE = 3.5"),
    ("biased", "BIAS = BIAS * 2"),
    ("looked_up", "TABLE['rate'] = 1.5"),
    ("weighted", "WEIGHTS[1] = 7.0"),
    ("configured", "config.gain = -2.0"),
    ("of_class", "Config.rate = -2.0"),
    ("counted", "COUNT = 3"),
    ("chosen", "FAST = False"),
    ("compared", "SCALE = 0.5"),
    ("both", "SCALE = 0.5"),
    ("both", "scale.SCALE = 0.5"),
    ("of_an_attribute", "noted.rate = 3.5"),
    ("of_a_method", "spring.rate = 3.5"),
    ("of_a_chain", "spring.chain.chain.chain.chain.rate = 3.5"),
]


@pytest.mark.parametrize(("name", "change"), LIVE)
def test_a_number_that_changes_is_read_live(model, name, change):
    f = getattr(model, name)
    df = ya.simplegrad(f, X)
    assert agrees(f, df)
    before = f(X)
    exec(change, vars(model))
    assert f(X) != before
    assert agrees(f, df)
    if name == "scaled":
        model.SCALE = 9.0
        assert agrees(f, df)
        assert agrees(f, df.fn)


OTHER_TEXTS = [
    ("scaled", "SCALE = 3", "SCALE"),
    ("scaled", "SCALE = np.ones((2, 1))", "SCALE"),
    ("biased", "BIAS = np.ones((3, 1))", "BIAS"),
    ("biased", "BIAS = BIAS.astype('f4')", "BIAS"),
    ("looked_up", "TABLE['rate'] = BIAS", "TABLE"),
    ("weighted", "WEIGHTS[1] = 7", "WEIGHTS"),
    ("configured", "config.gain = BIAS", "gain"),
    ("placed", "PLACE = 0", "PLACE"),
    ("helped", "helper = np.sin", "helper"),
    ("helped", "helper.__code__ = cube.__code__", "helper.__code__"),
    ("closed", "set_k(3.0)", "k"),
    ("of_a_partial", "spring.rate = 3.5", "rate"),
    ("of_a_table", "table.rate = 3.5", "rate"),
]


@pytest.mark.parametrize(("name", "change", "what"), OTHER_TEXTS)
def test_what_may_need_another_text_raises(model, name, change, what):
    f = getattr(model, name)
    df = ya.simplegrad(f, X)
    assert agrees(f, df)
    exec(change, vars(model))
    with pytest.raises(ValueError, match=f"{name}_grad: {what} has changed since this"):
        df(X)
    with pytest.raises(ValueError, match="make it again"):
        pickle.dumps(df)
    if not np.shape(f(X)):
        assert agrees(f, ya.simplegrad(f, X))
        val, g = ya.grad(f, X)
        assert val == f(X)
        assert np.array_equal(g[0], ya.simplegrad(f, X)(X)[1])


@pytest.mark.parametrize(
    "change",
    [
        "sum = lambda v: 0.0",  # x.sum is an attribute
        "config.SCALE = 4",
        "config.step += 1",
        "SCALE = SCALE + 0.0",
        "unrelated = 1",
        "COUNT = 'none'",
    ],
)
def test_other_names_may_change(model, change):
    df = ya.simplegrad(model.scaled, X)
    exec(change, vars(model))
    assert agrees(model.scaled, df)


def test_a_gradient_of_a_bound_function_follows_too(model):
    df = ya.simplegrad(model.functools.partial(model.scaled, X))
    model.SCALE = 3.5
    assert df()[0] == model.scaled(X)
    model.SCALE = 3
    with pytest.raises(ValueError, match="SCALE has changed since this"):
        df()


NESTED = """
from kept_model import *
import kept_model
import yota_ast as ya
dsquared = ya.simplegrad(kept_model.compared, np.ones(3))
def slope(x): return (dsquared(x)[1] ** 2).sum()
def value(x): return dsquared(x)[0]
def change(x): return (ya.hvp(kept_model.configured)(x, x) * x).sum()
"""


@pytest.mark.parametrize("name", ["slope", "value", "change"])
def test_a_gradient_within_a_function_follows_too(model, name, tmp_path):
    path = tmp_path / "kept_nested.py"
    path.write_text(NESTED, encoding="utf-8")
    nested = ModuleType("kept_nested")
    exec(compile(NESTED, str(path), "exec"), vars(nested))
    f = getattr(nested, name)
    made = ya.simplegrad(f, X)

    def df(x):
        val, g = ya.grad(f, x)
        return val, g[0]

    assert agrees(f, df)
    for number in (1.5, 0.5, 3.0):
        model.SCALE = model.config.gain = number
        assert "keeper" not in ya.grad(f, X)[1].source
        assert agrees(f, df)
    if name == "change":
        assert agrees(f, made)  # through the object
    else:
        with pytest.raises(ValueError, match="has changed since this"):
            made(X)
