"""Program -> whether explicit loops under Numba are likely to be the faster text.

The rule reads the program and the lengths of the example alone, so it gives the same
for the same function and example. It counts in elements that NumPy goes through:

- loops save the calls of NumPy, each of which takes as long as some thousand elements,
  and its passes over memory, one for each operation on elements;
- loops lose where NumPy computes a function for several elements at once, as it does
  exponentials: `excess_in_loops` in `ops/` says how much;
- what stands in a loop of the function counts as often as loops commonly run.

Some things are not counted:

- a function without a loop that multiplies long matrices is left to NumPy, if it does
  more than arithmetic with elements;
- so are products of two stacks of matrices, if an array has more than 4,096 elements;
- a function of numbers alone, without a loop, of at most 100 operations: Python is done
  when compiled code has been handed its arguments;
- a function of more than 400 operations: Numba takes minutes to compile its loops. They
  are made where they are asked for by name.

>>> from yota_ast.ir.atoms import Var
>>> from yota_ast.ir.functions import Parameter
>>> from yota_ast.ir.nodes import Apply, Block
>>> for length in (10, 10_000):
...     x = Var("x", Fact("array", np.dtype(float), (Dim("x.shape[0]", 0, length),)))
...     y = Block((Apply(Var("y", x.fact), np.exp, (x,)),))
...     loops_pay(Program("f", (Parameter(x),), y, Block(()), x))
True
False
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.conditions import COMPARISONS
from yota_ast.ir.nodes import Apply, Block, Op, blocks_of, defined_by, walk
from yota_ast.ir.tape import Program
from yota_ast.ops.registry import info

_PRODUCTS: Final = ("product", "contraction")
_PASSES: Final = ("elements", "sum", "extreme")
MARGIN: Final = 1.1
"""How much more NumPy loses where loops are taken: Numba takes seconds to compile."""
CALL: Final = 4096
"""How many elements NumPy goes through in the time of a call."""
NUMBER: Final = 200
"""The same in the time in which Python computes with a number."""
TRIPS: Final = 30
"""How often a loop is taken to run."""
MOST: Final = 4096
"""How many elements matrices have at most that loops multiply as fast as NumPy."""
FEWEST: Final = 100
"""How many operations a function of numbers has at least for loops to pay."""
SINGLE: Final = np.dtype("f4").itemsize
LONGEST: Final = 400
"""How many operations a function may have, for Numba to compile it in a minute."""


def loops_pay(program: Program) -> bool:
    """Say whether explicit loops are likely to be the faster text."""
    ops = [*_ops(program)]
    if len(ops) > LONGEST:
        return False
    loops = bool(program.helpers) or any(map(is_loop, ops))
    made = [*program.variables, *(var for op in ops for var in defined_by(op))]
    arrays = [v.fact for v in made if v.fact.kind in ("array", "real", "unknown")]
    if not loops and not arrays and len(ops) <= FEWEST:
        return False
    long = any(_count(fact) > MOST for fact in arrays)
    if long and any(map(_is_of_stacks, ops)):
        return False
    if not loops and any(map(_is_long_product, ops)):
        return all(map(_is_plain, ops))
    return bool(program.helpers) or sum(map(_saved, _blocks(program))) >= 0


def _saved(block: Block) -> float:
    """How many elements loops save for a block."""
    saved = 0.0
    for op in block:
        if isinstance(op, Apply):
            saved += _saved_by_call(op)
        else:
            inner = sum(map(_saved, blocks_of(op)))
            saved += inner * TRIPS if is_loop(op) else inner
    return saved


def _saved_by_call(op: Apply) -> float:
    """How many elements loops save for a call."""
    kind = info(op.fn).in_loops
    facts = [op.out.fact, *map(fact_of_atom, op.args)]
    if kind in _PRODUCTS:
        return 0.0
    if all(fact.is_number for fact in facts):
        return NUMBER
    if kind not in _PASSES:
        return CALL
    excess = 0 if _is_plain(op) else _excess(op)
    count = max(map(_count, facts))
    return CALL + (count if not excess else -MARGIN * count * excess)


def _excess(op: Apply) -> int:
    """How many passes loops lose by an op on elements."""
    dtype = op.out.fact.dtype
    double, single = info(op.fn).excess_in_loops
    return single if dtype is not None and dtype.itemsize == SINGLE else double


def _is_long_product(op: Op) -> bool:
    """Whether an op is a product of arrays of which one is long."""
    if not isinstance(op, Apply) or info(op.fn).in_loops not in _PRODUCTS:
        return False
    return any(_count(fact_of_atom(a)) > MOST for a in (op.out, *op.args))


def _is_of_stacks(op: Op) -> bool:
    """Say whether an op is a product of two arrays of more than two axes, but for one
    that is a product of two matrices in any case."""
    if not isinstance(op, Apply) or info(op.fn).in_loops not in _PRODUCTS:
        return False
    if op.fn is np.tensordot:
        return False
    return all((fact_of_atom(a).rank or 0) > 2 for a in op.args[:2])


def _is_plain(op: Op) -> bool:
    """Say whether an op computes nothing of elements but arithmetic and roots."""
    if not isinstance(op, Apply) or info(op.fn).in_loops != "elements":
        return True
    known = info(op.fn)
    if op.out.fact.kind != "array" or op.fn in COMPARISONS:
        return True
    power = known.arithmetic == "power" and not isinstance(op.args[-1], Const)
    return known.exponent is not None or (known.arithmetic != "none" and not power)


def _blocks(program: Program) -> tuple[Block, ...]:
    return program.forward, *(g.block for g in program.guards), program.reverse


def _ops(program: Program) -> Iterator[Op]:
    for block in _blocks(program):
        yield from walk(block)


def _count(fact: Fact) -> int:
    """Return how many elements an array of the example has; of unknown ones, 0."""
    if not isinstance(fact.shape, tuple) or not all(fact.shape):
        return 0
    lengths = [d.example or 0 for d in fact.shape if isinstance(d, Dim)]
    return int(np.prod(lengths))
