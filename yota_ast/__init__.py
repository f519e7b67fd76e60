"""Gradients of NumPy functions, as readable Python source.

The public names are loaded when they are first used, so that `yota-ast --help` does not
wait for NumPy. What type checkers know of them stands in `__init__.pyi`.
"""

from __future__ import annotations

import importlib
from typing import Any

from yota_ast.version import __version__

_HOMES = {
    "api.grad": "grad simplegrad value_and_grad vjp",
    "api.traced_tapes": "play trace compile",
    "tools.gradcheck": "gradcheck",
    "api.decorator": "differentiable",
    "api.executed_source": "from_source",
    "errors": "AmbiguousType DerivativeWarning InternalError NoRule RuleError"
    " ShapeError SourceUnavailable UnsupportedCall UnsupportedSyntax YotaError",
    "tools.explain.explained_function": "explain",
    "api.jacobians": "hessian jacobian",
    "api.values.structured_gradients": "GradientResult to_cuda to_device update",
    "rules": "DIFF_PHS PRIMITIVES diffrule diffrule_kw nodiff primitive",
    "runtime": "broadcast checkpoint replace_grad stop_gradient",
    "api.directional": "hvp jvp",
    "api.batches": "vmap",
    "api.values.unraveling": "ravel",
}
_MODULE_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_OTHER_NAMES = {"compile": "compile_tape"}

__all__ = [
    "DIFF_PHS",
    "PRIMITIVES",
    "AmbiguousType",
    "DerivativeWarning",
    "GradientResult",
    "InternalError",
    "NoRule",
    "RuleError",
    "ShapeError",
    "SourceUnavailable",
    "UnsupportedCall",
    "UnsupportedSyntax",
    "YotaError",
    "__version__",
    "broadcast",
    "checkpoint",
    "compile",
    "differentiable",
    "diffrule",
    "diffrule_kw",
    "explain",
    "from_source",
    "grad",
    "gradcheck",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "nodiff",
    "play",
    "primitive",
    "ravel",
    "replace_grad",
    "simplegrad",
    "stop_gradient",
    "to_cuda",
    "to_device",
    "trace",
    "update",
    "value_and_grad",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        from yota_ast.api.other_names import said_of

        raise AttributeError(said_of(name, __all__))
    from yota_ast._speed.garbage_collector import kept_off

    with kept_off():
        module = importlib.import_module(f".{_MODULE_OF[name]}", __name__)
    value = getattr(module, _OTHER_NAMES.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
