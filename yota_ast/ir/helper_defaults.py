"""A call of a helper -> the same call without the settings that are its defaults.

>>> from yota_ast.ir.atoms import Var
>>> from yota_ast.runtime import uncumsum
>>> without_defaults(Apply(Var("y"), uncumsum, (Var("d"), Var("x"), Const(None)))).args
(d::?, x::?)
>>> dict(defaults(uncumsum))["axis"] is None
True
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.nodes import Apply
from yota_ast.support.helper_functions import is_helper


@functools.cache
def defaults(fn: Callable[..., object]) -> Mapping[str, object]:
    """The parameters of a helper and their defaults, `inspect.Parameter.empty` where
    there is none; nothing of any other function."""
    if not is_helper(fn):
        return {}
    parameters = inspect.signature(fn).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return {}
    return {p.name: p.default for p in parameters}


def without_defaults(op: Apply) -> Apply:
    """A call of a helper without the settings that it has by itself."""
    if op.form != "call":  # operators, which most are
        return op
    known = defaults(op.fn)
    if not known:
        return op
    kwargs = tuple((k, a) for k, a in op.kwargs if not _is_default(a, known.get(k)))
    args, names = op.args, list(known)
    while args and len(args) <= len(names) and not kwargs:
        if not _is_default(args[-1], known[names[len(args) - 1]]):
            break
        args = args[:-1]
    return replace(op, args=args, kwargs=kwargs)


def _is_default(atom: Atom, default: object) -> bool:
    if not isinstance(atom, Const) or default is inspect.Parameter.empty:
        return False
    return not atom.is_live and atom == Const(default)
