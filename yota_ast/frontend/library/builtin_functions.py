"""Builtins on values that exist in the lowering alone: len of a tuple, zip of lists.

A handler gives None where the call is an op like any other.
"""

from __future__ import annotations

import enum
import functools
import inspect
import itertools
import operator
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, NoReturn

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.calls.value_assumptions import NO_NUMBERS
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.heap.has_attribute import (
    finds_otherwise,
    gives,
    modelled,
    runs_code,
    taken,
)
from yota_ast.frontend.heap.lowered_values import (
    NOT_ITERABLE,
    NOT_WHOLE,
    NULL,
    Argument,
    Bound,
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
    Super,
    TupleValue,
    Value,
    candidates,
    is_user_class,
    literal,
)
from yota_ast.frontend.interpret.attributes import Attributes
from yota_ast.frontend.interpret.folding import (
    classes_in,
    fold,
    has_method,
    is_instance,
    type_of,
)
from yota_ast.frontend.interpret.operators import TABLE
from yota_ast.frontend.library.conversions import converted
from yota_ast.ir.abstract_values import (
    BOOL,
    INT,
    NONE,
    UNKNOWN,
    Fact,
    fact_of,
    join,
    list_of,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ops import info
from yota_ast.ops.iterated_items import places_of_items
from yota_ast.ops.spellings import method_of
from yota_ast.syntax import nodes, parse_expr
from yota_ast.syntax.value_paths import class_text, item_text

FALSE: Final = Const(False)
NO_LENGTH: Final = "object of type '{}' has no len()"
"""What Python says where something without a length is asked for it."""
ONE_BY_ONE: Final = 8
"""How many numbers of a module's list are copied item by item."""
Args = Sequence[Value]
Kwargs = Sequence[tuple[str, Value]]
Handler = Callable[["Builtins", Args, Kwargs], Value | None]

LAZY: Final = (range, enumerate, zip, reversed, map, filter)
ITERATORS: Final[tuple[type, ...]] = (
    map, zip, filter, enumerate, reversed, types.GeneratorType, type(iter([])),
    type(iter(())), itertools.chain,
)  # fmt: skip
"""Some of the classes that an iterator may be of; there are others."""
_KNOWN_CHECKS: Final = ("abc", "typing", "typing_extensions", "enum")
"""The modules of classes of classes that say as is known here what is of them."""
COMPENSATES: Final = sys.version_info >= (3, 12)
"""Whether `sum` of Python's floats keeps what each addition loses."""
_MAY_BE_FLOATS: Final = ("float", "real")


class Builtins(Attributes):
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

    # ------------------------------------------------------------ types

    def builtin_isinstance(self, args: Args, kwargs: Kwargs) -> Value | None:
        """isinstance(x, T): known from facts."""
        value, classes = args
        types = self.known_classes(classes)
        if types is None:
            self.refuse_call(
                "the classes given to isinstance are unknown",
                "Name the classes.",
            )
        if isinstance(value, Const):
            return Const(isinstance(value.value, types))
        for cls in classes_in(types):
            self.check_instances_of(type(cls))
        if self.is_iterator(value):
            return Const(self.is_iterator_of(types))
        answer = is_instance(self.fact(value), types)
        if answer is False and self.is_guessed(value):
            if any(map(is_user_class, classes_in(types))):
                answer = None  # it is asked for
            else:
                self.note_guess(value, types)
        if answer is not None:
            if isinstance(None, types):
                self.tell_present(value)
            asked = (bool, *classes_in(types))
            self.tell_type(value, lambda cls: issubclass(cls, types), asked)
            self.tell_class(value)
            return Const(answer)
        return self.apply(isinstance, (self.atom(value), self.atom(classes)), fact=BOOL)

    def check_instances_of(self, meta: type) -> None:
        """Refuse a class of classes that says in its own way what their objects are."""
        for name in ("__instancecheck__", "__subclasscheck__"):
            check = inspect.getattr_static(meta, name, None)
            if isinstance(check, types.FunctionType):
                if check.__module__ not in _KNOWN_CHECKS:
                    self.refuse_descriptor(name, meta)

    def note_guess(self, value: Value, types: Any) -> None:
        """Note of what classes an argument is taken not to be."""
        for cls in classes_in(types) if isinstance(value, Var) else ():
            if cls in NO_NUMBERS:
                continue  # that is checked where the text starts
            if isinstance(value, Var) and isinstance(cls, type):
                self.not_of[value.name, cls] = value

    def is_iterator_of(self, types: Any) -> bool:
        """Whether an iterator is of one of some classes, whichever iterator it is."""
        if all(issubclass(cls, types) for cls in ITERATORS):
            return True
        of_iterators = any(issubclass(cls, Iterator) for cls in classes_in(types))
        if of_iterators or any(issubclass(cls, types) for cls in ITERATORS):
            self.refuse_as_list()
        return False

    def builtin_issubclass(self, args: Args, kwargs: Kwargs) -> Value | None:
        """issubclass(type(x), T) of classes that are known."""
        known = [self.known_classes(a) for a in args]
        try:
            return None if None in known else Const(issubclass(*known))
        except TypeError:  # the text raises it when it runs
            return None

    def known_classes(self, value: Value) -> Any:
        """The classes that isinstance is given."""
        if isinstance(value, Const):
            return value.value
        if isinstance(value, TupleValue):
            parts = [self.known_classes(v) for v in value.items]
            return None if None in parts else tuple(parts)
        return None

    def builtin_type(self, args: Args, kwargs: Kwargs) -> Value | None:
        """type(x)."""
        if len(args) != 1:
            return None
        value = args[0]
        cls = (
            type(value.value) if isinstance(value, Const) else type_of(self.fact(value))
        )
        if cls is None:
            return self.apply(type, (self.atom(value),), fact=Fact("callable"))
        cls = modelled(cls)
        self.tell_type(value, lambda cls: cls)
        self.tell_class(value)
        return Const(cls, class_text(cls), cls.__module__)

    def builtin_init(self, args: Args, kwargs: Kwargs) -> Value | None:
        """super().__init__(), where no base has one of its own."""
        return NULL if len(args) == 1 and not kwargs else None

    def builtin_callable(self, args: Args, kwargs: Kwargs) -> Value | None:
        """callable(f)."""
        if isinstance(args[0], Const):
            return Const(callable(args[0].value))
        if isinstance(args[0], MethodOf):
            if has_method(self.fact(args[0].owner), args[0].name):
                return Const(True)
            return self.apply(callable, (self.atom(args[0]),), fact=BOOL)
        if isinstance(args[0], (Closure, Bound, Partial)):
            return Const(True)
        if isinstance(args[0], Either) and not self.is_chosen(args[0]):
            return self.identity(operator.is_not, args[0], NULL)
        cls = self.class_of(args[0])
        if cls is not None:  # not by getattr: the class itself may be called
            self.tell_class(args[0])
            return Const(any("__call__" in vars(base) for base in cls.__mro__))
        if self.fact(args[0]).is_numeric:
            self.tell_uncalled(args[0])
            return Const(False)
        return self.apply(callable, (self.atom(args[0]),), fact=BOOL)

    def builtin_hasattr(self, args: Args, kwargs: Kwargs) -> Value | None:
        """hasattr(x, name)."""
        name = self.known_value(self.as_given(args[1]))
        if name is None or not isinstance(name.value, str):
            return None
        if self.runs_getter(args[0], name.value):
            return Const(taken(self, args[0], name.value) is not None)
        there = self.has(args[0], name.value)
        if there is not None:
            return there
        return self.apply(hasattr, (self.atom(args[0]), name), fact=BOOL)

    def runs_getter(self, owner: Value, name: str) -> bool:
        """Whether an attribute of an object is known by running its getter."""
        if isinstance(owner, Argument) and owner.example is None:
            return False
        return runs_code(self.class_of(owner), name)

    def has(self, owner: Value, name: str) -> Value | None:
        """Whether an attribute is there, where facts tell."""
        if isinstance(owner, Const):
            return Const(hasattr(owner.value, name))
        if isinstance(owner, Super):
            return Const(any(name in vars(c) for c in self.bases_after(owner)))
        if self.is_chosen(owner):
            answers = [self.has(one, name) for one in candidates(owner)]
            return answers[0] if all(a == answers[0] for a in answers) else None
        made = owner if isinstance(owner, Ref) and self.is_object(owner) else None
        own = None if made is None else self.heap[made.cell].cls
        if own is not None and modelled(own) is not own:
            return Const(hasattr(modelled(own), name))
        if made is not None and name in self.heap[made.cell].items:
            self.surely_there(made, name)
            return Const(True)
        if isinstance(owner, Argument) and owner.example is not None:
            there = hasattr(owner.example, name)
            self.tell_attribute(owner, name, there=there)
            return Const(there)
        cls = type_of(self.fact(owner))
        if cls is None or hasattr(cls, "__getattr__") or finds_otherwise(cls):
            return None
        if isinstance(owner, Argument) and self.class_of(owner) is cls:
            return None  # it may have fields of its own
        if isinstance(owner, Ref) and owner.cell in self.opened_from:
            argument = self.opened_from[owner.cell]
            self.tell_attribute(argument, name, there=gives(cls, name))
        self.tell_type(owner, lambda cls: gives(cls, name))
        return Const(gives(cls, name))

    def builtin_getattr(self, args: Args, kwargs: Kwargs) -> Value | None:
        """getattr(x, name[, default])."""
        name = self.known_value(self.as_given(args[1]))
        if name is None or not isinstance(name.value, str):
            self.refuse_call(
                "the name given to getattr is not a literal",
                "Write the name as a literal, or the attribute itself.",
            )
        if len(args) == 3 and self.runs_getter(args[0], name.value):
            value = taken(self, args[0], name.value)
            return args[2] if value is None else value
        if len(args) == 3:
            there = self.has(args[0], name.value)
            if isinstance(there, Const) and there.value is False:
                return args[2]
            if there is None and self.fact(args[0]).kind == "real":
                atoms = (self.atom(args[0]), name, self.atom(args[2]))
                return self.apply(getattr, atoms, fact=UNKNOWN)
        return self.attribute(args[0], name.value)

    def builtin_setattr(self, args: Args, kwargs: Kwargs) -> Value | None:
        """setattr(x, name, value)."""
        self.assign_attribute(args[0], self.name_to_set(args[1]), args[2])
        return NULL

    def plain_setattr(self, args: Args, kwargs: Kwargs) -> Value | None:
        """object.__setattr__(x, name, value), also where x is frozen."""
        self.set_attribute(args[0], self.name_to_set(args[1]), args[2])
        return NULL

    def name_to_set(self, value: Value) -> str:
        """The name that setattr is given."""
        name = self.known_value(value)
        if name is None or not isinstance(name.value, str):
            self.refuse_call(
                "the name given to setattr is not a literal",
                "Write the name as a literal, or the attribute itself.",
            )
        return name.value

    def builtin_delattr(self, args: Args, kwargs: Kwargs) -> NoReturn:
        """delattr(x, name)."""
        self.refuse_call(
            "a call deletes an attribute", "Give it another value, such as None."
        )

    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        """owner.name = value, whatever the class says of it."""
        raise NotImplementedError

    def own_setter(self, cls: type | None) -> Value | None:
        """The function by which a class sets fields; see instances.py."""
        raise NotImplementedError

    def assign_attribute(self, owner: Value, name: str, value: Value) -> None:
        """owner.name = value; see instances.py."""
        raise NotImplementedError

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

    def builtin_sum(self, args: Args, kwargs: Kwargs) -> Value | None:
        """sum(xs): added one after the other, as Python does."""
        named = dict(kwargs)
        start = args[1] if len(args) > 1 else named.get("start", Const(0))
        items = self.virtual_items(args[0])
        if items is None:
            return None
        floats = [v for v in (start, *items) if self.fact(v).kind in _MAY_BE_FLOATS]
        if COMPENSATES and len(floats) > 2 and self.are_numbers((start, *items)):
            given = [self.atom(TupleValue(items))]
            given += [] if start == Const(0) else [self.atom(start)]
            return self.apply(sum, given)
        total = start
        for item in items:
            total = self.operate(operator.add, total, item)
        return total

    def are_numbers(self, values: Iterable[Value]) -> bool:
        """Whether values are numbers, or may be."""
        kinds = (*_MAY_BE_FLOATS, "int", "bool", "scalar")
        return all(
            isinstance(v, (Var, Const)) and self.fact(v).kind in kinds for v in values
        )

    def virtual_items(self, value: Value) -> tuple[Value, ...] | None:
        """The items of what exists in the lowering alone."""
        of_class = isinstance(value, Const) and isinstance(value.value, enum.EnumMeta)
        if isinstance(value, (Var, Const)) and not of_class:
            return None
        return self.items_of(value)

    def builtin_max(self, args: Args, kwargs: Kwargs) -> Value | None:
        """max(a, b): the first of the largest."""
        return self.extreme(max, operator.gt, args, kwargs)

    def builtin_min(self, args: Args, kwargs: Kwargs) -> Value | None:
        """min(a, b): the first of the smallest."""
        return self.extreme(min, operator.lt, args, kwargs)

    def extreme(self, fn: Any, better: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """The extreme of literals, of the items of a container, or of arguments."""
        items: Sequence[Value] | None = args
        if len(args) == 1:
            items = self.virtual_items(args[0])
        if items is None:
            return None
        known = [self.known_value(v) for v in items]
        named = dict(kwargs)
        if all(k is not None for k in known) and not named and known:
            return Const(fn(k.value for k in known if k is not None))
        if "key" in named:
            return None  # see ordering.py
        if not items:  # without a default Python raises, where it stands
            return named.get("default")
        if len(items) == 1:
            return items[0]
        if len(args) == 1 or any(not isinstance(v, (Var, Const)) for v in items):
            atoms = [self.atom(v) for v in items]
            return self.apply(fn, atoms)
        return None

    def builtin_all(self, args: Args, kwargs: Kwargs) -> Value | None:
        """all(xs)."""
        return self.quantified(args[0], decisive=False)

    def builtin_any(self, args: Args, kwargs: Kwargs) -> Value | None:
        """any(xs)."""
        return self.quantified(args[0], decisive=True)

    def quantified(self, value: Value, *, decisive: bool) -> Value | None:
        """Whether all, or any, of the items of a virtual container are true."""
        items = self.virtual_items(value)
        if items is None:
            return None
        atoms: list[Atom] = []
        for item in items:
            test = self.truth(item)
            if test is decisive and not atoms:
                return Const(decisive)
            if test is decisive or not isinstance(test, bool):
                atoms.append(Const(test) if isinstance(test, bool) else test)
        if not atoms:
            return Const(not decisive)
        built = self.atom(TupleValue(tuple(atoms)))
        return self.apply(any if decisive else all, (built,), fact=BOOL)

    def builtin_reduce(self, args: Args, kwargs: Kwargs) -> Value | None:
        """functools.reduce(f, xs[, start])."""
        known = self.items_of(self.run_through(args[1]))
        if known is None and self.fixed is None:
            model = (
                function_models.reduced
                if len(args) == 2
                else function_models.reduced_from
            )
            return self.call(Const(model, model.__name__), args)
        items = list(self.known_items(args[1], self.node))
        if len(args) == 3:
            items.insert(0, args[2])
        if not items:
            self.refuse_call(
                "`reduce` has no items and no initial value",
                "Give `reduce` an initial value.",
            )
        total = items[0]
        for item in items[1:]:
            total = self.call(args[0], (total, item))
        return total

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

    # ------------------------------------------------------------ lazy iterables

    def lazy_items(self, lazy: Lazy) -> tuple[Value, ...] | None:
        """The items of range, zip, enumerate and the like, where known."""
        if lazy.fn is range:
            known = [self.known_value(a) for a in lazy.args]
            if any(k is None for k in known):
                return None
            bounds: list[Any] = [k.value for k in known if k is not None]
            if bounds[2:] == [0]:  # which raises
                return None
            return tuple(Const(i) for i in range(*bounds))
        if lazy.fn in (map, filter):
            return self.mapped(lazy)
        parts = lazy.args[: None if lazy.fn is not enumerate else 1]
        found = [self.items_of(arg) for arg in parts]
        if any(c is not None and not all(map(self.is_plain_value, c)) for c in found):
            # Functions and strings cannot be run over by the text.
            found = [
                c or self.rows_of(a) or self.items_of_table(a)
                for c, a in zip(found, parts, strict=True)
            ]
        columns = [c for c in found if c is not None]
        if len(columns) < len(parts):
            return None
        if lazy.fn is enumerate:
            return self.enumerated(lazy, columns[0])
        if lazy.fn is reversed:
            return columns[0][::-1]
        if lazy.fn is zip:
            if dict(lazy.kwargs).get("strict", FALSE) != FALSE:
                self.check_lengths(columns)
            return tuple(TupleValue(row) for row in zip(*columns, strict=False))
        return None

    def check_lengths(self, columns: Sequence[Args]) -> None:
        """Refuse zip(..., strict=True) of what is of several lengths."""
        if len({len(column) for column in columns}) > 1:
            self.refuse_call(
                "`zip` with `strict` is given arguments of different lengths",
                "Give it arguments of one length.",
            )

    def is_plain_value(self, value: Value) -> bool:
        """Whether a value is a number, or made of numbers."""
        if isinstance(value, TupleValue):
            return all(map(self.is_plain_value, value.items))
        return self.fact(value).is_numeric

    def enumerated(self, lazy: Lazy, items: Args) -> tuple[Value, ...] | None:
        """enumerate(xs, start)."""
        first = dict(lazy.kwargs).get("start", Const(0))
        start = self.known_value(lazy.args[1] if len(lazy.args) > 1 else first)
        if start is None or not isinstance(start.value, int):
            return None
        return tuple(
            TupleValue((Const(start.value + k), item)) for k, item in enumerate(items)
        )

    def mapped(self, lazy: Lazy) -> tuple[Value, ...] | None:
        """map(f, xs), filter(f, xs): run through at once."""
        function, *iterables = lazy.args
        columns = [self.items_of(a) for a in iterables]
        if any(c is None for c in columns):
            return None
        rows = list(zip(*(c for c in columns if c is not None), strict=False))
        if lazy.fn is map:
            return tuple(self.call(function, row) for row in rows)
        kept = []
        for (item,) in rows:
            none = isinstance(function, Const) and function.value is None
            test = self.truth(item if none else self.call(function, (item,)))
            if not isinstance(test, bool):
                return None
            if test:
                kept.append(item)
        return tuple(kept)

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
