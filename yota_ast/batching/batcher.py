"""What turns the ops of one example into those of a batch: its state, and its tools.

Each variable keeps its name; what is mapped has one axis more, in front. A rule adds
the ops that compute a result for all examples, and gives its atom.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.batching.mapped_variables import Layouts
from yota_ast.errors import Location, UnsupportedCall
from yota_ast.ir.abstract_values import CONTAINERS, Fact, Kind, array_fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import (
    build_dict,
    build_list,
    build_slice,
    build_tuple,
)
from yota_ast.ir.nodes import Apply, Op
from yota_ast.syntax.value_literals import Keys

ALL = slice(None)
DISPLAYS = (build_tuple, build_list, build_dict)
REMEDY = "Write a loop over the examples: `np.stack([f(x) for x in xs])`."


@dataclass(slots=True)
class Batcher:
    """Writes the ops of a batch.

    length: the number of examples. known: what stands for the variables so far.
    makers: the ops of one example, by their results. elements: the variables that are
    numbers of one example, and of a batch views of an array. loose: those that are
    views of one example, and of a batch perhaps copies. directions: the examples are
    directions at one point. writes: some array is written. place: where the latest op
    stands of which that is known.
    """

    layouts: Layouts
    builder: Builder
    length: Var
    size: Dim
    directions: bool = False
    writes: bool = True
    place: Location | None = None
    known: dict[str, Atom] = field(default_factory=dict)
    makers: dict[str, Apply] = field(default_factory=dict)
    elements: set[str] = field(default_factory=set)
    loose: set[str] = field(default_factory=set)
    written: dict[str, Var] = field(default_factory=dict)
    """What was written to give a variable, by its name."""
    rows: dict[str, Var] = field(default_factory=dict)
    """The arrays that are taken apart, with the first axis of one example in front."""

    # ------------------------------------------------------------------ questions

    def is_mapped(self, atom: Atom) -> bool:
        """Whether a number or an array is mapped; or a part of a container."""
        return self.layouts.is_mapped(atom)

    def of(self, atom: Atom) -> Atom:
        """What stands for an atom."""
        return self.known.get(atom.name, atom) if isinstance(atom, Var) else atom

    def fact(self, atom: Atom) -> Fact:
        """What is known of that."""
        return fact_of_atom(self.of(atom))

    def rank(self, atom: Atom, op: Op | None = None) -> int:
        """How many axes an atom of one example has; refused where it is not known."""
        rank = self.fact(atom).rank
        if rank is None:
            self.refuse(op, "the number of axes is not known here")
        return rank - self.is_mapped(atom)

    def check(self, op: Op, *atoms: Atom | Undefined) -> None:
        """Refuse what is a list here, and an array there: an adjoint of a list."""
        for atom in atoms:
            if isinstance(atom, Var):
                layout, known = self.layouts.of(atom), self.fact(atom)
                plain = isinstance(layout, bool)
                mixed = layout is True and known.kind in CONTAINERS
                if mixed or (known.is_numeric and not plain):
                    self.refuse(op, "this may be a list, or an array")

    def maker(self, atom: Atom) -> Apply | None:
        """The op of one example that made an atom."""
        return self.makers.get(atom.name) if isinstance(atom, Var) else None

    def refuse(self, op: Op | None, reason: str, remedy: str = REMEDY) -> NoReturn:
        """Refuse what has no batched form."""
        origin = getattr(op, "origin", self.builder.origin)
        at = origin.place or self.place
        raise UnsupportedCall(f"vmap: {reason}", at=at, remedy=remedy)

    # ------------------------------------------------------------------ the facts

    def batched(self, var: Var) -> Fact:
        """What is known of what stands for a mapped number or array."""
        known = var.fact
        if not known.is_numeric or known.rank is None:
            return array_fact(None, None)
        assert isinstance(known.shape, tuple)
        return array_fact(dtype_of(known), (self.size, *known.shape))

    # ------------------------------------------------------------------ adding ops

    def apply(self, fn: Callable[..., Any], *args: Atom, **more: Any) -> Var:
        """Add a call of atoms that stand for the batch."""
        return self.builder.apply(fn, *args, **more)

    def index(self, atom: Atom, *parts: object) -> Var:
        """Add `atom[parts]`; parts are numbers, slices, None and atoms."""
        if len(parts) == 1:
            key = parts[0] if isinstance(parts[0], (Var, Const)) else Const(parts[0])
        elif any(isinstance(p, Var) for p in parts):
            key = self.tuple_of(parts)
        else:
            key = Const(tuple(getattr(p, "value", p) for p in parts))
        return self.apply(operator.getitem, atom, key)

    def tuple_of(self, parts: Sequence[object]) -> Var:
        """Add a tuple of numbers, slices and atoms."""
        atoms = (p if isinstance(p, (Var, Const)) else self._literal(p) for p in parts)
        return self.build(build_tuple, [*atoms])

    def build(self, fn: Callable[..., Any], items: Sequence[Atom]) -> Var:
        """Add a tuple or a list of items."""
        kind: Kind = "tuple" if fn is build_tuple else "list"
        cls = tuple if fn is build_tuple else list
        known = Fact(kind, items=tuple(map(fact_of_atom, items)), cls=cls)
        return self.apply(fn, *items, form="build", fact=known)

    def rebuilt(self, made: Apply, items: Sequence[Atom]) -> Var:
        """The tuple, list or dict that an op builds, of other items."""
        if made.fn is not build_dict:
            return self.build(made.fn, items)
        keys = Keys(a.value for a in made.args[::2] if isinstance(a, Const))
        if len(keys) < len(items):
            self.refuse(made, "the keys of this dict are not written out")
        facts = tuple(map(fact_of_atom, items))
        known = Fact("dict", items=facts, keys=keys, cls=dict)
        pairs = zip(made.args[::2], items, strict=True)
        flat = [atom for pair in pairs for atom in pair]
        return self.apply(build_dict, *flat, form="build", fact=known)

    def _literal(self, part: object) -> Atom:
        if isinstance(part, slice):
            ends = map(Const, (part.start, part.stop, part.step))
            return self.apply(build_slice, *ends, form="build")
        return Const(part)

    def raised(self, atom: Atom, rank: int) -> Atom:
        """An atom for all examples, with unit axes up to a rank of one example: of one
        that is shared nothing is to be done."""
        own = self.rank(atom)
        if not self.is_mapped(atom) or own >= rank:
            return self.of(atom)
        return self.index(self.of(atom), ALL, *[None] * (rank - own))

    def spread(self, atom: Atom) -> Atom:
        """An atom that all examples share, once for each of them, in new memory."""
        if self.is_mapped(atom):
            return self.of(atom)
        return self.repeated(self.of(atom))

    def repeated(self, own: Atom) -> Atom:
        """The same of what stands for it."""
        known = fact_of_atom(own)
        if own == Const(0.0):
            return self.apply(np.zeros, self.length)
        if known.shape == ():
            return self.apply(np.full, self.length, own)
        if known.kind not in ("array", "real") or known.rank is None:
            self.refuse(None, "this is not an array or a number of every example")
        row = self.index(own, None)
        return self.apply(np.repeat, row, self.length, kwargs=(("axis", Const(0)),))

    def turned(self, x: Atom) -> Var:
        """A mapped array with the first axis of each example in front."""
        rank = self.rank(x)
        if rank == 1:
            return self.builder.attribute("T", self.of(x))
        if rank < 1:
            self.refuse(None, "a number is taken apart, or gone over")
        return self.builder.method("swapaxes", self.of(x), Const(0), Const(1))

    def like(self, op: Apply, atom: Atom) -> Atom:
        """The atom that is the result of an op, called as the op's."""
        if isinstance(atom, Var) and op.out.hint:
            return self.builder.rename(atom, op.out.hint)
        return atom

    def same(self, op: Apply, **changes: Any) -> Var:
        """The same call, as it is spelled, of what stands for its arguments."""
        args = changes.pop("args", None) or tuple(map(self.of, op.args))
        kwargs = changes.pop("kwargs", None)
        if kwargs is None:
            kwargs = tuple((k, self.of(a)) for k, a in op.kwargs)
        form = changes.pop("form", op.form)
        form = "operator" if form == "augmented" else form
        spelling = changes.pop("spelling", op.spelling)
        return self.apply(op.fn, *args, kwargs=kwargs, form=form, spelling=spelling)


def items_of(made: Apply) -> Sequence[Atom]:
    """The items of what an op builds."""
    return made.args[1::2] if made.fn is build_dict else made.args


def dtype_of(known: Fact) -> np.dtype[Any] | None:
    """The type of an array that holds such numbers."""
    plain = {"float": float, "int": int, "bool": bool, "complex": complex}
    if known.kind in plain:
        return np.dtype(plain[known.kind])
    return known.dtype


def constant(atom: Atom) -> bool:
    """Whether an atom is a literal, whose value is not read anew where it runs."""
    return isinstance(atom, Const) and not atom.is_live


def value_of(b: Batcher, op: Apply, atom: Atom, what: str) -> Any:
    """The value of a literal; refused where it is none."""
    if not isinstance(atom, Const):
        b.refuse(op, f"{what} of `{name_of(op)}` is not written as a number here")
    return atom.value


def name_of(op: Apply) -> str:
    """What a call is called in messages."""
    return op.spelling.rpartition(".")[2] or str(getattr(op.fn, "__name__", "call"))
