"""Builtins on values that exist in the lowering alone: len of a tuple, zip of lists.

A handler gives None where the call is an op like any other.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, by_part, extensible, provides, uses
from yota_ast.frontend.desugar.written_objects import as_printed
from yota_ast.frontend.expressions.comprehensions import Comprehensions
from yota_ast.frontend.expressions.folding import fold, text_of_class
from yota_ast.frontend.expressions.items_and_truth import TABLE, ItemsAndTruth
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.subscripts import Subscripts
from yota_ast.frontend.expressions.value_kinds import ValueKinds, is_endless
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import (
    NOT_ITERABLE,
    NOT_WHOLE,
    NULL,
    Argument,
    Cell,
    Closure,
    Either,
    Lazy,
    MethodOf,
    Node,
    OneOf,
    Partial,
    Ref,
    SliceValue,
    TupleValue,
    Value,
    is_user_class,
    literal,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.library.builtin_reductions import BuiltinReductions
from yota_ast.frontend.library.conversions import converted
from yota_ast.frontend.library.lazy_iterables import LazyIterables
from yota_ast.frontend.library.type_questions import (
    Args,
    Kwargs,
    TypeQuestions,
)
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.ir.abstract_values import INT, NONE, UNKNOWN, Fact, fact_of
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.facts.joined_facts import join, list_of
from yota_ast.ops import info
from yota_ast.ops.iterated_items import places_of_items
from yota_ast.ops.spellings import method_of
from yota_ast.syntax import nodes, parse_expr
from yota_ast.syntax.value_paths import item_text

NO_LENGTH: Final = "object of type '{}' has no len()"
"""What Python says where something without a length is asked for it."""


ONE_BY_ONE: Final = 8
"""How many numbers of a module's list are copied item by item."""


Handler = Callable[[Component, Args, Kwargs], Value | None]

REPLACEMENTS: Final[dict[Any, Handler]] = {}
"""What is done in place of a call of a function; `None` where it is an op. Models of
libraries are entered where the interpreter is put together."""

LATER: Final[dict[str, Callable[[ModuleType], dict[Any, Handler]]]] = {}
"""What makes the models of libraries that only some programs import."""


def open_models() -> None:
    """Enter the models of the libraries that are imported by now."""
    for library in [name for name in LATER if name in sys.modules]:
        REPLACEMENTS.update(LATER.pop(library)(sys.modules[library]))


LAZY: Final = (range, enumerate, zip, reversed, map, filter)
ENDLESS: Final = (itertools.count, itertools.cycle)
"""Of what these give, the run alone knows which item is the next."""


class Builtins(Component):
    """Calls of builtins, and methods of tuples, lists, dicts and strings."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    keyed_items = uses(KeyedItems)
    comprehensions = uses(Comprehensions)
    kinds = uses(ValueKinds)
    items_and_truth = uses(ItemsAndTruth)
    subscripts = uses(Subscripts)
    lazy_iterables = uses(LazyIterables)

    @extensible
    def call_builtin(self, fn: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """The value of a builtin's call, where it is no op."""
        if args and isinstance(args[0], (Either, OneOf)):
            asks = fn is hasattr or (fn is getattr and len(args) > 2)
            apart = asks or self.choice.class_of(args[0]) is None
            if self.choice.is_chosen(args[0]) and apart:
                again = Const(fn, fn.__name__, "builtins")
                return self.choice.with_each(
                    self.choice.surely_chosen(args[0]),
                    lambda one: self.language.call(again, (one, *args[1:]), kwargs),
                )
        if fn in (map, filter):
            made = self.mapping(Lazy(fn, tuple(args), tuple(kwargs)))
            return self.language.once(made, held=args)
        if self.position.tries and self.surely_fails(fn, args):
            return NULL
        special = "" if fn is bool else method_of(fn)  # which __len__ defines, too
        method = (
            self.kinds.special_method(args[0], special) if special and args else None
        )
        if method is not None:
            given = self.language.call(method, args, kwargs)
            return converted(self, fn, args[0], given)
        if any(fn is lazy for lazy in LAZY):
            return self.language.once(Lazy(fn, tuple(args), tuple(kwargs)))
        if fn is functools.partial and args:
            return Partial(args[0], tuple(args[1:]), tuple(kwargs))
        try:
            handler = REPLACEMENTS.get(fn)
        except TypeError:  # not hashable
            return None
        if handler is not None:
            result = handler(self, args, kwargs)
            if result is not None:
                later = info(fn).taking == "later"
                return self.language.once(result, held=args) if later else result
        return self.folded(fn, args, kwargs)

    def surely_fails(self, fn: object, args: Args) -> bool:
        """Whether a call asks a number for items, or for a range of fractions."""
        if fn is range:
            if any(self.language.fails_on(arg, NOT_WHOLE, whole=True) for arg in args):
                return True
            if any(
                self.operations.fact(arg).kind not in ("int", "bool") for arg in args
            ):
                self.operations.apply(
                    range, [self.language.atom(arg) for arg in args]
                )  # it may fail
            return False
        if not info(fn).fails_at_once:
            return False
        asked = places_of_items(fn, len(args))
        return any(self.language.fails_on(args[k], NOT_ITERABLE) for k in asked)

    def only_list(self, fn: object, args: Args) -> Value | None:
        """list(generator): the list that is made of its items anyway."""
        if fn is not list or len(args) != 1:
            return None
        made = self.language.run_through(args[0])
        if isinstance(made, TupleValue) and made != args[0]:  # taken from an iterator
            return self.cells.new_cell(Cell("list", dict(enumerate(made.items)), list))
        return made if made != args[0] and isinstance(made, Ref) else None

    def mapping(self, lazy: Lazy) -> Value:
        """map(f, xs), filter(f, xs): over known items run through at once."""
        if lazy.kwargs or any(self.language.items_of(a) is None for a in lazy.args[1:]):
            return lazy
        mark = self.snapshots.mark()
        items = self.lazy_iterables.mapped(lazy)
        if items is None:  # which are kept, depends on values
            self.snapshots.back_to(mark)
            made = self.language.list_of_lazy(lazy)
            if isinstance(made, Ref):
                self.cells.heap[made.cell] = replace(
                    self.cells.heap[made.cell], cls=Iterator
                )
            return made
        return self.cells.new_cell(Cell("list", dict(enumerate(items)), Iterator))

    @extensible
    def taken_items(self, fn: object, args: Args) -> Args:
        """Arguments with the items of iterators and generators taken from them."""
        taking = info(fn).taking
        if taking == "nothing" and any(map(self.language.is_iterator, args)):
            if fn not in (bool, isinstance):
                self.language.refuse_as_list()
            return args
        cells = [
            a.cell for a in args
            if isinstance(a, Ref) and self.cells.heap[a.cell].cls is Iterator
        ]  # fmt: skip
        if len(cells) > 1 and len(set(cells)) < len(cells):
            self.position.refuse_call(
                "two places take items from one iterator",
                "Make a list of the items first.",
            )
        if fn in (next, iter, functools.partial) or is_user_class(fn):
            return args
        asked = places_of_items(fn, len(args))
        # What is endless is run through by who uses the items.
        later = taking == "later"
        found = [
            a
            if (k not in asked and self.choice.class_of(a) is not None)
            or (later and is_endless(a))
            else self.language.run_through(a)
            for k, a in enumerate(args)
        ]
        if taking in ("some", "later"):
            for given, taken in zip(args, found, strict=True):
                if taken is not given:
                    self.note_taken(given, taken)
            for cell in cells:
                self.cells.heap[cell] = replace(self.cells.heap[cell], fixed=True)
        return found

    @extensible
    def note_taken(self, given: Value, taken: Value) -> None:
        """Note items that have been taken from an iterator; see iterators.py."""
        raise NotImplementedError

    @extensible
    def folded(self, fn: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """A pure builtin of literals."""
        if fn in (float, int, bool, str, complex) and not args and not kwargs:
            return Const(fn())
        known = [self.assumptions.known_value(a) for a in args]
        if (text := text_of_class(fn, args)) is not None:
            return text
        if kwargs or not info(fn).pure or not args:
            return None
        if any(k is None for k in known):
            return None
        return fold(fn, [k for k in known if k is not None])

    # ------------------------------------------------------------ containers

    def builtin_len(self, args: Args, kwargs: Kwargs) -> Value | None:
        """len(x)."""
        value = args[0]
        if self.language.fails_on(value, NO_LENGTH):
            return NULL
        if isinstance(value, Ref) and self.kinds.is_object(value):
            cls = self.cells.heap[value.cell].cls
            if self.position.tries and cls is not None and not hasattr(cls, "__len__"):
                return self.operations.failing(
                    TypeError, NO_LENGTH.format(cls.__name__)
                )
            return None  # it raises, or is a class of lists
        if isinstance(value, Ref) and self.cells.heap[value.cell].var is None:
            return Const(len(self.cells.heap[value.cell].items))
        if isinstance(value, Argument) and value.fact.items is not None:
            self.choice.tell_length(value)
            return Const(len(value.fact.items))
        if isinstance(value, (TupleValue, Argument)):
            items = self.language.items_of(value)
            return None if items is None else Const(len(items))
        if isinstance(value, Lazy):
            items = self.items_and_truth.lazy_items(value)
            return None if items is None else Const(len(items))
        count = None
        if isinstance(value, Var):
            count = self.items_and_truth.count_of_tuple(value)
        return None if count is None else Const(count)

    def builtin_list(self, args: Args, kwargs: Kwargs) -> Value | None:
        """list(xs)."""
        items = self.language.items_of(args[0]) if args else ()
        if items is None:
            items = self.language.parts_of(args[0])
        if items is None and self.assumptions.fixed is not None:
            items = self.known_items.rows_of(args[0])
        if items is None and isinstance(args[0], Lazy) and args[0].fn is range:
            made = self.operations.apply(
                list, (self.language.atom(args[0]),), fact=list_of(INT)
            )
            return self.cells.new_cell(Cell("list", {}, list, made))
        if items is None and isinstance(args[0], Const):
            return self.list_of_constant(args[0])
        if items is None:
            return self.list_by_loop(args[0])
        return self.cells.new_cell(Cell("list", dict(enumerate(items)), list))

    def list_of_constant(self, value: Const) -> Value | None:
        """list(WEIGHTS): item by item; of many numbers the text holds it as a whole."""
        if not isinstance(value.value, (list, tuple)):
            return None
        facts = list(map(fact_of, value.value))
        numbers = bool(facts) and all(f.is_scalar for f in facts)
        if len(facts) > (ONE_BY_ONE if numbers else TABLE):
            if not numbers:
                return None
            known = list_of(functools.reduce(join, facts), least=len(facts))
            made = self.operations.apply(list, (value,), fact=known)
            return self.cells.new_cell(Cell("list", {}, list, made))
        items = (
            self.known_items.items_of_table(value)
            if numbers
            else self.items_and_truth.parts_of_constant(value)
        )
        return self.cells.new_cell(Cell("list", dict(enumerate(items or ())), list))

    def list_by_loop(self, value: Value) -> Value | None:
        """[v for v in xs]: list(xs) of an array, and of what runs over such."""
        if not self.is_run_over(value):
            return None
        source = parse_expr("[v for v in xs]")
        for node in nodes.walk(source):
            nodes.copy_location(node, self.position.node)
        frame = self.comprehensions.comprehension_frame(frozenset({"xs"}))
        self.cells.put(frame.cell, "xs", value)
        with self.position.in_frame(frame):
            return self.comprehensions.listed(source)

    @extensible
    def is_run_over(self, value: Value) -> bool:
        """Whether a loop takes the items of a value, one after the other."""
        if isinstance(value, Lazy):
            return value.fn in (reversed, enumerate, zip)
        fact = self.operations.fact(value)
        several = fact.is_numeric or fact.kind in ("list", "unknown")
        return several and isinstance(value, (Var, Ref)) and not fact.is_scalar

    def builtin_tuple(self, args: Args, kwargs: Kwargs) -> Value | None:
        """tuple(xs)."""
        items = self.language.items_of(args[0]) if args else ()
        if items is None:
            items = self.language.parts_of(args[0])
        if items is None:
            items = self.known_items.rows_of(args[0])
        if items is not None:
            return TupleValue(items)
        listed = self.builtin_list(args, kwargs)
        return (
            None
            if listed is None
            else self.operations.apply(tuple, (self.language.atom(listed),))
        )

    def builtin_set(self, args: Args, kwargs: Kwargs) -> Value | None:
        """set(xs) of literals."""
        items = self.language.items_of(args[0]) if args else ()
        if items is None:
            return None
        return self.known_items.new_set(items)

    def builtin_dict(self, args: Args, kwargs: Kwargs) -> Value | None:
        """dict(pairs, k=v)."""
        items: dict[object, Value] = {}
        copy = self.keyed_items.copy_of(args[0]) if args and not kwargs else None
        if copy is not None:
            return copy
        if args and self.operations.fact(args[0]).kind == "dict":
            items.update(self.known_items.known_mapping(args[0], self.position.node))
        elif args and hasattr(self.choice.class_of(args[0]), "keys"):
            for key in self.known_items.known_items(
                self.keys_of(args[0]), self.position.node
            ):
                items[self.known_items.key_of(key)] = self.language.subscript(
                    args[0], key
                )
        elif args:
            whole = None if kwargs else self.open_dict(args[0])
            if whole is not None:
                return whole
            for pair in self.known_items.known_items(args[0], self.position.node):
                parts = self.known_items.known_items(pair, self.position.node)
                if len(parts) != 2:
                    self.position.refuse_call(
                        "dict is given items that are not pairs of a key and a value",
                        "Give it pairs: dict([(key, value)]).",
                    )
                items[self.known_items.key_of(parts[0])] = parts[1]
        items.update(dict(kwargs))
        return self.keyed_items.new_dict(items)

    def open_dict(self, pairs: Value) -> Value | None:
        """A dict of which the text alone knows the keys: of pairs of arrays that hold
        no floats, zip(rows, columns). None of others."""
        if not isinstance(pairs, Lazy) or pairs.fn is not zip:
            return None
        if not any(isinstance(v, Var) and v.fact.is_numeric for v in pairs.args):
            return None
        if not self.language.floatless(pairs) or self.known_items.items_apart(pairs):
            return None
        known = Fact("dict", cls=dict, element=UNKNOWN)
        out = self.operations.apply(dict, (self.language.atom(pairs),), fact=known)
        return self.cells.new_cell(Cell("dict", {}, dict, out))

    def keys_of(self, mapping: Value) -> Value:
        """What an object of a user's class gives as its keys."""
        if getattr(self.choice.class_of(mapping), "keys", None) is Mapping.keys:
            return self.kinds.iterated(mapping)
        return self.language.call(self.language.attribute(mapping, "keys"), ())

    def builtin_slice(self, args: Args, kwargs: Kwargs) -> Value | None:
        """slice(a, b, c)."""
        parts = [*args, NULL, NULL][:3] if len(args) > 1 else [NULL, *args, NULL]
        known = [p.value for p in parts if isinstance(p, Const) and literal(p)]
        return Const(slice(*known)) if len(known) == 3 else SliceValue(*parts)

    @provides(KnownItems.known_mapping)
    def known_mapping(self, value: Value, node: Node) -> dict[object, Value]:
        """The items of a mapping of known keys."""
        if isinstance(value, Ref) and self.cells.heap[value.cell].kind == "dict":
            return dict(self.cells.items_in_order(value.cell))
        if isinstance(value, Argument) and value.fact.keys is not None:
            self.choice.tell_keys(value)
            return {
                k: self.items_and_truth.item_of_argument(value, k)
                for k in value.fact.keys
            }
        if isinstance(value, Const) and isinstance(value.value, Mapping):
            self.structures.tell_items(value)
            return {k: self.entry_or_literal(value, k) for k in value.value}
        if isinstance(value, Var) and value.fact.keys and value.fact.kind == "dict":
            return {
                k: self.language.subscript(value, Const(k)) for k in value.fact.keys
            }
        self.position.refuse(
            "the keys of this mapping are unknown",
            "Give an example argument, or use literal keys.",
            node,
        )

    def entry_or_literal(self, table: Const, key: object) -> Value:
        """An item of a mapping: of a module's, the text reads it when it runs."""
        mapping: Any = table.value
        item = mapping[key]
        found = self.subscripts.entry(table, key) if table.home and table.text else None
        if found is None and literal(Const(item)):
            return Const(item)
        text = table.text and item_text(table.text, key)
        return found or Const(item, text, table.home)

    # ------------------------------------------------------------ reductions

    def builtin_next(self, args: Args, kwargs: Kwargs) -> Value | None:
        """next(iterator): which item it is depends on what was taken before."""
        ref = args[0]
        if isinstance(ref, Var) and ref.fact.cls in ENDLESS and len(args) == 1:
            item = (ref.fact.items or (UNKNOWN,))[0]
            return self.operations.apply(next, (ref,), fact=item, effect=True)
        cell = self.cells.heap[ref.cell] if isinstance(ref, Ref) else None
        if not isinstance(ref, Ref) or cell is None or cell.cls is not Iterator:
            self.position.refuse_call(
                "`next` is not supported", "Take the item by its index, or use a loop."
            )
        self.language.check_running(ref.cell)
        if cell.var is not None:
            self.position.refuse_call(
                "the number of items left for `next` depends on a branch or a loop",
                "Take the items of a list by their positions.",
            )
        if not cell.items:
            if len(args) > 1:
                return args[1]
            self.position.refuse_call("`next` finds no item", "Give `next` a default.")
        first, *rest = cell.items.values()
        self.cells.check_fixed(cell)
        self.cells.heap[ref.cell] = cell.with_items(dict(enumerate(rest)))
        return first

    def builtin_iter(self, args: Args, kwargs: Kwargs) -> Value | None:
        """iter(xs)."""
        if isinstance(args[0], Ref) and self.cells.heap[args[0].cell].cls is Iterator:
            return args[0]
        items = self.language.items_of(args[0]) if len(args) == 1 else None
        if items is None and len(args) == 1:
            items = self.known_items.rows_of(args[0])
        if items is None:
            self.position.refuse_call(
                "the number of items of `iter` is unknown",
                "Loop over the container itself.",
            )
        return self.cells.new_cell(Cell("list", dict(enumerate(items)), Iterator))

    def builtin_wraps(self, args: Args, kwargs: Kwargs) -> Value | None:
        """functools.wraps(f): it changes what the wrapper is called, and what its
        signature is said to be."""
        return Partial(Const(_as_wrapper, "wraps", "functools"), (args[0],), ())

    def builtin_as_wrapper(self, args: Args, kwargs: Kwargs) -> Value | None:
        """The decorator that wraps(f) is here."""
        wrapped, wrapper = args
        if isinstance(wrapper, Closure):
            return replace(wrapper, wraps=wrapped)
        return wrapper

    def builtin_print(self, args: Args, kwargs: Kwargs) -> Value | None:
        """print(...): once, in its place."""
        atoms = [self.language.atom(as_printed(self, a)) for a in args]
        named = [(k, self.language.atom(v)) for k, v in kwargs]
        return self.operations.apply(print, atoms, named, fact=NONE, effect=True)

    # ------------------------------------------------------------ methods

    @extensible
    def call_method(self, method: MethodOf, args: Args, kwargs: Kwargs) -> Value:
        """x.name(...) of a number, array, string or container."""
        raise NotImplementedError


def _as_wrapper(wrapped: object, wrapper: object) -> object:
    return wrapper


HANDLERS: Final[dict[Any, Handler]] = {
    isinstance: by_part(TypeQuestions, TypeQuestions.builtin_isinstance),
    issubclass: by_part(TypeQuestions, TypeQuestions.builtin_issubclass),
    type: by_part(TypeQuestions, TypeQuestions.builtin_type),
    callable: by_part(TypeQuestions, TypeQuestions.builtin_callable),
    hasattr: by_part(TypeQuestions, TypeQuestions.builtin_hasattr),
    getattr: by_part(TypeQuestions, TypeQuestions.builtin_getattr),
    setattr: by_part(TypeQuestions, TypeQuestions.builtin_setattr),
    object.__getattribute__: by_part(TypeQuestions, TypeQuestions.builtin_getattr),
    object.__init__: by_part(TypeQuestions, TypeQuestions.builtin_init),
    object.__setattr__: by_part(TypeQuestions, TypeQuestions.plain_setattr),
    type.__setattr__: by_part(TypeQuestions, TypeQuestions.plain_setattr),
    delattr: by_part(TypeQuestions, TypeQuestions.builtin_delattr),
    object.__delattr__: by_part(TypeQuestions, TypeQuestions.builtin_delattr),
    type.__delattr__: by_part(TypeQuestions, TypeQuestions.builtin_delattr),
    len: by_part(Builtins, Builtins.builtin_len),
    list: by_part(Builtins, Builtins.builtin_list),
    tuple: by_part(Builtins, Builtins.builtin_tuple),
    set: by_part(Builtins, Builtins.builtin_set),
    frozenset: by_part(Builtins, Builtins.builtin_set),
    dict: by_part(Builtins, Builtins.builtin_dict),
    slice: by_part(Builtins, Builtins.builtin_slice),
    sum: by_part(BuiltinReductions, BuiltinReductions.builtin_sum),
    max: by_part(BuiltinReductions, BuiltinReductions.builtin_max),
    min: by_part(BuiltinReductions, BuiltinReductions.builtin_min),
    all: by_part(BuiltinReductions, BuiltinReductions.builtin_all),
    any: by_part(BuiltinReductions, BuiltinReductions.builtin_any),
    functools.reduce: by_part(BuiltinReductions, BuiltinReductions.builtin_reduce),
    functools.wraps: by_part(Builtins, Builtins.builtin_wraps),
    _as_wrapper: by_part(Builtins, Builtins.builtin_as_wrapper),
    next: by_part(Builtins, Builtins.builtin_next),
    iter: by_part(Builtins, Builtins.builtin_iter),
    print: by_part(Builtins, Builtins.builtin_print),
}
