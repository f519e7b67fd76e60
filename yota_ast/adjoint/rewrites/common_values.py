"""A forward sweep -> for each value that is computed twice, the one to read for both.

`math.exp(-x) / (1 - math.exp(-x))`: the reverse sweep reads the first, under one name.
In: the block of the forward sweep.  Out: what stands for which variable, by its name.

The vector x stands for `x.T`. Arithmetic alone is read elsewhere: a test or a length
the text rather repeats. An array that is written to later stands for none.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.ir.abstract_values import same_dtype
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Kwargs
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Simple,
    Store,
    Try,
    With,
    atoms_of,
    blocks_of,
    walk,
)
from yota_ast.ops.arithmetic_costs import is_arithmetic
from yota_ast.ops.spellings import COMPARING, IDENTITY

_BY_NAME: Final = {
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.KEYWORD_ONLY,
}
_COMPARING: Final = frozenset(op.fn for op in (*COMPARING, *IDENTITY))


def identity(atom: Atom) -> object:
    """What two atoms have in common that are equal. It is hashed again and again, and
    quicker than an atom."""
    return atom.name if isinstance(atom, Var) else atom.key()


def likeness(
    fn: Callable[..., object], args: Sequence[Atom], kwargs: Kwargs
) -> tuple[object, ...]:
    """What calls that compute the same have in common: `np.mean(x, 0)` is
    `np.mean(x, axis=0)`."""
    names = _names_of_settings(fn) if len(args) > 1 else ()
    if names:
        kwargs = (*zip(names, args[1:], strict=False), *kwargs)
        args = args[:1]
    if len(kwargs) > 1:
        kwargs = sorted(kwargs, key=operator.itemgetter(0))
    given = tuple([identity(a) for a in args])
    return fn, given, tuple([(name, identity(a)) for name, a in kwargs])


@functools.cache
def _names_of_settings(fn: Callable[..., object]) -> tuple[str, ...]:
    """Return the names by which a function of NumPy takes all but its first argument;
    none, if it does not take all of them by name."""
    module = getattr(fn, "__module__", None)
    if not isinstance(module, str) or module.partition(".")[0] != "numpy":
        return ()
    try:
        parameters = list(inspect.signature(fn).parameters.values())[1:]
    except (TypeError, ValueError):
        return ()
    kinds = {p.kind for p in parameters}
    return tuple(p.name for p in parameters) if kinds <= _BY_NAME else ()


@dataclass(slots=True)
class Values:
    """The values in scope, by how they are computed.

    One table for all blocks that are open, for each key is looked up once however deep
    the block; `undo` has what each block put there, and what stood there before.
    """

    table: dict[object, Var] = field(default_factory=dict)
    undo: list[dict[object, Var | None]] = field(default_factory=list)

    def enter(self, at_hand: Mapping[object, Var]) -> None:
        """Open a block which has these values at hand."""
        self.undo.append({key: self.table.get(key) for key in at_hand})
        self.table |= at_hand

    def leave(self) -> None:
        """Forget what the innermost block has put there."""
        for key, before in self.undo.pop().items():
            if before is None:
                del self.table[key]
            else:
                self.table[key] = before

    def get(self, key: object) -> Var | None:
        """The value of a key, that of the innermost block first."""
        return self.table.get(key)

    def holds(self, fn: Callable[..., object], first: Atom) -> bool:
        """Whether a call of a function is at hand with this first argument."""
        begins = likeness(fn, (first,), ())[1]
        return any(key[:1] == (fn,) and key[1][:1] == begins for key in self._calls())

    def _calls(self) -> Iterator[tuple[Any, ...]]:
        return (key for key in self.table if isinstance(key, tuple))

    def note(self, key: object, value: Var, *, instead: bool = False) -> None:
        """Put a value at hand in the innermost block, if there is none of its own, or
        instead of that."""
        if self.undo and (instead or key not in self.undo[-1]):
            self.undo[-1].setdefault(key, self.table.get(key))
            self.table[key] = value


def equal_values(block: Block) -> dict[str, Var]:
    """What stands for which variable; a value with a name of the user's if there is
    one among those of its block."""
    finder = _Finder(_written(block))
    finder.into(block, {}, later=True)
    return finder.found


def with_equals(
    makers: Mapping[str, object], equal: Mapping[str, Var]
) -> dict[str, Apply]:
    """The ops that read what something else stands for, reading that."""
    found: dict[str, Apply] = {}
    if not equal:
        return found
    for name, op in makers.items():
        if isinstance(op, Apply) and any(_stands(a, equal) != a for a in op.args):
            args = tuple(_stands(a, equal) for a in op.args)
            found[name] = replace(op, args=args)
    return found


def _stands(atom: Atom, equal: Mapping[str, Var]) -> Atom:
    while isinstance(atom, Var) and atom.name in equal:
        atom = equal[atom.name]
    return atom


def _written(block: Block) -> frozenset[str]:
    """The names of what may be written to, or handed to what does so."""
    found: set[str] = set()
    for op in walk(block):
        match op:
            case Store():
                found.add(op.target.name)
            case Apply():
                atoms = atoms_of(op) if op.effect or op.form == "augmented" else ()
                found |= {a.name for a in atoms if isinstance(a, Var)}
            case Simple() | Compound():
                pass
            case _:
                assert_never(op)
    return frozenset(found)


def _of_vector(op: Apply) -> Var | None:
    """The vector that `x.T` is."""
    if op.fn is not np.transpose or len(op.args) != 1 or op.kwargs:
        return None
    (x,) = op.args
    if not isinstance(x, Var) or x.fact.kind != "array" or x.fact.rank != 1:
        return None
    return x if same_dtype(x.fact.dtype, op.out.fact.dtype) else None


@dataclass(slots=True)
class _Finder:
    """Goes through the blocks in order; `first`: the equal value met first."""

    written: frozenset[str]
    first: dict[str, Var] = field(default_factory=dict)
    found: dict[str, Var] = field(default_factory=dict)

    def into(self, block: Block, seen: dict[Hashable, Var], *, later: bool) -> None:
        """later: whether all of the block has run where its values are read."""
        own: set[str] = set()
        for op in block:
            match op:
                case Apply():
                    own.add(op.out.name)
                    if not op.effect and op.fn.__hash__ is not None:
                        self._value(op, seen, own if later else set())
                case With():
                    self.into(op.body, seen, later=False)
                case Try():
                    for inner in blocks_of(op):
                        self.into(inner, dict(seen), later=False)
                case Simple() | Compound():
                    for inner in blocks_of(op):
                        self.into(inner, dict(seen), later=later)
                case _:
                    assert_never(op)

    def _value(self, op: Apply, seen: dict[Hashable, Var], own: set[str]) -> None:
        same = _of_vector(op)
        if same is not None and not {same.name, op.out.name} & self.written:
            self.found[op.out.name] = same
            return
        args = tuple(self._number(a) for a in op.args)
        kwargs = tuple((k, self._number(a)) for k, a in op.kwargs)
        key = (op.fn, args, kwargs, op.out.fact)
        other = seen.setdefault(key, op.out)
        if other == op.out:
            return
        self.first[op.out.name] = other
        if not self._is_read_elsewhere(op) or {other.name, op.out.name} & self.written:
            return
        if op.out.hint and not other.hint and other.name in own:
            self.found[other.name] = seen[key] = op.out
        else:
            self.found[op.out.name] = other

    def _number(self, atom: Atom) -> Hashable:
        if isinstance(atom, Const):
            return atom.key()
        return self.first.get(atom.name, atom).name

    def _is_read_elsewhere(self, op: Apply) -> bool:
        known = op.out.fact
        if known.kind == "bool" or (known.dtype is not None and known.dtype == bool):
            return False
        if op.kwargs or op.form == "augmented":
            return False
        return is_arithmetic(op.fn) and op.fn not in _COMPARING
