"""Adjoints of the arguments -> what the gradient returns for each of them.

A gradient has the shape, dtype and kind of its argument, is writable, and shares memory
with nothing: casts and copies are added where the facts do not show that to be so.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Container, Sequence
from copy import deepcopy
from typing import Final, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.adjoint.results.rows_of_numbers import row_of, rows_of_floats
from yota_ast.adjoint.reverse.contributions import (
    Item,
    adjoint_fact,
    adjoint_hint,
    items_of,
    leaves_of,
    zero_like,
)
from yota_ast.adjoint.rewrites.rewrite_engine import fact
from yota_ast.analysis.engine import Definition, Ends, defined_in, made_of, one_of
from yota_ast.ir.abstract_values import CONTAINERS, FLOAT, UNKNOWN, Fact, keys_of_items
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder, Names
from yota_ast.ir.built_values import (
    build_dict,
    build_list,
    build_tuple,
    replaced,
)
from yota_ast.ir.facts.joined_facts import element_of, list_of
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    Op,
    Read,
    Store,
    While,
)
from yota_ast.ir.tape import Tape
from yota_ast.ops.spellings import SIGN_OF
from yota_ast.runtime import (
    full_list,
    in_form_of,
    like,
    unbroadcast,
    zeros_in_lists,
    zeros_within,
)
from yota_ast.support.passes import enabled
from yota_ast.support.value_classes import is_record
from yota_ast.syntax.names import identifier
from yota_ast.syntax.value_literals import Keys
from yota_ast.syntax.value_paths import (
    FieldKey,
    PathStep,
    key_of_item,
    plain_key,
    word_of,
)

_MADE_UP: Final = ("object", *CONTAINERS)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument asked for: its parameter, and the leaves of it that are read.

    leaves: by path; the path () is the whole argument. wholes: containers of known
    structure, which are read leaf by leaf, and may be used whole too.
    """

    param: Parameter
    leaves: tuple[tuple[tuple[object, ...], Var], ...]
    shape: Fact  # of the whole
    wholes: tuple[Var, ...] = ()


def argument(param: Parameter, block: Block) -> Argument:
    """The leaves of a parameter: the fields read of it, or itself; so is a list of
    unknown length, whose items have no names."""
    if _is_endless(param.var.fact):
        return Argument(param, (((), param.var),), param.var.fact)
    reads = [op for op in block if isinstance(op, Read) and op.root == param.var]
    if param.var.fact.kind in _MADE_UP or reads:
        leaves = tuple(
            (tuple(plain_key(step) for _, step in op.path), op.out)
            for op in reads
            if op.out.fact.holds_floats
            and op.out.fact.kind != "object"  # its fields are read one by one
            and items_of(op.out) is None
        )
        wholes = (param.var, *(op.out for op in reads))
        known = tuple(v for v in wholes if items_of(v) is not None)
        return Argument(param, leaves, _shape_of(param, reads), known)
    return Argument(param, (((), param.var),), param.var.fact)


def _shape_of(param: Parameter, reads: Sequence[Read]) -> Fact:
    """How a parameter is made up: one of which nothing is known as it is read."""
    known = param.var.fact
    return known if known.kind in _MADE_UP else _as_read([op.path for op in reads])


def _as_read(paths: Sequence[tuple[PathStep, ...]]) -> Fact:
    """A dict of the keys by which a value is read; an object where fields are read of
    it, or items by number.

    >>> _as_read([(("item", "a"),), (("item", "b"), ("attr", "W"))])
    dict[?, object]
    """
    found = dict[object, list[tuple[PathStep, ...]]]()
    for (kind, key), *rest in filter(None, paths):
        if kind != "item" or type(key) is not str:
            return Fact("object")
        found.setdefault(key, []).append(tuple(rest))
    if not found:
        return Fact("unknown")
    below = tuple(map(_as_read, found.values()))
    return Fact("dict", items=below, keys=Keys(found))


def with_reads(tape: Tape, asked: Sequence[Parameter], names: Names) -> Tape:
    """The tape, with every float leaf of a container that is asked for read at the top:
    each has a gradient, and the container may be used whole. So with a container that
    is a field of an object."""
    reads: list[Op] = []
    known = {(op.root, op.path) for op in tape.block if isinstance(op, Read)}
    roots = {p.var for p in asked}
    wholes: list[tuple[Var, tuple[PathStep, ...], Var]] = [
        (op.root, op.path, op.out)
        for op in tape.block
        if isinstance(op, Read) and op.root in roots
    ]
    wholes += [(p.var, (), p.var) for p in asked]
    for root, start, whole in wholes:
        for leaf in leaves_of(whole):
            path = (*start, *_path(leaf))
            if leaf.fact.kind == "object":
                continue  # the fields that are read have gradients
            if path != start and (root, path) not in known:
                known.add((root, path))
                hint = "_".join([root.hint or root.name, *_words(path)])
                out = Var(names.fresh(hint), leaf.fact, identifier(hint))
                reads.append(Read(out, root, path))
    return replace(tape, block=Block((*reads, *tape.block.ops))) if reads else tape


def _path(leaf: Var) -> tuple[PathStep, ...]:
    if not isinstance(leaf, Item) or leaf.container is None:
        return ()
    key, cls = leaf.key, leaf.container.fact.cls
    named = key_of_item(cls, key) if is_record(cls) and isinstance(key, int) else key
    return (*_path(leaf.container), ("item", named))


def _words(path: tuple[PathStep, ...]) -> list[str]:
    return [re.sub(r"\W", "_", word_of(key)) for _, key in path]


def _summed_in(definition: Definition) -> Ends:
    """Return what a list is made of, and a number that is a sum or product."""
    match definition:
        case Store():
            return definition.target, definition.value
        case Apply(fn=fn, out=out):
            # of one of NumPy's numbers an operator makes another
            gives = fn in SIGN_OF or fn is operator.getitem
            return definition.args if out.fact.kind == "list" or gives else ()
        case tuple() | Read() | For() | While():
            return one_of(definition)
        case _:
            assert_never(definition)


@dataclass(slots=True)
class Results:
    """Builds what is returned for the arguments, in their order."""

    builder: Builder
    makers: dict[str, Apply]
    owned: frozenset[str]
    back: Block
    """The reverse sweep."""
    views: Container[Var]
    """Views of memory of the sweep that nothing else returns."""
    bare: bool = False
    """Whether that of a Python float may be a number of NumPy's."""
    given: set[str] = field(default_factory=set)

    def of(self, arg: Argument, adjoints: dict[str, Atom]) -> Atom:
        """The gradient of one argument."""
        finished = {
            path: self.leaf(var, adjoints.get(var.name)) for path, var in arg.leaves
        }
        if () in finished:
            return finished[()]
        return self._structure(arg, finished)

    def _structure(self, arg: Argument, leaves: dict[tuple[object, ...], Atom]) -> Atom:
        hint = adjoint_hint(arg.param.var)
        if arg.shape.kind in CONTAINERS:
            whole = self._container(arg.shape, leaves, (), (arg.param.var,))
        else:
            whole = self._fields(leaves, ())
        return self.builder.rename(whole, hint) if isinstance(whole, Var) else whole

    def _fields(
        self, leaves: dict[tuple[object, ...], Atom], start: tuple[object, ...]
    ) -> Atom:
        """The gradient of an object: those of the leaves below it, by path."""
        flat: list[Atom] = []
        for path, value in leaves.items():
            if path[: len(start)] == start:
                flat += [Const(path[len(start) :]), value]
        return self.builder.apply(build_dict, *flat, form="build")

    def _container(
        self,
        shape: Fact,
        leaves: dict[tuple[object, ...], Atom],
        path: tuple[object, ...],
        within: tuple[Atom, ...],
    ) -> Atom:
        """The gradient of a container; within: the argument, and what leads to it."""
        if path in leaves:
            return leaves[path]
        if shape.kind == "object":
            return self._fields(leaves, path)
        if shape.kind not in CONTAINERS or shape.items is None:
            return Const(None)
        keys = keys_of_items(shape)
        items = [
            self._container(f, leaves, (*path, k), (*within, Const(k)))
            for k, f in zip(keys, shape.items, strict=True)
        ]
        if shape.kind == "dict":
            flat = [a for k, v in zip(keys, items, strict=True) for a in (Const(k), v)]
            return self.builder.apply(build_dict, *flat, form="build")
        if shape.kind == "tuple" and is_record(shape.cls):
            return self._record(shape, items, within)
        fn = build_tuple if shape.kind == "tuple" else build_list
        return self.builder.apply(fn, *items, form="build")

    def _record(
        self, shape: Fact, items: Sequence[Atom], within: tuple[Atom, ...]
    ) -> Atom:
        """The gradient of a tuple whose items have names: one of its type."""
        record, *keys = within
        for key in keys:
            record = self._part(record, key)
        fields: tuple[str, ...] = getattr(shape.cls, "_fields", ())
        return self.builder.apply(
            replaced, record, kwargs=tuple(zip(fields, items, strict=True)),
            form="method", spelling="_replace", fact=shape,
        )  # fmt: skip

    def _part(self, whole: Atom, key: Atom) -> Atom:
        """An item of a container, or a field of a tuple whose items have names."""
        known = key.value if isinstance(key, Const) else None
        if not isinstance(known, FieldKey):
            return self.builder.apply(operator.getitem, whole, key)
        return self.builder.apply(
            getattr, whole, Const(known.field), form="attribute", spelling=known.field
        )

    # ------------------------------------------------------------ one array or number

    def leaf(self, var: Var, adjoint: Atom | None) -> Atom:
        """The gradient of one array or number."""
        hint = adjoint_hint(var)
        made = self._leaf(var, Const(0.0) if adjoint is None else adjoint, hint)
        if isinstance(made, Var):
            self.given.add(made.name)
        return made

    def _leaf(self, var: Var, d: Atom, hint: str) -> Atom:
        wanted, known = var.fact, fact(d)
        if wanted.kind == "model":  # of what it is made of
            return d
        if _is_endless(wanted):
            return self._list(var, d, hint)
        if self.bare and wanted.is_scalar and known.is_scalar and _is_real(known):
            return d
        if wanted.kind in ("float", "int", "bool"):
            exact = known.kind == "float" and not self._may_be_boxed(d)
            return d if exact else self.builder.apply(float, d)
        if wanted.kind == "complex":
            return d if known.kind == "complex" else self.builder.apply(complex, d)
        if (
            wanted.kind == "array"
            and known.kind == "array"
            and wanted.dtype is not None
        ):
            return self._array(var, d, hint)
        if wanted.kind == "scalar" and known.is_scalar and wanted.dtype is not None:
            return self._number(wanted, d)
        if wanted.kind == "array" and _is_zero(d) and _of_floats(wanted):
            return self.builder.apply(np.zeros_like, var, hint=hint)
        if wanted.kind == "array" and known.is_scalar and wanted.rank == 0:
            if _of_floats(wanted) and known.kind != "array" and _is_real(known):
                return self.builder.apply(np.full_like, var, d, hint=hint)
        maker = self.makers.get(d.name) if isinstance(d, Var) else None
        if maker is not None and maker.fn is like and maker.args[1] == var:
            return d
        return self.builder.apply(like, d, var, hint=hint)

    def _list(self, var: Var, d: Atom, hint: str) -> Atom:
        """The adjoints of the items of a list of unknown length, in lists that nothing
        else holds."""
        if _is_zero(d):
            return zero_like(self.builder, var)
        known = adjoint_fact(var)
        if fact(d).kind != known.kind:
            d = self.builder.apply(full_list, d, var, fact=known)
        if not self._unshared(d):
            d = self.builder.apply(deepcopy, d, fact=known, hint=hint)
        return self._in_form(var, d, hint)

    def _in_form(self, var: Var, d: Atom, hint: str) -> Atom:
        """The adjoints in a list or tuple as the argument is, of floats if it is."""
        each, kind = element_of(var.fact), var.fact.kind
        nested = each.kind in CONTAINERS or (kind == "dict" and not self.bare)
        if nested and not _holds_arrays_in_lists(each):
            row = row_of(var.fact) if enabled("tidy") and not marking() else None
            if row is not None and row.kind != "tuple" and self._holds_floats(d):
                return d
            if row is not None:
                return rows_of_floats(self.builder, row, d, hint)
            known = replace(adjoint_fact(var), kind=kind)
            return self.builder.apply(in_form_of, var, d, fact=known, hint=hint)
        if each.kind == "float" and not self.bare:
            d = self.builder.apply(map, Const(float, "float"), d, fact=UNKNOWN)
            fn = tuple if kind == "tuple" else list
            known = replace(list_of(FLOAT), kind=kind)
            return self.builder.apply(fn, d, fact=known, hint=hint)
        if kind == "tuple":
            known = replace(adjoint_fact(var), kind=kind)
            return self.builder.apply(tuple, d, fact=known, hint=hint)
        return d

    def _holds_floats(self, d: Atom) -> bool:
        """Whether rows of adjoints are zeros, to which Python floats have been
        added."""
        defined_by = defined_in(self.back)
        ways = [w for v in made_of([d], defined_by) for w in defined_by(v.name) or ()]
        return bool(ways) and all(map(self._keeps_floats, ways))

    def _keeps_floats(self, definition: Definition) -> bool:
        """Whether rows are zeros, or one of several, or a float is added to one."""
        match definition:
            case Store(value=value):
                return fact(value).kind == "float" and not self._may_be_boxed(value)
            case Apply(fn=fn):
                return fn in (zeros_within, zeros_in_lists)
            case tuple():
                return True
            case Read() | For() | While():
                return False
            case _:
                assert_never(definition)

    def _may_be_boxed(self, d: Atom) -> bool:
        """Whether the adjoint of a float may be an array without axes, or a number of
        NumPy's: summed over the axes of what may be one, it is that still; and so may
        the items of lists be."""
        maker = self.makers.get(d.name) if isinstance(d, Var) else None
        if maker is not None and maker.fn is operator.getitem:
            return fact(maker.args[0]).kind == "list"
        if maker is not None and maker.fn is unbroadcast:
            summed = fact(maker.args[0])
            return summed.kind in ("array", "real", "unknown") and not summed.rank
        return self._sums_rows(d)

    def _sums_rows(self, d: Atom) -> bool:
        """Whether an adjoint is made of items of a list that is the row of an array, or
        that holds numbers of NumPy's, or of what is not known."""
        kinds = {maker.out.fact.kind for maker in self.makers.values()}
        if kinds.isdisjoint(("list", "unknown")):
            return False
        return any(map(self._is_row, made_of([d], defined_in(self.back), _summed_in)))

    def _is_row(self, var: Var) -> bool:
        if var.fact.kind != "list":
            return var.fact.kind in ("scalar", "unknown")
        maker = self.makers.get(var.name)
        return maker is not None and any(fact(a).kind == "array" for a in maker.args)

    def _number(self, wanted: Fact, d: Atom) -> Atom:
        """A NumPy scalar of the dtype of the argument, which holds floats."""
        known, dtype = fact(d), wanted.dtype
        assert dtype is not None
        if known.kind == "scalar" and known.dtype == dtype:
            return d
        kind = dtype.type if dtype.kind in "fc" else float
        return self.builder.apply(kind, d)

    def _array(self, var: Var, d: Atom, hint: str) -> Atom:
        wanted, known = var.fact, fact(d)
        dtype = wanted.dtype if _of_floats(wanted) else np.dtype(float)
        if known.rank != wanted.rank:
            return self.builder.apply(like, d, var, hint=hint)
        if known.dtype != dtype:
            name = Const(float, "float")
            to: Atom = self.builder.apply(
                getattr, var, Const("dtype"), form="attribute", spelling="dtype"
            ) if _of_floats(wanted) else name  # fmt: skip
            if self._unshared(d):  # what has that dtype already is given as it is
                kept = (("copy", Const(value=False)),)
                return self.builder.method("astype", d, to, kwargs=kept)
            cast = self.builder.method("astype", d, to)
            return self.builder.rename(cast, hint)
        if self._unshared(d):
            return d
        copied = self.builder.method("copy", d)
        return self.builder.rename(copied, hint)

    def _unshared(self, d: Atom) -> bool:
        """Whether an adjoint's memory is new, and not given out already."""
        if not isinstance(d, Var) or d.name in self.given:
            return False
        return d.name in self.owned or d in self.views


def _is_endless(known: Fact) -> bool:
    """Whether a value is a list or a tuple of an unknown number of floats."""
    if known.items is not None or not known.holds_floats:
        return False
    keyed = known.kind == "dict" and known.element is not None
    return keyed or known.kind in ("list", "tuple")


def _holds_arrays_in_lists(known: Fact) -> bool:
    """Whether a value is an array, or such in lists and dicts alone."""
    if known.kind == "tuple" or known.kind not in ("array", *CONTAINERS):
        return False
    inner = known.items if known.items is not None else (known.element,)
    inner = () if known.kind == "array" else inner
    return all(f is not None and _holds_arrays_in_lists(f) for f in inner)


def _of_floats(wanted: Fact) -> bool:
    """Whether the gradient has the type of its argument, which is not whole."""
    return wanted.holds_floats and not wanted.varies


def _is_real(known: Fact) -> bool:
    return known.kind != "complex" and (known.dtype is None or known.dtype.kind != "c")


def _is_zero(d: Atom) -> bool:
    return isinstance(d, Const) and d.value == 0
