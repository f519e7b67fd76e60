"""A tape -> the constants of modules that the text of its gradient was made for.

A file reads such constants when it is called. Numbers that are added, multiplied,
raised or compared may change as they like, and so may what branches ask and what loops
run over. An index, an axis, a length or a mode may not: which derivative is right
depends on it, so that the text tests, before anything else, that it is as it was. So
does the shape of an array, where the text takes shapes for granted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final, assert_never

import numpy as np

from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import handed_on
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Op,
    Simple,
    Store,
    atoms_of,
    walk,
)
from yota_ast.ir.tape import Tape
from yota_ast.rules.notation.rule import BOOK

_CHOICES: Final = (int, bool, str, slice, type(None), np.integer, np.bool_)
Found = dict[tuple[str, str], Const]
"""Constants by where they are read: two of one value may change apart."""


def fixed_constants(tape: Tape, *, shaped: bool) -> tuple[Const, ...]:
    """The constants that are to be as they were, in the order of their use.

    shaped: whether the text takes the shapes of arrays for granted.
    """
    blocks = (tape.block, *(f.block for f in tape.functions))
    ops = list(walk(Block(tuple(op for block in blocks for op in block))))
    made_of: dict[str, Found] = {}
    size = -1
    while size != (size := sum(map(len, made_of.values()))):
        for op in ops:
            for out, atoms in _flows(op):
                made_of.setdefault(out.name, {}).update(_behind(atoms, made_of))
    found: Found = {}
    for op in ops:
        found.update(_behind(_decisive(op), made_of))
        if shaped:
            found.update(_read(a for a in atoms_of(op) if _is_array(a)))
    return tuple(found.values())


def _behind(atoms: Iterable[Atom], made_of: dict[str, Found]) -> Found:
    """The constants that atoms are, and are computed from."""
    found: Found = {}
    for atom in atoms:
        if isinstance(atom, Var):
            found.update(made_of.get(atom.name, {}))
        elif _is_choice(atom.value):
            found.update(_read([atom]))
    return found


def _read(atoms: Iterable[Atom]) -> Found:
    """Those of the atoms that are read from modules."""
    named = (a for a in atoms if isinstance(a, Const) and a.text and a.home)
    return {(a.home, a.text or ""): a for a in named}


def _is_array(atom: Atom) -> bool:
    return isinstance(atom, Const) and isinstance(atom.value, np.ndarray)


def _is_choice(value: object) -> bool:
    """Whether a value may be an index, an axis, a length, a mode."""
    if isinstance(value, (tuple, list)):
        return all(map(_is_choice, value))
    if isinstance(value, np.ndarray):  # a mask has no place twice
        return bool(value.dtype == np.bool_)
    if isinstance(value, float):  # the order of a norm
        return math.isinf(value)
    return isinstance(value, _CHOICES)


def _flows(op: Op) -> Iterator[tuple[Var, Iterable[Atom]]]:
    """What is computed, of what: all but floats and the answers of tests."""
    if isinstance(op, Apply):
        if not op.out.fact.holds_floats and op.out.fact.kind not in ("bool", "str"):
            yield op.out, atoms_of(op)
    for ends, outs in handed_on(op):
        known = [a for a in ends if not isinstance(a, Undefined)]
        yield from ((out, known) for out in outs)


def _decisive(op: Op) -> Iterator[Atom]:
    """The atoms of which the derivative is another where they are others."""
    match op:
        case Store():
            yield op.index
        case Apply():
            if op.out.fact.holds_floats:
                yield from _modes_of(op)
        case Simple() | Compound():
            pass
        case _:
            assert_never(op)


def _modes_of(op: Apply) -> Iterable[Atom]:
    if not _is_of_numbers(op):
        return atoms_of(op)
    if any(rule.elementwise for rule in BOOK.rules_of(op.fn)):
        return (a for _, a in op.kwargs)
    return ()


def _is_of_numbers(op: Apply) -> bool:
    """Whether an op takes numbers, or arrays element by element."""
    if any(rule.elementwise for rule in BOOK.rules_of(op.fn)):
        return True
    facts = [fact_of_atom(atom) for atom in (*atoms_of(op), op.out)]
    return all(f.is_scalar and f.is_numeric for f in facts)
