"""A tape, and arrays of other libraries -> refused, or warned of.

A function that means something else for such an array would give a wrong number without
a word: `np.linalg.cholesky` of an array of Dask.

>>> from yota_ast.ir.abstract_values import Fact
>>> sorted(libraries_of([Fact("array", cls=np.ndarray), Fact("float")]))
['numpy']
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator

import numpy as np  # noqa: F401  in the examples

from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Undefined, fact_of_atom
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.nodes import Apply, Block, Origin, Store, atoms_of, defined_by, walk
from yota_ast.ir.tape import Tape
from yota_ast.ops.back_ends.other_libraries import GRAPHS, MEANINGS


def library_of(cls: type) -> str:
    """Return the package that a class comes from."""
    return cls.__module__.partition(".")[0]


def libraries_of(facts: Iterable[Fact]) -> set[str]:
    """Return the packages of arrays, also within containers."""
    found: set[str] = set()
    for fact in facts:
        if fact.kind == "array" and fact.cls is not None:
            found.add(library_of(fact.cls))
        found |= libraries_of(fact.items or ())
    return found


def other_meanings(tape: Tape) -> dict[str, tuple[str, Origin]]:
    """Return what a tape calls that means something else for the arrays of libraries:
    by the library, words and the place of the first call."""
    found: dict[str, tuple[str, Origin]] = {}
    for op in walk(tape.block):
        if not isinstance(op, Apply):
            continue
        for library, meanings in MEANINGS.items():
            for fn, told in meanings.items():
                if fn is op.fn:
                    found.setdefault(library, (f"`{fn.__name__}` {told}", op.origin))
    return found


def refuse_other_meanings(tape: Tape) -> None:
    """Raise UnsupportedCall for a function that means something else for an array that
    the tape reads: an argument, a part of one, or a constant.

    Warn of stores in loops, where each makes a graph of tasks longer.
    """
    if sys.modules.keys().isdisjoint(MEANINGS):
        return
    libraries = libraries_of(_facts_in(tape))
    for library, (told, origin) in other_meanings(tape).items():
        if library in libraries:
            raise UnsupportedCall(
                told, at=origin.place, remedy="Give arrays of NumPy: x.compute()."
            )
    store = next(_stores_in_loops(tape.block), None) if libraries & GRAPHS else None
    if store is not None and store.place is not None:
        told = "each store in this loop makes the graph of tasks of Dask longer"
        path, line = store.place.filename, store.place.lineno
        warnings.warn_explicit(told, UserWarning, path, line)


def _facts_in(tape: Tape) -> Iterator[Fact]:
    """Yield what is known of all that a tape reads."""
    yield from (p.var.fact for p in tape.params)
    for op in walk(tape.block):
        yield from (var.fact for var in defined_by(op))
        yield from (
            fact_of_atom(a) for a in atoms_of(op) if not isinstance(a, Undefined)
        )


def _stores_in_loops(block: Block) -> Iterator[Origin]:
    """Yield where loops store into arrays."""
    for op in walk(block):
        if is_loop(op):
            yield from (o.origin for o in walk(op.body) if isinstance(o, Store))
