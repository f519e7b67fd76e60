"""Small steps of forward mode: zeros shaped like a variable, other names for it."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from ..adjoint.scope import CONTAINERS, zero_like
from ..build import Builder
from ..tape import (
    Apply,
    Atom,
    Block,
    Carry,
    Const,
    For,
    If,
    Merge,
    Op,
    Undefined,
    Var,
    build_dict,
    build_list,
    build_tuple,
)

_End = TypeVar("_End", Atom, Atom | Undefined)


def zero(builder: Builder, var: Var) -> Atom:
    """The tangent of what does not vary: zeros of its structure and shapes."""
    known = var.fact
    if known.kind in CONTAINERS and known.items is not None:
        keys = known.keys if known.keys is not None else range(len(known.items))
        parts = []
        for key, inner in zip(keys, known.items, strict=True):
            part: Atom = Const(None)
            if inner.holds_floats:
                item = builder.apply(operator.getitem, var, Const(key), fact=inner)
                part = zero(builder, item)
            parts += [Const(key), part] if known.kind == "dict" else [part]
        fn = _BUILDERS[known.kind]
        return builder.apply(fn, *parts, form="build", fact=known)
    return zero_like(builder, var)


_BUILDERS = {"tuple": build_tuple, "list": build_list, "dict": build_dict}


def with_names(op: Op, known: Mapping[str, Var]) -> Op:
    """The op, reading other variables in the place of some."""

    def end(atom: _End) -> _End:
        if isinstance(atom, Var):
            return known.get(atom.name, atom)
        return atom

    def block(inner: Block) -> Block:
        return Block(tuple(with_names(o, known) for o in inner))

    if isinstance(op, Apply):
        kwargs = tuple((k, end(a)) for k, a in op.kwargs)
        return replace(op, args=tuple(end(a) for a in op.args), kwargs=kwargs)
    if isinstance(op, If):
        merges = tuple(Merge(m.out, end(m.then), end(m.orelse)) for m in op.merges)
        return replace(
            op, test=end(op.test), then=block(op.then), orelse=block(op.orelse),
            merges=merges,
        )  # fmt: skip
    if isinstance(op, For):
        carries = tuple(
            Carry(c.out, end(c.init), c.inside, end(c.next)) for c in op.carries
        )
        return replace(
            op, iterable=end(op.iterable), body=block(op.body), carries=carries
        )
    return op
