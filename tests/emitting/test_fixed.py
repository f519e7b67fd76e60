"""Constants that a file reads live: another value is right, or a ValueError."""

import importlib
import operator
import re

import numpy as np
import pytest

from yota_ast.files.module_constants import fixed_constants
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import Apply, Block, Merge, Try
from yota_ast.ir.tape import Tape

HEAD = "import numpy as np\nfrom scipy import special\n\nfrom shop import config\n\n\n"
X = np.array([0.3, 1.1, 0.7, 1.4])
COPY = "y = x.copy()\n    y[:2] = x[config.A : config.A + 2] ** 2\n    "
STORES = """\
y = np.zeros(4)
    y[config.A] = x[0]
    y[config.B] = y[config.A] * x[1]
    """
LOOP = "s = 0.0\n    for k in range(3):\n        s -= config.A * x[k]\n    return s"

FREE = {  # the constants, what is returned, one of them as it is at the call
    "factor": ("A = -2.0", "np.sum(np.sin(x) - config.A * x)", "A = 3.0"),
    "subtracted": ("A = -2.0", LOOP, "A = 3.0"),
    "factor of 1": ("A = 1.0", "np.sum(config.A * x**2)", "A = 3.0"),
    "stable": ("A = 1.0", "np.sum(np.log(config.A + np.exp(x)))", "A = 2.0"),
    "default": ("A = 1.0", "np.trapezoid(x, dx=config.A) ** 2", "A = 0.5"),
    "in a tuple": ("A = 0.5", "np.sum(np.gradient(x, config.A) ** 2)", "A = 0.3"),
    "order": ("A = 1", "np.sum(special.jv(config.A, x))", "A = 2"),
    "two alike": (
        "A = 2.0\nB = 2.0", "np.sum(np.sin(config.A * x) * np.cos(config.B * x))",
        "B = 3.0",
    ),
    "exponent": ("A = 2", "np.sum(x**config.A)", "A = 3"),
    "branch": ("A = 'a'", "np.sum(x**2) if config.A == 'a' else np.sum(x)", "A = 'b'"),
    "trips": ("A = (1, 2)", "sum(np.sum(x**k) for k in config.A)", "A = (3,)"),
    "general": ("A = np.ones((1, 4))", "np.sum(x * config.A)", "A = np.ones(4)"),
    "many indices": ("A = np.arange(200) % 3", "np.sum(x[config.A])", "A = [1, 1]"),
    "fill": ("A = np.nan", "np.sum(np.nan_to_num(x, nan=config.A))", "A = 1.0"),
    "mask": (
        "A = np.arange(4) > 1", "np.sum(x[config.A] ** 2)",
        "A = np.arange(4) < 3",
    ),
}  # fmt: skip
FIXED = {  # and what the ValueError says of them
    "asked whether it is None": (
        "A = None", "np.sum(x) if config.A is None else np.sum(x * config.A)",
        "A = 2.0", "config.A = None",
    ),
    "asked for its class": (
        "A = 2", "np.sum(x) if isinstance(config.A, int) else np.sum(x**2)",
        "A = 0.5", "config.A = 2",
    ),
    "index": ("A = 2", "x[config.A] ** 2", "A = 1", "config.A = 2"),
    "axis": (
        "A = 0", "np.sum(np.sum(x[None], config.A) ** 2)", "A = 1", "config.A = 0"
    ),
    "mode": (
        "A = 'full'", "np.sum(np.convolve(x, x, config.A) ** 2)", "A = 'same'",
        "config.A = 'full'",
    ),
    "order": ("A = 2", "np.linalg.norm(x, config.A)", "A = np.inf", "config.A = 2"),
    "none": (
        "A = None", "np.sum(np.cumsum(x, axis=config.A) ** 2)", "A = 0",
        "config.A = None",
    ),
    "flag": (
        "A = False", "np.sum(np.sum(x[None], 1, keepdims=config.A) * x)", "A = True",
        "config.A = False",
    ),
    "computed": ("A = 2", "np.sum(x[config.A // 2 :])", "A = 4", "config.A = 2"),
    "item": ("A = (1, 2)", "x[config.A[1]] ** 2", "A = (1, 0)", "config.A = (1, 2)"),
    "length": (
        "A = 4", "np.sum((np.ones(config.A) * x) ** 2)", "A = (2, 4)", "config.A = 4"
    ),
}  # fmt: skip
SHAPED = {
    "array": ("A = np.ones((1, 4))", "np.sum(x * config.A)", "A = np.ones(4)"),
    "matrix": (
        "A = np.ones((3, 4))", "np.sum((config.A @ x) ** 2)", "A = np.ones((2, 3, 4))"
    ),
}  # fmt: skip
STORED = {
    "overlap": ("A = 2", COPY + "return np.sum(y**2)", "A = 1"),
    "one": ("A = 1\nB = 2", STORES + "return np.sum(y**2)", "B = 1"),
    "slice": ("A = slice(1, 3)", "return np.sum(x[config.A] ** 2)", "A = slice(0, 2)"),
    "of one value": ("A = 2\nB = 2", STORES + "return np.sum(y**2)", "B = 1"),
}


def made(shop, constants, body, *options):
    """The gradient that is written of a function of x, and its module of constants."""
    shop.write("shop/config.py", f"import numpy as np\n\n{constants}\n")
    statements = body if "return " in body else f"return {body}"
    shop.write("shop/live.py", f"{HEAD}def f(x):\n    {statements}\n")
    shop.emit("shop.live:f", *options)
    shop.forget()
    gradient = importlib.import_module("shop.f_grad").f_grad
    return gradient, importlib.import_module("shop.config")


def change(config, assignment):
    name, _, value = assignment.partition(" = ")
    setattr(config, name, eval(value, {"np": np}))


def assert_right(gradient):
    direction = np.array([0.4, -1.0, 0.7, 0.9])
    _, dx = gradient(X)
    ahead, back = (gradient(X + h * direction)[0] for h in (1e-6, -1e-6))
    np.testing.assert_allclose(direction @ dx, (ahead - back) / 2e-6, rtol=1e-5)


LIKE = ("--like", "x=float[4]")


@pytest.mark.parametrize(
    ("name", "like"),
    [(name, ()) for name in FREE]
    + [(name, LIKE) for name in FREE if name != "general"],
)
def test_numbers_may_change(shop, name, like):
    constants, body, changed = FREE[name]
    gradient, config = made(shop, constants, body, *like)
    assert_right(gradient)
    change(config, changed)
    assert_right(gradient)


@pytest.mark.parametrize("like", [(), ("--like", "x=float[4]")], ids=["", "like"])
@pytest.mark.parametrize("name", FIXED)
def test_what_decides_the_derivative_may_not(shop, name, like):
    constants, body, changed, told = FIXED[name]
    gradient, config = made(shop, constants, body, *like)
    assert_right(gradient)
    change(config, changed)
    with pytest.raises(ValueError, match="made for ") as raised:
        gradient(X)
    assert str(raised.value) == f"f_grad: made for {told}"


@pytest.mark.parametrize("name", SHAPED)
def test_nor_may_shapes_that_were_known(shop, name):
    constants, body, changed = SHAPED[name]
    gradient, config = made(shop, constants, body, "--like", "x=float[4]")
    assert_right(gradient)
    config.A = 2 * config.A
    assert_right(gradient)
    change(config, changed)
    with pytest.raises(ValueError, match=r"made for config\.A \("):
        gradient(X)


@pytest.mark.parametrize("name", STORED)
def test_nor_may_places(shop, name):
    constants, body, changed = STORED[name]
    gradient, config = made(shop, constants, body)
    assert_right(gradient)
    change(config, changed)
    with pytest.raises(ValueError, match=r"made for config\.A = "):
        gradient(X)


@pytest.mark.parametrize("like", [(), ("--like", "x=float[4]")], ids=["", "like"])
def test_a_mask_stays_one(shop, like):
    """Of indices one may be there twice."""
    gradient, config = made(shop, "A = np.arange(4) > 1", "np.sum(x[config.A])", *like)
    config.A = np.array([0, 0, 1, 0])
    with pytest.raises(ValueError, match=r"made for a mask config\.A"):
        gradient(X)


def test_of_a_table_of_indices_the_length_counts(shop):
    constants = f"A = {[k % 3 for k in range(200)]}"
    gradient, config = made(shop, constants, "np.sum(x[config.A] ** 2)")
    assert_right(gradient)
    config.A = [0] * 200
    assert_right(gradient)
    config.A = [0]
    with pytest.raises(ValueError, match=r"made for len\(config\.A\) = 200"):
        gradient(X)


def test_what_cannot_be_written_is_refused(shop):
    shop.write("shop/config.py", "import numpy as np\n\nA = (np.int64(2), 2)\n")
    body = "    return np.sum(np.reshape(x, config.A) ** 2)\n"
    shop.write("shop/live.py", f"{HEAD}def f(x):\n{body}")
    assert shop.run("emit", "shop.live:f") == 2
    assert "holds for one value of config.A, which cannot be written" in shop.err


def test_the_constants_of_numpy_do_not(shop):
    gradient, _ = made(
        shop, "A = 1", "np.linalg.norm(x, np.inf) + np.sum(x[np.newaxis])"
    )
    assert_right(gradient)
    told = re.findall('made for (.*)"', shop.read("shop/f_grad.py"))
    assert all(each.endswith(" x") for each in told)  # of the argument alone


def test_an_index_that_a_try_hands_on():
    x, index, out = (Var(name) for name in ("x", "index", "out"))
    first = Const(1, "FIRST", "model")
    ops = (
        Try(Block(), Const(ValueError), Var("error"), Block(), Block(),
            (Merge(index, first, Const(0)),)),
        Apply(out, operator.getitem, (x, index)),
    )  # fmt: skip
    tape = Tape("f", (Parameter(x),), Block(ops), out)
    assert fixed_constants(tape, shaped=False) == (first,)
