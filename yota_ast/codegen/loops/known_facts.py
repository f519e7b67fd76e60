"""Program -> the same, its variables with all that is known of them under Numba.

Loops are made for the ranks and dtypes of arrays. The function in Python checks these
before it calls the loops, and hands on numbers as floats of 64 bits. So more is known
of variables than the readable source may take for granted.

>>> from yota_ast.ir.nodes import Apply
>>> x, y = Var("x", Fact("real", None, ())), Var("y")
>>> op = Apply(y, np.exp, (x,))
>>> def infer(fn, args, kwargs):
...     return args[0].fact
>>> facts = KnownFacts(infer, {"x": FLOAT}, {"y": [op]}.get)
>>> facts.of(y)
float
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from typing import Any, Final, TypeAlias

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.engine import Analysis, DefinedBy, defined_in
from yota_ast.ir.abstract_values import FLOAT, NOTHING, Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.facts.joined_facts import element_of, join, list_of
from yota_ast.ir.nodes import Apply, For, Outlined, Store, While, walk
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.store_changes import AppendItem
from yota_ast.ir.tape import Guard, Program
from yota_ast.runtime import expand, picked

Infer: TypeAlias = Callable[..., Fact]
"""A function, its arguments and its keywords -> the abstract value of the result."""
_ASKED: Final = frozenset({"real", "array", "unknown", "scalar"})


def item_of(fact: Fact) -> Fact:
    """Return what is known of each item of a list."""
    if fact.items is None:
        return element_of(fact)
    return reduce(_one_of, fact.items, NOTHING)


def is_complete(fact: Fact) -> bool:
    """Say whether the rank and the dtype of a value are known, if it has any."""
    if fact.kind == "list":
        return is_complete(item_of(fact))
    if fact.kind not in _ASKED:
        return True
    return fact.kind != "real" and fact.dtype is not None and fact.rank is not None


class KnownFacts(Analysis[Fact]):
    """The abstract values of variables, from those of the parameters."""

    bottom = NOTHING

    def __init__(
        self, infer: Infer, given: Mapping[str, Fact], defined_by: DefinedBy
    ) -> None:
        super().__init__(defined_by)
        self.infer = infer
        self.given = given

    def join(self, facts: Iterable[Fact]) -> Fact:
        """Return what is known of one of several values."""
        return reduce(_one_of, facts, NOTHING)

    def of_const(self, const: Const) -> Fact:
        """Return what is known of a literal."""
        return fact_of_atom(const)

    def of_outside(self, var: Var) -> Fact:
        """Return what is known of a parameter."""
        return self.given.get(var.name, var.fact)

    def stated(self, var: Var) -> Fact | None:
        """Return a fact that leaves nothing open."""
        if var.name in self.given:
            return self.given[var.name]
        return var.fact if is_complete(var.fact) else None

    def of_apply(self, op: Apply) -> Fact:
        """Return what is known of the result of a call."""
        facts = [self.of(a) for a in op.args]
        if op.fn is build_tuple:
            return more_of(op.out.fact, Fact("tuple", items=tuple(facts)))
        if op.fn in (min, max) and len(facts) > 1:
            return more_of(op.out.fact, self.join(facts))
        if op.fn is picked:
            return more_of(op.out.fact, list_of(facts[0]))
        if op.fn is build_list:
            return more_of(op.out.fact, Fact("list", items=tuple(facts)))
        if NOTHING in facts:
            return NOTHING
        found = self._of_list(op, facts) or self._of_cast(op, facts)
        if found is None:
            args = tuple(map(self._known, op.args))
            named = tuple((k, self._known(a)) for k, a in op.kwargs)
            fn, args = (operator.add, args[::-1]) if op.fn is expand else (op.fn, args)
            found = self.infer(fn, args, named)
        return more_of(op.out.fact, found)

    def _known(self, atom: Atom) -> Atom:
        if isinstance(atom, Const):
            return atom
        dtype = self._named_dtype(atom)
        return Var(atom.name, self.of(atom), atom.hint) if dtype is None else dtype

    def _named_dtype(self, atom: Atom) -> Const | None:
        """Return the dtype that `x.dtype` is."""
        made = None
        if isinstance(atom, Var):
            made = next(iter(self.defined_by(atom.name) or ()), None)
        if not isinstance(made, Apply) or made.fn is not getattr:
            return None
        dtype = self.of(made.args[0]).dtype
        return Const(dtype) if made.args[1] == Const("dtype") and dtype else None

    def _of_list(self, op: Apply, facts: Sequence[Fact]) -> Fact | None:
        """Return what is known of `np.stack(rows)` of a list of arrays."""
        if not facts or facts[0].kind != "list" or facts[0].items is not None:
            return None
        each = item_of(facts[0])
        if each.kind == "nothing":
            return NOTHING
        if each.dtype is None and each.kind == "float":
            each = FLOAT
        if each.rank is None or len(op.args) > 1:
            return None
        two = Var("%rows", Fact("list", items=(each, each)))
        found = self.infer(op.fn, (two,), op.kwargs)
        if found.kind != "array" or found.rank is None:
            return None
        return Fact("array", found.dtype, (None,) * found.rank)

    def _of_cast(self, op: Apply, facts: Sequence[Fact]) -> Fact | None:
        """Return what is known of `x.astype(y.dtype)`."""
        if op.fn is not np.ndarray.astype or facts[0].kind != "array":
            return None
        dtype, wanted = None, op.args[1]
        known = wanted if isinstance(wanted, Const) else self._named_dtype(wanted)
        if known is not None:
            with suppress(TypeError):
                dtype = np.dtype(known.value)  # type: ignore[call-overload]
        return replace(facts[0], dtype=dtype) if dtype is not None else None

    def of_store(self, op: Store) -> Fact:
        """Return what is known of an array that was written: as before."""
        owner = self.of(op.target)
        if owner.kind != "list" or not isinstance(op.change, AppendItem):
            return owner
        each = _one_of(item_of(owner), self.of(op.value))
        return list_of(each, least=1)

    def of_loop(self, loop: For | While, var: Var) -> Fact:
        """Return what is known of an item of what a loop goes over."""
        if not isinstance(loop, For) or var not in loop.targets:
            return var.fact
        whole = self.of(loop.iterable)
        if whole.kind != "array" or len(loop.targets) > 1 or not whole.rank:
            return var.fact
        assert isinstance(whole.shape, tuple)
        kind = "array" if whole.rank > 1 else "scalar"
        return more_of(var.fact, Fact(kind, whole.dtype, whole.shape[1:]))  # type: ignore[arg-type]


def _one_of(one: Fact, other: Fact) -> Fact:
    """Join two facts; a float of Python and one of NumPy are a float of 64 bits."""
    if one.kind == "nothing" or other.kind == "nothing" or one == other:
        return join(one, other)
    if one.kind == other.kind == "list":
        return list_of(_one_of(item_of(one), item_of(other)))
    kinds = {_dtype_of(one), _dtype_of(other)}
    if one.rank == other.rank == 0 and kinds == {np.dtype(float)}:
        return FLOAT
    return join(one, other)


def _dtype_of(fact: Fact) -> np.dtype[Any] | None:
    return np.dtype(float) if fact.kind == "float" else fact.dtype


def more_of(stated: Fact, found: Fact) -> Fact:
    """Return what two facts of one value say together.

    >>> more_of(Fact("array", None, (None,)), Fact("array", np.dtype("f4"), (None,)))
    ndarray[float32, 1]
    """
    if found.kind == "list" and stated.kind in ("list", "unknown"):
        return found if is_complete(found) else stated
    if found.kind == "tuple" and stated.kind in ("tuple", "unknown"):
        return found
    if not found.is_numeric or found.kind == "real":
        return stated
    if stated.kind in ("real", "unknown"):
        return found
    if stated.kind != "array" or found.kind != "array":
        return stated
    shape = stated.shape if isinstance(stated.shape, tuple) else found.shape
    return replace(stated, dtype=stated.dtype or found.dtype, shape=shape)


def given_facts(program: Program) -> dict[str, Fact]:
    """Return what the function in Python makes of parameters and of the cotangent,
    which holds floats for a value of integers too."""
    found: dict[str, Fact] = {}
    value = fact_of_atom(program.value)
    if value.dtype is not None and value.dtype.kind in "biu":
        value = replace(value, dtype=np.dtype(float))
    for param in program.params:
        fact = param.var.fact
        if fact.kind == "real" and fact.is_scalar:
            found[param.var.name] = FLOAT
        if fact.kind in ("real", "array") and not fact.is_scalar and fact.dtype is None:
            name = param.var.hint or param.var.name
            if name == program.seed and value.dtype is not None:
                found[param.var.name] = more_of(fact, value)
    return found


def with_known_facts(program: Program, infer: Infer) -> tuple[Program, ...]:
    """Return a program and the functions that it defines, whose variables have all that
    is known of them: of parameters of functions, what the calls hand on."""
    given = given_facts(program)
    found = [_better(program, infer, given)]
    calls = _Calls(infer)
    for _ in program.helpers:
        calls.note(found)
        found = [found[0], *(calls.better(p) for p in program.helpers)]
    return tuple(found)


def _better(program: Program, infer: Infer, given: Mapping[str, Fact]) -> Program:
    guards = tuple(g.block for g in program.guards)
    blocks = (program.forward, *guards, program.reverse)
    better = _Better(KnownFacts(infer, given, defined_in(*blocks)))
    params = tuple(replace(p, var=better.var(p.var)) for p in program.params)
    return replace(
        program, params=params, forward=better.block(program.forward),
        reverse=better.block(program.reverse), value=better.atom(program.value),
        results=tuple(map(better.atom, program.results)),
        guards=tuple(map(better.guard, program.guards)),
    )  # fmt: skip


class _Calls:
    """What calls hand on to the parameters of the functions that a program defines."""

    def __init__(self, infer: Infer) -> None:
        self.infer = infer
        self.given: dict[str, list[Fact]] = {}

    def note(self, programs: Sequence[Program]) -> None:
        """Note the arguments of all calls."""
        for program in programs:
            guards = (g.block for g in program.guards)
            for block in (program.forward, *guards, program.reverse):
                for op in walk(block):
                    if isinstance(op, Apply) and isinstance(op.fn, Outlined):
                        self._note(op.fn.name, [fact_of_atom(a) for a in op.args])

    def _note(self, name: str, facts: list[Fact]) -> None:
        known = self.given.get(name, facts)
        joined = [_one_of(*both) for both in zip(known, facts, strict=False)]
        self.given[name] = joined

    def better(self, program: Program) -> Program:
        """Return a function with what its calls say of its parameters."""
        facts = self.given.get(program.name, [])
        given = {
            p.var.name: more_of(p.var.fact, fact)
            for p, fact in zip(program.params, facts, strict=False)
        }
        return _better(program, self.infer, given)


class _Better(Substitution):
    """Gives each variable the fact that an analysis knows."""

    def __init__(self, facts: KnownFacts) -> None:
        super().__init__({})
        self.facts = facts

    def var(self, var: Var) -> Var:
        """Return the variable with what is known of it."""
        if var.name not in self.made:
            fact = self.facts.of(var)
            same = fact == var.fact or fact.kind == "nothing"
            self.made[var.name] = var if same else replace(var, fact=fact)
        return self.made[var.name]  # type: ignore[no-any-return]

    def guard(self, guard: Guard) -> Guard:
        """Return a guard clause with the new variables."""
        return replace(
            guard, test=self.atom(guard.test), block=self.block(guard.block),
            value=self.atom(guard.value), results=tuple(map(self.atom, guard.results)),
        )  # fmt: skip
