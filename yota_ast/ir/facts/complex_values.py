"""A value, or what is known of it -> whether it is or holds complex numbers.

The adjoint of what is complex takes conjugates, which the text for real numbers leaves
out: given complex ones, that would be wrong.

>>> from yota_ast.ir.abstract_values import FLOAT, fact_of
>>> is_complex([1.0, {"a": 2j}]), is_complex(1.0)
(True, False)
>>> may_be_complex(fact_of((1.0, 2j))), may_be_complex(FLOAT)
(True, False)
"""

from __future__ import annotations

from collections.abc import Mapping

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.tape import Tape


def is_complex(value: object) -> bool:
    """Whether a value is, or holds, complex numbers."""
    if isinstance(value, Mapping):
        return any(is_complex(v) for v in value.values())
    if isinstance(value, (tuple, list)):
        return any(is_complex(v) for v in value)
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind == "c" or isinstance(value, complex)


def may_be_complex(fact: Fact) -> bool:
    """Whether what is known of a value says that it is, or holds, complex numbers."""
    inner = (*(fact.items or ()), fact.element, fact.present)
    return fact.is_complex or any(may_be_complex(f) for f in inner if f is not None)


def real_parameters(tape: Tape) -> frozenset[str]:
    """The parameters that a gradient of the tape takes to be real."""
    return frozenset(p.var.name for p in tape.params if not may_be_complex(p.var.fact))
