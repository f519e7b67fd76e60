"""An op -> whether its result is new memory, which nothing else refers to.

>>> import numpy as np
>>> from yota_ast.ir.atoms import Const
>>> is_fresh(Apply(Var("y"), np.exp, (Var("x"),)))
True
>>> row = Apply(Var("row"), operator.getitem, (Var("x"), Const(0)))
>>> is_fresh(row), gathers(Const(0))
(False, False)
"""

from __future__ import annotations

import operator
from typing import Final

from yota_ast.ir.atoms import Atom, Var, fact_of_atom
from yota_ast.ir.built_values import BUILDERS
from yota_ast.ir.facts.joined_facts import is_nested
from yota_ast.ir.nodes import Apply, Outlined
from yota_ast.ops import info, sharing

_MAKERS: Final = (*BUILDERS, list, dict, set)


def is_fresh(op: Apply) -> bool:
    """Whether the result of an op is new memory that nothing else refers to."""
    if op.fn is operator.getitem:
        if isinstance(op.args[0], Var) and op.args[0].fact.cls is Outlined:
            return True  # one of the adjoints that a call returns
        if gathers(op.args[1]):
            return True
        if op.out.fact.kind == "list" and not is_nested(op.out.fact):
            owner, index = map(fact_of_atom, op.args)
            return owner.kind == "list" and index.cls is slice
    elif op.fn in _MAKERS:
        return not op.args
    elif isinstance(op.fn, Outlined) and op.fn.fresh:
        return True
    container = info(op.fn).container
    if is_nested(op.out.fact):  # of most the rows are those of an argument
        return container == "deep"
    return container != "unknown" or sharing(op) == "fresh"


def shares_none(op: Apply) -> bool:
    """Whether nothing in the result of an op is anything else's memory: the items of a
    new list may be."""
    return is_fresh(op) and info(op.fn).container != "holding"


def gathers(index: Atom) -> bool:
    """Whether indexing with this certainly copies."""
    known = fact_of_atom(index)
    return known.kind == "list" or (known.kind == "array" and not known.is_scalar)
