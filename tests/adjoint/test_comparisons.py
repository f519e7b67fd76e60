"""Arguments that act in a loop through comparisons alone: told once, everywhere."""

import inspect
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import yota_ast as ya
from tests.adjoint.searches import CASES, recursive_search, recursive_square, root
from yota_ast.api import grad
from yota_ast.api.cache.compiled_gradients import Cache
from yota_ast.errors import DerivativeWarning, Location

ROOT = Path(__file__).resolve().parents[2]
REFUSED_FORWARD = ("recursive", "recursive_square", "recursive_product")


def cubed(c):
    return root(c) ** 3


def heard(call):
    """What a call returns, and the warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = call()
    return result, [str(w.message) for w in seen]


def named(messages):
    """The arguments that warnings name first."""
    return [message.split("`")[1] for message in messages]


@pytest.mark.parametrize("name", CASES)
def test_who_is_told(name):
    function, told, args = CASES[name]
    assert named(heard(lambda: ya.grad(function, *args))[1]) == told
    assert named(heard(lambda: ya.grad(function, *args))[1]) == []  # from the cache
    made, messages = heard(lambda: ya.simplegrad(function, *args))
    assert named(messages) == told
    for argument in told:
        assert f"`{argument}`" in made.__doc__
    assert ("comparisons" in made.__doc__) == bool(told)
    explained, messages = heard(lambda: ya.explain(function, *args))
    assert messages == []
    assert ("comparisons" in str(explained)) == bool(told)
    assert bool(explained)


@pytest.mark.parametrize("name", [n for n in CASES if n not in REFUSED_FORWARD])
def test_who_is_told_in_forward_mode(name):
    function, told, args = CASES[name]
    tangents = [tangent_of(x) for x in args]
    assert named(heard(lambda: ya.jvp(function)(*args, *tangents))[1]) == told


def tangent_of(x):
    if isinstance(x, np.ndarray):
        return np.ones_like(x)
    if isinstance(x, list):
        return [1.0] * len(x)
    if isinstance(x, dict):
        return dict.fromkeys(x, 1.0)
    return 1.0 if isinstance(x, float) else {("c",): 1.0, ("k",): 1.0}


MESSAGE = (
    "`c` acts in a loop of cubed through comparisons alone, `for _ in range(60):`. The "
    "derivative with respect to `c` is that of the steps, and has no part from the "
    "comparisons. To differentiate what the loop finds, call scipy.optimize.brentq (a "
    "root) or minimize_scalar (a minimum), which are differentiated by the implicit "
    "function theorem."
)


def test_the_words():
    made, messages = heard(lambda: ya.simplegrad(cubed, 2.0))
    assert messages == [MESSAGE]
    assert inspect.cleandoc(made.__doc__) == (
        "Value of cubed and its gradient with respect to c.\n\n"
        "In a loop `c` acts through comparisons alone: the derivative is that of\n"
        "the steps, and has no part from the comparisons."
    )
    assert str(ya.explain(cubed, 2.0)).splitlines()[0].endswith(
        "supported, but `c` acts through comparisons alone"
    )  # fmt: skip


def test_the_place_is_that_of_the_loop():
    with pytest.warns(DerivativeWarning) as seen:
        ya.simplegrad(cubed, 2.0)
    [warning] = seen
    assert warning.filename == root.__code__.co_filename
    assert warning.lineno == root.__code__.co_firstlineno + 2
    told = warning.message
    assert (told.filename, told.lineno) == (warning.filename, warning.lineno)
    assert isinstance(told, UserWarning)
    assert str(pickle.loads(pickle.dumps(told))) == str(told)


def test_the_words_are_safe_on_a_terminal():
    told = ya.DerivativeWarning("`c\x1b[1m` acts", at=Location("m.py", 1, 0))
    assert str(told) == r"`c\x1b[1m` acts"


def nested(c):
    return ya.value_and_grad(cubed)(c)[1] + c


WAYS = {
    "hvp": lambda f: ya.hvp(f)(2.0, 1.0),
    "hessian": lambda f: ya.hessian(f)(2.0),
    "vjp": lambda f: ya.vjp(f)(2.0)[1](1.0),
    "jacobian": lambda f: ya.jacobian(f)(2.0),
    "value_and_grad": lambda f: ya.value_and_grad(f)(2.0)[1],
    "decorator": lambda f: ya.differentiable(f).grad(2.0)[1][0],
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_tells_once(way, monkeypatch):
    monkeypatch.setattr(grad, "_CACHE", Cache())
    power = list(WAYS).index(way)

    def powered(c):
        return root(c) ** power

    for expected in (["c"], []):
        result, messages = heard(lambda: WAYS[way](powered))
        assert result == 0.0
        assert named(messages) == expected


def test_a_nested_gradient_tells_once():
    (_, g), messages = heard(lambda: ya.grad(nested, 2.0))
    assert g[0] == 1.0
    assert named(messages) == ["c"]


def test_what_the_warning_advises_is_right():
    def solved(c):
        return brentq(lambda t, c: t * t - c, 0.0, 10.0, args=(c,)) ** 3

    (_, g), messages = heard(lambda: ya.grad(solved, 2.0))
    assert messages == []
    assert abs(g[0] - 1.5 * 2**0.5) < 1e-9


def test_an_argument_that_is_not_asked_for_is_not_told_of():
    def scaled(c, k):
        return root(c) * k

    assert heard(lambda: ya.grad(scaled, 2.0, 3.0, wrt="k"))[1] == []
    assert named(heard(lambda: ya.grad(scaled, 2.0, 3.0))[1]) == ["c"]


def test_a_search_without_a_loop():
    for function, args in (
        (recursive_square, (2.0,)),
        (recursive_search, (2.0, 0.0, 3.0)),
    ):
        assert named(heard(lambda: ya.simplegrad(function, *args))[1]) == ["c"]


@pytest.mark.parametrize(
    "arguments", [["show-grad"], ["emit", "--stdout"], ["show-grad", "--mode=forward"]]
)
def test_the_command_line_tells_on_stderr(arguments, tmp_path):
    (tmp_path / "halving.py").write_text(
        "def half(c, k):\n"
        "    a, b = 0.0, 4.0\n"
        "    while b - a > 1e-9:\n"
        "        m = 0.5 * (a + b)\n"
        "        a, b = (m, b) if m * m < c else (a, m)\n"
        "    return k * a\n"
    )
    command, *options = arguments
    done = subprocess.run(
        [sys.executable, "-m", "yota_ast", command, "halving.py:half", "--wrt=c,k",
         *options],
        cwd=tmp_path, check=True, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    out, err = done.stdout, done.stderr
    assert err.startswith(
        "halving.py:3: DerivativeWarning: `c` acts in a loop of half "
    )
    assert err.count("\n") == 1
    assert "In a loop `c` acts through comparisons alone" in out
