"""Small steps of forward mode: zeros shaped like a variable, other names for it."""

from __future__ import annotations

import operator

from ..adjoint.scope import zero_like
from ..build import Builder
from ..facts import CONTAINERS
from ..tape import (
    Atom,
    Const,
    Var,
    build_dict,
    build_list,
    build_tuple,
)


def zero(builder: Builder, var: Var) -> Atom:
    """The tangent of what does not vary: zeros of its structure and shapes."""
    known = var.fact
    if known.kind in CONTAINERS and known.items is not None:
        keys = known.keys if known.keys is not None else range(len(known.items))
        parts = []
        for key, inner in zip(keys, known.items, strict=True):
            # an int, say, does not vary; of what is no number there is no tangent
            part: Atom = Const(0.0 if inner.is_scalar and inner.is_numeric else None)
            if inner.holds_floats:
                item = builder.apply(operator.getitem, var, Const(key), fact=inner)
                part = zero(builder, item)
            parts += [Const(key), part] if known.kind == "dict" else [part]
        fn = _BUILDERS[known.kind]
        return builder.apply(fn, *parts, form="build", fact=known)
    return zero_like(builder, var)


_BUILDERS = {"tuple": build_tuple, "list": build_list, "dict": build_dict}
