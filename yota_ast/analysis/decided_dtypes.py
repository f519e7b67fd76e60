"""The sweeps -> which whole numbers among the arguments must be none of arrays, and
which arrays must hold whole numbers.

What goes back through an index that is one number is added by `dx[k] += d`, which of
an array of positions that repeats adds once; what goes back to a number beside arrays
is summed; and what goes back to an array by way of a number has its shape. Texts in
which nothing is so serve arrays as well.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np

from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.adjoint.rewrites.shape_assumptions import arguments_of
from yota_ast.adjoint.sweeps import Request, Sweeps
from yota_ast.analysis.engine import (
    DefinedBy,
    Definition,
    Ends,
    defined_in,
    made_of,
    one_of,
)
from yota_ast.ir.abstract_values import NUMBERS
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import Apply, Block, Store, only, walk
from yota_ast.ir.store_changes import ADD, PUT, SUBTRACT
from yota_ast.ir.tape import Tape
from yota_ast.ops import info
from yota_ast.rules.notation.rule import BOOK

_MAY_BE_INDEX: Final = (*NUMBERS, "int", "bool", "array", "tuple", "real", "unknown")


def note_numbers(
    assumed: Assumptions,
    tape: Tape,
    request: Request,
    own: Sequence[Sweeps],
    others: Sequence[Sweeps],
) -> None:
    """Note what must be a number: indices, and what sums go back to."""
    sweeps = (*own, *others)
    blocks = [b for s in sweeps for b in (s.ahead, s.back)]
    made = defined_in(tape.block, *blocks)
    for each in sweeps:
        assumed.single |= _used_as_index(each.back, made)
        assumed.unsliced |= _written_at(tape.block, each.back, made)
    if any(v.fact.may_be_array for _, v in arguments_of(tape)):
        for each in own:
            in_reverse = defined_in(each.back)
            for argument, value in zip(request.arguments, each.values, strict=True):
                if _is_summed(value, in_reverse):
                    assumed.single |= {argument.param.var.name}
                assumed.single |= _spread_in(value, made)


def note_types(assumed: Assumptions, block: Block) -> None:
    """Note what must be an array of whole numbers, for what a function stores there is
    cut off."""
    stored, made = _stored_in_whole(block), defined_in(block)
    found = made_of(stored, made, _by_call(_deciding), _holds_whole)
    assumed.whole |= {v.name for v in found if _is_array(v)}


def _stored_in_whole(block: Block) -> list[Atom]:
    """The arrays of whole numbers that a function stores floats in."""
    pairs: list[tuple[Atom, Atom]] = [
        (op.target, op.value) for op in only(walk(block), Store)
    ]
    pairs += [
        (op.args[0], op.args[1])
        for op in only(walk(block), Apply)
        if op.fn is np.full_like and not op.kwargs
    ]
    return [
        target
        for target, value in pairs
        if isinstance(value, Var) and _holds_whole(target)
        if value.fact.is_numeric and value.fact.holds_floats
    ]


def _by_call(inputs: Callable[[Apply], Ends]) -> Callable[[Definition], Ends]:
    """Return what definitions depend on: of calls, what `inputs` says."""
    return lambda each: inputs(each) if isinstance(each, Apply) else one_of(each)


def _deciding(op: Apply) -> tuple[Atom, ...]:
    """Return the arguments that decide which numbers the result of an op holds."""
    stated = info(op.fn).numbers
    of = None if stated is None else stated.of
    return tuple(a for k, a in enumerate(op.args) if of is None or k in of)


def _holds_whole(atom: Atom) -> bool:
    """Whether a value is an array of whole numbers, or a list that may hold such."""
    known = fact_of_end(atom)
    if known.kind in ("list", "tuple"):
        return True
    return _is_array(atom) and known.dtype is not None and known.dtype.kind in "iub"


def _used_as_index(back: Block, made: DefinedBy) -> set[str]:
    """The variables, and those behind them, that are an index which does not repeat
    where the reverse sweep adds and stores."""
    return _all_behind(
        (
            op.index
            for op in walk(back)
            if isinstance(op, Store) and op.change in (PUT, ADD, SUBTRACT)
            if isinstance(op.value, Var)
        ),
        made,
    )


def _written_at(block: Block, back: Block, made: DefinedBy) -> set[str]:
    """The same of those that are an index where a function stores what the reverse
    sweep takes back."""
    stores = only(walk(block), Store)
    indices = [
        op.index for op in stores if isinstance(op.value, Var) or op.change != PUT
    ]
    if not indices:
        return set()
    read = {a for op in only(walk(back), Apply) for a in op.args}
    return _all_behind((index for index in indices if index in read), made)


def _all_behind(indices: Iterable[Atom], made: DefinedBy) -> set[str]:
    found = made_of(
        indices, made, _by_call(_behind), lambda v: v.fact.kind in _MAY_BE_INDEX
    )
    return {v.name for v in found}


def _behind(op: Apply) -> tuple[Atom, ...]:
    return () if info(op.fn).always == "no array" else op.args


def _is_summed(gradient: Atom, made: DefinedBy) -> bool:
    """Whether a gradient is a number because arrays were summed, or one was made of
    what may be an array."""
    found = made_of([gradient], made, _by_call(_added), lambda v: not _is_array(v))
    makers = (each for v in found for each in made(v.name) or ())
    return any(
        op.fn is builtins.float or _sums(op) for op in makers if isinstance(op, Apply)
    )


def _added(op: Apply) -> tuple[Atom, ...]:
    return () if op.fn is operator.getitem else op.args


def _spread_in(gradient: Atom, made: DefinedBy) -> set[str]:
    """The numbers that the shape of the gradient of an array depends on."""
    if not _is_array(gradient):
        return set()
    found = made_of([gradient], made, _by_call(_shaping))
    return {v.name for v in found if v.fact.is_scalar}


def _shaping(op: Apply) -> tuple[Atom, ...]:
    """What may be longer than something is for it, where it is made elementwise."""
    if any(rule.elementwise for rule in BOOK.rules_of(op.fn)):
        return (*op.args, *(a for _, a in op.kwargs))
    return tuple(a for a in op.args if _is_array(a))


def _sums(op: Apply) -> bool:
    """Whether an op makes one number of arrays."""
    of_arrays = any(map(_is_array, op.args)) and op.fn is not operator.getitem
    return of_arrays and op.out.fact.is_scalar and op.out.fact.holds_floats


def _is_array(atom: Atom) -> bool:
    known = fact_of_end(atom)
    return known.kind == "array" and not known.is_scalar
