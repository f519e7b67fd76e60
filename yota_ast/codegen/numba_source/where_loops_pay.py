"""Program -> whether explicit loops under Numba are likely to be the faster text.

The rule reads the program and the lengths of the example alone, so it gives the same
for the same function and example:

- a function that goes through a loop of its own: loops pay. A call of NumPy costs about
  a microsecond, in each iteration anew.
- a function without a loop: loops pay where no array of the example has more than
  4,096 elements, or where nothing but arithmetic is done with each element. NumPy
  computes exponentials of long arrays faster than loops do: with such, and without
  products of long matrices, loops pay where there is so much arithmetic beside that
  to go through memory for each operation costs more.
- products of two stacks of matrices are left to NumPy, if an array has more than 4,096
  elements.
- a function of numbers alone, without a loop, of at most 100 operations: Python is done
  when compiled code has been handed its arguments.
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

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.conditions import COMPARISONS
from yota_ast.ir.nodes import Apply, Op, defined_by, only, walk
from yota_ast.ir.tape import Program
from yota_ast.ops.registry import info

_PRODUCTS: Final = ("product", "contraction")
_PASSES: Final = ("elements", "sum", "extreme")
MARGIN: Final = 1.5
"""How much more NumPy loses where loops are taken: Numba takes seconds to compile."""
MOST: Final = 4096
"""How many elements the arrays of a function without loops may have."""
FEWEST: Final = 100
"""How many operations a function of numbers has at least for loops to pay."""
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
    if all(_count(fact) <= MOST for fact in arrays):
        return True
    if any(map(_is_of_stacks, ops)):
        return False
    return loops or all(map(_is_plain, ops)) or _passes_pay(ops)


def _passes_pay(ops: Sequence[Op]) -> bool:
    """Say whether NumPy loses more by a pass over memory for each operation than loops
    lose by exponentials."""
    passes = lost = 0
    for op in only(ops, Apply):
        kind = info(op.fn).in_loops
        count = max(map(_count, map(fact_of_atom, (op.out, *op.args))))
        if count <= MOST or kind not in (*_PASSES, *_PRODUCTS):
            continue
        if kind in _PRODUCTS:
            return False
        excess = 0 if _is_plain(op) else info(op.fn).excess_in_loops
        passes += 0 if excess else count
        lost += count * excess
    return passes > MARGIN * lost


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


def _ops(program: Program) -> Iterator[Op]:
    for block in (program.forward, *(g.block for g in program.guards), program.reverse):
        yield from walk(block)


def _count(fact: Fact) -> int:
    """Return how many elements an array of the example has; of unknown ones, 0."""
    if not isinstance(fact.shape, tuple) or not all(fact.shape):
        return 0
    lengths = [d.example or 0 for d in fact.shape if isinstance(d, Dim)]
    return int(np.prod(lengths))
