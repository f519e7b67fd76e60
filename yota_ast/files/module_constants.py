"""A tape -> the constants of modules that the text of its gradient was made for.

A file reads such constants when it is called. Numbers that are added, multiplied,
raised or compared may change as they like, and so may what branches ask and what loops
run over. An index, an axis, a length or a mode may not: which derivative is right
depends on it, so that the text tests, before anything else, that it is as it was. So
does the shape of an array, where the text takes shapes for granted.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Final, assert_never

import numpy as np

from yota_ast.analysis.engine import Analysis, defined_in
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.nodes import (
    Apply,
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
_PLAIN: Final = (type(None), bool, int, float, str)
Found = dict[tuple[str, str], Const]
"""Constants by where they are read: two of one value may change apart."""


def fixed_constants(tape: Tape, *, shaped: bool) -> tuple[Const, ...]:
    """The constants that are to be as they were, in the order of their use.

    shaped: whether the text takes the shapes of arrays for granted.
    """
    blocks = (tape.block, *(f.block for f in tape.functions))
    ops = [op for block in blocks for op in walk(block)]
    choices = _Choices(defined_in(*blocks))
    found: Found = {}
    for op in ops:
        found.update(choices.join(map(choices.of, _decisive(op))))
        if shaped:
            found.update(_read(a for a in atoms_of(op) if _is_array(a)))
    for key, const in _asked(tape, ops).items():
        found.setdefault(key, const)
    return tuple(found.values())


def _asked(tape: Tape, ops: Iterable[Op]) -> Found:
    """The constants of which the function has asked, and which no op reads: the answer,
    as that to `LIMIT is None`, has decided what the ops are."""
    atoms = (atom for op in ops for atom in (*atoms_of(op), *ends_of(op)))
    known = _read([*(a for a in atoms if not isinstance(a, Undefined)), tape.result])
    places = {_place(*key) for key in known}
    asked = (Const(value, path, module) for module, path, value in tape.read
             if type(value) in _PLAIN)  # fmt: skip
    return {key: c for key, c in _read(asked).items() if _place(*key) not in places}


def _place(home: str, text: str) -> tuple[str, str]:
    """The module that holds a constant, and its path there: of `config.A` that is
    `config`, and `A`. home: that module, or one in which it has that name."""
    module, names = sys.modules.get(home), text.split(".")
    while len(names) > 1 and not hasattr(module, names[0]):
        names = names[1:]
    while len(names) > 1 and isinstance(getattr(module, names[0]), ModuleType):
        module, names = getattr(module, names[0]), names[1:]
    return getattr(module, "__name__", home), ".".join(names)


class _Choices(Analysis[Found]):
    """The constants that a choice is, or is computed from."""

    bottom = Found()

    def join(self, facts: Iterable[Found]) -> Found:
        return {key: const for found in facts for key, const in found.items()}

    def of_const(self, const: Const) -> Found:
        return _read([const]) if _is_choice(const.value) else {}

    def of_outside(self, var: Var) -> Found:
        return {}

    def of_apply(self, op: Apply) -> Found:
        """Return those of all but floats and the answers of tests."""
        no_choice = op.out.fact.holds_floats or op.out.fact.kind in ("bool", "str")
        return {} if no_choice else self.join(map(self.of, atoms_of(op)))


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
