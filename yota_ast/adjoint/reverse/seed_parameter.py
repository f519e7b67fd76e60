"""The cotangent of a tape's value: a parameter, where it stands, how it is checked.

It is called `seed`, `seed_2` beside a parameter of that name; it stands last, but
before `**kwargs`. Its default 1.0 is for real scalars alone.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.reverse.contributions import items_of
from yota_ast.errors import ShapeError
from yota_ast.ir.abstract_values import COMPLEX, FLOAT, Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import handed_on, items_of_loop
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import Apply, Block, If, Op, Raise, walk
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Tape
from yota_ast.support.passes import enabled
from yota_ast.syntax.names import seed_name

_PLAIN = ("real", "unknown")
_BY_POSITION = ("positional-only", "positional")


def fact_of_result(tape: Tape) -> Fact:
    """What is known of the value."""
    return fact_of_atom(tape.result)


def is_complex(fact: Fact) -> bool:
    """Whether a value is complex for certain."""
    return fact.kind == "complex" or (fact.dtype is not None and fact.dtype.kind == "c")


def is_real(fact: Fact) -> bool:
    """Whether a value is a real number, or an array of them, for certain."""
    return fact.kind == "float" or (fact.dtype is not None and fact.dtype.kind != "c")


def first_of_pair(tape: Tape) -> Atom:
    """The first item of a value that is a pair: a real number, and what is given with
    it. Raises ShapeError of another value."""
    items = items_of(tape.result) if isinstance(tape.result, Var) else None
    kind = fact_of_result(tape)
    if items is None or kind.kind != "tuple" or len(items) != 2:
        raise ShapeError(
            f"has_aux: {tape.name} returns {kind}, not a pair",
            remedy="Return a pair of the number and the rest: `return value, aux`.",
        )
    number = items[0].fact
    if is_complex(number) or not (number.is_scalar or number.kind in _PLAIN):
        raise ShapeError(
            f"has_aux: the first item that {tape.name} returns is {number}, "
            "not a real number",
            remedy="Return a pair of the number and the rest: `return value, aux`.",
        )
    return items[0]


class _Apart(Substitution):
    """Other names for the variables that are called like a parameter to come."""

    def __init__(self, name: str, other: str) -> None:
        super().__init__({})
        self.name, self.other = name, other

    def var(self, var: Var) -> Var:
        """The variable under another name; the text calls it as before, if it can."""
        return replace(var, name=self.other) if var.name == self.name else var


def beside_seed(tape: Tape, names: Names) -> Tape:
    """The tape, with no variable called like the seed."""
    name = seed_name({p.var.name for p in tape.params})
    if name not in names.taken:
        return tape
    apart = _Apart(name, names.fresh(name))
    return replace(tape, block=apart.block(tape.block), result=apart.atom(tape.result))


def seed_of(tape: Tape, asked: Sequence[Parameter], names: Names) -> Parameter:
    """The parameter of a gradient that is none of the function's own."""
    fact = fact_of_result(tape)
    name = seed_name({p.var.name for p in tape.params})
    names.reserve(name)
    scalar = fact.is_scalar or fact.kind in _PLAIN or _of_any_rank(fact)
    known = _fact_of_seed(fact)
    complex_asked = any(is_complex(p.var.fact) for p in asked)
    twofold = is_complex(fact) or (complex_asked and not is_real(fact))
    default = Const(1.0) if scalar and not twofold else None
    return Parameter(Var(name, known, name), "positional", default)


def _of_any_rank(fact: Fact) -> bool:
    """Whether an array may have no axes, as far as is known; the text checks."""
    return fact.kind == "array" and fact.rank is None


def needs_no_seed(tape: Tape, seed: Parameter) -> bool:
    """Whether the value is a real number for certain, so that its cotangent is 1."""
    fact = fact_of_result(tape)
    real = fact.is_scalar and is_real(fact) and seed.default is not None
    return real and enabled("fast-seed")


def leans_on_ranks(tape: Tape, infer: Infer) -> bool:
    """Whether the value is known to be a number because arguments have the ranks that
    they have: of others it may be an array, which needs a seed of its shape.

    >>> from yota_ast.ir.axis_lengths import Dim
    >>> from yota_ast.nesting.call_inference import infer
    >>> x = Var("x", Fact("array", np.dtype(float), (Dim("n"),)))
    >>> y = Var("y", FLOAT)
    >>> for fn, args in ((np.sum, (x,)), (operator.getitem, (x, Const(0)))):
    ...     tape = Tape("f", (Parameter(x),), Block((Apply(y, fn, args),)), y)
    ...     print(leans_on_ranks(tape, infer))
    False
    True
    """
    if not fact_of_result(tape).is_scalar or not isinstance(tape.result, Var):
        return False
    if _gives_a_number(tape.block, tape.result, infer):
        return False
    return not _Scalars(tape.block, infer).is_scalar(tape.result)


def _gives_a_number(block: Block, result: Var, infer: Infer) -> bool:
    """Whether a value is a number of whatever it is made of: a sum, as most are."""

    def of_any_shape(atom: Atom) -> Atom:
        if _is_outside(atom) or (isinstance(atom, Var) and atom.fact.is_numeric):
            return Var(atom.name if isinstance(atom, Var) else "", Fact("real"))
        return atom

    for op in reversed(block.ops):
        if isinstance(op, Apply) and op.out == result:
            named = tuple((name, of_any_shape(a)) for name, a in op.kwargs)
            return infer(op.fn, tuple(map(of_any_shape, op.args)), named).is_scalar
    return False


class _Scalars:
    """The values of a block that are numbers whatever the ranks of its arguments."""

    def __init__(self, block: Block, infer: Infer) -> None:
        self.infer = infer
        self.made: dict[str, Apply] = {}
        self.handed: dict[str, list[Atom]] = {}
        self.known: dict[str, Fact] = {}
        for op in walk(block):
            if isinstance(op, Apply):
                self.made[op.out.name] = op
            for item in items_of_loop(op):
                if item.fact.kind in ("scalar", "array"):
                    self.known[item.name] = Fact("real")
            for ends, outs in handed_on(op):
                for out in outs:
                    known = [a for a in ends if not isinstance(a, Undefined)]
                    self.handed.setdefault(out.name, []).extend(known)
        self._settle(block)

    def _settle(self, block: Block) -> None:
        """Find what holds of all values at once, from the best that may hold: in order,
        so that long functions need no deep recursion, and again for loops."""
        for _ in range(len(self.handed) + 2):
            before = dict(self.known)
            for op in walk(block):
                made = [op.out] if isinstance(op, Apply) else []
                for out in (*made, *(o for _, outs in handed_on(op) for o in outs)):
                    self.known[out.name] = self._found(out)
            if not self.handed or self.known == before:
                break

    def is_scalar(self, atom: Atom) -> bool:
        """Whether a value is a number for sure."""
        return self._fact(atom).is_scalar

    def _fact(self, atom: Atom) -> Fact:
        """What is known of a value where nothing is of the ranks of arguments."""
        if not isinstance(atom, Var):
            known = fact_of_atom(atom)
            return known.with_shape(None) if _is_outside(atom) else known
        if atom.name in self.known:
            return self.known[atom.name]
        later = atom.name in self.made or atom.name in self.handed
        return atom.fact if later else self._found(atom)

    def _found(self, var: Var) -> Fact:
        op = self.made.get(var.name)
        if op is not None:
            atoms = (*op.args, *(a for _, a in op.kwargs))
            if all(self._fact(a) == fact_of_atom(a) for a in atoms):
                return var.fact
            named = tuple((name, self._without_rank(a)) for name, a in op.kwargs)
            return self.infer(op.fn, tuple(map(self._without_rank, op.args)), named)
        if var.name in self.handed:
            same = all(map(self.is_scalar, self.handed[var.name]))
            return var.fact if same else var.fact.with_shape(None)
        return var.fact if var.fact.kind != "array" else var.fact.with_shape(None)

    def _without_rank(self, atom: Atom) -> Atom:
        known = self._fact(atom)
        if isinstance(atom, Var):
            return replace(atom, fact=known)
        return Var("", known) if _is_outside(atom) else atom


def _is_outside(atom: Atom) -> bool:
    """Whether a value is an array of a module, which may be rebound."""
    if not isinstance(atom, Const) or not atom.text:
        return False
    return isinstance(atom.value, np.ndarray) and atom.value.ndim > 0


def _fact_of_seed(fact: Fact) -> Fact:
    """What is known of the seed: it is as complex as the value."""
    if is_complex(fact):
        return COMPLEX if fact.is_scalar else replace(fact, dtype=np.dtype(complex))
    if fact.is_scalar and fact.kind in ("array", "real") and not fact.is_number:
        return Fact("real", None, ())  # which a number is as well
    return FLOAT if fact.is_scalar else replace(fact, dtype=None)


def with_seed(params: tuple[Parameter, ...], seed: Parameter) -> tuple[Parameter, ...]:
    """The parameters of the gradient."""
    ahead = tuple(p for p in params if p.kind != "kwargs")
    optional = any(p.default is not None for p in ahead if p.kind in _BY_POSITION)
    named = any(p.kind in ("args", "keyword") for p in ahead)
    if named or (optional and seed.default is None):
        seed = replace(seed, kind="keyword")
    return (*ahead, seed, *params[len(ahead) :])


def seed_value(result: Var, seed: Var, builder: Builder) -> Atom:
    """The cotangent as the reverse sweep starts from it: memory of its own."""
    if result.fact.kind != "array" or result.fact.is_scalar:
        return seed
    dtype = _type_of(result, builder)
    if _of_any_rank(result.fact):
        return builder.apply(np.array, seed, dtype)
    return builder.method("astype", seed, dtype)


def _type_of(result: Var, builder: Builder) -> Atom:
    """The type of the cotangents of an array: its own, or floats of whole numbers."""
    known = result.fact.dtype
    if known is None:
        return builder.apply(np.result_type, result, Const(1.0))
    if known.kind not in "fc":
        return Const(float, "float", "builtins")
    return builder.apply(
        getattr, result, Const("dtype"), form="attribute", spelling="dtype"
    )


def seed_check(tape: Tape, seed: Var, builder: Builder) -> tuple[Op, ...]:
    """Ops that raise ValueError where the seed has another shape than the value."""
    result, fact = tape.result, fact_of_result(tape)
    if not isinstance(result, Var) or fact.is_scalar:
        return ()
    if fact.kind not in ("array", *_PLAIN):
        return ()
    shapes = [builder.apply(np.shape, v) for v in (seed, result)]
    differ = builder.apply(operator.ne, *shapes, form="operator")
    inner = Builder(builder.infer, builder.names)
    message = f"{tape.name}_grad: seed must have the shape of the value"
    error = inner.apply(ValueError, Const(message))
    inner.ops.append(Raise(error))
    return (*builder.ops, If(differ, inner.block(), Block()))
