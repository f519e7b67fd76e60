"""A plan that becomes another: new variables, new expressions, statements to go first.

>>> from yota_ast.ir.nodes import Apply
>>> draft = Draft({})
>>> n = draft.call(len, Var("x"), fact=INT)
>>> draft.nested[n.name].fn, draft.add(n, -2).name in draft.nested
(<built-in function len>, True)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.codegen.loops.equal_lengths import EqualLengths
from yota_ast.codegen.plan.statement_plan import Branch, Let, Loop, Stmt, Throw, Write
from yota_ast.errors import Location, UnsupportedCall
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.nodes import (
    NOWHERE,
    Apply,
    Block,
    For,
    If,
    Merge,
    Origin,
    Raise,
    Store,
)
from yota_ast.ir.store_changes import PUT, Change
from yota_ast.syntax.names import identifier, is_plain

INT: Final = Fact("int", np.dtype(int), ())
BOOL: Final = Fact("bool", np.dtype(bool), ())
FLOAT: Final = Fact("float", np.dtype(float), ())
_COUNTERS: Final = ("i", "j", "k", "l")
REMEDY: Final = "Leave out backend='numba'."
"""What always works for what the loops are not made for."""


class Draft:
    """What is made while a plan is rewritten.

    taken: the names of the parameters. nested: the expressions, those of the plan and
    new ones. before: the statements that
    the one at hand needs ahead of it. origin: where that stems from. near: the place
    of that, or of what stands nearest where it has none. outside: constants
    that a name outside stands for; the loops take them as parameters. tuples: the items
    of tuples, which no variable of the loops is. lengths: those known to be
    equal. checked: there are indices that may lie outside.
    """

    def __init__(
        self, nested: dict[str, Apply | If], taken: Iterable[str] = ()
    ) -> None:
        self.nested = dict(nested)
        self.taken = set(taken)
        self.before: list[Stmt] = []
        self.origin: Origin = NOWHERE
        self.near: Location | None = None
        self.outside: dict[tuple[str, str], tuple[Var, Const]] = {}
        self.tuples: dict[str, tuple[Atom, ...]] = {}
        self.lengths = EqualLengths(self.nested)
        self.checked = False
        self._count = 0

    def go_to(self, origin: Origin) -> None:
        """Go to a statement."""
        self.origin = origin
        self.near = origin.place or self.near

    def refuse(self, reason: str) -> NoReturn:
        """Refuse the statement at hand."""
        at = self.origin.place or self.near
        raise UnsupportedCall(f"no loops are made of {reason}", at=at, remedy=REMEDY)

    # ------------------------------------------------------------ expressions

    def var(self, fact: Fact, hint: str | None = None) -> Var:
        """Return a new variable."""
        self._count += 1
        return Var(f"%loops{self._count}", fact, hint)

    def nest(self, op: Apply | If, out: Var) -> Var:
        """Return the variable of a new expression."""
        self.nested[out.name] = op
        return out

    def call(self, fn: Callable[..., Any], *args: Atom, fact: Fact, **how: Any) -> Var:
        """Return the value of a call, printed where it is read."""
        out = self.var(fact)
        return self.nest(Apply(out, fn, args, origin=self.origin, **how), out)

    def again(self, op: Apply) -> Var:
        """Return the value of an op, printed where it is read: another variable."""
        out = self.var(op.out.fact)
        return self.nest(replace(op, out=out), out)

    def operate(self, fn: Callable[..., Any], *args: Atom, fact: Fact = FLOAT) -> Var:
        """Return the value of an operator."""
        return self.call(fn, *args, fact=fact, form="operator")

    def add(self, atom: Atom, number: int) -> Atom:
        """Return an integer and a number, added."""
        if isinstance(atom, Const) and isinstance(atom.value, int):
            return Const(atom.value + number)
        if number == 0:
            return atom
        fn = operator.add if number > 0 else operator.sub
        return self.operate(fn, atom, Const(abs(number)), fact=INT)

    def sum(self, one: Atom, other: Atom) -> Atom:
        """Return two integers, added."""
        if isinstance(one, Const):
            return self.add(other, one.value)  # type: ignore[arg-type]
        if isinstance(other, Const):
            return self.add(one, other.value)  # type: ignore[arg-type]
        return self.operate(operator.add, one, other, fact=INT)

    def times(self, atom: Atom, number: int) -> Atom:
        """Return an integer, taken a number of times."""
        if number == 1:
            return atom
        return self.operate(operator.mul, Const(number), atom, fact=INT)

    def part(self, ends: Sequence[Atom], axis: int) -> Atom:
        """Return the index `:, a:b` of a part along an axis."""
        cut = self.call(
            build_slice, *ends, Const(None), fact=Fact("other", cls=slice), form="build"
        )
        if not axis:
            return cut
        return self.tuple_of([*[Const(slice(None))] * axis, cut])

    def length(self, owner: Atom, axis: int) -> Var:
        """Return `len(x)` or `x.shape[k]`."""
        if axis == 0:
            return self.call(len, owner, fact=INT)
        shape = self.call(
            np.shape, owner, fact=Fact("tuple"), form="attribute", spelling="shape"
        )
        return self.item(shape, (Const(axis),), INT)

    def same_lengths(self, target: Var, other: Atom) -> None:
        """Note that two arrays have one shape, or that two integers are equal."""
        self.lengths.unite_all(target, self.lengths.keys(other))

    def item(self, owner: Atom, index: Sequence[Atom], fact: Fact) -> Var:
        """Return `owner[i, j]`."""
        at = index[0] if len(index) == 1 else self.tuple_of(index)
        return self.call(operator.getitem, owner, at, fact=fact, form="subscript")

    def tuple_of(self, items: Sequence[Atom]) -> Var:
        """Return `(a, b)`."""
        facts = tuple(a.fact if isinstance(a, Var) else INT for a in items)
        return self.call(
            build_tuple, *items, fact=Fact("tuple", items=facts), form="build"
        )

    def choice(self, test: Atom, then: Atom, orelse: Atom, fact: Fact) -> Var:
        """Return `then if test else orelse`."""
        out = self.var(fact)
        merge = Merge(out, then, orelse)
        return self.nest(If(test, Block(), Block(), (merge,), "ifexp"), out)

    def nested_op(self, atom: Atom) -> Apply | If | None:
        """Return the op that an atom is printed as."""
        return self.nested.get(atom.name) if isinstance(atom, Var) else None

    def _free(self, name: str) -> str:
        """Return a name that no other parameter has."""
        numbered = (f"{name}_{k}" for k in count(2))
        found = next(n for n in chain((name,), numbered) if n not in self.taken)
        self.taken.add(found)
        return found

    def index_of(self, item: Atom) -> Atom:
        """Return the index of an element, `i, j` of `x[i, j]`."""
        op = self.nested_op(item)
        assert isinstance(op, Apply)
        return op.args[1]

    def from_outside(self, const: Const) -> Var:
        """Return the parameter that stands for a constant with a name."""
        key = (const.text or "", const.home)
        if key not in self.outside:
            name = self._free(_hint_of(const.text or "constant"))
            self.outside[key] = (self.var(fact_of_atom(const), name), const)
        return self.outside[key][0]

    # ------------------------------------------------------------ statements

    def let(self, var: Var, fn: Callable[..., Any], *args: Atom, **how: Any) -> Var:
        """Let a variable be the value of a call, ahead of the statement at hand."""
        self.before.append(Let((var,), Apply(var, fn, args, origin=self.origin, **how)))
        return var

    def write(
        self, target: Var, index: Sequence[Atom], value: Atom, change: Change = PUT
    ) -> Write:
        """Return `target[i, j] = value`."""
        at = index[0] if len(index) == 1 else self.tuple_of(index)
        return Write(Store(target, target, at, value, change, self.origin))

    def write_at(self, target: Var, at: Atom, value: Atom, change: Change) -> Write:
        """Return `target[at] = value`, or another change of that place."""
        return Write(Store(target, target, at, value, change, self.origin))

    def empty(self, target: Var, ends: Sequence[Atom], dtype: np.dtype[Any]) -> Let:
        """Return `target = np.empty(ends)`."""
        return self._new(np.empty, target, ends, dtype)

    def zeros(self, target: Var, ends: Sequence[Atom], dtype: np.dtype[Any]) -> Let:
        """Return `target = np.zeros(ends)`."""
        return self._new(np.zeros, target, ends, dtype)

    def _new(
        self, fn: Callable[..., Any], target: Var, ends: Sequence[Atom],
        dtype: np.dtype[Any],
    ) -> Let:  # fmt: skip
        """Return a new array of a shape."""
        for k, end in enumerate(ends):
            self.lengths.unite(self.length(target, k), end)
        shape = ends[0] if len(ends) == 1 else self.tuple_of(ends)
        args = (shape,) if dtype == np.float64 else (shape, Const(dtype.type))
        return Let((target,), Apply(target, fn, args, origin=self.origin))

    def shorter(self, length: Atom, by: int) -> Atom:
        """Return the length of a part that lacks elements: `max(len(x) - 2, 0)`."""
        left = self.add(self.counted(length), -by)
        if isinstance(left, Const):
            return Const(max(left.value, 0))  # type: ignore[call-overload]
        return self.call(max, left, Const(0), fact=INT)

    def counted(self, length: Atom) -> Atom:
        """Return a length as the end of a range, which is empty for numbers below 0."""
        op = self.nested_op(length)
        if isinstance(op, Apply) and op.fn is max and op.args[1:] == (Const(0),):
            return op.args[0]
        return length

    def backwards(self, length: Atom, place: Atom) -> Atom:
        """Return the index of an element, counted from the last one."""
        last = self.add(self.counted(length), -1)
        return self.operate(operator.sub, last, place, fact=INT)

    def index(self, atom: Atom, scalar: Callable[[Atom], Atom]) -> Atom:
        """Return an index whose numbers are expressions of loops."""
        op = self.nested_op(atom)
        if isinstance(op, Apply) and op.fn is np.shape:
            return scalar(atom)
        if isinstance(op, Apply) and op.fn in (build_tuple, build_slice):
            before = self.checked
            args = tuple(self.index(a, scalar) for a in op.args)
            self.checked = before if op.fn is build_slice else self.checked
            out = self.var(op.out.fact)
            return self.nest(replace(op, out=out, args=args), out)
        if isinstance(atom, Const):
            items = atom.value if isinstance(atom.value, tuple) else (atom.value,)
            self.checked = self.checked or any(type(v) is int for v in items)
            return atom
        if atom.fact.kind not in ("int", "scalar"):
            self.refuse("an index that is no number or slice")
        self.checked = True
        return scalar(atom)

    def counters(self, number: int) -> tuple[Var, ...]:
        """Return the variables of nested loops."""
        return tuple(self.var(INT, _COUNTERS[min(k, 3)]) for k in range(number))

    def loops(
        self, counters: Sequence[Var], ends: Sequence[Atom], body: Sequence[Stmt]
    ) -> list[Stmt]:
        """Return loops within each other, the body in the innermost."""
        for var, end in reversed([*zip(counters, ends, strict=True)]):
            last = self.counted(end)
            over = self.call(range, last, fact=Fact("other", cls=range))
            op = For((var,), over, Block(), origin=self.origin)
            body = [Loop(op, tuple(body))]
        return list(body)

    def test_equal(self, one: Atom, other: Atom) -> None:
        """Raise ValueError ahead of the statement at hand where two lengths differ."""
        if one == other or self.lengths.same(one, other):
            return
        if isinstance(one, Const) and isinstance(other, Const):
            self.refuse("arrays whose lengths differ")
        test = self.operate(operator.ne, one, other, fact=BOOL)
        told = Const("made for arrays of one length")
        error = self.call(ValueError, told, fact=Fact("other", cls=ValueError))
        self.before.append(Branch(test, (Throw(Raise(error, self.origin)),)))
        self.lengths.unite(one, other)

    def test_not_empty(self, length: Atom) -> None:
        """Raise ValueError ahead of the statement at hand where a length is 0."""
        test = self.operate(operator.eq, length, Const(0), fact=BOOL)
        told = Const("an empty array has no largest element")
        error = self.call(ValueError, told, fact=Fact("other", cls=ValueError))
        self.before.append(Branch(test, (Throw(Raise(error, self.origin)),)))

    @contextmanager
    def ahead(self, into: list[Stmt]) -> Iterator[None]:
        """Collect what goes ahead of a statement at the end of `into`."""
        outer, self.before = self.before, into
        try:
            yield
        finally:
            self.before = outer

    @contextmanager
    def within(self, into: list[Stmt]) -> Iterator[None]:
        """Collect the same in a loop or branch, which may not run."""
        with self.lengths.scope(), self.ahead(into):
            yield


def _hint_of(text: str) -> str:
    """Return what a parameter for a dotted name is called.

    >>> _hint_of("config.RATE")
    'RATE'
    """
    last = text.rpartition(".")[2]
    return last if is_plain(last) else identifier(last)
