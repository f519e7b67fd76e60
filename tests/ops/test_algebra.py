"""The arithmetic that is stated of functions, against what they compute."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest

import yota_ast as ya
from yota_ast import runtime
from yota_ast.ops import info
from yota_ast.ops.registry import REGISTRY, Path
from yota_ast.rules.notation.display_names import display_name


def stating(name: str) -> list[Any]:
    """The functions, and the helpers, of which a property is stated, by name: the
    workers that share the tests must find them in one order."""
    found = REGISTRY.stating(name)
    helpers = [f for f in found if isinstance(f, Path) and f.module == "runtime"]
    functions = [
        *(f for f in found if not isinstance(f, Path)),
        *(getattr(runtime, f.name) for f in helpers),
    ]
    return sorted(functions, key=display_name)


COMPUTED = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a / b,
    "floor": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "power": lambda a, b: a**b,
    "negative": lambda a: 0 - a,
    "same": lambda a: a,
    "matrix product": lambda a, b: np.einsum("...ij,...jk->...ik", a, b),
    "inner product": lambda a, b: np.einsum("i,i", a, b),
    "left shift": lambda a, b: a * 2**b,
    "right shift": lambda a, b: a // 2**b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "exclusive or": lambda a, b: a ^ b,
}
OF_WHOLE = ("left shift", "right shift", "and", "or", "exclusive or")
OF_REAL = ("floor", "remainder")
SHAPES = ((), (3,), (2, 3), (0,), (1, 1))


def drawn(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    rng = np.random.default_rng(5)
    x = rng.uniform(1.0, 4.0, shape)
    return np.asarray(x + 1j * x if dtype == "c16" else x).astype(dtype)


def operands(said: str) -> Any:
    """Pairs of operands, of several ranks, types and layouts."""
    for dtype in ("i8",) if said in OF_WHOLE else ("f4", "f8", "i8", "c16"):
        if dtype == "c16" and said in OF_REAL:
            continue
        if said.endswith("product") and said != "product":
            square = (3, 3) if said == "matrix product" else (3,)
            shapes: Any = (square,)
        else:
            shapes = SHAPES
        for shape in shapes:
            a = drawn(shape, dtype)
            for b in (a, a[::-1] if a.ndim else a, np.array(a, order="F")):
                yield a, b
            if not a.ndim:
                yield a.item(), a.item()


@pytest.mark.parametrize("fn", stating("arithmetic"), ids=display_name)
def test_arithmetic(fn):
    said = info(fn).arithmetic
    tried = 0
    for a, b in operands(said):
        given = (a, b) if said not in ("negative", "same") else (a,)
        conjugated = (np.conj(a), b) if fn is np.vdot else given
        wanted = COMPUTED[said](*conjugated)
        if fn is math.pow and not isinstance(a, int | float):
            continue
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in given]
        np.testing.assert_allclose(fn(*copies), wanted, rtol=1e-5)
        tried += 1
    assert tried


@pytest.mark.parametrize("fn", stating("exponent"), ids=display_name)
def test_exponent(fn):
    for shape in SHAPES:
        for dtype in ("f4", "f8"):
            x = drawn(shape, dtype)
            x = x.item() if fn.__module__ == "math" and not shape else x
            if fn.__module__ == "math" and shape:
                continue
            np.testing.assert_allclose(fn(x), x ** info(fn).exponent, rtol=1e-5)


def test_every_arithmetic_is_stated():
    said = {info(fn).arithmetic for fn in stating("arithmetic")}
    assert said == set(COMPUTED)
    assert info(operator.not_).arithmetic == info(np.sin).arithmetic == "none"


def of_operators(x):
    return np.sum((x * x**-0.5)[x > 0])


def of_builtin(x):
    return np.sum((x * pow(x, -0.5))[x > 0])


def of_float_power(x):
    return np.sum((x * np.float_power(x, -0.5))[x > 0])


def of_positive(x):
    return np.sum((x * +(x**-0.5))[x > 0])


@pytest.mark.parametrize("fn", [of_builtin, of_float_power, of_positive])
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_all_spellings_have_one_gradient(fn):
    """A power that is infinite where it is not selected has no part in a gradient."""
    x = np.array([0.0, 0.7, 1.1])
    wanted = ya.grad(of_operators, x)[1]["x"]
    np.testing.assert_allclose(ya.grad(fn, x)[1]["x"], wanted, rtol=1e-12)
