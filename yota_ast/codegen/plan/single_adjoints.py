"""Uses of a program -> the adjoints that are written where they are read.

    dsf2 = np.vdot(dK, t2)
    dlog_sf = 2 * dsf2 * sf2         ->    dlog_sf = 2 * np.vdot(dK, t2) * sf2
    dstep = -dx
    df = dstep / slope               ->    df = -dx / slope

An adjoint is written there if one statement of the same block reads it, once, and both
are short: it is a number, or two or three names with plain operators between them. It
may be of functions too where it is all that is written, `dx[i] += A @ d`, and where it
is an item of a dict or a list: `{("W",): x.T @ dz, ("b",): dz.sum(axis=0)}`. It keeps
its name if anything is added to it, and if it is an array that a function or a product
of matrices makes.

    dWq = X.T @ dq
    return val, dX, dWq                ->    return val, dX, X.T @ dq

A gradient is written where it is returned if it is as short, of functions or not, and
if the statement stays one line, or if most of the gradients are. Where the whole
reverse sweep would stand there it keeps its names, and so it does for the back ends
that print statements of their own.

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
>>> sorted(single_adjoints(Uses(program), {"dy": 2, "dx": 2}))
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
from yota_ast.ir.built_values import build_dict, build_list, build_slice, build_tuple
from yota_ast.ir.nodes import Apply, Op, Store
from yota_ast.ir.tape import Guard, Program
from yota_ast.ops import info
from yota_ast.ops.algebra import SCALED, TERMS
from yota_ast.syntax import line_width
from yota_ast.syntax.names import is_weak

_LONGEST_NUMBER: Final = 4
_LONGEST_ARRAY: Final = 3
_LONGEST_STATEMENT: Final = 7
_LONGEST_LIST: Final = 10
"""How many variables and constants may be read by a number, by an array, by the
statement with them or an item of a dict, and by all of a list."""
_ITEMS: Final = 3
"""How many gradients are worth a statement of several lines."""
_LONGEST_ITEM: Final = 48
"""How long each of them may be, about."""
_PLAIN: Final = (*TERMS, *SCALED, "negative")
_SIGNS: Final = (operator.matmul, build_list, build_slice, build_tuple)
_ENDS: Final = ("value", "result")
_RETURNED: Final = (float, complex, build_dict)
_CONVERTED: Final = (float, complex, np.ndarray.astype)


def single_adjoints(
    uses: Uses, size: Mapping[str, int], joined: Container[str] = ()
) -> frozenset[str]:
    """Return the names of such adjoints. size: how much each value reads that is
    written with all that it alone reads. joined: the first terms of sums that are
    written in the sums."""
    finder = _Finder(uses, size, joined)
    found = {name for b in uses.blocks for name in finder.of(b.number, b.ops)}
    for op in finder.makers.values():
        if _makes_list(op):  # all items have names, or none
            named = set(finder.named_in(op))
            if not named <= found:
                found -= named
    return frozenset(found)


def returned_adjoints(
    program: Program, uses: Uses, size: Mapping[str, int], within: Container[str]
) -> frozenset[str]:
    """Return the names of the gradients that are written where they are returned, the
    last statement of the reverse sweep first. within: the adjoints that are written
    where they are read."""
    finder = _Finder(uses, size, within)
    ops = uses.blocks[0].ops[uses.forward :]
    short = [
        op.out.name
        for op in reversed(ops)
        if isinstance(op, Apply) and finder.is_returned(op)
    ]
    if not any(map(finder.stays, ops)):
        return frozenset()
    line = _Line(finder, within, program)
    if len(short) >= _ITEMS and 2 * len(short) > len(program.results):
        line.written.update(short)  # an item a line, if not all in one
        if all(line.has_room(end) for end in line.ends):
            return frozenset(short)
        line.written.clear()
    for name in short:
        line.put(name)
    return frozenset(line.written)


class _Line:
    """The statement that returns the gradients. written: those that stand in it."""

    def __init__(
        self, finder: _Finder, within: Container[str], program: Program
    ) -> None:
        self.finder, self.within, self.written = finder, within, set[str]()
        self.ends = (program.value, *program.results)

    def put(self, name: str) -> None:
        """Write a gradient there, if it fits."""
        self.written.add(name)
        if self.width() > line_width():
            self.written.remove(name)

    def has_room(self, atom: Atom) -> bool:
        """Say whether what is returned is short enough for a line of its own."""
        return self._length(atom) <= _LONGEST_ITEM

    def width(self) -> int:
        """Return how long the statement is, about."""
        own = sum(self._length(end) + len(", ") for end in self.ends)
        return len("    return") + own

    def _length(self, atom: Atom) -> int:
        if isinstance(atom, Const):
            return len(atom.home) + len(atom.text or "2.5")
        op = self.finder.makers.get(atom.name)
        if op is None or not (op.origin.reverse and self._is_written(op)):
            return len(atom.hint or "val")
        parts = [self._length(part) for part in op.args]
        parts += [len(key) + 1 + self._length(part) for key, part in op.kwargs]
        if info(op.fn).arithmetic in _PLAIN or op.fn in _SIGNS:
            return sum(parts) + len(" + ") * len(parts[1:]) + 1
        called = len(op.spelling) or 3 + len(getattr(op.fn, "__name__", ""))
        return sum(parts) + len(", ") * len(parts[1:]) + called + len("()")

    def _is_written(self, op: Apply) -> bool:
        return op.out.name in self.written or self.finder.is_nested(op, self.within)


class _Finder:
    """Looks for them in one program."""

    def __init__(
        self, uses: Uses, size: Mapping[str, int], joined: Container[str]
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
            own = read.get(op.out.name, self.size[op.out.name])
            if self._is_in_dict(user, block):
                if own <= _LONGEST_STATEMENT:
                    yield op.out.name
                continue
            name = self._statement(user, block)
            total = read.get(name, self.size.get(name, 1)) + own - 1
            most = _LONGEST_LIST if _makes_list(user) else _LONGEST_STATEMENT
            if name and own <= self._longest(op, user) and total <= most:
                read[name] = total
                yield op.out.name

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
        starts = [a.name for a in op.args if isinstance(a, Var) and a.hint == hint]
        return all(name in self.joined and name in here for name in starts)

    def _longest(self, op: Apply, user: Op) -> int:
        """Return how much an adjoint may read that is written in an op."""
        if isinstance(user, Apply) and self._keeps_names(op, user):
            return 0
        if _is_stored(op, user):
            return _LONGEST_STATEMENT
        if op.out.fact.is_scalar:
            return _LONGEST_NUMBER
        return _LONGEST_ARRAY if self._is_plain(op) else 0

    def stays(self, op: Op | Guard) -> bool:
        """Say whether an op remains in the reverse sweep, under the line that it
        reverses, whatever is written where it is returned."""
        if not isinstance(op, Apply):
            return True
        nested = self.is_nested(op, self.joined) or self.is_returned(op)
        return bool(op.origin.text) and not nested

    def is_nested(self, op: Apply, within: Container[str]) -> bool:
        """Say whether an op is no statement of its own."""
        weak = is_weak(op.out.hint) and not op.effect
        return op.out.name in within or (weak and len(self.uses.of(op.out)) == 1)

    def is_returned(self, op: Apply) -> bool:
        """Say whether an op makes a short gradient that is returned, as it is or as a
        number, and read by nothing else."""
        made = (self.makers.get(a.name) for a in op.args if isinstance(a, Var))
        listed = any(each is not None and _makes_list(each) for each in made)
        most = _LONGEST_LIST if listed else _LONGEST_ARRAY
        if self.size[op.out.name] > most or op.fn is build_dict:
            return False
        if not self._is_adjoint(op, ()) or is_augmented(op):
            return False
        uses = self.uses.of(op.out)
        while len(uses) == 1 and isinstance(user := uses[0].op, Apply):
            if user.fn not in _CONVERTED or not is_weak(user.out.hint):
                return False
            uses = self.uses.of(user.out)
        return len(uses) == 1 and uses[0].kind in _ENDS and uses[0].op is None

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
            adds = is_augmented(user) or user.out.hint == op.out.hint
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
    return not all(p is None or p == slice(None) for p in parts)


def _makes_list(op: Op) -> bool:
    return isinstance(op, Apply) and op.fn is build_list


def _is_stored(op: Apply, user: Op) -> bool:
    """Say whether an op writes a value into an array: `dx[i] += d`."""
    return isinstance(user, Store) and user.value == op.out
