"""Functions of SciPy that are given a function: what they find, and how they call it.

`brentq(f, a, b, args=(p,))` looks for a root of f: its derivative follows from that of
f alone, by the implicit function theorem, and not from what the solver does.

>>> SOLVERS["scipy.optimize", "brentq"].kind
'root'
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, Literal

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.abstract_values import Fact
from yota_ast.support.public_names import is_of_scipy, public_path

Kind = Literal["root", "fixed point", "minimum", "residuals", "fit", "integral", "flow"]


@dataclass(frozen=True, slots=True)
class Solver:
    """One of SciPy's functions of functions.

    function: the parameter that is the function. point: what the function is called
    with before its `args`: a "float", a "number" of Python or NumPy, what a parameter
    is made ("x0"), or "time and state", "state and time". also: parameters that may be
    functions of the same arguments, of which no derivative is taken. result: its field
    that is the unknown; "" where the result itself is. fields: others, and the kinds of
    their values. active: parameters with derivatives of their own. refused: parameters
    on which the result depends, and there is no derivative. keeps_numbers: a number to
    start from stays a number, and is made no vector. unpacks: `args` may be a list, or
    an array, whose items it hands on; else that is one argument. only: of which
    parameters which values are supported.
    """

    kind: Kind
    function: str
    point: str
    result: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    active: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    keeps_numbers: bool = False
    unpacks: bool = False
    only: Mapping[str, tuple[object, ...]] = field(default_factory=dict)


_WHOLE: Final = {"full_output": (False, 0)}
_FOUND: Final = {"message": "str", "success": "bool", "nit": "int", "nfev": "int"}
_BRACKETED = Solver("root", "f", "float", only=_WHOLE)
_BRACKET = {"full_output": (0,), "retall": (0,), "callback": (None,)}

SOLVERS: Final[Mapping[tuple[str, str], Solver]] = {
    **{
        ("scipy.optimize", name): _BRACKETED
        for name in ("brentq", "brenth", "ridder", "bisect", "toms748")
    },
    ("scipy.optimize", "newton"): Solver(
        "root", "func", "x0", also=("fprime", "fprime2"), keeps_numbers=True,
        unpacks=True, only=_WHOLE,
    ),
    ("scipy.optimize", "root_scalar"): Solver(
        "root", "f", "number", "root", {"converged": "bool", "iterations": "int"},
        also=("fprime", "fprime2"),
    ),
    ("scipy.optimize", "fsolve"): Solver(
        "root", "func", "x0", also=("fprime",), only={**_WHOLE, "col_deriv": (0, False)}
    ),
    ("scipy.optimize", "root"): Solver(
        "root", "fun", "x0", "x", {"fun": "array", **_FOUND}, also=("jac",),
        only={"callback": (None,)},
    ),
    ("scipy.optimize", "fixed_point"): Solver(
        "fixed point", "func", "x0", keeps_numbers=True, unpacks=True
    ),
    ("scipy.optimize", "minimize"): Solver(
        "minimum", "fun", "x0", "x", {"fun": "value", **_FOUND},
        also=("jac", "hess"),
        only={"bounds": (None,), "constraints": ((), None), "callback": (None,),
              "hessp": (None,)},
    ),
    ("scipy.optimize", "minimize_scalar"): Solver(
        "minimum", "fun", "number", "x", {"fun": "value", **_FOUND},
        only={"bounds": (None,)},
    ),
    ("scipy.optimize", "fmin"): Solver("minimum", "func", "x0", only=_BRACKET),
    ("scipy.optimize", "fmin_bfgs"): Solver(
        "minimum", "f", "x0", also=("fprime",), only=_BRACKET
    ),
    ("scipy.optimize", "least_squares"): Solver(
        "residuals", "fun", "x0", "x", {"cost": "value", **_FOUND}, also=("jac",),
        unpacks=True,
        only={"loss": ("linear",), "bounds": ((float("-inf"), float("inf")),),
              "kwargs": (None,), "callback": (None,), "workers": (None,)},
    ),
    ("scipy.optimize", "curve_fit"): Solver(
        "fit", "f", "p0", also=("jac",), active=("xdata", "ydata"),
        only={"sigma": (None,), "bounds": ((float("-inf"), float("inf")),),
              "full_output": (False,), "nan_policy": (None,)},
    ),
    ("scipy.integrate", "quad"): Solver(
        "integral", "func", "float", active=("a", "b"),
        only={"full_output": (0,), "weight": (None,), "complex_func": (False,)},
    ),
    ("scipy.integrate", "quad_vec"): Solver(
        "integral", "f", "float", active=("a", "b"), only={"full_output": (False,)}
    ),
    ("scipy.integrate", "solve_ivp"): Solver(
        "flow", "fun", "time and state", "y", {"t": "times", **_FOUND}, also=("jac",),
        active=("y0",), refused=("t_span", "t_eval"), unpacks=True,
        only={"dense_output": (False,), "events": (None,), "vectorized": (False, True)},
    ),
    ("scipy.integrate", "odeint"): Solver(
        "flow", "func", "state and time", also=("Dfun",), active=("y0",),
        refused=("t",),
        only={"full_output": (0, False), "col_deriv": (0, False), "tfirst": (False,)},
    ),
}  # fmt: skip


def solver_of(fn: Any) -> Solver | None:
    """What is known of a function of functions, where it is one of those.

    >>> solver_of(max)
    """
    if not callable(fn) or not is_of_scipy(fn):
        return None
    path = public_path(fn)
    return None if path is None else SOLVERS.get(path)


def solution_class() -> type:
    """The class of what many solvers return: a dict with attributes."""
    optimize: Any = sys.modules["scipy.optimize"]
    found: type = optimize.OptimizeResult
    return found


def is_solution(fact: Fact) -> bool:
    """Whether a value is what a solver returns.

    >>> is_solution(Fact("dict", cls=dict))
    False
    """
    cls = fact.cls
    if fact.kind != "dict" or cls is None or cls is dict:
        return False
    return is_of_scipy(cls)


@cache
def signature_of(fn: Callable[..., object]) -> inspect.Signature:
    """The signature of such a function."""
    return inspect.signature(fn)
