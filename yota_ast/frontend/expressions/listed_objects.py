"""Objects of the user's classes in lists of which the text alone knows the length.

    edges = []
    for i in range(n):
        if near(x, i):
            edges.append(Edge(x[i]))

In the text a dict of its fields stands for such an object. Where one is read, it is an
object again, whose fields are read from the dict. It may no longer change: nobody
knows which item it is. The dicts stay within the text.

In: an object as a value, or a dict that stands for one.  Out: the other of the two.

>>> class Edge:
...     pass
>>> object_fact(Edge, {}).stands_for is Edge
True
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import UnsupportedSyntax
from yota_ast.frontend.components import Component, Components, provides, uses
from yota_ast.frontend.expressions.atoms_of_values import Atoms, passed_on
from yota_ast.frontend.expressions.folding import handing_on
from yota_ast.frontend.heap.has_attribute import modelled
from yota_ast.frontend.heap.lowered_values import (
    LISTED,
    Cell,
    Ref,
    Value,
    is_user_class,
)
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.ir.atoms import Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_dict, build_list, build_tuple
from yota_ast.ir.facts.dicts_of_objects import class_held, object_fact
from yota_ast.ir.nodes import Apply, Block, walk
from yota_ast.ops import info

_BUILD: Final = (build_dict, build_list, build_tuple)


class ListedObjects(Component):
    """Objects as items, and items as objects."""

    language = uses(Language)
    cells = uses(Cells)
    atoms = uses(Atoms)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.used = False  # whether a dict stands for an object anywhere
        self.refused = False  # whether one would, if the settings allowed it

    @provides(Atoms.atom_of_object)
    def atom_of_object(self, ref: Ref) -> Var:
        """The dict of an object's fields."""
        cell = self.cells.heap[ref.cell]
        if isinstance(cell.source, Var):
            return self.language.fresh(cell.source)
        cls = cell.cls or object
        if cell.perhaps or not is_user_class(cls) or modelled(cls) is not cls:
            self.atoms.refuse_object(cls)
        if not self.settings.listing:
            self.refused = True
            self.atoms.refuse_object(cls)
        parts = {name: self.atoms.item(v) for name, v in cell.items.items()}
        turns = [a for name, part in parts.items() for a in (Const(name), part)]
        fields = {name: fact_of_atom(part) for name, part in parts.items()}
        self.cells.heap[ref.cell] = replace(cell, fixed=True, source=LISTED)
        self.cells.listed.add(ref.cell)  # also behind the loop that puts it there
        self.used, known = True, object_fact(cls, fields)
        return self.atoms.build(build_dict, turns, known)

    @provides(Language.opened)
    def opened(self, value: Var) -> Value:
        """The object for which a dict stands."""
        cls, keys = value.fact.stands_for, value.fact.keys
        if keys is None:  # objects of one class with other fields
            self.atoms.refuse_object(cls)
        fields = {k: self.language.subscript(value, Const(k)) for k in keys}
        cell = Cell("object", fields, cls, fixed=True, source=value)
        return self.cells.new_cell(cell)

    def check_listed(self, blocks: Iterable[Block], result: object) -> None:
        """Refuse what would see a dict in the place of an object."""
        if not self.used:
            return
        if isinstance(result, Var) and (cls := class_held(result.fact)):
            self.atoms.refuse_object(cls)
        for op in (op for block in blocks for op in walk(block)):
            if not isinstance(op, Apply) or _hands_on(op):
                continue
            given = map(fact_of_atom, (*op.args, *(a for _, a in op.kwargs)))
            if cls := next(filter(None, map(class_held, given)), None):
                where, remedy = op.origin.place, handing_on(cls)
                raise UnsupportedSyntax(passed_on(cls), at=where, remedy=remedy)


def _hands_on(op: Apply) -> bool:
    """Whether an op asks nothing of items, and compares none."""
    if op.fn in _BUILD or op.fn in (operator.getitem, list, tuple, reversed):
        return True
    known = info(op.fn)
    makes_list = known.container in ("new", "deep") and known.taking == "unknown"
    asks_length = known.taking in ("nothing", "later") and not known.text
    return makes_list or (asks_length and op.form != "attribute")
