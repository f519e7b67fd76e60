"""A block and the arguments that are mapped -> the layout of each variable.

What is computed of something mapped is mapped. Memory into which something mapped is
written has to be mapped from the start: it is wanted so where it is made.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.nodes import Block
>>> x, y, z = (Var(n, array_fact("f8", (None,))) for n in "xyz")
>>> made = Apply(y, np.zeros, (Const(3),))
>>> found = Layouts(Block((made, Store(z, y, Const(0), x))), {"x": True})
>>> found.of(y), found.of(z), found.of(Const(1.0))
(True, True, False)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, assert_never

from yota_ast.batching.layouts import Every, Layout, filled, is_mapped, item, join
from yota_ast.ir.abstract_values import CONTAINERS
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.built_values import build_dict, build_list, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    blocks_of,
)
from yota_ast.ir.store_changes import AppendItem, SharedView
from yota_ast.ops import info, sharing

Fn = Callable[..., Any]
TELLING = frozenset({"facts", "shape", "length", "rank", "size"})
"""The kinds of functions of which all examples get one answer."""


class Layouts:
    """The layouts of the variables of some blocks."""

    def __init__(self, block: Block, given: Mapping[str, Layout]) -> None:
        self.known: dict[str, Layout] = dict(given)
        self.makers: dict[str, Op] = {}
        self._given = frozenset(given)
        self._changed = True
        while self._changed:
            self._changed = False
            self._block(block)

    def of(self, atom: Atom | Undefined) -> Layout:
        """The layout of an atom: constants are shared."""
        if not isinstance(atom, Var):
            return False
        return self.known.get(atom.name, False)

    def is_mapped(self, atom: Atom | Undefined) -> bool:
        """Whether any part of an atom is mapped."""
        return is_mapped(self.of(atom))

    # ------------------------------------------------------------------- the walk

    def _note(self, var: Var, layout: Layout) -> None:
        found = join(self.of(var), layout)
        if found != self.known.get(var.name, False):
            self.known[var.name] = found
            self._changed = True

    def _want(self, atom: Atom | Undefined, layout: Layout) -> None:
        """Want memory mapped where it is made; of arguments it cannot be changed."""
        if isinstance(atom, Var) and atom.name in self.makers:
            self._note(atom, layout)

    def _block(self, block: Block) -> None:
        for op in block:
            match op:
                case Apply():
                    self.makers[op.out.name] = op
                    self._apply(op)
                case Read():
                    self._note(op.out, self.of(op.root))
                case Store():
                    self.makers[op.out.name] = op
                    self._store(op)
                case Raise():
                    pass
                case For() | While():
                    self._loop(op)
                case If() | Try():
                    self._branch(op)
                case With():
                    self._block(op.body)
                case _:
                    assert_never(op)

    def _apply(self, op: Apply) -> None:
        layout = self.of_call(op)
        self._note(op.out, layout)
        found = self.of(op.out)
        if found != layout and is_mapped(found):  # it is wanted so
            if op.args and sharing(op) in ("view", "same"):
                self._want(op.args[0], found)

    def of_call(self, op: Apply) -> Layout:
        """The layout of a result that follows from the arguments."""
        kind = info(op.fn).batching
        if kind in TELLING or op.fn is range:
            return False
        if op.fn in (build_tuple, build_list):
            return tuple(map(self.of, op.args))
        if op.fn is build_dict:
            return tuple(map(self.of, op.args[1::2]))
        if op.fn is operator.getitem:
            return self._item(op)
        if op.fn is zip:
            return Every(tuple(item(self.of(a)) for a in op.args))
        if op.fn is enumerate:
            return Every((False, item(self.of(op.args[0]))))
        if op.fn is reversed:
            return Every(item(self.of(op.args[0])))
        atoms = (*op.args, *(a for _, a in op.kwargs))
        if not any(map(self.is_mapped, atoms)):
            return False
        return filled(op.out.fact)

    def _item(self, op: Apply) -> Layout:
        owner, key = self.of(op.args[0]), op.args[1]
        if isinstance(owner, bool):
            return owner or self.is_mapped(key)
        if isinstance(key, Const) and isinstance(owner, tuple):
            keys = op.args[0].fact.keys if isinstance(op.args[0], Var) else None
            if keys is not None:
                return dict(zip(keys, owner, strict=True)).get(key.value, False)
            if isinstance(key.value, int) and -len(owner) <= key.value < len(owner):
                return owner[key.value]
            if isinstance(key.value, slice):
                return owner[key.value]
        return Every(item(owner)) if _is_slice(key) else item(owner)

    def _store(self, op: Store) -> None:
        if op.target.fact.kind in CONTAINERS:
            self._store_item(op)
            return
        written = self.is_mapped(op.value) or self.is_mapped(op.index)
        self._note(op.out, self.is_mapped(op.target) or written)
        if self.of(op.out):
            self._want(op.target, True)
            if isinstance(op.change, SharedView):
                self._want(op.value, True)

    def _store_item(self, op: Store) -> None:
        """What is put into a list: all its items are mapped alike."""
        before = self.of(op.target)
        if op.value != Const(None) or isinstance(op.change, AppendItem):
            layout = self.of(op.value)
            before = Every(join(item(before), layout))
        self._note(op.out, before)
        self._want(op.target, self.of(op.out))

    def _loop(self, op: For | While) -> None:
        if isinstance(op, For):
            each = item(self.of(op.iterable))
            apart = isinstance(each, tuple) and len(each) == len(op.targets)
            for k, target in enumerate(op.targets):
                if apart:
                    self._note(target, each[k])  # type: ignore[index]
                else:
                    self._note(target, item(each) if len(op.targets) > 1 else each)
        for carry in op.carries:
            self.makers[carry.inside.name] = self.makers[carry.out.name] = op
            layout = join(self.of(carry.init), self.of(carry.next))
            layout = join(layout, join(self.of(carry.inside), self.of(carry.out)))
            self._note(carry.inside, layout)
            self._note(carry.out, layout)
            for end in (carry.init, carry.next):
                self._prefer(end, layout)
        for inner in blocks_of(op):
            self._block(inner)
        if op.stack is not None:
            saved = tuple(map(self.of, op.saved))
            self._note(op.stack, Every(saved if len(saved) > 1 else saved[0]))

    def _branch(self, op: If | Try) -> None:
        for inner in blocks_of(op):
            self._block(inner)
        by_test = isinstance(op, If) and self.is_mapped(op.test)
        for merge in op.merges:
            self.makers[merge.out.name] = op
            layout = join(self.of(merge.then), self.of(merge.orelse))
            layout = join(layout, self.of(merge.out))
            self._note(merge.out, filled(merge.out.fact) if by_test else layout)
            for end in (merge.then, merge.orelse):
                self._prefer(end, self.of(merge.out))

    def _prefer(self, end: Atom | Undefined, layout: Layout) -> None:
        """Make memory mapped from the start where it may be written later: it keeps
        its views. A number becomes an array where it is handed on."""
        if isinstance(end, Var) and is_mapped(layout) and not _is_number(end):
            self._want(end, layout)


def _is_slice(key: Atom) -> bool:
    if isinstance(key, Const):
        return isinstance(key.value, slice)
    return key.fact.cls is slice


def _is_number(var: Var) -> bool:
    known = var.fact
    number = known.is_numeric and known.shape == () and known.kind != "array"
    return number or known.kind in ("str", "none", "callable")
