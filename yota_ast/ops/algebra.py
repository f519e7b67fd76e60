"""The arithmetic that functions do, in all of their spellings.

A sum is `a + b`, `np.add(a, b)`, `operator.iadd(a, b)`; a power is `a**b`, `pow(a, b)`,
`np.float_power(a, b)`.

>>> import operator
>>> info(operator.iadd).arithmetic, info(pow).arithmetic, info(np.sqrt).exponent
('sum', 'power', 0.5)
>>> operated(operator.add), operated(np.add)
('sum', 'none')
"""

from __future__ import annotations

import operator
from typing import Final

import numpy as np

from yota_ast.ops.record import Arithmetic
from yota_ast.ops.registry import info, named, state
from yota_ast.ops.spellings import SIGN_OF, spelled

state(*spelled("add iadd"), arithmetic="sum")
state(*spelled("sub isub"), arithmetic="difference")
state(*spelled("mul imul"), arithmetic="product")
state(*spelled("truediv"), *named("runtime", "divided"), arithmetic="quotient")
state(*spelled("floordiv"), arithmetic="floor")
state(*spelled("mod"), arithmetic="remainder")
state(
    *spelled("pow"),
    *named("builtins", "pow"),
    *named("math", "pow"),
    *named("numpy", "float_power"),
    arithmetic="power",
)
state(*spelled("neg"), arithmetic="negative")
state(operator.neg, *named("numpy", "conj"), signs=True)
state(*spelled("pos"), arithmetic="same")
state(*spelled("matmul"), arithmetic="matrix product")
state(
    *named("numpy", "dot inner vdot"),
    *named("numpy.ndarray", "dot"),
    arithmetic="inner product",
)
state(*spelled("lshift"), arithmetic="left shift")
state(*spelled("rshift"), arithmetic="right shift")
state(*spelled("and_"), arithmetic="and")
state(*spelled("or_"), arithmetic="or")
state(*spelled("xor"), arithmetic="exclusive or")
state(*named("numpy", "reciprocal"), exponent=-1.0)
state(*named("numpy", "sqrt"), *named("math", "sqrt"), exponent=1 / 2)
state(*named("numpy", "cbrt"), *named("math", "cbrt"), exponent=1 / 3)
state(*named("numpy", "square"), exponent=2.0)

COMMUTING: Final[tuple[Arithmetic, ...]] = ("sum", "product")
"""What gives the same where its operands are exchanged."""
TERMS: Final[tuple[Arithmetic, ...]] = ("sum", "difference")
"""What adds a term, or takes one off."""
SCALED: Final[tuple[Arithmetic, ...]] = ("product", "quotient")
"""What multiplies by a factor, or divides by one."""
KEEPING: Final[tuple[Arithmetic, ...]] = (*TERMS, "product", "negative")
"""What gives whole numbers of whole numbers, whatever they are; of floats floats."""

GROWING: Final[tuple[Arithmetic, ...]] = ("product", "power", "left shift")
"""What may make of whole numbers much larger ones."""
NO_LARGER: Final[tuple[Arithmetic, ...]] = ("floor", "remainder", "negative", "same")
"""What makes of whole numbers none that is larger than all of them."""
COMPUTING: Final[tuple[Arithmetic, ...]] = (
    *KEEPING, *GROWING, "quotient", "floor", "remainder",
)  # fmt: skip
"""The arithmetic of numbers."""
COUNTING: Final[tuple[Arithmetic, ...]] = (*TERMS, "product", "floor", "remainder")
"""What gives whole numbers of whole numbers, lengths among them."""
LOGICAL: Final[tuple[Arithmetic, ...]] = ("and", "or", "exclusive or")
"""What works on truth values, and on the bits of whole numbers."""


def operated(fn: object) -> Arithmetic:
    """The arithmetic of an operator; "none" of a call, which may be given more.

    `np.add` takes `out=` and `where=`, and `x += y` may write into x.
    """
    known = info(fn).arithmetic
    return known if known != "none" and fn in SIGN_OF else "none"


def is_quotient(fn: object) -> bool:
    """Whether a function divides: it is infinite where its slope is.

    >>> import operator
    >>> is_quotient(operator.truediv), is_quotient(np.reciprocal), is_quotient(np.log)
    (True, True, False)
    """
    known = info(fn)
    return known.arithmetic == "quotient" or known.exponent == -1


def joins(fn: object) -> bool:
    """Whether a function joins or repeats sequences, where it does not add numbers.

    >>> import operator
    >>> joins(operator.iadd), joins(operator.mul), joins(np.add), joins(operator.sub)
    (True, True, False, False)
    """
    added = info(fn).arithmetic in ("sum", "product")
    return added and not isinstance(fn, np.ufunc)
