"""Uses of a program -> the adjoints that are written where they are read.

    dsf2 = np.vdot(dK, t2)
    dlog_sf = 2 * dsf2 * sf2         ->    dlog_sf = 2 * np.vdot(dK, t2) * sf2
    dstep = -dx
    df = dstep / slope               ->    df = -dx / slope

An adjoint is written there if one statement of the same block reads it, once, and both
are short: it is a number, or a few names with plain operators between them. It
may be of functions too where it is all that is written, `dx[i] += A @ d`, and where it
is an item of a dict or a list: `{("W",): x.T @ dz, ("b",): dz.sum(axis=0)}`. It keeps
its name if it is returned by itself, if anything is added to it, and if it is an array
that a function or a product of matrices makes.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.nodes import Block, Origin
>>> from yota_ast.ir.tape import Program
>>> x, dy, dx = Var("x", FLOAT, "x"), Var("dy", FLOAT, "dy"), Var("dx", FLOAT, "dx")
>>> back = Origin(reverse=True)
>>> ops = (
...     Apply(dy, operator.mul, (x, Const(2.0)), origin=back),
...     Apply(dx, operator.mul, (dy, x), origin=back),
... )
>>> program = Program("f", (), Block(()), Block(ops), x, (dx,))
>>> sorted(single_adjoints(Uses(program), {"dy": 2, "dx": 2}, {}))
['dy']
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final, TypeGuard

import numpy as np

from yota_ast.analysis.points_to import is_augmented
from yota_ast.codegen.plan.repeated_values import value_name
from yota_ast.codegen.plan.uses import Uses
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_dict, build_list
from yota_ast.ir.nodes import Apply, Op, Store, atoms_of
from yota_ast.ir.tape import Guard
from yota_ast.ops import info
from yota_ast.ops.algebra import SCALED, TERMS
from yota_ast.syntax.names import is_weak

_WHOLE: Final = slice(None)
_LONGEST_NUMBER: Final = 4
_LONGEST_ARRAY: Final = 3
_LONGEST_STATEMENT: Final = 7
_LONGEST_LIST: Final = 14
_MORE: Final = 2
"""How many variables and constants may be read by a number, by an array, by the
statement with them or an item of a dict, and by all of a list; and how many more where
the statement has a name, so that the name of the adjoint is missed less."""
_PLAIN: Final = (*TERMS, *SCALED, "negative")
_RETURNED: Final = (float, complex, build_dict)
_CONVERTED: Final = (float, complex, np.ndarray.astype)


def single_adjoints(
    uses: Uses, size: Mapping[str, int], joined: Mapping[str, int]
) -> frozenset[str]:
    """Return the names of such adjoints. size: how much each value reads that is
    written with all that it alone reads. joined: the first terms of sums that are
    written in the sums, and how much they read."""
    finder = _Finder(uses, size, joined)
    found = {name for b in uses.blocks for name in finder.of(b.number, b.ops)}
    for op in finder.makers.values():
        if _makes_list(op):  # all items have names, or none
            named = set(finder.named_in(op))
            if not named <= found:
                found -= named
    return frozenset(found)


class _Finder:
    """Looks for them in one program."""

    def __init__(
        self, uses: Uses, size: Mapping[str, int], joined: Mapping[str, int]
    ) -> None:
        self.uses, self.size, self.joined = uses, size, joined
        every = (op for block in uses.blocks for op in block.ops)
        ops = [op for op in every if isinstance(op, Apply)]
        self.makers = {op.out.name: op for op in ops}
        self.own = {op.out.hint for op in ops if not op.origin.reverse}

    def of(self, block: int, ops: Iterable[Op | Guard]) -> Iterator[str]:
        """Find those of a block."""
        read = dict[str, int]()  # by the statements that adjoints are written in
        here = set[str]()
        for op in ops:
            if not isinstance(op, Apply):
                continue
            here.add(op.out.name)
            if not self._is_adjoint(op, here):
                continue
            user = self._reader(op, block)
            if user is None:
                continue
            own = read.get(op.out.name) or self._size(op.out.name)
            if self._is_in_dict(user, block):
                if own <= _LONGEST_STATEMENT:
                    yield op.out.name
                continue
            name = self._statement(user, block)
            total = (read.get(name) or self._size(name)) + own - 1
            listed = _makes_list(user) or self._is_item(user, block)
            more = _MORE if self._has_name(name) and not listed else 0
            most = _LONGEST_LIST if listed else _LONGEST_STATEMENT + more
            fits = own <= (most if listed else self._longest(op, user, more))
            if name and fits and total <= most:
                read[name] = total
                yield op.out.name

    def _has_name(self, name: str) -> bool:
        """Say whether the statement of a variable has a name of the user's."""
        made = self.makers.get(name)
        return made is None or not is_weak(made.out.hint)

    def _is_item(self, op: Op, block: int) -> bool:
        """Say whether an op without a name is an item of a list."""
        while isinstance(op, Apply) and is_weak(op.out.hint):
            user = self._reader(op, block)
            if user is None or _makes_list(user):
                return user is not None
            op = user
        return False

    def named_in(self, op: Apply) -> Iterator[str]:
        """Find the adjoints with names that the expression of an op alone reads."""
        for part in op.args:
            if self._is_within(part):
                yield from self.named_in(self.makers[part.name])
            elif isinstance(part, Var) and not is_weak(part.hint):
                made = self.makers.get(part.name)
                once = len(self.uses.of(part)) == 1
                if made is not None and once and self._is_adjoint(made, self.makers):
                    yield part.name

    def _is_adjoint(self, op: Apply, here: Container[str]) -> bool:
        """Say whether an op makes an adjoint with a name, and adds nothing to it but to
        a first term of the same block."""
        hint = op.out.hint
        if not op.origin.reverse or is_weak(hint) or hint in self.own or op.effect:
            return False
        starts = self._starts(op)
        return all(a.name in self.joined and a.name in here for a in starts)

    def _size(self, name: str) -> int:
        """Return how much a value reads, with the first terms that stand in it."""
        made = self.makers.get(name)
        starts = self._starts(made) if made is not None else ()
        more = (self.joined[a.name] - 1 for a in starts if a.name in self.joined)
        return self.size.get(name, 1) + sum(more)

    def _starts(self, op: Apply) -> list[Var]:
        """Return the operands that have the name of what an op makes."""
        return [a for a in op.args if isinstance(a, Var) and a.hint == op.out.hint]

    def _longest(self, op: Apply, user: Op, more: int) -> int:
        """Return how much an adjoint may read that is written in an op. more: how much
        more it may be there."""
        if isinstance(user, Apply) and self._keeps_names(op, user):
            return 0
        if _is_stored(op, user) or _is_added(op, user):
            return _LONGEST_STATEMENT + more
        if op.out.fact.is_scalar:
            return _LONGEST_NUMBER + more
        return _LONGEST_ARRAY + more if self._is_plain(op) else 0

    def _is_in_dict(self, user: Op | None, block: int) -> bool:
        """Say whether an op makes a dict, or an item of one, of its own kind and
        dtype."""
        while isinstance(user, Apply) and user.fn in _CONVERTED:
            user = self._reader(user, block)
        return isinstance(user, Apply) and user.fn is build_dict

    def _keeps_names(self, op: Apply, user: Apply) -> bool:
        """Say whether an adjoint keeps its name in an op: in what is returned, in front
        of brackets, but for those that give it axes, and of methods, and as a factor
        with a sign."""
        given_axes = user.form == "subscript" and not _is_read_at(user)
        if user.form in ("subscript", "method") and not given_axes:
            return True
        if user.fn in _RETURNED:
            return True
        factor = info(user.fn).arithmetic in SCALED and user.args[0] != op.out
        return factor and info(op.fn).arithmetic == "negative"

    def _is_plain(self, op: Apply) -> bool:
        """Say whether an expression is of plain operators and items alone."""
        if op.fn is operator.getitem and isinstance(op.args[1], Const):
            return not self._is_within(op.args[0])
        parts = [self.makers[a.name] for a in op.args if self._is_within(a)]
        return info(op.fn).arithmetic in _PLAIN and all(map(self._is_plain, parts))

    def _is_within(self, part: Atom) -> TypeGuard[Var]:
        """Say whether a value has no name of its own."""
        if not isinstance(part, Var) or part.name not in self.makers:
            return False
        return is_weak(part.hint) and len(self.uses.of(part)) == 1

    def _reader(self, op: Apply, block: int) -> Op | None:
        """Return the op of a block that alone reads a value, if that is an operand and
        not what it adds to."""
        read = self.uses.of(op.out)
        if len(read) != 1 or read[0].kind != "arg" or not read[0].is_directly_in(block):
            return None
        user = read[0].op
        if user is None or isinstance(user, Guard) or not user.origin.reverse:
            return None
        if isinstance(user, Apply) and user.args[:1] == (op.out,):
            named = not is_weak(op.out.hint) and not _makes_list(user)
            alike = named and user.out.hint == op.out.hint
            adds = is_augmented(user) or alike
            return None if adds else user
        return user

    def _statement(self, op: Op, block: int) -> str:
        """Return the variable of the statement that an op is written in; "" where that
        is what the function returns."""
        while isinstance(op, Apply) and is_weak(op.out.hint):
            user = self._reader(op, block)
            if user is None:
                return "" if len(self.uses.of(op.out)) == 1 else op.out.name
            op = user
        return value_name(op)


def _is_read_at(op: Apply) -> bool:
    """Say whether an index takes a part of an array: no slice or new axis alone."""
    index = op.args[1].value if isinstance(op.args[1], Const) else 0
    parts = index if isinstance(index, tuple) else (index,)
    return not all(p is None or (type(p) is slice and p == _WHOLE) for p in parts)


def _makes_list(op: Op) -> bool:
    return isinstance(op, Apply) and op.fn is build_list


def _is_stored(op: Apply, user: Op) -> bool:
    """Say whether an op writes a value into an array: `dx[i] += d`."""
    return isinstance(user, Store) and user.value == op.out


def _is_added(op: Apply, user: Op) -> bool:
    """Say whether a value is all that an op adds: `dx -= d`."""
    adds = isinstance(user, Apply) and user.form == "augmented"
    return adds and op.out in atoms_of(user)
