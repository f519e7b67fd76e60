"""Functions of the standard library that take objects apart or copy them.

`copy`, `dataclasses` and `inspect.signature` work on the virtual objects, dicts and
functions of the lowering: what they give is known, and needs no op.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import importlib
import inspect
import logging
import operator
import types
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from yota_ast.frontend.expressions.folding import is_type
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Cell,
    Partial,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.library import copying
from yota_ast.frontend.library.builtin_functions import Handler
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.ir.abstract_values import NONE
from yota_ast.ir.atoms import Const
from yota_ast.syntax.value_paths import attribute_text

LEVELS: Final = ("debug", "info", "warning", "error", "critical", "exception", "log")

# ---------------------------------------------------------------- dataclasses


def _fields_of(self: Any, value: Value) -> dict[str, Value] | None:
    """The fields of an instance of a dataclass, in order."""
    cls = self.class_of(value)
    if cls is None or not dataclasses.is_dataclass(cls):
        return None
    return {f.name: self.attribute(value, f.name) for f in dataclasses.fields(cls)}


def _fields(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """fields(C), fields(c)."""
    value = args[0]
    cls = value.value if isinstance(value, Const) else self.class_of(value)
    cls = cls if isinstance(cls, type) else type(cls)
    if not dataclasses.is_dataclass(cls):
        return None
    return TupleValue(tuple(Const(f, "field") for f in dataclasses.fields(cls)))


def _astuple(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """astuple(c): its fields copied, those of dataclasses within as tuples."""
    known = _fields_of(self, args[0])
    if known is None or kwargs or len(args) > 1:
        return None
    items = [_part_as(self, _astuple, v) for v in known.values()]
    return TupleValue(tuple(items))


def _asdict(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """asdict(c)."""
    known = _fields_of(self, args[0])
    if known is None or kwargs or len(args) > 1:
        return None
    items = {k: _part_as(self, _asdict, v) for k, v in known.items()}
    made: Value = self.new_cell(Cell("dict", items, dict))
    return made


def _part_as(self: Any, convert: Handler, value: Value) -> Value:
    """A part of what asdict or astuple is given: dataclasses in lists, tuples and dicts
    are converted too, each time that they are met; all else is copied."""
    made = convert(self, (value,), ())
    if made is not None:
        return made
    value = copying.as_container(self, value)
    if isinstance(value, TupleValue):
        items = tuple(_part_as(self, convert, v) for v in value.items)
        return TupleValue(items, value.cls)
    cell = self.heap[value.cell] if isinstance(value, Ref) else None
    if cell is None or cell.var is not None or cell.cls not in (list, dict):
        return _copy_of_field(self, value)
    held = {k: _part_as(self, convert, v) for k, v in cell.items.items()}
    copied: Value = self.new_cell(
        dataclasses.replace(cell, items=held, fixed=False, source=None)
    )
    return copied


def _copy_of_field(self: Any, value: Value) -> Value:
    """asdict and astuple give deep copies."""
    made = copying.deep(self, (value,), ())
    assert made is not None
    return made


def _replace(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """replace(c, field=value): a new instance."""
    known = _fields_of(self, args[0])
    if known is None:
        return None
    cls = self.class_of(args[0])
    made: Value = self.call(
        Const(cls, cls.__name__, cls.__module__),
        (),
        tuple((known | dict(kwargs)).items()),
    )
    return made


# ---------------------------------------------------------------- inspect


def _signature(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """signature(f) of a function that exists already."""
    if len(args) != 1 or kwargs or not isinstance(args[0], Const):
        return None
    try:
        return Const(inspect.signature(args[0].value), "signature")  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _binder(*, partial: bool) -> Handler:
    def handler(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """signature.bind(*args, **kwargs): what each parameter gets."""
        own, *given = args
        if not isinstance(own, Const):
            return None
        signature: Any = own.value
        bind = signature.bind_partial if partial else signature.bind
        try:
            bound = bind(*given, **dict(kwargs))
        except TypeError as error:
            self.refuse_call(f"the arguments do not fit: {error}", "Correct the call.")
        items: dict[Any, Value] = {}
        for name, value in bound.arguments.items():
            kind = signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                items[name] = TupleValue(value)
            elif kind is inspect.Parameter.VAR_KEYWORD:
                items[name] = self.new_cell(Cell("dict", dict(value), dict))
            else:
                items[name] = value
        arguments = self.new_cell(Cell("dict", items, dict))
        fields = {"arguments": arguments, "signature": own, "_signature": own}
        made: Value = self.new_cell(Cell("object", fields, inspect.BoundArguments))
        return made

    return handler


def _bound_items(self: Any, bound: Value) -> tuple[Any, dict[Any, Value]]:
    assert isinstance(bound, Ref)
    cell = self.heap[bound.cell]
    arguments = cell.items["arguments"]
    return cell.items["signature"].value, self.known_mapping(arguments, self.node)


def _bound_args(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """bound.args."""
    signature, items = _bound_items(self, args[0])
    found: list[Value] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY):
            break
        if name not in items:
            break
        if parameter.kind is parameter.VAR_POSITIONAL:
            found += self.known_items(items[name], self.node)
        else:
            found.append(items[name])
    return TupleValue(tuple(found))


def _bound_kwargs(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """bound.kwargs."""
    signature, items = _bound_items(self, args[0])
    found: dict[Any, Value] = {}
    named = False
    for name, parameter in signature.parameters.items():
        if not named and parameter.kind in (
            parameter.VAR_KEYWORD,
            parameter.KEYWORD_ONLY,
        ):
            named = True
        elif not named and name not in items:
            named = True
            continue
        if named and name in items:
            if parameter.kind is parameter.VAR_KEYWORD:
                found |= self.known_mapping(items[name], self.node)
            else:
                found[name] = items[name]
    made: Value = self.new_cell(Cell("dict", found, dict))
    return made


def _apply_defaults(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """bound.apply_defaults()."""
    signature, items = _bound_items(self, args[0])
    assert isinstance(args[0], Ref)
    filled: dict[Any, Value] = {}
    for name, parameter in signature.parameters.items():
        if name in items:
            filled[name] = items[name]
        elif parameter.default is not parameter.empty:
            filled[name] = self.default_of(parameter.default, name)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            filled[name] = TupleValue(())
        elif parameter.kind is parameter.VAR_KEYWORD:
            filled[name] = self.new_cell(Cell("dict", {}, dict))
    arguments = self.new_cell(Cell("dict", filled, dict))
    self.put(args[0].cell, "arguments", arguments)
    return NULL


# ---------------------------------------------------------------- others


def _str(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """str(s) of a string is that string; of a parameter it never changes."""
    if len(args) != 1 or kwargs:
        return None
    if isinstance(args[0], Const) and isinstance(args[0].value, inspect.Parameter):
        return Const(str(args[0].value))
    return args[0] if self.fact(args[0]).kind == "str" else None


def _quantifier(*, decisive: bool) -> Handler:
    def handler(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """np.any and np.all of a list of literals."""
        items = self.virtual_items(args[0]) if len(args) == 1 and not kwargs else None
        if items is None:
            return None
        known = [self.known_value(v) for v in items]
        if any(k is None or not isinstance(k.value, bool) for k in known):
            return None
        found = any if decisive else all
        return Const(found(k.value for k in known if k is not None))

    return handler


def _logging(name: str) -> Handler:
    def handler(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """logger.info(...) of a logger outside the function: once, in its place."""
        owner, *given = args
        if not isinstance(owner, Const) or not isinstance(owner.value, logging.Logger):
            return None
        text = attribute_text(owner.text, name) if owner.text else name
        return _logged(self, getattr(owner.value, name), text, given, kwargs)

    return handler


def _log_function(name: str) -> Handler:
    def handler(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """logging.info(...)."""
        return _logged(self, getattr(logging, name), name, args, kwargs)

    return handler


def _logged(self: Any, fn: Any, text: str, args: Args, kwargs: Kwargs) -> Value:
    atoms = [self.atom(a) for a in args]
    named = [(k, self.atom(v)) for k, v in kwargs]
    made: Value = self.apply(fn, atoms, named, spelling=text, fact=NONE, effect=True)
    return made


def _warned(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """warnings.warn(message), which may tell of numbers."""
    return _logged(self, warnings.warn, "warnings.warn", args, kwargs)


def _namespace(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """SimpleNamespace(a=x): an object of these fields."""
    if args:
        return None
    made: Value = self.new_cell(Cell("object", dict(kwargs), types.SimpleNamespace))
    return made


def _ordered(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """OrderedDict(...): every dict is one."""
    return _dict_of(self, collections.OrderedDict, args, kwargs)


def _dict_of(self: Any, cls: type, args: Args, kwargs: Kwargs) -> Ref:
    """A dict of another class."""
    made: Value = self.builtin_dict(args, kwargs)
    assert isinstance(made, Ref)
    self.heap[made.cell] = dataclasses.replace(self.heap[made.cell], cls=cls)
    return made


def _of_keys(cls: type) -> Handler:
    def handler(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """dict.fromkeys(keys, value): the same value at every key."""
        if kwargs or not 1 <= len(args) <= 2:
            return None
        value = args[1] if len(args) == 2 else NULL
        keys = self.known_items(args[0], self.node)
        pairs = TupleValue(tuple(TupleValue((key, value)) for key in keys))
        return _dict_of(self, cls, (pairs,), ())

    return handler


def _defaulting(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """defaultdict(factory): what a missing key gets is made where it is read."""
    made = _dict_of(self, collections.defaultdict, args[1:], kwargs)
    if args and args[0] != NULL:
        self.factories[made.cell] = args[0]
    return made


def _itemgetter(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """itemgetter(key)."""
    return Partial(Const(_got_item), tuple(args), ())


def _attrgetter(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """attrgetter(name)."""
    return Partial(Const(_got_attribute), tuple(args), ())


def _got_attribute(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """attrgetter(*names)(owner)."""
    *names, owner = args
    items: list[Value] = []
    for name in names:
        if not isinstance(name, Const) or not isinstance(name.value, str):
            return None
        item = owner
        for part in name.value.split("."):
            item = self.attribute(item, part)
        items.append(item)
    return items[0] if len(items) == 1 else TupleValue(tuple(items))


def _methodcaller(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """methodcaller(name, *args)."""
    return Partial(Const(_called_method), tuple(args), tuple(kwargs))


def _called_method(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """methodcaller(name, *args)(owner)."""
    name, *given, owner = args
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return None
    made: Value = self.call(self.attribute(owner, name.value), tuple(given), kwargs)
    return made


def _got_item(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """itemgetter(*keys)(owner)."""
    *keys, owner = args
    items = tuple(self.subscript(owner, key) for key in keys)
    return items[0] if len(items) == 1 else TupleValue(items)


def _argument_names(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """inspect.getfullargspec(f)."""
    if kwargs or not isinstance(args[0], Const) or not callable(args[0].value):
        return None
    found = inspect.getfullargspec(args[0].value)
    return TupleValue(tuple(map(_constant, found)), inspect.FullArgSpec)


def _constant(value: object) -> Value:
    """A value that is looked at, and never changed."""
    if isinstance(value, (list, tuple)):
        return TupleValue(tuple(map(_constant, value)))
    return Const(value)


def _named_tuple(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """namedtuple("Point", ["x", "y"]): a class, if its words are known."""
    names = ("typename", "field_names")
    given: dict[str, Value] = dict(zip(names, args, strict=False)) | dict(kwargs)
    words = [_words(self, given[name]) for name in names if name in given]
    if len(given) != len(names) or len(words) != len(names) or None in words:
        self.refuse_call(
            "the class that `namedtuple` makes here is unknown",
            "Give its name and fields alone, as literals, or make it in the module.",
        )
    cls = _class_of_tuples(*words)
    return Const(cls, cls.__name__)


def _words(self: Any, value: Value) -> Any:
    """A string, or a tuple of such; None where one is unknown."""
    items = self.sequence_items(value)
    if items is not None:
        words = tuple(_words(self, item) for item in items)
        return None if None in words else words
    known = value.value if isinstance(value, Const) else None
    return known if isinstance(known, str) else None


@functools.cache
def _class_of_tuples(name: str, fields: str | tuple[str, ...]) -> type:
    return collections.namedtuple(name, fields)  # noqa: PYI024  as the function does


def _import_module(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """importlib.import_module("a.b"): as `import a.b` within the function."""
    known = self.known_value(self.as_given(args[0]))
    if len(args) > 1 or kwargs or known is None:
        self.refuse_call(
            "the name of the module is unknown",
            "Write the name as a literal, or bind it with functools.partial.",
        )
    module = self.imported(known.value)
    if self.ended:  # in a `try`, where it is not there
        return NULL
    return Const(module, module.__name__.rpartition(".")[2], module.__name__)


def _of_types(fn: Callable[..., Any]) -> Handler:
    def handler(self: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """np.issubdtype(x.dtype, np.floating), where the types are known."""
        types_known = all(isinstance(a, Const) and is_type(a.value) for a in args)
        if not types_known or kwargs:
            return None
        try:
            return Const(fn(*(a.value for a in args if isinstance(a, Const))))
        except TypeError:  # the text raises it when it runs
            return None

    return handler


def _property(cls: type, name: str) -> Any:
    found: Any = inspect.getattr_static(cls, name)
    return found.fget


_DICTS: Final = (collections.OrderedDict, collections.defaultdict)

STANDARD: Final[dict[Any, Handler]] = {
    copy.copy: copying.shallow,
    copy.deepcopy: copying.deep,
    dataclasses.fields: _fields,
    dataclasses.astuple: _astuple,
    dataclasses.asdict: _asdict,
    dataclasses.replace: _replace,
    inspect.signature: _signature,
    inspect.getfullargspec: _argument_names,
    inspect.Signature.bind: _binder(partial=False),
    inspect.Signature.bind_partial: _binder(partial=True),
    inspect.BoundArguments.apply_defaults: _apply_defaults,
    _property(inspect.BoundArguments, "args"): _bound_args,
    _property(inspect.BoundArguments, "kwargs"): _bound_kwargs,
    **{getattr(logging.Logger, name): _logging(name) for name in LEVELS},
    **{getattr(logging, name): _log_function(name) for name in LEVELS},
    warnings.warn: _warned,
    types.SimpleNamespace: _namespace,
    collections.OrderedDict: _ordered,
    collections.defaultdict: _defaulting,
    collections.namedtuple: _named_tuple,  # noqa: PYI024
    **{cls.fromkeys: _of_keys(cls) for cls in (dict, *_DICTS)},
    operator.itemgetter: _itemgetter,
    operator.attrgetter: _attrgetter,
    operator.methodcaller: _methodcaller,
    importlib.import_module: _import_module,
    np.issubdtype: _of_types(np.issubdtype),
    np.can_cast: _of_types(np.can_cast),
    np.promote_types: _of_types(np.promote_types),
    np.result_type: _of_types(np.result_type),
    np.dtype: _of_types(np.dtype),
    _got_item: _got_item,
    _got_attribute: _got_attribute,
    _called_method: _called_method,
    str: _str,
    np.any: _quantifier(decisive=True),
    np.all: _quantifier(decisive=False),
}
"""What is done in place of a call of a function."""
