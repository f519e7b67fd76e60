"""Gradients of NumPy functions, as readable Python source.

The public names are loaded when they are first used, so that `yota-ast --help` does not
wait for NumPy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .api import compile_tape as compile  # noqa: A004
    from .api import grad, play, simplegrad, trace, value_and_grad, vjp
    from .checking import gradcheck
    from .decorator import differentiable
    from .errors import (
        AmbiguousType,
        DerivativeWarning,
        InternalError,
        NoRule,
        RuleError,
        ShapeError,
        SourceUnavailable,
        UnsupportedCall,
        UnsupportedSyntax,
        YotaError,
    )
    from .explaining import explain
    from .jacobians import hessian, jacobian
    from .objects import GradientResult, to_cuda, to_device, update
    from .rules import DIFF_PHS, PRIMITIVES, diffrule, diffrule_kw, nodiff, primitive
    from .runtime import broadcast, stop_gradient
    from .transforms import hvp, jvp
    from .unraveling import ravel

_HOMES = {
    "api": "grad play simplegrad trace value_and_grad vjp compile",
    "checking": "gradcheck",
    "decorator": "differentiable",
    "errors": "AmbiguousType DerivativeWarning InternalError NoRule RuleError"
    " ShapeError SourceUnavailable UnsupportedCall UnsupportedSyntax YotaError",
    "explaining": "explain",
    "jacobians": "hessian jacobian",
    "objects": "GradientResult to_cuda to_device update",
    "rules": "DIFF_PHS PRIMITIVES diffrule diffrule_kw nodiff primitive",
    "runtime": "broadcast stop_gradient",
    "transforms": "hvp jvp",
    "unraveling": "ravel",
}
_MODULE_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_OTHER_NAMES = {"compile": "compile_tape"}

__all__ = sorted([*_MODULE_OF, "__version__"])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        from .habits import said_of

        raise AttributeError(said_of(name, __all__))
    from .garbage import kept_off

    with kept_off():
        module = importlib.import_module(f".{_MODULE_OF[name]}", __name__)
    value = getattr(module, _OTHER_NAMES.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
