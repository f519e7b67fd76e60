"""What of the arguments is written -> that it is not found elsewhere, unnoticed.

A written object that is found at several places of the arguments is one object at each
of them, and the text checks that.  Where a global, a variable of a function around, a
default or what holds one of those is the object, or shares its memory, it is refused;
where one might be, the text checks that it is not.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast.errors import Location, UnsupportedSyntax
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, Components, extends, provides, uses
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.name_lookup import NameLookup
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.expressions.subscripts import Subscripts
from yota_ast.frontend.heap.argument_structures import (
    ArgumentStructures,
    text_of,
    told,
)
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Cell,
    Ref,
    Value,
    is_literal_value,
)
from yota_ast.frontend.heap.reachable_objects import (
    PlaceOf,
    Places,
    all_within,
    fact_outside,
    may_be_brought,
)
from yota_ast.frontend.interpret.augmented_assignments import AugmentedAssignments
from yota_ast.frontend.interpret.finished_blocks import read_by
from yota_ast.frontend.library.type_questions import Args, Kwargs, TypeQuestions
from yota_ast.frontend.library.value_methods import READING, ValueMethods
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import Owned
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import OUTSIDE as OUTSIDE_KIND
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import Block, walk
from yota_ast.ir.store_changes import Change
from yota_ast.syntax.names import identifier
from yota_ast.syntax.value_paths import PathStep, behind, path_text

Step = tuple[object, str]
"""What holds a value, and as what."""
MOST_PLACES: Final = 40
REMEDY: Final = "Pass two objects, or return the new value."
OUTSIDE: Final = "Return the new value, and assign it outside."
AROUND: Final = "<closure>."


class OutsideWrites(Component):
    """Objects of the caller's that have several names."""

    position = uses(Position)
    cells = uses(Cells)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    argument_parts = uses(ArgumentParts)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.inside: Mapping[int, frozenset[PlaceOf]] = {}
        """What is written of what parts of arguments hold, by the identity of the
        part."""
        self.owned: Mapping[Any, Location | None] = self.settings.owned
        """The arguments, and parts of them, that are written; and, by the constants
        alone, what is written outside."""
        self.starts: dict[int, tuple[Argument, Cell]] = {}
        """What they are at first, by the cell that stands for each."""
        self.brought_texts: Mapping[str, str] = {}
        """What the user calls what is written outside, by its name in the text."""
        self.examples: Mapping[str, Any] = {}
        """The arguments, by parameter."""
        self.owned_at: dict[int, PlaceOf] = {}
        """Where the objects are that are written, by their identities."""
        self.owned_dicts: frozenset[int] = frozenset()
        """Their fields, as dicts, by their identities."""
        self._places: Places | None = None
        self.outside_at: dict[int, Value] = {}
        """What stands for the objects from outside that are written, by identity."""
        self.borne: dict[int, list[str]] = {}
        """Where arguments hold methods and partials, by the identities of these."""
        self.outside_names: dict[int, Const] = {}
        """What the user calls it, by identity."""
        self.outside_places: dict[int, Location | None] = {}
        """Where it is written, likewise."""
        self.known_held: set[str] = set()
        """Where those of which it is known what they bind."""

    def note_owned(self, owned: Mapping[Any, Location | None]) -> None:
        """Note the arguments, and parts of them, that are written."""
        self.owned = owned

    def own_dicts(self, dicts: frozenset[int]) -> None:
        """Note the fields of what is written, as dicts, by their identities."""
        self.owned_dicts = dicts

    def take_examples(self, examples: Mapping[str, Any]) -> None:
        """Take the arguments, by parameter."""
        self.examples, self._places = examples, None

    @property
    def places(self) -> Places:
        """Where the objects among the arguments are."""
        if self._places is None:
            self._places = Places.of(self.examples)
        return self._places

    @provides(ArgumentParts.owned_part)
    def owned_part(
        self, root: Var, path: tuple[PathStep, ...], example: object
    ) -> Ref | Var | None:
        """What is written, by this name or another: the text checks that these are one
        object."""
        if id(example) in self.owned_dicts:
            self.cells.refuse_dict()
        array = self.outside_at.get(id(example))
        if isinstance(array, Var) and array != root:
            self.check_one(path_text(root.name, path), array.name)
            return array
        place = self.owned_at.get(id(example), (root.name, path))
        ref = self.argument_parts.owned_cells.get(place)
        if ref is not None and place != (root.name, path):
            self.check_one(path_text(root.name, path), path_text(*place))
        return ref

    def check_one(self, text: str, other: str) -> None:
        """Have the text check that two places are those of one object."""
        test = f"{text} is not {other}"
        self.structures.checks[test] = Check(test, f"made for {text} that is {other}")

    @provides(ArgumentParts.note_borne)
    def note_borne(self, text: str, fn: object) -> None:
        """Note a method or a partial that an argument holds."""
        self.borne.setdefault(id(fn), []).append(text)
        inner = getattr(fn, "func", None)
        if isinstance(inner, types.MethodType):
            self.argument_parts.note_borne(f"{text}.func", inner)

    @provides(ObjectAttributes.brought_along)
    def brought_along(
        self, value: object, text: str, home: str = "", by: Step = (None, "")
    ) -> Value:
        """A default or a bound argument: a literal, what has to be spelled somehow, or
        an argument. by: the method or the partial that an argument holds, and what of
        it the value is."""
        if is_literal_value(value):
            return Const(value)
        holder, step = by
        places = self.borne.get(id(holder), ())
        if places and id(value) in self.places.first:
            root, path = self.places.first[id(value)]
            mine = path_text(root, path)
            for place in places:
                self.check_one(behind(place, step), mine)
            self.known_held.update(places)
            return self.argument_parts.argument(
                self.structures.paths[root][0],
                path,
                fact_of(value, mine),
                value,
            )
        found = self.argument_parts.brought[id(value)] = Const(
            value, text or None, home
        )
        return found

    def held_unknown(self, block: Block) -> dict[str, tuple[str, object]]:
        """The functions in arguments but the methods of arguments, which the text tells
        by their objects; those that stand in it as they are are none of these."""
        if not self.known_held:
            return self.argument_parts.held
        atoms = (a for op in walk(block) for a in read_by(op) if isinstance(a, Const))
        kept = {id(a.value) for a in atoms}
        return {
            text: (root, fn)
            for text, (root, fn) in self.argument_parts.held.items()
            if text not in self.known_held
            or id(fn) in kept
            or not isinstance(fn, types.MethodType)
        }

    @provides(ArgumentParts.check_whole)
    def check_whole(self, value: Argument) -> None:
        """Refuse to hand on as a whole what holds, by another name, what is written."""
        if not self.owned_at:
            return
        number, depth = id(value.example), len(value.path)
        if number not in self.inside:
            ids = self.owned_at.keys() & {id(one) for one in all_within(value.example)}
            found = frozenset(self.owned_at[one] for one in ids)
            self.inside = {**self.inside, number: found}
        for place in self.inside[number]:
            if place[0] != value.root.name or place[1][:depth] != value.path:
                mine = path_text(*place)
                self.refuse_twice(mine, text_of(value), self.written_at())

    def written_at(self) -> Location:
        """Where something is written that is taken apart."""
        known = (at for at in self.owned.values() if at is not None)
        return next(known, self.position.location())

    def refuse_twice(
        self, mine: str, other: str, at: Location, remedy: str = REMEDY
    ) -> NoReturn:
        """Refuse to write what is found in two places."""
        mine, other = (told(t, self.brought_texts) for t in (mine, other))
        if mine == other:
            raise UnsupportedSyntax(
                f"the function writes into `{mine}`, and reads what holds it",
                at=at,
                remedy="Give it a name in its module, and use that name alone.",
            )
        raise UnsupportedSyntax(
            f"the function writes into `{mine}`, which is also `{other}`",
            at=at,
            remedy=remedy,
        )

    def refuse_many(self, mine: str, at: Location) -> NoReturn:
        """Refuse to write what the text would have to tell from too much else."""
        raise UnsupportedSyntax(
            f"the function writes into `{mine}`, which may be one of too many objects",
            at=at,
            remedy=OUTSIDE,
        )

    # ------------------------------------------------------------ written outside

    def bring_in(self, owner: Value) -> None:
        """Begin again, with an object of a module or of a function around in mind that
        is written here, as if it were an argument."""
        if isinstance(owner, Const) and owner.text and owner.made is None:
            if owner.text.endswith("__dict__"):
                self.cells.refuse_dict()
            if id(owner.value) not in self.outside_at and may_be_brought(owner.value):
                raise Owned(owner, self.position.location())

    def brought_parameters(self) -> list[Parameter]:
        """The parameters that stand for what is written outside."""
        found: list[Parameter] = []
        for (const, *path), at in self.owned.items():
            if path:
                continue
            name = self.name_for(const)
            self.structures.brought_at[name] = at
            self.outside_names[id(const.value)] = const
            self.brought_texts = {**self.brought_texts, name: const.text or name}
            self.outside_places[id(const.value)] = at
            self.assumptions.take_as_fixed(name)
            var = Var(name, fact_outside(const.value, name), name)
            self.structures.paths[name] = (var, ())
            self.argument_parts.remember_argument(var, name)
            self.take_examples({**self.examples, name: const.value})
            found.append(Parameter(var, OUTSIDE_KIND, outside=const))
        return found

    def name_for(self, const: Const) -> str:
        """What the text calls an object from outside: `MODEL`, `config_state`."""
        name, k = identifier(const.text or ""), 2
        while name in self.structures.paths:
            name, k = f"{identifier(const.text or '')}_{k}", k + 1
        return name

    def inward(self, value: Value) -> Value:
        """A value, or what stands for it where it is written from outside: by one name
        alone, for another may be bound anew."""
        if not isinstance(value, Const) or id(value.value) not in self.outside_at:
            return value
        known = self.outside_names[id(value.value)]
        if (value.text, value.home) != (known.text, known.home):
            self.position.refuse(
                f"the function writes into `{known.text}`, which is also "
                f"`{value.text}`",
                f"Use one of the two names alone: {known.text}.",
            )
        return self.outside_at[id(value.value)]

    @extends(Operations.use)
    def use(
        self, rest: Callable[..., None], thing: object, home: str = "", path: str = ""
    ) -> None:
        """Note what the text depends on; what is a parameter is no constant."""
        if id(thing) not in self.outside_at:
            rest(thing, home, path)

    @extends(ArgumentParts.bring)
    def bring(self, rest: Callable[[Const], None], found: Const) -> None:
        """Note what an object from outside holds, unless it is a parameter."""
        if id(found.value) not in self.outside_at:
            rest(found)

    @extends(NameLookup.load_cell)
    def load_cell(self, rest: Callable[..., Value], name: str, cell: Any) -> Value:
        """A variable of the function around one that is already made."""
        return self.inward(rest(name, cell))

    @extends(NameLookup.load_global)
    def load_global(self, rest: Callable[..., Value], name: str) -> Value:
        """A name of the function's module, or of Python."""
        return self.inward(rest(name))

    @extends(ObjectAttributes.attribute_of_constant)
    def attribute_of_constant(
        self, rest: Callable[..., Value], owner: Const, name: str
    ) -> Value:
        """An attribute of what is not an argument."""
        return self.inward(rest(owner, name))

    @extends(Subscripts.entry)
    def entry(
        self, rest: Callable[..., Value | None], table: Const, key: object
    ) -> Value | None:
        """The item of a mapping from outside."""
        found = rest(table, key)
        return None if found is None else self.inward(found)

    @extends(TypeQuestions.assign_attribute)
    def assign_attribute(
        self, rest: Callable[..., None], owner: Value, name: str, value: Value
    ) -> None:
        """owner.name = value."""
        self.bring_in(owner)
        rest(owner, name, value)

    @extends(Language.store)
    def store(
        self,
        rest: Callable[..., None],
        owner: Value,
        index: Value,
        value: Value,
        change: Change,
    ) -> None:
        """owner[index] = value."""
        self.bring_in(owner)
        rest(owner, index, value, change)

    @extends(AugmentedAssignments.augmented)
    def augmented(
        self, rest: Callable[..., Value], fn: Any, old: Value, value: Value
    ) -> Value:
        """The new value of `old += value`."""
        if isinstance(old, Const) and isinstance(old.value, (list, np.ndarray)):
            self.bring_in(old)
            old = self.inward(old)
        return rest(fn, old, value)

    @extends(ValueMethods.method_of_plain)
    def method_of_plain(
        self,
        rest: Callable[..., Value],
        owner: Var | Const,
        name: str,
        args: Args,
        kwargs: Kwargs,
    ) -> Value:
        """LOSSES.append(loss)."""
        if isinstance(owner, Const) and type(owner.value) in (list, dict):
            if name not in READING:
                self.bring_in(owner)
        return rest(owner, name, args, kwargs)

    # ------------------------------------------------------------ what is outside
