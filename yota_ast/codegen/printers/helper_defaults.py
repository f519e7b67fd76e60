"""A call of a helper -> its arguments without those that are the helper's defaults."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.nodes import Apply
from yota_ast.support.helper_functions import is_helper


def without_defaults(op: Apply) -> tuple[Sequence[Atom], Sequence[tuple[str, Atom]]]:
    """The arguments of a call; of a helper without those that are its defaults.

    >>> from yota_ast.runtime import uncumsum
    >>> from yota_ast.ir.atoms import Var
    >>> call = Apply(Var("y"), uncumsum, (Var("d"), Var("x"), Const(None)))
    >>> without_defaults(call)
    ((d::?, x::?), ())
    """
    fn: Any = op.fn
    if op.form != "call" or not is_helper(fn):
        return op.args, op.kwargs
    slots = inspect.signature(fn).parameters
    plain = {k: Const(p.default) for k, p in slots.items() if p.default is not p.empty}
    named = tuple((k, a) for k, a in op.kwargs if k not in plain or a != plain[k])
    if named or any(p.kind is p.VAR_POSITIONAL for p in slots.values()):
        return op.args, named
    args, names = list(op.args), list(slots)
    while args:
        last = names[len(args) - 1]
        if last not in plain or args[-1] != plain[last]:
            break
        args.pop()
    return tuple(args), named
