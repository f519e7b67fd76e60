"""A tangent and the ops that made it -> whether it is complex like its value.

The tangent of `v + 0j` is that of `v`, a real array. What is complex may be written
into its value, and then into the tangent: that has to be complex too.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.reverse.contributions import adjoint_fact
from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.builder import Builder
from yota_ast.ir.facts.joined_facts import makes_complex
from yota_ast.ir.nodes import Apply
from yota_ast.ops.dtypes.result_dtypes import gives_reals
from yota_ast.support.helper_functions import is_helper

_DEEPEST = 20
_COMPLEX = Const(complex, "complex", "builtins")


@dataclass(slots=True)
class Own:
    """What is of the type that is said of it: the variables of the function, and the
    tangents that branches and loops hand on."""

    names: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    """What is complex in some ways alone, and what is made of it."""

    def is_complex(self, atom: Atom) -> bool:
        """Whether a value is surely complex."""
        doubtful = isinstance(atom, Var) and atom.name in self.doubtful
        return makes_complex(fact_of_atom(atom)) and not doubtful

    def note(self, out: Var, given: Iterable[Atom]) -> None:
        """Note what a value is made of."""
        if not self.doubtful or not makes_complex(out.fact):
            return
        names = {a.name for a in given if isinstance(a, Var)}
        if names & self.doubtful and not any(map(self.is_complex, given)):
            self.doubtful.add(out.name)

    def note_ways(self, out: Var, *ways: Atom | Undefined) -> None:
        """Note what a value is at the end of each of several ways."""
        if makes_complex(out.fact):
            given = (a for a in ways if not isinstance(a, Undefined))
            if not all(map(self.is_complex, given)):
                self.doubtful.add(out.name)


def widened(builder: Builder, d: Var, like: Var, own: Own) -> Var:
    """The tangent of a complex array, as a complex array."""
    if _is_complex(builder, d, own, _DEEPEST):
        return d
    known = adjoint_fact(like)
    return builder.apply(
        np.ndarray.astype, d, _COMPLEX, form="method", spelling="astype", fact=known
    )


def is_wide(known: Fact) -> bool:
    """Whether a value is a complex array."""
    return known.kind == "array" and known.is_complex


def _is_complex(builder: Builder, atom: Atom, own: Own, depth: int) -> bool:
    """Whether a value is surely complex, whatever is said of it: a tangent is said to
    be of the type of what it belongs to."""
    if isinstance(atom, Const) or atom.name in own.names:
        return own.is_complex(atom)
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
    known, given = adjoint_fact(var), var.fact
    if given.kind != "array" or known.kind == "array":
        return known
    return array_fact(np.float64 if given.dtype == np.float64 else known.dtype, ())
