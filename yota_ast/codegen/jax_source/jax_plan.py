"""The plan of a program -> the same on arrays of JAX.

    z[i] = v          z = z.at[within(i, len(z))].set(v)
    dz[1:] += e       dz = dz.at[1:].add(e)
    float(x)          x

What JAX has no twin for, or means otherwise, is refused with the user's line.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.points_to import PointsTo
from yota_ast.codegen.jax_source.checked_indices import Indices
from yota_ast.codegen.jax_source.functional_stores import Stores
from yota_ast.codegen.jax_source.helpers_for_jax import refusal_of
from yota_ast.codegen.jax_source.jax_draft import Draft
from yota_ast.codegen.jax_source.jax_expressions import same
from yota_ast.codegen.jax_source.jax_names import OF_NUMPY
from yota_ast.codegen.jax_source.jax_signatures import (
    jax_function,
    refusal,
    takes_a_row_of_arrays,
    takes_arrays_alone,
)
from yota_ast.codegen.jax_source.narrow_numbers import is_narrow
from yota_ast.codegen.number_items import with_numbers_for_items
from yota_ast.codegen.plan.statement_plan import (
    Append,
    Attempt,
    Branch,
    Break,
    Exit,
    Let,
    Loop,
    Move,
    NewList,
    Plan,
    Stmt,
    Throw,
    Within,
    Write,
    parts_of,
    walk,
)
from yota_ast.ir.abstract_values import BOOL, Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.conditions import COMPARISONS
from yota_ast.ir.nodes import Apply, For, If, Merge, Origin, Outlined, Read, Store
from yota_ast.ir.tape import Program
from yota_ast.ops.back_ends.batched_functions import twin
from yota_ast.ops.back_ends.jax_functions import DIFFERS, WHOLE
from yota_ast.ops.registry import info
from yota_ast.runtime.jax.arrays_of_jax import as_jax, decided
from yota_ast.support.helper_functions import is_helper

_KNOWN: Any = ("int", "bool", "str", "none")
_SURE = ("int", "float", "bool")


def jax_plan(plan: Plan, points: PointsTo, program: Program) -> Plan:
    """Return the plan on arrays of JAX."""
    return _Rewriter(plan, points, program).run()


class _Rewriter:
    def __init__(self, plan: Plan, points: PointsTo, program: Program) -> None:
        self.plan = plan
        self.draft = Draft(plan)
        self.indices = Indices(self.draft, _counters(plan))
        self.stores = Stores(self.draft, self.indices, points, program)
        self.done: set[str] = set()

    def run(self) -> Plan:
        """Return the rewritten plan."""
        forward, reverse = self.statements(self.plan.forward, self.plan.reverse)
        self.draft.origin = self.plan.exit.origin
        end = self.exit(self.plan.exit)
        return replace(
            self.plan, forward=forward, reverse=reverse, exit=end,
            nested=self.draft.nested,
        )  # fmt: skip

    # ------------------------------------------------------------ statements

    def statements(self, *blocks: Sequence[Stmt]) -> Iterator[tuple[Stmt, ...]]:
        """Yield blocks that run one after another."""
        for stmts in blocks:
            yield tuple(map(self.stmt, stmts))

    def block(self, *blocks: Sequence[Stmt]) -> tuple[tuple[Stmt, ...], ...]:
        """Return blocks within a statement, which may not be run."""
        with self.indices.within():
            return tuple(self.statements(*blocks))

    def stmt(self, stmt: Stmt) -> Stmt:
        """Return a statement on arrays of JAX."""
        self.draft.go_to(stmt.origin)
        match stmt:
            case Let():
                return replace(stmt, value=self.value(stmt.value))
            case Write():
                return self.stores.stored(self.write(stmt.op))
            case Branch():
                test = self.test(stmt.test, stmt.origin)
                [then], [orelse] = self.block(stmt.then), self.block(stmt.orelse)
                return replace(stmt, test=test, then=then, orelse=orelse)
            case Loop():
                return self.loop(stmt)
            case Move():
                pairs = tuple((var, self.atom(atom)) for var, atom in stmt.pairs)
                return replace(stmt, pairs=pairs)
            case Append():
                for var in stmt.saved:
                    self.atom(var)
                return stmt
            case Throw():
                self.atom(stmt.op.exc)
                return stmt
            case Exit():
                return self.exit(stmt)
            case Within() | Attempt():
                self.draft.refuse("`with` and `try` are not printed for JAX")
            case NewList() | Break():
                return stmt
            case _:
                assert_never(stmt)

    def loop(self, stmt: Loop) -> Loop:
        """Return a loop; what stands before the test of a `while` is in its scope."""
        if isinstance(stmt.op, For):
            self.atom(stmt.op.iterable)
        with self.indices.within():
            [cond] = self.statements(stmt.cond)
            if not isinstance(stmt.op, For):
                test = self.test(stmt.op.test, stmt.origin)
                stmt = replace(stmt, op=replace(stmt.op, test=test))
            [body] = self.statements(stmt.body)
        [orelse] = self.block(stmt.orelse)
        return replace(stmt, cond=cond, body=body, orelse=orelse)

    def test(self, test: Atom, origin: Origin) -> Atom:
        """Return the test of a branch; under `jax.jit` the truth of one that depends on
        values is unknown, and that of the reverse sweep has been asked for before."""
        test = self.atom(test)
        if origin.reverse or self._is_known(test):
            return test
        text = Const(origin.text.removesuffix(":"))
        return self.draft.call(decided, test, text, fact=BOOL)

    def _is_known(self, test: Atom) -> bool:
        """Say whether a test depends on shapes and whole numbers alone."""
        op = self.draft.op_of(test)
        if op is None:
            return fact_of_atom(test).kind in _KNOWN or isinstance(test, Const)
        if isinstance(op, Apply) and info(op.fn).in_jax == "facts":
            return True
        parts = parts_of(op)
        return all(isinstance(p, Const | Var) and self._is_known(p) for p in parts)

    def exit(self, stmt: Exit) -> Exit:
        """Return what is returned."""
        results = tuple(map(self.atom, stmt.results))
        return replace(stmt, value=self.atom(stmt.value), results=results)

    def write(self, op: Store) -> Write:
        """Return a store of what JAX knows."""
        value, index = op.value, op.index
        self.atom(index)
        return Write(replace(op, value=self.atom(value)))

    # ------------------------------------------------------------ expressions

    def atom(self, atom: Atom) -> Atom:
        """Return an atom on arrays of JAX: what is nested in it is rewritten, and an
        array of a module is made one of JAX."""
        if isinstance(atom, Const):
            if not isinstance(atom.value, np.ndarray):
                return atom
            return self.draft.call(as_jax, atom, fact=fact_of_atom(atom))
        op = self.draft.op_of(atom)
        if op is not None and atom.name not in self.done:
            self.done.add(atom.name)
            outer = self.draft.origin
            self.draft.origin = op.origin
            value = self.value(op)
            assert not isinstance(value, Read)
            self.draft.nested[atom.name] = value
            self.draft.origin = outer
        return atom

    def value(self, op: Apply | Read | If) -> Apply | Read | If:
        """Return the op of an expression on arrays of JAX."""
        match op:
            case Apply():
                return self.apply(self._with_arrays(op))
            case Read():
                return op
            case If():
                return self._choice(op)
            case _:
                assert_never(op)

    def _choice(self, op: If) -> If:
        test = self.test(op.test, op.origin) if op.form == "ifexp" else op.test
        self.atom(test)
        [merge] = op.merges
        with self.indices.within(sure=False):
            arms = [
                atom if isinstance(atom, Undefined) else self.atom(atom)
                for atom in (merge.then, merge.orelse)
            ]
        return replace(op, test=test, merges=(Merge(merge.out, *arms),))

    def apply(self, op: Apply) -> Apply:
        """Return a call as JAX knows it, or refuse it."""
        op = with_numbers_for_items(op)
        fn, known = op.fn, info(op.fn)
        if isinstance(fn, Outlined):
            return op
        if fn is operator.getitem:
            return self._subscript(self._with_known_counts(op))
        if fn is build_tuple:
            return self._with_known_counts(op)
        if known.in_jax == "float":
            return self._number(op)
        if known.in_jax == "no":
            self._check_helper(op)
            return op
        if fn in WHOLE:
            self._refuse_whole(op)
        if known.in_jax == "number" and all(_is_static(a) for a in op.args):
            return op
        self._refuse_narrow(op)
        op = self._of_lists_and_arrays(self._with_taken(op))
        if known.jax_keywords:
            more = tuple((name, Const(value)) for name, value in known.jax_keywords)
            op = replace(op, kwargs=(*op.kwargs, *more))
        return self._widened(op) if fn is np.searchsorted else op

    def _widened(self, op: Apply) -> Apply:
        """Return places as the whole numbers that NumPy has: JAX gives those of 32
        bits."""
        places = self.draft.call(
            op.fn, *op.args, fact=op.out.fact, form=op.form, kwargs=op.kwargs,
            spelling=op.spelling,
        )  # fmt: skip
        return replace(
            op, fn=np.ndarray.astype, args=(places, Const(int)), kwargs=(),
            form="method", spelling="astype",
        )  # fmt: skip

    def _with_taken(self, op: Apply) -> Apply:
        """Return a call without `like`, which chooses a library: JAX's. Refuse what
        JAX's function does not take."""
        kwargs = tuple(pair for pair in op.kwargs if pair[0] != "like")
        name = op.spelling or op.fn.__name__
        is_in_jax = info(op.fn).in_jax in ("numpy", "scipy")
        fn = jax_function(op.fn) if is_in_jax else None
        reason = refusal(name, fn, len(op.args), dict(kwargs))
        if reason:
            self.draft.refuse(reason)
        args = [self._as_taken(fn, k, atom) for k, atom in enumerate(op.args)]
        kwargs = tuple(
            (k, self._as_array(atom) if takes_arrays_alone(fn, k) else atom)
            for k, atom in kwargs
        )
        if info(op.fn).in_jax == "number" and _arity(op.fn) != len(op.args):
            self.draft.refuse(f"`{name}` of several arguments has no twin in JAX")
        return replace(op, args=tuple(args), kwargs=kwargs)

    def _as_taken(self, fn: Any, k: int, atom: Atom) -> Atom:
        """Return an argument as JAX's function takes it: without lists of numbers."""
        if takes_arrays_alone(fn, k):
            return self._as_array(atom)
        made = self.draft.op_of(atom)
        if not isinstance(made, Apply) or not takes_a_row_of_arrays(fn, k):
            return atom
        if made.fn in (build_list, build_tuple) and isinstance(atom, Var):
            items = tuple(map(self._as_array, made.args))
            self.draft.nested[atom.name] = replace(made, args=items)
        return atom

    def _of_lists_and_arrays(self, op: Apply) -> Apply:
        """Return arithmetic of a list and an array as that of two arrays."""
        is_arithmetic = op.form == "operator" and (
            info(op.fn).arithmetic != "none" or op.fn in COMPARISONS
        )
        if not is_arithmetic or not any(
            fact_of_atom(a).kind == "array" for a in op.args
        ):
            return op
        return replace(op, args=tuple(map(self._as_array, op.args)))

    def _as_array(self, atom: Atom) -> Atom:
        """Return a list or tuple as the array that NumPy makes of it."""
        if fact_of_atom(atom).kind not in ("list", "tuple"):
            return atom
        array = self.draft.call(np.array, atom, fact=Fact("array"))
        made = self.draft.op_of(array)
        assert isinstance(made, Apply)
        self.draft.nested[array.name] = self.apply(made)
        return array

    def _with_arrays(self, op: Apply) -> Apply:
        args = tuple(map(self.atom, op.args))
        kwargs = tuple((name, self.atom(value)) for name, value in op.kwargs)
        return replace(op, args=args, kwargs=kwargs)

    def _subscript(self, op: Apply) -> Apply:
        owner, index = op.args
        if fact_of_atom(owner).kind not in ("array", "real", "unknown"):
            return op
        return replace(op, args=(owner, self.indices.tested(owner, index)))

    def _with_known_counts(self, op: Apply) -> Apply:
        """Return a tuple, which may be an index, with NumPy's `arange` in it: of that
        `jax.jit` knows the numbers."""
        for atom in op.args:
            inner = self.draft.op_of(atom)
            if isinstance(inner, Apply) and inner.fn is np.arange:
                kept = replace(inner, spelling=OF_NUMPY)
                self.draft.nested[inner.out.name] = kept
        return op

    def _number(self, op: Apply) -> Apply:
        """Return `float(x)` as an array without axes; of a whole number as it is."""
        (x,) = op.args or (Const(0.0),)
        fact = fact_of_atom(x)
        if fact.kind in (*_KNOWN, "float") or isinstance(x, Const):
            return op if fact.kind != "float" else replace(op, fn=same)
        if fact.is_scalar and fact.dtype is not None and fact.dtype.kind == "f":
            return replace(op, fn=same, form="call", spelling="")
        plain = replace(
            op, fn=np.reshape, args=(x, Const(())), form="call", spelling=""
        )
        if fact.is_floating:
            return plain
        inner = x
        if not fact.is_scalar:
            inner = self.draft.call(np.reshape, x, Const(()), fact=fact)
        return replace(
            plain, fn=operator.mul, args=(Const(1.0), inner), form="operator"
        )

    def _check_helper(self, op: Apply) -> None:
        fn: Any = op.fn
        name = op.spelling or getattr(fn, "__name__", "this")
        if isinstance(fn, type) and issubclass(fn, BaseException):
            return
        differs = next((why for key, why in DIFFERS.items() if key is fn), "")
        if differs:
            self.draft.refuse(f"`{name}` {differs}")
        if is_helper(fn):
            reason = refusal_of(fn)
            if not reason:
                return
            self.draft.refuse(f"the adjoint calls `{name}`, {reason}")
        self.draft.refuse(f"`{name}` has no twin in JAX that is known to mean the same")

    def _refuse_narrow(self, op: Apply) -> None:
        """Refuse floats of masks or of whole numbers of few bits: JAX has 32 bits."""
        if is_narrow(op):
            name = op.spelling or op.fn.__name__
            self.draft.refuse(
                f"`{name}` of masks or of few bits has floats of 32 bits in JAX",
                "Convert with .astype(float) before.",
            )

    def _refuse_whole(self, op: Apply) -> None:
        """Refuse what JAX computes otherwise of whole numbers in arrays."""
        facts = [fact_of_atom(a) for a in op.args]
        if any(f.is_floating for f in facts) or all(f.kind in _SURE for f in facts):
            return
        last = op.args[-1]
        if op.fn in (operator.pow, np.power) and isinstance(last, Const):
            if not isinstance(last.value, int) or last.value >= 0:
                return
        if not any(_may_be_whole(f) for f in facts[:1]):
            return
        name = op.spelling or op.fn.__name__
        self.draft.refuse(
            f"`{name}` of whole numbers may mean something else in JAX",
            "Give example arguments that are floats, or convert with .astype(float).",
        )


def _may_be_whole(fact: Any) -> bool:
    """Say whether a value may be an array of whole numbers."""
    if fact.kind in ("real", "unknown"):
        return True
    return fact.dtype is None or fact.dtype.kind in "biu"


def _arity(fn: object) -> int:
    """Return how many arguments NumPy's function takes that stands for one of math."""
    ufunc = twin(fn)
    return 0 if ufunc is None else ufunc.nin


def _is_static(atom: Atom) -> bool:
    """Say whether a number is no array of JAX: a constant, or a length."""
    return isinstance(atom, Const) or atom.fact.kind == "int"


def _counters(plan: Plan) -> Mapping[str, Dim]:
    """Return the variables of loops over `range(n)`, and n, if it is a length."""
    found: dict[str, Dim] = {}
    for stmt in walk((*plan.forward, *plan.reverse)):
        if isinstance(stmt, Loop) and isinstance(stmt.op, For):
            length = _stop_of(plan, stmt.op.iterable)
            if length is not None and len(stmt.op.targets) == 1:
                found[stmt.op.targets[0].name] = length
    return found


def _stop_of(plan: Plan, over: Atom) -> Dim | None:
    """Return n of `range(n)`, if it is the length of an axis."""
    op = plan.nested.get(over.name) if isinstance(over, Var) else None
    if not isinstance(op, Apply) or op.fn is not range or len(op.args) != 1:
        return None
    return fact_of_atom(op.args[0]).length
