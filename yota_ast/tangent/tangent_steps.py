"""Small steps of forward mode: zeros shaped like a variable, other names for it."""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import numpy as np

from yota_ast.adjoint.reverse.contributions import (
    adjoint_fact,
    adjoint_hint,
    zero_like,
)
from yota_ast.ir.abstract_values import CONTAINERS, UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import ends_of, names_read
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_dict, build_list, build_tuple
from yota_ast.ir.facts.joined_facts import where_present
from yota_ast.ir.nodes import Apply, atoms_of, walk
from yota_ast.ir.tape import Tape
from yota_ast.runtime import zeros_within
from yota_ast.support.value_classes import has_labels
from yota_ast.tangent.complex_tangents import is_wide


def zero(builder: Builder, var: Atom) -> Atom:
    """Return the tangent of what does not vary: zeros of its structure and shapes."""
    if isinstance(var, Const):
        return _of_constant(builder, var)
    known = var.fact
    if where_present(known).kind == "str" or has_labels(known.cls):
        return Const(None)
    if known.kind in CONTAINERS and known.items is not None:
        keys = known.keys if known.keys is not None else range(len(known.items))
        parts = []
        for key, inner in zip(keys, known.items, strict=True):
            part = _still(builder, inner)
            if inner.holds_floats or _is_open(inner):
                item = builder.apply(operator.getitem, var, Const(key), fact=inner)
                part = zero(builder, item)
            parts += [Const(key), part] if known.kind == "dict" else [part]
        fn = _BUILDERS[known.kind]
        return builder.apply(fn, *parts, form="build", fact=known)
    shaped = shaped_as_adjoint(builder, var) if known.kind == "model" else None
    if shaped is not None:
        return builder.apply(np.zeros_like, shaped, fact=adjoint_fact(var))
    if is_wide(known):
        return builder.apply(np.zeros_like, var, fact=adjoint_fact(var))
    if known == UNKNOWN:  # perhaps None, text, or a list of texts
        return builder.apply(zeros_within, var, fact=adjoint_fact(var))
    return zero_like(builder, var)


def _of_constant(builder: Builder, constant: Const) -> Atom:
    """Return zeros like a constant of the program: an array of the module, of a cell,
    of a field; a tuple or list of such."""
    value = constant.value
    if isinstance(value, (tuple, list)):
        parts = [zero(builder, _item(builder, constant, k)) for k in range(len(value))]
        fn = build_tuple if isinstance(value, tuple) else build_list
        return builder.apply(fn, *parts, form="build")
    if isinstance(value, np.ndarray) and value.ndim:
        known = adjoint_fact(Var("", fact_of_atom(constant)))
        return builder.apply(np.zeros_like, constant, fact=known)
    return Const(0.0)


def _item(builder: Builder, whole: Const, at: int) -> Atom:
    """Return an item of a constant: an array of a container that has a name is read of
    that."""
    value = whole.value[at]  # type: ignore[index]
    if not isinstance(value, np.ndarray) or whole.text is None:
        return Const(value)
    return builder.apply(
        operator.getitem, whole, Const(at), fact=fact_of_atom(Const(value))
    )


def _is_open(known: Fact) -> bool:
    """Whether a value is a list of numbers, of unknown length: floats may come in."""
    numbers = known.element is not None and known.element.is_number
    return known.kind == "list" and known.items is None and numbers


def _still(builder: Builder, known: Fact) -> Atom:
    """The tangent of what does not vary, as an int does not: 0, of a list of such
    zeros; of what is no number there is none."""
    if known.kind in ("list", "tuple") and known.items:
        parts = [_still(builder, inner) for inner in known.items]
        if all(part != Const(None) for part in parts):
            return builder.apply(_BUILDERS[known.kind], *parts, form="build")
    return Const(0.0 if known.is_scalar and known.is_numeric else None)


def by_path(builder: Builder, d: Atom, path: tuple[object, ...], known: Fact) -> Atom:
    """The tangent of a field, or of a container that is one, from that of an object, a
    dict of its leaves by path. A number within a container that it lacks, as a gradient
    made for other indices does, is held fixed."""
    if known.kind not in CONTAINERS or known.items is None:
        fact = adjoint_fact(Var("", known))
        return builder.apply(operator.getitem, d, Const(path), fact=fact)
    keys = known.keys if known.keys is not None else range(len(known.items))
    parts: list[Atom] = []
    for key, inner in zip(keys, known.items, strict=True):
        part = _still(builder, inner)
        if inner.holds_floats and inner.kind != "object":
            inside = (*path, key)
            part = (
                builder.apply(dict.get, d, Const(inside), Const(0.0), form="method")
                if where_present(inner).is_scalar
                else by_path(builder, d, inside, inner)
            )
        parts += [Const(key), part] if known.kind == "dict" else [part]
    return builder.apply(_BUILDERS[known.kind], *parts, form="build")


def whole(builder: Builder, d: Atom, known: Fact) -> Atom:
    """The tangent of a list or tuple that is given, with zeros beside what varies: of
    whole numbers None is given, of which NumPy would make an array of objects."""
    if not _is_mixed(known) or known.items is None:
        return d
    parts: list[Atom] = []
    for k, inner in enumerate(known.items):
        part = _still(builder, inner)
        if inner.holds_floats:
            part = builder.apply(operator.getitem, d, Const(k))
            part = whole(builder, part, inner)
        parts.append(part)
    return builder.apply(_BUILDERS[known.kind], *parts, form="build")


def item_of(builder: Builder, d: Atom, key: Any) -> Atom:
    """An item of the tangent of a container that is given."""
    made = builder.made.get(d.name) if isinstance(d, Var) else None
    if made is not None and made.fn in (build_list, build_tuple):  # by `whole`
        item: Atom = made.args[key]
        return item
    return builder.apply(operator.getitem, d, Const(key), fact=Fact("real"))


def _is_mixed(known: Fact) -> bool:
    if known.kind not in ("list", "tuple") or known.items is None:
        return False
    return any(not inner.holds_floats or _is_mixed(inner) for inner in known.items)


def of_numpy(builder: Builder, d: Atom, owner: Atom) -> Atom:
    """The tangent of a NumPy scalar, as what has the methods of one: it may be a Python
    number, as `-dv` is that of `x[0] - v`."""
    known, tangent = fact_of_atom(owner), fact_of_atom(d)
    has_methods = tangent.kind == "array" or tangent.dtype is not None
    if d is owner or has_methods or known.kind not in ("scalar", "real"):
        return d
    return builder.apply(np.asarray, d)


_BUILDERS = {"tuple": build_tuple, "list": build_list, "dict": build_dict}


def shaped_as_adjoint(builder: Builder, thing: Var) -> Atom | None:
    """An array of the shape of the adjoints of an object of a library; None where none
    is known."""
    spatial: Any = sys.modules.get("scipy.spatial")
    if spatial is not None and thing.fact.cls in (spatial.KDTree, spatial.cKDTree):
        adjoints = import_module("yota_ast.runtime.scipy.neighbour_adjoints")
        return builder.apply(adjoints.points_of, thing)
    transform: Any = sys.modules.get("scipy.spatial.transform")
    if transform is None or thing.fact.cls is not transform.Rotation:
        return None
    vector: Any = getattr(transform.Rotation, _VECTOR)
    return builder.apply(vector, thing, form="method", spelling=_VECTOR)


_VECTOR: Final = "as_rotvec"
"""The method of a rotation that gives an array of the shape of its adjoints."""


def items_read(tape: Tape) -> Mapping[str, frozenset[object]]:
    """Return which items are read of variables that are read item by item alone."""
    found: dict[str, set[object]] = {}
    others = {tape.result.name} if isinstance(tape.result, Var) else set()
    read = {*names_read(tape.block), *others}
    for op in walk(tape.block):
        item = isinstance(op, Apply) and op.fn is operator.getitem
        if item and op.out.name not in read:  # type: ignore[union-attr]
            continue  # as of `u, s, v = np.linalg.svd(x)` with s alone
        ends = [a for a in ends_of(op) if not isinstance(a, Undefined)]
        for k, atom in enumerate((*atoms_of(op), *ends)):
            if not isinstance(atom, Var):
                continue
            key = op.args[1] if item and k == 0 else None  # type: ignore[union-attr]
            if isinstance(key, Const) and type(key.value) is int:
                found.setdefault(atom.name, set()).add(key.value)
            else:
                others.add(atom.name)
    return {k: frozenset(v) for k, v in found.items() if k not in others}


def called_after(builder: Builder, d: Atom, var: Var) -> Atom:
    """The tangent, called after its variable where it has just been made."""
    if isinstance(d, Var) and var.hint and d.hint is None:
        return builder.rename(d, adjoint_hint(var))
    return d
