"""A tape whose arguments are arrays of other libraries -> refused or warned of.

>>> from yota_ast.ir.abstract_values import Fact
>>> sorted(libraries_of([Fact("array", cls=np.ndarray), Fact("float")]))
['numpy']
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator

import numpy as np

from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.nodes import Apply, Block, Origin, Store, walk
from yota_ast.ir.tape import Tape
from yota_ast.ops.back_ends.other_libraries import GRAPHS, MEANINGS

_HERE = frozenset({np.__name__})


def libraries_of(facts: Iterable[Fact]) -> set[str]:
    """Return the packages of the arrays among arguments, also within containers."""
    found: set[str] = set()
    for fact in facts:
        if fact.kind == "array" and fact.cls is not None:
            found.add(fact.cls.__module__.partition(".")[0])
        found |= libraries_of(fact.items or ())
    return found


def refuse_other_meanings(tape: Tape) -> None:
    """Raise UnsupportedCall for a function that means something else for an argument.

    Warn of stores in loops, where each makes a graph of tasks longer.
    """
    libraries = libraries_of(p.var.fact for p in tape.params) - _HERE
    meanings = [MEANINGS[name] for name in libraries if name in MEANINGS]
    if not meanings:
        return
    for op in walk(tape.block):
        for fn, meaning in (pair for table in meanings for pair in table.items()):
            if isinstance(op, Apply) and op.fn is fn:
                raise UnsupportedCall(
                    f"`{fn.__name__}` {meaning}",
                    at=op.origin.place,
                    remedy="Give NumPy arrays: x.compute().",
                )
    store = next(_stores_in_loops(tape.block), None) if libraries & GRAPHS else None
    if store is not None and store.place is not None:
        warnings.warn(
            f"line {store.place.lineno}: a loop stores into a Dask array, and each "
            "store makes the graph of tasks longer",
            stacklevel=2,
        )


def _stores_in_loops(block: Block) -> Iterator[Origin]:
    """Yield where loops store into arrays."""
    for op in walk(block):
        if is_loop(op):
            yield from (o.origin for o in walk(op.body) if isinstance(o, Store))
