"""What of the arguments is written -> that it is not found elsewhere, unnoticed.

A written object that is found at several places of the arguments is one object at each
of them, and the text checks that.  Where a global, a variable of a function around, a
default or what holds one of those is the object, or shares its memory, it is refused;
where one might be, the text checks that it is not.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import Location, UnsupportedSyntax
from yota_ast.frontend.heap.argument_structures import called, text_of, told
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
    has_for_fields,
    held_by,
    may_be_brought,
    reached_by,
)
from yota_ast.frontend.interpret.finished_blocks import read_by
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.library.value_methods import READING
from yota_ast.frontend.state.lowering_records import Owned
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import BOOL, UNKNOWN, fact_of
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import OUTSIDE as OUTSIDE_KIND
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import NOWHERE, Apply, Block, Form, Op, Store, walk
from yota_ast.ir.store_changes import Change
from yota_ast.syntax.names import identifier
from yota_ast.syntax.value_paths import PathStep, behind, path_text

Step = tuple[object, str]
"""What holds a value, and as what."""
MOST_PLACES: Final = 40
MOST_SINGLY: Final = 8
REMEDY: Final = "Pass two objects, or return the new value."
OUTSIDE: Final = "Return the new value, and assign it outside."
_AROUND: Final = "<closure>."


class Elsewhere(Loops):
    """Objects of the caller's that have several names."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.inside: Mapping[int, frozenset[PlaceOf]] = {}
        """What is written of what parts of arguments hold, by the identity of the
        part."""
        self.owned: Mapping[Any, Location | None] = settings.owned
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
        self.brought_at: dict[str, Location | None] = {}
        """Where what is written outside is written, by what the text calls it."""
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

    def owned_part(
        self, root: Var, path: tuple[PathStep, ...], example: object
    ) -> Ref | Var | None:
        """What is written, by this name or another: the text checks that these are one
        object."""
        if id(example) in self.owned_dicts:
            self.refuse_dict()
        array = self.outside_at.get(id(example))
        if isinstance(array, Var) and array != root:
            self.check_one(path_text(root.name, path), array.name)
            return array
        place = self.owned_at.get(id(example), (root.name, path))
        ref = self.owned_cells.get(place)
        if ref is not None and place != (root.name, path):
            self.check_one(path_text(root.name, path), path_text(*place))
        return ref

    def check_one(self, text: str, other: str) -> None:
        """Have the text check that two places are those of one object."""
        test = f"{text} is not {other}"
        self.checks[test] = Check(test, f"made for {text} that is {other}")

    def note_borne(self, text: str, fn: object) -> None:
        """Note a method or a partial that an argument holds."""
        self.borne.setdefault(id(fn), []).append(text)
        inner = getattr(fn, "func", None)
        if isinstance(inner, types.MethodType):
            self.note_borne(f"{text}.func", inner)

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
            return self.argument(self.paths[root][0], path, fact_of(value, mine), value)
        found = self.brought[id(value)] = Const(value, text or None, home)
        return found

    def held_unknown(self, block: Block) -> dict[str, tuple[str, object]]:
        """The functions in arguments but the methods of arguments, which the text tells
        by their objects; those that stand in it as they are are none of these."""
        if not self.known_held:
            return self.held
        atoms = (a for op in walk(block) for a in read_by(op) if isinstance(a, Const))
        kept = {id(a.value) for a in atoms}
        return {
            text: (root, fn)
            for text, (root, fn) in self.held.items()
            if text not in self.known_held
            or id(fn) in kept
            or not isinstance(fn, types.MethodType)
        }

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
        return next(known, self.location())

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
                self.refuse_dict()
            if id(owner.value) not in self.outside_at and may_be_brought(owner.value):
                raise Owned(owner, self.location())

    def brought_parameters(self) -> list[Parameter]:
        """The parameters that stand for what is written outside."""
        found: list[Parameter] = []
        for (const, *path), at in self.owned.items():
            if path:
                continue
            name = self.name_for(const)
            self.brought_at[name], self.outside_names[id(const.value)] = at, const
            self.brought_texts = {**self.brought_texts, name: const.text or name}
            self.outside_places[id(const.value)] = at
            self.take_as_fixed(name)
            var = Var(name, fact_outside(const.value, name), name)
            self.paths[name] = (var, ())
            self.remember_argument(var, name)
            self.take_examples({**self.examples, name: const.value})
            found.append(Parameter(var, OUTSIDE_KIND, outside=const))
        return found

    def name_for(self, const: Const) -> str:
        """What the text calls an object from outside: `MODEL`, `config_state`."""
        name, k = identifier(const.text or ""), 2
        while name in self.paths:
            name, k = f"{identifier(const.text or '')}_{k}", k + 1
        return name

    def inward(self, value: Value) -> Value:
        """A value, or what stands for it where it is written from outside: by one name
        alone, for another may be bound anew."""
        if not isinstance(value, Const) or id(value.value) not in self.outside_at:
            return value
        known = self.outside_names[id(value.value)]
        if (value.text, value.home) != (known.text, known.home):
            self.refuse(
                f"the function writes into `{known.text}`, which is also "
                f"`{value.text}`",
                f"Use one of the two names alone: {known.text}.",
            )
        return self.outside_at[id(value.value)]

    def use(self, thing: object, home: str = "", path: str = "") -> None:
        """Note what the text depends on; what is a parameter is no constant."""
        if id(thing) not in self.outside_at:
            super().use(thing, home, path)

    def load_cell(self, name: str, cell: Any) -> Value:
        """A variable of the function around one that is already made."""
        return self.inward(super().load_cell(name, cell))

    def load_global(self, name: str) -> Value:
        """A name of the function's module, or of Python."""
        return self.inward(super().load_global(name))

    def attribute_of_constant(self, owner: Const, name: str) -> Value:
        """An attribute of what is not an argument."""
        return self.inward(super().attribute_of_constant(owner, name))

    def entry(self, table: Const, key: object) -> Value | None:
        """The item of a mapping from outside."""
        found = super().entry(table, key)
        return None if found is None else self.inward(found)

    def assign_attribute(self, owner: Value, name: str, value: Value) -> None:
        """owner.name = value."""
        self.bring_in(owner)
        super().assign_attribute(owner, name, value)

    def store(self, owner: Value, index: Value, value: Value, change: Change) -> None:
        """owner[index] = value."""
        self.bring_in(owner)
        super().store(owner, index, value, change)

    def augmented(self, fn: Any, old: Value, value: Value) -> Value:
        """The new value of `old += value`."""
        if isinstance(old, Const) and isinstance(old.value, (list, np.ndarray)):
            self.bring_in(old)
            old = self.inward(old)
        return super().augmented(fn, old, value)

    def method_of_plain(
        self, owner: Var | Const, name: str, args: Args, kwargs: Kwargs
    ) -> Value:
        """LOSSES.append(loss)."""
        if isinstance(owner, Const) and type(owner.value) in (list, dict):
            if name not in READING:
                self.bring_in(owner)
        return super().method_of_plain(owner, name, args, kwargs)

    # ------------------------------------------------------------ what is outside

    def outside_checks(
        self, things: Mapping[str, Var], block: Block, result: object
    ) -> list[Op]:
        """The ops that check that what is written is nothing from outside that is read.

        things: the arguments and the parts of them that have been read.
        """
        self.check_called(block)
        self.check_items_read(block)
        if not self.starts and not self.written:
            return []
        made = [_Written(text_of(a), None, a) for a, _ in self.starts.values()]
        arrays = [_Written(t, things[t]) for t in self.written if t in things]
        self.check_opaque(made, things, names_in(block, result))
        tests: dict[str, list[Op]] = {}
        for const in self.brought_in():
            held = list(held_by(const.text or "", const.value))
            for each in (*made, *arrays):
                if any(has_for_fields(v, each.example) for _, v in held):
                    self.refuse_dict()
                like = [(text, v) for text, v in held if each.test_against(v)]
                for text, value in like:
                    self.check_named_apart(each, const, text, value)
                if each.argument is not None and are_items(const.value, like):
                    tests[f"{each.text} in {const.text}"] = self.telling_items(
                        each, const
                    )
                    like = [(text, v) for text, v in like if v is const.value]
                for text, value in like:
                    found = Const(value, text or None, const.home)
                    key = f"{each.text} {text or id(value)}"
                    tests[key] = self.telling(each, found)
        if len(tests) > MOST_PLACES:
            self.refuse_many(next(iter(tests)).partition(" ")[0], self.written_at())
        return [op for ops in tests.values() for op in ops]

    def check_items_read(self, block: Block) -> None:
        """Have the text check that a list from outside holds numbers, if it reads
        some."""
        ops = (op for op in walk(block) if not isinstance(op, Store))
        read = {a.fact for op in ops for a in read_by(op) if isinstance(a, Var)}
        if not any(fact.kind == "list" and fact.items is None for fact in read):
            return
        for (name, *_), ref in self.owned_cells.items():
            if name in self.brought_at and self.heap[ref.cell].var is not None:
                test = f'any(hasattr(v, "__len__") for v in {name})'
                self.checks[test] = Check(test, f"made for numbers in {name}")

    def check_called(self, block: Block) -> None:
        """Refuse to call what is not followed and may read what is written outside,
        which the text writes at the end."""
        if not self.outside_names:
            return
        blocks = (block, *(f.block for f in self.functions_of(block)))
        ops = (op for each in blocks for op in walk(each))
        called = {id(op.fn): op.fn for op in ops if isinstance(op, Apply)}
        for fn in called.values():
            for each in reached_by(fn):
                if id(each) in self.outside_names:
                    const = self.outside_names[id(each)]
                    raise UnsupportedSyntax(
                        f"the function writes into `{const.text}`, which "
                        f"`{getattr(fn, '__name__', fn)}`, a primitive, may read",
                        at=self.outside_places[id(each)] or self.location(),
                        remedy="Give it what it reads as an argument.",
                    )

    def check_opaque(
        self, made: list[_Written], things: Mapping[str, Var], read: frozenset[str]
    ) -> None:
        """Refuse to read of an argument that may hold an object that is written, where
        what it holds has no names."""
        kinds = {type(each.example) for each in made}
        for text, var in things.items() if made else ():
            known = var.fact.items is not None or var.fact.kind == "object"
            if known or var.name not in read:
                continue
            found = all_within(self.example_at(*self.paths[var.name]))
            if any(type(one) in kinds for one in found):
                self.refuse(
                    "the function writes into "
                    f"{called(made[0].text, self.brought_texts)}, "
                    f"which may be in `{told(text, self.brought_texts)}`",
                    "Pass a copy, or return the new value.",
                )

    def example_at(self, root: Var, path: tuple[PathStep, ...]) -> object:
        """What an argument, or a part of one, is in the example."""
        value: Any = self.examples.get(root.name)
        for kind, step in path:
            value = getattr(value, str(step)) if kind == "attr" else value[step]
        return value

    def brought_in(self) -> Iterator[Const]:
        """The values from outside that have been read."""
        for (home, path), value in self.constants.items():
            inner = path.removeprefix(_AROUND)
            yield Const(value, inner, home if inner == path else "")
        yield from self.brought.values()
        named = {id(value) for value in self.constants.values()}
        for number, value in self.used.items():
            if number not in named and number not in self.brought:
                yield Const(value)

    def check_named_apart(
        self, each: _Written, const: Const, text: str, value: object
    ) -> None:
        """Refuse what is written and a value from outside that are one object, or that
        the text could not tell apart."""
        name = text or const.text or "a default"
        if value is each.example:
            self.refuse_twice(each.text, name, self.written_at())
        own = self.examples.get(each.text) if each.text in self.brought_at else None
        arrays = isinstance(own, np.ndarray) and isinstance(value, np.ndarray)
        if arrays and np.shares_memory(own, value):
            at = self.brought_at[each.text] or self.written_at()
            self.refuse_twice(each.text, name, at, OUTSIDE)
        if not text and value is not const.value:
            self.refuse(
                f"the function writes into {called(each.text, self.brought_texts)}, "
                f"which may be in `{name}`",
                "Pass a copy, or return the new value.",
            )

    def atom_of(self, each: _Written) -> Atom:
        """What is written, as the text reads it."""
        atom: Atom | None = each.var
        if each.argument is not None:
            atom = self.place_of_argument(each.argument)
        assert atom is not None
        return atom

    def telling_items(self, each: _Written, other: Const) -> list[Op]:
        """The ops that raise where what is written is an item of a list or a dict from
        outside."""
        ops: list[Op] = []

        def value(fn: Callable[..., object], *args: Atom, **how: Any) -> Var:
            out = self.var(UNKNOWN)
            ops.append(Apply(out, fn, args, origin=NOWHERE, **how))
            return out

        items: Atom = other
        if isinstance(other.value, dict):
            items = value(dict.values, other, form="method", spelling="values")
        known = value(map, Const(id, "id", "builtins"), items)
        args = (known, value(id, self.atom_of(each)))
        test = Apply(
            self.var(BOOL), operator.contains, args, (), "operator", "", NOWHERE
        )
        what = f"made for {each.text} that is not in {other.text or 'a default'}"
        return [*ops, *self.raising(test, what)]

    def telling(self, each: _Written, other: Const) -> list[Op]:
        """The ops that raise where what is written is a value from outside."""
        atom, fn = self.atom_of(each), each.test_against(other.value)
        assert fn is not None
        name, both = other.text or "a default", "two objects,"
        if each.argument is None:
            both = "arrays that share no memory,"
        form: Form = "operator" if fn is operator.is_ else "call"
        spelling = "" if fn is operator.is_ else "np.shares_memory"
        test = Apply(self.var(BOOL), fn, (atom, other), (), form, spelling, NOWHERE)
        return self.raising(test, f"made for {both} {each.text} and {name}")


@dataclass(frozen=True, slots=True)
class _Written:
    """What is written: an array, or an argument that is taken apart."""

    text: str
    var: Var | None
    argument: Argument | None = None

    @property
    def example(self) -> object:
        """The object that it is in the example; None of an array."""
        return None if self.argument is None else self.argument.example

    def test_against(self, value: object) -> Callable[..., object] | None:
        """What tells whether it is a value from outside; None where it cannot be."""
        if self.argument is not None:
            return operator.is_ if type(value) is type(self.example) else None
        if isinstance(value, np.ndarray):
            return np.shares_memory
        vague = self.var is not None and self.var.fact.kind == "real"
        return operator.is_ if vague and isinstance(value, (list, dict)) else None


def are_items(value: object, found: Sequence[tuple[str, object]]) -> bool:
    """Whether many things found are items of a list or a dict, or that itself."""
    if len(found) <= MOST_SINGLY or not isinstance(value, (list, tuple, dict)):
        return False
    items = value.values() if isinstance(value, dict) else value
    known = {id(value), *map(id, items)}
    return all(id(each) in known for _, each in found)


def names_in(block: Block, result: object) -> frozenset[str]:
    """The names of what ops read, and of what is returned."""
    read = {a.name for op in walk(block) for a in read_by(op) if isinstance(a, Var)}
    return frozenset(read | ({result.name} if isinstance(result, Var) else set()))
