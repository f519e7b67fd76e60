"""The sweeps -> which arguments that are numbers must be none of arrays.

What goes back through an index that is one number is added by `dx[k] += d`, which of
an array of positions that repeats adds once; and what goes back to a number beside
arrays is summed. Texts in which neither is so serve arrays as well.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ..facts import NUMBERS, fact_of
from ..tape import (
    Apply,
    Atom,
    Block,
    For,
    If,
    Store,
    Tape,
    Undefined,
    Var,
    While,
    build_slice,
    walk,
)
from .assumptions import arguments_of
from .rewrite import Assumptions
from .sweeps import Request, Sweeps

Made = Mapping[str, Sequence[Apply | tuple[Atom, ...]]]
"""What variables are made by: an op, or one of some values."""
_OF_NUMBERS_ALONE: Final = (range, len, int, operator.index, build_slice)
"""Functions that raise where an array is given for a number."""
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
    made = _made_by([tape.block, *(b for s in sweeps for b in (s.ahead, s.back))])
    for each in sweeps:
        assumed.single |= _used_as_index(each.back, made)
        assumed.unsliced |= _written_at(tape.block, each.back, made)
    if any(v.fact.kind == "array" for _, v in arguments_of(tape)):
        for each in own:
            in_reverse = _made_by([each.back])
            for argument, value in zip(request.arguments, each.values, strict=True):
                if _is_summed(value, in_reverse):
                    assumed.single |= {argument.param.var.name}


def _made_by(blocks: Iterable[Block]) -> Made:
    """What the variables of some blocks are made by."""
    found: dict[str, list[Apply | tuple[Atom, ...]]] = {}
    for block in blocks:
        for op in walk(block):
            for out, source in _makers(op):
                found.setdefault(out.name, []).append(source)
    return found


def _makers(op: object) -> Iterator[tuple[Var, Apply | tuple[Atom, ...]]]:
    if isinstance(op, Apply):
        yield op.out, op
    elif isinstance(op, (For, While)):
        for carry in op.carries:
            ends = _known(carry.init, carry.next)
            yield carry.inside, ends
            yield carry.out, ends
    elif isinstance(op, If):
        for merge in op.merges:
            yield merge.out, _known(merge.then, merge.orelse)


def _known(*atoms: Atom | Undefined) -> tuple[Atom, ...]:
    return tuple(a for a in atoms if not isinstance(a, Undefined))


def _used_as_index(back: Block, made: Made) -> frozenset[str]:
    """The variables, and those behind them, that are an index which does not repeat
    where the reverse sweep adds and stores."""
    return _all_behind(
        (
            op.index
            for op in walk(back)
            if isinstance(op, Store) and op.augment in ("", "+", "-")
            if isinstance(op.value, Var)
        ),
        made,
    )


def _written_at(block: Block, back: Block, made: Made) -> frozenset[str]:
    """The same of those that are an index where a function stores what the reverse
    sweep takes back."""
    read = {a for op in walk(back) if isinstance(op, Apply) for a in op.args}
    return _all_behind(
        (
            op.index
            for op in walk(block)
            if isinstance(op, Store) and op.index in read
            if isinstance(op.value, Var) or op.augment
        ),
        made,
    )


def _all_behind(indices: Iterable[Atom], made: Made) -> frozenset[str]:
    seen: set[str] = set()
    todo = list(indices)
    while todo:
        atom = todo.pop()
        if not isinstance(atom, Var) or atom.name in seen:
            continue
        if atom.fact.kind in _MAY_BE_INDEX:
            seen.add(atom.name)
            todo += [a for each in made.get(atom.name, ()) for a in _behind(each)]
    return frozenset(seen)


def _behind(source: Apply | tuple[Atom, ...]) -> tuple[Atom, ...]:
    if not isinstance(source, Apply):
        return source
    return () if source.fn in _OF_NUMBERS_ALONE else source.args


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
        for each in made.get(atom.name, ()):
            if not isinstance(each, Apply):
                todo += each
            elif each.fn is builtins.float or _sums(each):
                return True
            elif each.fn is not operator.getitem:
                todo += each.args
    return False


def _sums(op: Apply) -> bool:
    """Whether an op makes one number of arrays."""
    of_arrays = any(map(_is_array, op.args)) and op.fn is not operator.getitem
    return of_arrays and op.out.fact.is_scalar and op.out.fact.holds_floats


def _is_array(atom: Atom) -> bool:
    known = atom.fact if isinstance(atom, Var) else fact_of(atom.value)
    return known.kind == "array" and not known.is_scalar
