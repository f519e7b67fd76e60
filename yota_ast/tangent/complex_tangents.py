"""A tangent and the ops that made it -> whether it is complex like its value.

The tangent of `v + 0j` is that of `v`, a real array. What is complex may be written
into its value, and then into the tangent: that has to be complex too.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from yota_ast.adjoint.reverse.contributions import adjoint_fact
from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Builder
from yota_ast.ir.facts.joined_facts import makes_complex, where_present
from yota_ast.ir.nodes import Apply
from yota_ast.ops.dtypes.result_dtypes import gives_reals
from yota_ast.support.helper_functions import is_helper

_DEEPEST = 20
_COMPLEX = Const(complex, "complex", "builtins")


def widened(builder: Builder, d: Var, like: Var, own: Collection[str]) -> Var:
    """The tangent of a complex array, as a complex array; own: what is of the type that
    is said of it, as the function's variables are."""
    if _is_complex(builder, d, own, _DEEPEST):
        return d
    known = adjoint_fact(like)
    return builder.apply(
        np.ndarray.astype, d, _COMPLEX, form="method", spelling="astype", fact=known
    )


def is_wide(known: Fact) -> bool:
    """Whether a value is a complex array."""
    return known.kind == "array" and known.is_complex


def _is_complex(builder: Builder, atom: Atom, own: Collection[str], depth: int) -> bool:
    """Whether a value is surely complex, whatever is said of it: a tangent is said to
    be of the type of what it belongs to."""
    if isinstance(atom, Const) or atom.name in own:
        return makes_complex(fact_of_atom(atom))
    made = builder.made.get(atom.name)
    if made is None or not depth or gives_reals(made.fn):
        return False
    if made.fn is np.ndarray.astype:
        return made.args[1] == _COMPLEX
    given = [*made.args, *(a for _, a in made.kwargs)]
    if is_helper(made.fn):
        # The others say of which shape it is.
        return _is_complex(builder, given[0], own, depth - 1)
    if any(_is_complex(builder, a, own, depth - 1) for a in given):
        return True
    return not any(makes_complex(fact_of_atom(a)) for a in given) and _gives(
        builder, made
    )


def _gives(builder: Builder, made: Apply) -> bool:
    """Whether a function gives complex numbers of real ones."""
    return makes_complex(builder.infer(made.fn, made.args, made.kwargs))


def tangent_fact(var: Var) -> Fact:
    """What is known of a tangent that shares memory as its variable does: of an array
    without axes, which may be a view, it is no number."""
    known, given = adjoint_fact(var), where_present(var.fact)
    if given.kind != "array" or known.kind == "array":
        return known
    return array_fact(np.float64 if given.dtype == np.float64 else known.dtype, ())
