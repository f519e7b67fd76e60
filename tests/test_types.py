"""A user's program -> what mypy says of it under --strict; the stub -> the code."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import yota_ast as ya

STUB = Path(ya.__file__).with_suffix(".pyi")
PROGRAM = """
from collections.abc import Callable
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import yota_ast as ya

Vector = NDArray[np.float64]


def loss(w: Vector, scale: float = 1.0) -> float:
    return float(scale * np.sum(w**2))


val, g = ya.grad(loss, np.ones(3))
assert_type(val, float)
assert_type(g, ya.GradientResult)
assert_type(ya.grad(loss, np.ones(3), wrt="w", scale=2.0)[0], float)
slope = ya.grad(loss, wrt=["w"])
slope(np.ones(3), scale=2.0)
both = ya.value_and_grad(loss)
assert_type(both(np.ones(3), 2.0)[0], float)
assert_type(ya.jacobian(loss, mode="forward")(np.ones(3)), Any)
assert_type(ya.hessian(loss)(np.ones(3)), Any)
value, pullback = ya.vjp(loss)(np.ones(3))
assert_type(value, float)
assert_type(pullback, Callable[[Any], Any])
assert_type(ya.jvp(loss)(np.ones(3), np.ones(3)), tuple[float, float])
ya.hvp(loss)(np.ones(3), np.ones(3))
dloss = ya.simplegrad(loss, np.ones(3))
dloss(np.ones(3), 2.0)
print(dloss.source)
start: Vector = np.ones(3)
flat, unravel = ya.ravel({"w": start})
assert_type(unravel(flat), dict[str, Vector])
assert_type(ya.update(start, np.ones(3)), Vector)
traced, tape = ya.trace(loss, np.ones(3))
ya.compile(tape)(np.ones(3))
if ya.gradcheck(loss, np.ones(3)):
    print(ya.explain(loss))


@ya.differentiable
def energy(x: Vector, k: float) -> float:
    return float(k * np.sum(x))


assert_type(energy(np.ones(2), 2.0), float)
assert_type(energy.grad(np.ones(2), 2.0)[0], float)
print(energy.grad_source)


class Model:
    @ya.differentiable(wrt=["x"])
    def forward(self, x: Vector) -> float:
        return float(np.sum(x))


assert_type(Model().forward(np.ones(2)), float)


@ya.primitive
def logistic(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


assert_type(logistic(1.0), float)
ya.diffrule("logistic(x)", "x", "y * (1 - y) * dy")
ya.nodiff("np.argmax(x)", "x")
try:
    ya.grad(loss, 1.0)
except ya.YotaError as error:
    print(error.filename, error.lineno, error.col_offset)
"""
WRONG = """
import numpy as np

import yota_ast as ya


def loss(w: float, x: str) -> float:
    return w


ya.value_and_grad(loss)("a", "b")
ya.jacobian(loss, mode="backward")
ya.gard(loss)
ya.differentiable(loss)(1.0)
"""


def checked(folder: Path, text: str) -> list[str]:
    """Return the errors of mypy in a user's file, as codes by line."""
    (folder / "user.py").write_text(text)
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-color-output", "user.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    return ran.stdout.splitlines()


def test_a_users_file_passes_mypy(tmp_path):
    assert checked(tmp_path, PROGRAM) == ["Success: no issues found in 1 source file"]
    said = checked(tmp_path, WRONG)
    assert [line.rpartition("[")[2] for line in said[:-1]] == [
        "arg-type]",
        "arg-type]",
        "attr-defined]",
        "call-arg]",
    ]


def stated() -> dict[str, list[ast.arguments]]:
    """Return the parameters that the stub states, of each overload."""
    found: dict[str, list[ast.arguments]] = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node.args)
    return found


FUNCTIONS = sorted(n for n in ya.__all__ if inspect.isroutine(getattr(ya, n)))


def test_every_function_is_in_the_stub():
    assert sorted(stated()) == FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_stub_has_the_parameters_of_the_code(name):
    params = inspect.signature(getattr(ya, name)).parameters.values()
    kinds = {p.name: p.kind for p in params}
    for args in stated()[name]:
        told = {a.arg: inspect.Parameter.POSITIONAL_ONLY for a in args.posonlyargs}
        told |= {a.arg: inspect.Parameter.POSITIONAL_OR_KEYWORD for a in args.args}
        told |= {a.arg: inspect.Parameter.KEYWORD_ONLY for a in args.kwonlyargs}
        if args.vararg:
            told[args.vararg.arg] = inspect.Parameter.VAR_POSITIONAL
        if args.kwarg:
            told[args.kwarg.arg] = inspect.Parameter.VAR_KEYWORD
        assert told.items() <= kinds.items()
        if len(stated()[name]) == 1:
            assert told == kinds


def test_all_is_the_same_in_both():
    tree = ast.parse(STUB.read_text())
    lists = [n for n in tree.body if isinstance(n, ast.Assign)]
    assert ast.literal_eval(lists[0].value) == ya.__all__
    for name in ya.__all__:
        getattr(ya, name)
