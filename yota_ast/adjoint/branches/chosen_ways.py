"""Some ops and the way that a choice goes -> the ops of that way alone.

    t = d if test else 0.0          dx[i] += 2 * d
    s = 2 * t                ->
    dx[i] += s                      (nothing)

In: ops that are computed of what is chosen, in order.  Out: what remains of them where
the test holds, or where it does not, with variables of their own.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TypeGuard, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.inplace.zero_assignments import Makers, same_index
from yota_ast.analysis.points_to import is_augmented
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.builder import Names
from yota_ast.ir.nodes import (
    Apply,
    Compound,
    If,
    Merge,
    Op,
    Simple,
    Store,
    with_args,
    with_out,
)
from yota_ast.ir.store_changes import ADD, is_repeated, is_sum
from yota_ast.ops import info

_LINEAR = ("sum", "difference", "product", "quotient", "negative")


def is_nothing(atom: Atom | Undefined) -> bool:
    """Say whether an atom is the cotangent of what is not chosen."""
    return isinstance(atom, Const) and type(atom.value) is float and atom.value == 0.0


def is_choice(op: Op) -> TypeGuard[If]:
    """Say whether an op gives what it chooses, one or more, to one way alone."""
    if not isinstance(op, If) or op.form != "ifexp" or not isinstance(op.test, Var):
        return False
    if op.then or op.orelse or not op.merges:
        return False
    return all(is_nothing(m.then) != is_nothing(m.orelse) for m in op.merges) and all(
        isinstance(a, (Var, Const)) for m in op.merges for a in (m.then, m.orelse)
    )


def writes(op: Op) -> bool:
    """Say whether an op adds to an array in place."""
    return isinstance(op, Store) or is_augmented(op)


def goes_on(op: Op, values: Container[str]) -> bool:
    """Say whether an op makes nothing, or adds nothing, of nothing: of what is chosen,
    and of what is made of that."""

    def reads(atom: object) -> bool:
        return isinstance(atom, Var) and atom.name in values

    match op:
        case Apply():
            kind, scalar = info(op.fn).arithmetic, op.out.fact.is_scalar
            if op.effect or op.kwargs or kind not in _LINEAR:
                return False
            if is_augmented(op):
                return kind in ("sum", "difference") and not reads(op.args[0])
            if kind == "quotient" and reads(op.args[1]):
                return False
            return scalar or kind not in ("sum", "difference")
        case Store():
            sums = is_sum(op.change) and not is_repeated(op.change)
            sums = sums and op.target.fact.kind == "array"
            return sums and not (reads(op.index) or reads(op.target))
        case If():
            return is_choice(op) and not reads(op.test)
        case Simple() | Compound():
            return False
        case _:
            assert_never(op)


@dataclass(slots=True)
class Way:
    """The ops of one way.

    originals: of variables that are made for ways, those that they stand for. atoms:
    what stands here for variables; numbers: of what is computed here, the number that
    its op had.
    """

    names: Names
    makers: dict[str, Apply]
    originals: dict[str, Var]
    test: Var
    then: bool
    ops: list[Op] = field(default_factory=list)
    atoms: dict[str, Atom] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def of(self, atom: Atom) -> Atom:
        """What stands for an atom."""
        return self.atoms.get(atom.name, atom) if isinstance(atom, Var) else atom

    def add(self, op: Op, number: int) -> None:
        """Add what remains of an op."""
        match op:
            case If():
                self._choose(op)
            case Apply():
                self._apply(op, number)
            case Store():
                self._store(op)
            case Simple() | Compound():
                raise AssertionError(op)
            case _:
                assert_never(op)

    def _choose(self, op: If) -> None:
        if op.test == self.test:
            for m in op.merges:
                end = m.then if self.then else m.orelse
                assert not isinstance(end, Undefined)
                self.atoms[m.out.name] = self.of(end)
            return
        merges = list[Merge]()
        for m in op.merges:
            assert not isinstance(m.then, Undefined)
            assert not isinstance(m.orelse, Undefined)
            then, orelse = self.of(m.then), self.of(m.orelse)
            if then == orelse:
                self.atoms[m.out.name] = then
            else:
                merges.append(Merge(self._new(m.out), then, orelse))
        if merges:
            self.ops.append(replace(op, test=self.of(op.test), merges=tuple(merges)))

    def _apply(self, op: Apply, number: int) -> None:
        args = tuple(map(self.of, op.args))
        atom = _of_nothing(op, args) if args != op.args else None
        if atom is not None:
            self.atoms[op.out.name] = atom
            return
        kwargs = tuple((name, self.of(a)) for name, a in op.kwargs)
        if info(op.fn).arithmetic == "difference" and is_nothing(args[0]):
            op, args = replace(op, fn=operator.neg, form="operator"), args[1:]
        made = with_out(with_args(op, args, kwargs), self._new(op.out))
        self.makers[made.out.name] = made
        self.numbers[made.out.name] = number
        self.ops.append(made)

    def _store(self, op: Store) -> None:
        target, value = self.of(op.target), self.of(op.value)
        assert isinstance(target, Var)
        if is_nothing(value) and is_sum(op.change):
            self.atoms[op.out.name] = target
            return
        index = self.of(op.index)
        out = self._new(op.out)
        self.ops.append(replace(op, out=out, target=target, index=index, value=value))

    def skip(self, store: Store) -> None:
        """Leave out a store."""
        self.atoms[store.out.name] = self.of(store.target)

    def _new(self, var: Var) -> Var:
        new = replace(var, name=self.names.fresh(var.name))
        self.atoms[var.name] = new
        self.originals[new.name] = self.originals.get(var.name, var)
        return new


def _of_nothing(op: Apply, args: Sequence[Atom]) -> Atom | None:
    """What an op gives that is computed of nothing; None: it has to be computed."""
    nothing = [k for k, a in enumerate(args) if is_nothing(a)]
    if not nothing:
        return None
    match info(op.fn).arithmetic:
        case "sum":
            return args[1 - nothing[0]]
        case "difference":
            return args[0] if 1 in nothing else None
        case "product" | "negative":
            return args[nothing[0]]
        case "quotient":
            return args[0] if 0 in nothing else None
        case _:
            return None


def put_back(
    zero: Store, stores: Iterable[Store], choices: Mapping[str, Merge], makers: Makers
) -> tuple[Store, bool] | None:
    """The sum that puts back what stood where zeros were put, and in which way: where
    the test holds, or does not."""
    same = {zero.out.name}
    for store in stores:
        if store.target.name not in same:
            continue
        same.add(store.out.name)
        merge = choices.get(store.value.name) if isinstance(store.value, Var) else None
        if merge is None or store.change != ADD:
            continue
        then = is_nothing(merge.orelse)
        chosen = merge.then if then else merge.orelse
        read = makers.get(chosen.name) if isinstance(chosen, Var) else None
        if read is None or read.fn is not operator.getitem:
            continue
        places = (read.args[1], store.index)
        if read.args[0] == zero.target and all(
            same_index(zero.index, p, makers) for p in places
        ):
            return store, then
    return None
