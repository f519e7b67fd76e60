"""The sweeps -> which whole numbers among the arguments must be none of arrays, and
which arrays must hold whole numbers.

What goes back through an index that is one number is added by `dx[k] += d`, which of
an array of positions that repeats adds once; what goes back to a number beside arrays
is summed; and what goes back to an array by way of a number has its shape. Texts in
which nothing is so serve arrays as well.
"""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.adjoint.rewrites.rewrite_engine import Assumptions
from yota_ast.adjoint.rewrites.shape_assumptions import arguments_of
from yota_ast.adjoint.sweeps import Request, Sweeps
from yota_ast.ir.abstract_values import NUMBERS
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import handed_on
from yota_ast.ir.nodes import Apply, Block, Op, Store, only, walk
from yota_ast.ir.store_changes import ADD, PUT, SUBTRACT
from yota_ast.ir.tape import Tape
from yota_ast.ops import info
from yota_ast.rules.notation.rule import BOOK

Made = Callable[[], Mapping[str, Sequence[Apply | tuple[Atom, ...]]]]
"""What variables are made by: an op, or one of some values. Found out where it is asked
for: most sweeps have nothing to ask about."""
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
    made = _made_by([tape.block, *blocks])
    for each in sweeps:
        assumed.single |= _used_as_index(each.back, made)
        assumed.unsliced |= _written_at(tape.block, each.back, made)
    if any(v.fact.may_be_array for _, v in arguments_of(tape)):
        for each in own:
            in_reverse = _made_by([each.back])
            for argument, value in zip(request.arguments, each.values, strict=True):
                if _is_summed(value, in_reverse):
                    assumed.single |= {argument.param.var.name}
                assumed.single |= _spread_in(value, made)


def note_types(assumed: Assumptions, block: Block) -> None:
    """Note what must be an array of whole numbers, for what a function stores there is
    cut off."""
    whole = _stored_in_whole(block)
    assumed.whole |= _behind_of(whole, _made_by([block], stores=True))


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
        if isinstance(value, Var) and _is_array_of(target, "iub")
        if value.fact.is_numeric and value.fact.holds_floats
    ]


def _behind_of(atoms: Sequence[Atom], made: Made) -> frozenset[str]:
    """The arrays of whole numbers that make others such."""
    seen: dict[str, Var] = {}
    todo = list(atoms)
    while todo:
        atom = todo.pop()
        if not isinstance(atom, Var) or atom.name in seen:
            continue
        if not _is_array_of(atom, "iub"):
            continue
        seen[atom.name] = atom
        for each in made().get(atom.name, ()):
            todo += _deciding(each) if isinstance(each, Apply) else each
    return frozenset(name for name, v in seen.items() if _is_array(v))


def _deciding(op: Apply) -> tuple[Atom, ...]:
    """Return the arguments that decide which numbers the result of an op holds."""
    stated = info(op.fn).numbers
    of = None if stated is None else stated.of
    return tuple(a for k, a in enumerate(op.args) if of is None or k in of)


def _is_array_of(atom: Atom, kinds: str) -> bool:
    """Whether a value is an array of a kind, or a list that may hold such."""
    known = fact_of_end(atom)
    if known.kind in ("list", "tuple"):
        return True
    return _is_array(atom) and known.dtype is not None and known.dtype.kind in kinds


def _made_by(blocks: Sequence[Block], *, stores: bool = False) -> Made:
    """What the variables of some blocks are made by; an array that is written, by the
    one before."""
    return functools.cache(lambda: _makers_in(blocks, stores=stores))


def _makers_in(
    blocks: Iterable[Block], *, stores: bool
) -> Mapping[str, Sequence[Apply | tuple[Atom, ...]]]:
    found: dict[str, list[Apply | tuple[Atom, ...]]] = {}
    for block in blocks:
        for op in walk(block):
            if stores and isinstance(op, Store):
                found.setdefault(op.out.name, []).append((op.target,))
            for out, source in _makers(op):
                found.setdefault(out.name, []).append(source)
    return found


def _makers(op: Op) -> Iterator[tuple[Var, Apply | tuple[Atom, ...]]]:
    if isinstance(op, Apply):
        yield op.out, op
    for ends, outs in handed_on(op):
        known = tuple(a for a in ends if not isinstance(a, Undefined))
        yield from ((out, known) for out in outs)


def _used_as_index(back: Block, made: Made) -> frozenset[str]:
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


def _written_at(block: Block, back: Block, made: Made) -> frozenset[str]:
    """The same of those that are an index where a function stores what the reverse
    sweep takes back."""
    stores = only(walk(block), Store)
    indices = [
        op.index for op in stores if isinstance(op.value, Var) or op.change != PUT
    ]
    if not indices:
        return frozenset()
    read = {a for op in only(walk(back), Apply) for a in op.args}
    return _all_behind((index for index in indices if index in read), made)


def _all_behind(indices: Iterable[Atom], made: Made) -> frozenset[str]:
    seen: set[str] = set()
    todo = list(indices)
    while todo:
        atom = todo.pop()
        if not isinstance(atom, Var) or atom.name in seen:
            continue
        if atom.fact.kind in _MAY_BE_INDEX:
            seen.add(atom.name)
            todo += [a for each in made().get(atom.name, ()) for a in _behind(each)]
    return frozenset(seen)


def _behind(source: Apply | tuple[Atom, ...]) -> tuple[Atom, ...]:
    if not isinstance(source, Apply):
        return source
    return () if info(source.fn).always == "no array" else source.args


def _is_summed(gradient: Atom, made: Made) -> bool:
    """Whether a gradient is a number because arrays were summed, or one was made of
    what may be an array."""
    seen: set[str] = set()
    todo = [gradient]
    while todo:
        atom = todo.pop()
        if not isinstance(atom, Var) or atom.name in seen or _is_array(atom):
            continue
        seen.add(atom.name)
        for each in made().get(atom.name, ()):
            if not isinstance(each, Apply):
                todo += each
            elif each.fn is builtins.float or _sums(each):
                return True
            elif each.fn is not operator.getitem:
                todo += each.args
    return False


def _spread_in(gradient: Atom, made: Made) -> frozenset[str]:
    """The numbers that the shape of the gradient of an array depends on."""
    if not _is_array(gradient):
        return frozenset()
    seen: set[str] = set()
    found: set[str] = set()
    todo = [gradient]
    while todo:
        atom = todo.pop()
        if not isinstance(atom, Var) or atom.name in seen:
            continue
        seen.add(atom.name)
        if atom.fact.is_scalar:
            found.add(atom.name)
        for each in made().get(atom.name, ()):
            todo += _shaping(each)
    return frozenset(found)


def _shaping(source: Apply | tuple[Atom, ...]) -> tuple[Atom, ...]:
    """What may be longer than something is for it, where it is made elementwise."""
    if not isinstance(source, Apply):
        return source
    if any(rule.elementwise for rule in BOOK.rules_of(source.fn)):
        return (*source.args, *(a for _, a in source.kwargs))
    return tuple(a for a in source.args if _is_array(a))


def _sums(op: Apply) -> bool:
    """Whether an op makes one number of arrays."""
    of_arrays = any(map(_is_array, op.args)) and op.fn is not operator.getitem
    return of_arrays and op.out.fact.is_scalar and op.out.fact.holds_floats


def _is_array(atom: Atom) -> bool:
    known = fact_of_end(atom)
    return known.kind == "array" and not known.is_scalar
