"""A tape or a program -> nothing, or an InternalError that says what is wrong with it.

Runs between all passes in the tests. What holds of a good program:

- each name is defined once, and each use stands where its definition is in scope;
- `merges`, `carries`, `saved` take from an arm or a body what is known there;
- a `stop` is a constant or a variable of the body;
- what a `Store` consumed is not read again, nor what shares its memory by a merge or
  a carry, nor is it on a loop's stack; a loop consumes nothing of what is outside but
  through its carries;
- fields are read at the top, where nothing can have written them;
- each outlined function that is called is there, sound itself, and given what it takes.

>>> from yota_ast.ir.nodes import Apply, Block
>>> from yota_ast.ir.functions import Parameter
>>> from yota_ast.ir.tape import Tape
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> verify(Tape("f", (Parameter(x),), Block((Apply(y, abs, (z,)),)), y))
Traceback (most recent call last):
yota_ast.errors.InternalError: verify: z is read where it is not defined
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NoReturn, assert_never

from yota_ast.errors import InternalError
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.functions import Code
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Compound,
    For,
    If,
    Op,
    Outlined,
    Read,
    Simple,
    Store,
    Try,
    While,
    With,
    atoms_of,
    blocks_of,
    defined_by,
    only,
    walk,
)


def verify(tape: Code) -> None:
    """Raise InternalError, placed at the op in question, if all is not sound."""
    _Verifier().check(tape)
    _check_calls(tape)
    for function in tape.callees:
        _Verifier().check(function)


def _check_calls(tape: Code) -> None:
    """Every function that is called is there, and is given what it takes."""
    known = {f.name: len(f.variables) for f in tape.callees}
    for each in (tape, *tape.callees):
        for op in (op for block in each.sweeps for op in walk(block)):
            if isinstance(op, Apply) and isinstance(op.fn, Outlined):
                if known.get(op.fn.name) != len(op.args) or op.kwargs:
                    at = op.origin.location
                    reason = f"verify: {op.fn.name} is called, and is no such function"
                    raise InternalError(reason, at=at)


class _Verifier:
    """One walk over a program, in the order in which it runs."""

    def __init__(self) -> None:
        self._defined: set[str] = set()  # anywhere: a name is given once
        self._consumed: dict[str, str] = {}  # the name, and the store that took it
        self._shares: dict[
            str, tuple[str, ...]
        ] = {}  # the names whose memory it may be
        self._params: frozenset[str] = frozenset()
        self._op: Op | None = None

    def check(self, tape: Code) -> None:
        self._params = frozenset(v.name for v in tape.variables)
        scope: set[str] = set()
        self._define(tape.variables, scope)
        for block in tape.sweeps:
            self._reads_at_the_top(block)
            self._block(block, scope)
        self._op = None
        for atom in tape.returned:
            self._use(atom, scope, "the result")

    # ------------------------------------------------------------ scopes

    def _define(self, names: Iterable[Var], scope: set[str]) -> None:
        for var in names:
            if not isinstance(var, Var):
                self._fail(f"{var!r} is defined, and is no variable")
            if var.name in self._defined:
                self._fail(f"{var.name} is defined twice")
            self._defined.add(var.name)
            scope.add(var.name)

    def _use(self, atom: object, scope: set[str], place: str = "") -> None:
        where = f" by {place}" if place else ""
        if not isinstance(atom, (Var, Const)):
            self._fail(f"{atom!r} is read{where}, and is no atom")
        if isinstance(atom, Const):
            return
        if atom.name not in scope:
            inside = " outside the block that defines it"
            hidden = (
                inside if atom.name in self._defined else " where it is not defined"
            )
            self._fail(f"{atom.name} is read{where}{hidden}")
        if atom.name in self._consumed:
            taker = self._consumed[atom.name]
            self._fail(f"{atom.name} is read{where} after the store of {taker} took it")

    def _use_or_undefined(self, atom: object, scope: set[str], place: str) -> None:
        if not isinstance(atom, Undefined):
            self._use(atom, scope, place)

    # ------------------------------------------------------------ memory

    def _consume(self, name: str, taker: str) -> None:
        """Mark a name, and all whose memory it may be, as overwritten."""
        if name not in self._consumed:
            self._consumed[name] = taker
            for other in self._shares.get(name, ()):
                self._consume(other, taker)

    def _share(self, out: Var, *atoms: Atom | Undefined) -> None:
        self._shares[out.name] = tuple(a.name for a in atoms if isinstance(a, Var))

    # ------------------------------------------------------------ ops

    def _reads_at_the_top(self, block: Block) -> None:
        written = False
        for op in block:
            self._check_kind(op)
            match op:
                case Read():
                    if written:
                        self._op = op
                        name = op.out.name
                        self._fail(f"{name} reads a field after an op with effects")
                case Apply():
                    written = written or op.effect
                case Simple() | Compound():
                    written = True
                case _:
                    assert_never(op)

    def _check_kind(self, op: object) -> None:
        if not isinstance(op, Op):
            self._fail(f"{op!r} is no op")

    def _block(self, block: Block, scope: set[str]) -> None:
        for op in block:
            self._check_kind(op)
            self._op = op
            for atom in atoms_of(op):
                self._use(atom, scope)
            match op:
                case Read():
                    self._read(op, scope)
                case Store():
                    self._consume(op.target.name, op.out.name)
                    self._define((op.out,), scope)
                case Simple():
                    self._define(defined_by(op), scope)
                case If():
                    self._if(op, scope)
                case With():
                    self._inner(op.body, scope)
                case Try():
                    self._try(op, scope)
                case For() | While():
                    self._loop(op, scope)
                case _:
                    assert_never(op)

    def _read(self, op: Read, scope: set[str]) -> None:
        if op.root.name not in self._params:
            self._fail(f"{op.out.name} reads a field of {op.root.name}, no parameter")
        self._define((op.out,), scope)

    def _if(self, op: If, scope: set[str]) -> None:
        before = dict(self._consumed)
        then, orelse = set(scope), set(scope)
        self._inner(op.then, then)
        for merge in op.merges:
            self._op = op
            self._use_or_undefined(merge.then, then, f"the merge {merge.out.name}")
        by_then, self._consumed = self._consumed, before
        self._inner(op.orelse, orelse)
        self._op = op
        for merge in op.merges:
            self._use_or_undefined(merge.orelse, orelse, f"the merge {merge.out.name}")
            if isinstance(merge.then, Undefined) and isinstance(
                merge.orelse, Undefined
            ):
                self._fail(f"the merge {merge.out.name} is defined by neither arm")
            self._share(merge.out, merge.then, merge.orelse)
        self._consumed = by_then | self._consumed
        self._define((m.out for m in op.merges), scope)

    def _try(self, op: Try, scope: set[str]) -> None:
        before = dict(self._consumed)
        then, orelse = set(scope), set(scope)
        self._inner(op.body, then)
        if self._consumed.keys() & scope - before.keys():
            self._fail("the body of a try writes into what is outside")
        self._inner(op.orelse, then)
        for merge in op.merges:
            self._op = op
            self._use_or_undefined(merge.then, then, f"the merge {merge.out.name}")
        by_then, self._consumed = self._consumed, before
        self._define((op.error,), orelse)
        self._inner(op.handler, orelse)
        self._op = op
        for merge in op.merges:
            self._use_or_undefined(merge.orelse, orelse, f"the merge {merge.out.name}")
            self._share(merge.out, merge.then, merge.orelse)
        self._consumed = by_then | self._consumed
        self._define((m.out for m in op.merges), scope)

    def _inner(self, block: Block, scope: set[str]) -> None:
        for op in only(block, Read):
            self._op = op
            self._fail(f"{op.out.name} reads a field within a block")
        self._block(block, scope)

    def _loop(self, op: For | While, scope: set[str]) -> None:
        outside, before = frozenset(scope), frozenset(self._consumed)
        body = set(scope)
        for carry in op.carries:
            self._share(carry.inside, carry.init)
        self._define((c.inside for c in op.carries), body)
        if isinstance(op, While):
            self._inner(op.cond, body)
            self._op = op
            self._use(op.test, body, "the loop's test")
        else:
            self._define(op.targets, body)
        self._inner(op.body, body)
        self._op = op
        self._end_of_body(op, body - outside, body)
        self._no_second_reading(op, outside, before)
        for carry in op.carries:
            self._share(carry.out, carry.init)
        self._define((c.out for c in op.carries), scope)
        if op.stack is not None:
            self._define((op.stack,), scope)

    def _end_of_body(self, op: For | While, own: set[str], body: set[str]) -> None:
        for carry in op.carries:
            place = f"the carry {carry.inside.name}"
            self._use_or_undefined(carry.next, body, place)
        if op.stop is not None:
            self._use(op.stop, body, "the loop's stop")
            if isinstance(op.stop, Var) and op.stop.name not in own:
                self._fail(f"the stop {op.stop.name} is no variable of the body")
        if bool(op.saved) != (op.stack is not None):
            self._fail("a loop has a stack exactly if it saves something")
        for var in op.saved:
            self._use(var, body, "the loop's stack")
            self._overwritten_later(var, op.carries)

    def _overwritten_later(self, var: Var, carries: tuple[Carry, ...]) -> None:
        """What is on the stack must not be what the next iteration writes into."""
        for carry in carries:
            if carry.next == var and carry.inside.name in self._consumed:
                self._fail(
                    f"{var.name} is saved, and the next iteration writes into it"
                )

    def _no_second_reading(
        self, op: For | While, outside: frozenset[str], before: frozenset[str]
    ) -> None:
        """A body runs again: it must not read from outside what it overwrites."""
        taken = [n for n in self._consumed if n in outside and n not in before]
        read = {n for block in blocks_of(op) for n in _names_read(block)}
        read.update(_names(ends_of(op)))
        for name in taken:
            if name in read:
                self._fail(
                    f"{name} is of outside the loop, which reads and overwrites it"
                )

    def _fail(self, reason: str) -> NoReturn:
        at = None if self._op is None else self._op.origin.location
        raise InternalError(f"verify: {reason}", at=at)


def _names_read(block: Block) -> Iterator[str]:
    """All that a block reads, at any depth."""
    for op in walk(block):
        yield from _names((*atoms_of(op), *ends_of(op)))


def _names(atoms: Iterable[Atom | Undefined]) -> Iterator[str]:
    return (a.name for a in atoms if isinstance(a, Var))
