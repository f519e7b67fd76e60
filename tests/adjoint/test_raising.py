"""Errors of statements that nobody reads are kept, at their place, in every mode."""

import copy
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.raisers import CASES, X
from yota_ast.analysis.raising_statements import may_raise
from yota_ast.errors import InternalError, YotaError
from yota_ast.ir.abstract_values import FLOAT, array_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def limit():
    """No call goes on for ever."""

    def alarm(*_):
        raise TimeoutError("it goes on for ever")

    old = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, 20)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)


def raised(call):
    """The kind of error that a call raises; None where it does not."""
    try:
        call()
    except InternalError:
        raise
    except TimeoutError:
        raise
    except Exception as error:
        return error
    return None


def agrees(error, expected, name):
    """Whether an error is that of Python, a refusal, or a check of the text."""
    if type(error) is type(expected) or isinstance(error, YotaError):
        return True
    return type(error) is ValueError and str(error).startswith(f"{name}_grad: ")


@pytest.mark.parametrize("name", CASES)
def test_what_python_raises_is_raised(name):
    function, usual, other = CASES[name]
    expected = raised(lambda: function(*copy.deepcopy(other)))
    calls = [lambda: ya.grad(function, *copy.deepcopy(other))]
    made = raised(lambda: ya.simplegrad(function, *usual))
    if made is None:
        df = ya.simplegrad(function, *usual)
        calls += [
            lambda: df(*copy.deepcopy(other)),
            lambda: df.fn(*copy.deepcopy(other)),
        ]
    else:
        assert agrees(made, raised(lambda: function(*copy.deepcopy(usual))), name)
    for call in calls:
        error = raised(call)
        assert (error is None) == (expected is None), (expected, error)
        assert error is None or agrees(error, expected, name), (expected, error)


@pytest.mark.parametrize("name", CASES)
def test_forward_mode_raises_it_too(name):
    function, _, other = CASES[name]
    expected = raised(lambda: function(*copy.deepcopy(other)))
    tangents = [
        np.ones_like(x) if isinstance(x, np.ndarray) and x.dtype.kind == "f"
        else 1.0 if isinstance(x, float) else None
        for x in other
    ]  # fmt: skip
    if all(t is None for t in tangents):
        return
    error = raised(lambda: ya.jvp(function)(*copy.deepcopy(other), *tangents))
    assert (error is None) == (expected is None), (expected, error)


def before_the_effects(x, y):
    x[0] = 5.0
    1.0 / y
    x[1] = 7.0
    return np.sum(x)


def test_it_is_raised_before_what_follows():
    x = X.copy()
    with pytest.raises(ZeroDivisionError):
        ya.grad(before_the_effects, x, 0.0)
    assert list(x) == [5.0, 1.0, 2.0]


def never_raises(x, n, flag):
    y = 2.0 * x + 1.0
    np.sin(y) * np.exp(x)
    k = n + 1
    k * 2
    rows = [x, y]
    rows[1]
    x.shape[0]
    y / 2.0
    if flag:
        y = -y
    return np.sum(x)


def test_what_cannot_raise_goes():
    source = ya.simplegrad(never_raises, X, 2, True).source
    assert "    # forward\n    val = np.sum(x)\n" in source


def once(x, n):
    x[n]
    return np.sum(x)


def test_it_is_an_expression_without_a_name():
    source = ya.simplegrad(once, X, 2).source
    assert "    # forward\n    x[n]\n    val = np.sum(x)\n" in source


def test_a_file_raises_it(tmp_path):
    (tmp_path / "shop.py").write_text(
        "import math\n\n\ndef cost(x, y):\n    root = math.sqrt(y)\n    return x * x\n"
    )
    env = {"PYTHONPATH": str(ROOT), "PATH": ""}
    command = [sys.executable, "-m", "yota_ast", "emit", "shop:cost", "--wrt", "x",
               "--like", "x=float, y=float"]  # fmt: skip
    subprocess.run(command, cwd=tmp_path, check=True, env=env, capture_output=True)
    code = "import cost_grad; cost_grad.cost_grad(3.0, -1.0)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, check=False, capture_output=True,
        text=True,
    )  # fmt: skip
    assert "ValueError: " in done.stderr


@pytest.mark.parametrize(
    ("known", "name", "raises"),
    [
        (array_fact("f8", None), "shape", False),
        (array_fact("f8", (None, None)), "T", False),
        (array_fact("f8", None), "mT", True),
        (array_fact("f8", None), "name", True),
        (FLOAT, "real", False),
        (FLOAT, "shape", True),
    ],
)
def test_attributes_that_numbers_and_arrays_have(known, name, raises):
    op = Apply(Var("y"), getattr, (Var("x", known), Const(name)))
    assert may_raise(op, ()) == raises
