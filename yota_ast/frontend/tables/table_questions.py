"""Whether an array or a number is a table, as narwhals asks it -> no.

In: a call of a function such as `narwhals.dependencies.is_into_series`, which scikit-
learn makes of all that it is given.  Out: the answer, where the kind of the value is
known. Narwhals itself gives it, of an array or a number of that kind.

>>> narwhals_models(types.SimpleNamespace(__name__="not_there"))
{}
"""

from __future__ import annotations

import importlib
import types
from typing import Any, Final

import numpy as np

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.folding import type_of
from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.frontend.library.builtin_functions import Handler
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const

_MODULES: Final = ("dependencies", "stable.v1.dependencies", "stable.v2.dependencies")


def narwhals_models(narwhals: Any) -> dict[Any, Handler]:
    """What stands for the questions that narwhals has."""
    found: dict[Any, Handler] = {}
    for path in _MODULES:
        try:
            module = importlib.import_module(f".{path}", narwhals.__name__)
        except (ImportError, AttributeError):  # of another version
            continue
        for name, fn in vars(module).items():
            if name.startswith("is_") and isinstance(fn, types.FunctionType):
                found[fn] = _asking(fn)
    return found


def _asking(fn: types.FunctionType) -> Handler:
    def handler(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
        """is_into_dataframe(x) of a number or an array."""
        sample = None
        if len(args) == 1 and not kwargs:
            sample = _sample(Operations.of(lowering).fact(args[0]))
        if sample is None or fn(sample) is not False:
            return None
        cls = type(sample)
        ValueAssumptions.of(lowering).tell_type(args[0], lambda of: issubclass(of, cls))
        return Const(value=False)

    return handler


def _sample(fact: Fact) -> Any:
    """A number or an array of a kind; None of what is unknown."""
    cls = type_of(fact)
    if cls is np.ndarray and fact.rank is not None and fact.dtype is not None:
        return np.zeros((1,) * fact.rank, fact.dtype)
    return cls(0) if cls in (float, int, complex) else None
