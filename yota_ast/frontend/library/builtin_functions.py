"""Builtins on values that exist in the lowering alone: len of a tuple, zip of lists.

A handler gives None where the call is an op like any other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.expressions.folding import (
    fold,
)
from yota_ast.frontend.expressions.iteration import TABLE
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
from yota_ast.frontend.library.conversions import converted
from yota_ast.frontend.library.lazy_iterables import LazyIterables
from yota_ast.frontend.library.type_questions import (
    Args,
    Kwargs,
)
from yota_ast.ir.abstract_values import (
    INT,
    NONE,
    fact_of,
    join,
    list_of,
)
from yota_ast.ir.atoms import Const, Var
from yota_ast.ops import info
from yota_ast.ops.iterated_items import places_of_items
from yota_ast.ops.spellings import method_of
from yota_ast.syntax import nodes, parse_expr
from yota_ast.syntax.value_paths import item_text

NO_LENGTH: Final = "object of type '{}' has no len()"
"""What Python says where something without a length is asked for it."""


ONE_BY_ONE: Final = 8
"""How many numbers of a module's list are copied item by item."""


Handler = Callable[["Builtins", Args, Kwargs], Value | None]


LAZY: Final = (range, enumerate, zip, reversed, map, filter)


class Builtins(LazyIterables):
    """Calls of builtins, and methods of tuples, lists, dicts and strings."""

    replacements: ClassVar[Mapping[Any, Handler]] = {}
    """What is done in place of a call of a function; `None` where it is an op."""

    def call_builtin(self, fn: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """The value of a builtin's call, where it is no op."""
        if args and isinstance(args[0], (Either, OneOf)):
            asks = fn is hasattr or (fn is getattr and len(args) > 2)
            apart = asks or self.class_of(args[0]) is None
            if self.is_chosen(args[0]) and apart:
                again = Const(fn, fn.__name__, "builtins")
                return self.with_each(
                    self.surely_chosen(args[0]),
                    lambda one: self.call(again, (one, *args[1:]), kwargs),
                )
        if fn in (map, filter):
            made = self.mapping(Lazy(fn, tuple(args), tuple(kwargs)))
            return self.once(made, held=args)
        if self.tries and self.surely_fails(fn, args):
            return NULL
        special = "" if fn is bool else method_of(fn)  # which __len__ defines, too
        method = self.special_method(args[0], special) if special and args else None
        if method is not None:
            given = self.call(method, args, kwargs)
            return converted(self, fn, args[0], given)
        if any(fn is lazy for lazy in LAZY):
            return self.once(Lazy(fn, tuple(args), tuple(kwargs)))
        if fn is functools.partial and args:
            return Partial(args[0], tuple(args[1:]), tuple(kwargs))
        try:
            handler = self.replacements.get(fn)
        except TypeError:  # not hashable
            return None
        if handler is not None:
            result = handler(self, args, kwargs)
            if result is not None:
                later = info(fn).taking == "later"
                return self.once(result, held=args) if later else result
        return self.folded(fn, args, kwargs)

    def surely_fails(self, fn: object, args: Args) -> bool:
        """Whether a call asks a number for items, or for a range of fractions."""
        if fn is range:
            if any(self.fails_on(arg, NOT_WHOLE, whole=True) for arg in args):
                return True
            if any(self.fact(arg).kind not in ("int", "bool") for arg in args):
                self.apply(range, [self.atom(arg) for arg in args])  # it may fail
            return False
        if not info(fn).fails_at_once:
            return False
        asked = places_of_items(fn, len(args))
        return any(self.fails_on(args[k], NOT_ITERABLE) for k in asked)

    def list_of_lazy(self, lazy: Lazy) -> Value:
        """map or filter as a list that a loop builds; see applied.py."""
        raise NotImplementedError

    def only_list(self, fn: object, args: Args) -> Value | None:
        """list(generator): the list that is made of its items anyway."""
        if fn is not list or len(args) != 1:
            return None
        made = self.run_through(args[0])
        if isinstance(made, TupleValue) and made != args[0]:  # taken from an iterator
            return self.new_cell(Cell("list", dict(enumerate(made.items)), list))
        return made if made != args[0] and isinstance(made, Ref) else None

    def mapping(self, lazy: Lazy) -> Value:
        """map(f, xs), filter(f, xs): over known items run through at once."""
        if lazy.kwargs or any(self.items_of(a) is None for a in lazy.args[1:]):
            return lazy
        mark = self.mark()
        items = self.mapped(lazy)
        if items is None:  # which are kept, depends on values
            self.back_to(mark)
            made = self.list_of_lazy(lazy)
            if isinstance(made, Ref):
                self.heap[made.cell] = replace(self.heap[made.cell], cls=Iterator)
            return made
        return self.new_cell(Cell("list", dict(enumerate(items)), Iterator))

    def taken_items(self, fn: object, args: Args) -> Args:
        """Arguments with the items of iterators and generators taken from them."""
        taking = info(fn).taking
        if taking == "nothing" and any(map(self.is_iterator, args)):
            if fn not in (bool, isinstance):
                self.refuse_as_list()
            return args
        cells = [
            a.cell for a in args
            if isinstance(a, Ref) and self.heap[a.cell].cls is Iterator
        ]  # fmt: skip
        if len(cells) > 1 and len(set(cells)) < len(cells):
            self.refuse_call(
                "two places take items from one iterator",
                "Make a list of the items first.",
            )
        if fn in (next, iter, functools.partial) or is_user_class(fn):
            return args
        asked = places_of_items(fn, len(args))
        found = [
            self.run_through(a) if k in asked or self.class_of(a) is None else a
            for k, a in enumerate(args)
        ]
        if taking in ("some", "later"):
            for given, taken in zip(args, found, strict=True):
                if taken is not given:
                    self.note_taken(given, taken)
            for cell in cells:
                self.heap[cell] = replace(self.heap[cell], fixed=True)
        return found

    def note_taken(self, given: Value, taken: Value) -> None:
        """Note items that have been taken from an iterator; see passing.py."""
        raise NotImplementedError

    def folded(self, fn: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """A pure builtin of literals."""
        if fn in (float, int, bool, str, complex) and not args and not kwargs:
            return Const(fn())
        known = [self.known_value(a) for a in args]
        if kwargs or not info(fn).pure or not args:
            return None
        if any(k is None for k in known):
            return None
        return fold(fn, [k for k in known if k is not None])

    # ------------------------------------------------------------ containers

    def builtin_len(self, args: Args, kwargs: Kwargs) -> Value | None:
        """len(x)."""
        value = args[0]
        if self.fails_on(value, NO_LENGTH):
            return NULL
        if isinstance(value, Ref) and self.is_object(value):
            cls = self.heap[value.cell].cls
            if self.tries and cls is not None and not hasattr(cls, "__len__"):
                return self.failing(TypeError, NO_LENGTH.format(cls.__name__))
            return None  # it raises, or is a class of lists
        if isinstance(value, Ref) and self.heap[value.cell].var is None:
            return Const(len(self.heap[value.cell].items))
        if isinstance(value, Argument) and value.fact.items is not None:
            self.tell_length(value)
            return Const(len(value.fact.items))
        if isinstance(value, (TupleValue, Argument)):
            items = self.items_of(value)
            return None if items is None else Const(len(items))
        if isinstance(value, Lazy):
            items = self.lazy_items(value)
            return None if items is None else Const(len(items))
        if isinstance(value, Var) and value.fact.kind == "tuple" and value.fact.items:
            self.tell(self.asked.get(value.name))
            return Const(len(value.fact.items))
        return None

    def builtin_list(self, args: Args, kwargs: Kwargs) -> Value | None:
        """list(xs)."""
        items = self.items_of(args[0]) if args else ()
        if items is None:
            items = self.parts_of(args[0])
        if items is None and self.fixed is not None:
            items = self.rows_of(args[0])
        if items is None and isinstance(args[0], Lazy) and args[0].fn is range:
            made = self.apply(list, (self.atom(args[0]),), fact=list_of(INT))
            return self.new_cell(Cell("list", {}, list, made))
        if items is None and isinstance(args[0], Const):
            return self.list_of_constant(args[0])
        if items is None:
            return self.list_by_loop(args[0])
        return self.new_cell(Cell("list", dict(enumerate(items)), list))

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
            made = self.apply(list, (value,), fact=known)
            return self.new_cell(Cell("list", {}, list, made))
        items = self.items_of_table(value) if numbers else self.parts_of_constant(value)
        return self.new_cell(Cell("list", dict(enumerate(items or ())), list))

    def list_by_loop(self, value: Value) -> Value | None:
        """[v for v in xs]: list(xs) of an array, and of what runs over such."""
        if not self.is_run_over(value):
            return None
        source = parse_expr("[v for v in xs]")
        for node in nodes.walk(source):
            nodes.copy_location(node, self.node)
        frame = self.comprehension_frame(frozenset({"xs"}))
        self.put(frame.cell, "xs", value)
        with self.in_frame(frame):
            return self.listed(source)

    def is_run_over(self, value: Value) -> bool:
        """Whether a loop takes the items of a value, one after the other."""
        if isinstance(value, Lazy):
            return value.fn in (reversed, enumerate, zip)
        fact = self.fact(value)
        several = fact.is_numeric or fact.kind in ("list", "unknown")
        return several and isinstance(value, (Var, Ref)) and not fact.is_scalar

    def builtin_tuple(self, args: Args, kwargs: Kwargs) -> Value | None:
        """tuple(xs)."""
        items = self.items_of(args[0]) if args else ()
        if items is None:
            items = self.parts_of(args[0])
        if items is None:
            items = self.rows_of(args[0])
        if items is not None:
            return TupleValue(items)
        listed = self.builtin_list(args, kwargs)
        return None if listed is None else self.apply(tuple, (self.atom(listed),))

    def builtin_set(self, args: Args, kwargs: Kwargs) -> Value | None:
        """set(xs) of literals."""
        items = self.items_of(args[0]) if args else ()
        if items is None:
            return None
        keyed = {self.key_of(item): item for item in items}
        return self.new_cell(Cell("set", keyed, set))

    def builtin_dict(self, args: Args, kwargs: Kwargs) -> Value | None:
        """dict(pairs, k=v)."""
        items: dict[object, Value] = {}
        if args and self.fact(args[0]).kind == "dict":
            items.update(self.known_mapping(args[0], self.node))
        elif args and hasattr(self.class_of(args[0]), "keys"):
            for key in self.known_items(self.keys_of(args[0]), self.node):
                items[self.key_of(key)] = self.subscript(args[0], key)
        elif args:
            for pair in self.known_items(args[0], self.node):
                parts = self.known_items(pair, self.node)
                if len(parts) != 2:
                    self.refuse_call(
                        "dict is given items that are not pairs of a key and a value",
                        "Give it pairs: dict([(key, value)]).",
                    )
                items[self.key_of(parts[0])] = parts[1]
        items.update(dict(kwargs))
        return self.new_cell(Cell("dict", items, dict))

    def keys_of(self, mapping: Value) -> Value:
        """What an object of a user's class gives as its keys."""
        if getattr(self.class_of(mapping), "keys", None) is Mapping.keys:
            return self.iterated(mapping)
        return self.call(self.attribute(mapping, "keys"), ())

    def builtin_slice(self, args: Args, kwargs: Kwargs) -> Value | None:
        """slice(a, b, c)."""
        parts = [*args, NULL, NULL][:3] if len(args) > 1 else [NULL, *args, NULL]
        known = [p.value for p in parts if isinstance(p, Const) and literal(p)]
        return Const(slice(*known)) if len(known) == 3 else SliceValue(*parts)

    def known_mapping(self, value: Value, node: Node) -> dict[object, Value]:
        """The items of a mapping of known keys."""
        if isinstance(value, Ref) and self.heap[value.cell].kind == "dict":
            return dict(self.items_in_order(value.cell))
        if isinstance(value, Argument) and value.fact.keys is not None:
            self.tell_keys(value)
            return {k: self.item_of_argument(value, k) for k in value.fact.keys}
        if isinstance(value, Const) and isinstance(value.value, Mapping):
            self.tell_items(value)
            return {k: self.entry_or_literal(value, k) for k in value.value}
        self.refuse(
            "the keys of this mapping are unknown",
            "Give an example argument, or use literal keys.",
            node,
        )

    def entry_or_literal(self, table: Const, key: object) -> Value:
        """An item of a mapping: of a module's, the text reads it when it runs."""
        mapping: Any = table.value
        item = mapping[key]
        found = self.entry(table, key) if table.home and table.text else None
        if found is None and literal(Const(item)):
            return Const(item)
        text = table.text and item_text(table.text, key)
        return found or Const(item, text, table.home)

    # ------------------------------------------------------------ reductions

    def builtin_next(self, args: Args, kwargs: Kwargs) -> Value | None:
        """next(iterator): which item it is depends on what was taken before."""
        ref = args[0]
        cell = self.heap[ref.cell] if isinstance(ref, Ref) else None
        if not isinstance(ref, Ref) or cell is None or cell.cls is not Iterator:
            self.refuse_call(
                "`next` is not supported", "Take the item by its index, or use a loop."
            )
        self.check_running(ref.cell)
        if cell.var is not None:
            self.refuse_call(
                "the number of items left for `next` depends on a branch or a loop",
                "Take the items of a list by their positions.",
            )
        if not cell.items:
            if len(args) > 1:
                return args[1]
            self.refuse_call("`next` finds no item", "Give `next` a default.")
        first, *rest = cell.items.values()
        self.check_fixed(cell)
        self.heap[ref.cell] = cell.with_items(dict(enumerate(rest)))
        return first

    def builtin_iter(self, args: Args, kwargs: Kwargs) -> Value | None:
        """iter(xs)."""
        if isinstance(args[0], Ref) and self.heap[args[0].cell].cls is Iterator:
            return args[0]
        items = self.items_of(args[0]) if len(args) == 1 else None
        if items is None and len(args) == 1:
            items = self.rows_of(args[0])
        if items is None:
            self.refuse_call(
                "the number of items of `iter` is unknown",
                "Loop over the container itself.",
            )
        return self.new_cell(Cell("list", dict(enumerate(items)), Iterator))

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
        atoms = [self.atom(a) for a in args]
        named = [(k, self.atom(v)) for k, v in kwargs]
        return self.apply(print, atoms, named, fact=NONE, effect=True)

    # ------------------------------------------------------------ methods

    def call_method(self, method: MethodOf, args: Args, kwargs: Kwargs) -> Value:
        """x.name(...) of a number, array, string or container."""
        raise NotImplementedError


def _as_wrapper(wrapped: object, wrapper: object) -> object:
    return wrapper


HANDLERS: Final[dict[Any, Handler]] = {
    isinstance: Builtins.builtin_isinstance,
    issubclass: Builtins.builtin_issubclass,
    type: Builtins.builtin_type,
    callable: Builtins.builtin_callable,
    hasattr: Builtins.builtin_hasattr,
    getattr: Builtins.builtin_getattr,
    setattr: Builtins.builtin_setattr,
    object.__init__: Builtins.builtin_init,
    object.__setattr__: Builtins.plain_setattr,
    type.__setattr__: Builtins.plain_setattr,
    delattr: Builtins.builtin_delattr,
    object.__delattr__: Builtins.builtin_delattr,
    type.__delattr__: Builtins.builtin_delattr,
    len: Builtins.builtin_len,
    list: Builtins.builtin_list,
    tuple: Builtins.builtin_tuple,
    set: Builtins.builtin_set,
    frozenset: Builtins.builtin_set,
    dict: Builtins.builtin_dict,
    slice: Builtins.builtin_slice,
    sum: Builtins.builtin_sum,
    max: Builtins.builtin_max,
    min: Builtins.builtin_min,
    all: Builtins.builtin_all,
    any: Builtins.builtin_any,
    functools.reduce: Builtins.builtin_reduce,
    functools.wraps: Builtins.builtin_wraps,
    _as_wrapper: Builtins.builtin_as_wrapper,
    next: Builtins.builtin_next,
    iter: Builtins.builtin_iter,
    print: Builtins.builtin_print,
}
