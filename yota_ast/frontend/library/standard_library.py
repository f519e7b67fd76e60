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
import operator
import sys
import types
import warnings
from types import ModuleType
from typing import Any, Final

import numpy as np

from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Cell,
    Partial,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.interpret.statements import Statements
from yota_ast.frontend.library import copying
from yota_ast.frontend.library.builtin_functions import Builtins, Handler
from yota_ast.frontend.library.builtin_reductions import BuiltinReductions
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.tables.keyed_dicts import KEYED
from yota_ast.frontend.tables.keyed_places import PLACES
from yota_ast.ir.abstract_values import NONE
from yota_ast.ir.atoms import Const
from yota_ast.ir.nodes import Form

LEVELS: Final = ("debug", "info", "warning", "error", "critical", "exception", "log")

# ---------------------------------------------------------------- dataclasses


def _fields_of(lowering: Component, value: Value) -> dict[str, Value] | None:
    """The fields of an instance of a dataclass, in order."""
    cls = ObjectChoice.of(lowering).class_of(value)
    if cls is None or not dataclasses.is_dataclass(cls):
        return None
    return {
        f.name: Language.of(lowering).attribute(value, f.name)
        for f in dataclasses.fields(cls)
    }


def _fields(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """fields(C), fields(c)."""
    value = args[0]
    cls = (
        value.value
        if isinstance(value, Const)
        else ObjectChoice.of(lowering).class_of(value)
    )
    cls = cls if isinstance(cls, type) else type(cls)
    if not dataclasses.is_dataclass(cls):
        return None
    return TupleValue(tuple(Const(f, "field") for f in dataclasses.fields(cls)))


def _astuple(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """astuple(c): its fields copied, those of dataclasses within as tuples."""
    known = _fields_of(lowering, args[0])
    if known is None or kwargs or len(args) > 1:
        return None
    items = [_part_as(lowering, _astuple, v) for v in known.values()]
    return TupleValue(tuple(items))


def _asdict(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """asdict(c)."""
    known = _fields_of(lowering, args[0])
    if known is None or kwargs or len(args) > 1:
        return None
    items = {k: _part_as(lowering, _asdict, v) for k, v in known.items()}
    return Cells.of(lowering).new_cell(Cell("dict", items, dict))


def _part_as(lowering: Component, convert: Handler, value: Value) -> Value:
    """A part of what asdict or astuple is given: dataclasses in lists, tuples and dicts
    are converted too, each time that they are met; all else is copied."""
    cells = Cells.of(lowering)
    made = convert(lowering, (value,), ())
    if made is not None:
        return made
    value = copying.as_container(lowering, value)
    if isinstance(value, TupleValue):
        items = tuple(_part_as(lowering, convert, v) for v in value.items)
        return TupleValue(items, value.cls)
    cell = cells.heap[value.cell] if isinstance(value, Ref) else None
    if cell is None or cell.var is not None or cell.cls not in (list, dict):
        return _copy_of_field(lowering, value)
    held = {k: _part_as(lowering, convert, v) for k, v in cell.items.items()}
    return cells.new_cell(
        dataclasses.replace(cell, items=held, fixed=False, source=None)
    )


def _copy_of_field(lowering: Component, value: Value) -> Value:
    """asdict and astuple give deep copies."""
    made = copying.deep(lowering, (value,), ())
    assert made is not None
    return made


def _replace(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """replace(c, field=value): a new instance."""
    known = _fields_of(lowering, args[0])
    if known is None:
        return None
    cls: Any = ObjectChoice.of(lowering).class_of(args[0])
    return Language.of(lowering).call(
        Const(cls, cls.__name__, cls.__module__),
        (),
        tuple((known | dict(kwargs)).items()),
    )


# ---------------------------------------------------------------- inspect


def _signature(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """signature(f) of a function that exists already."""
    if len(args) != 1 or kwargs or not isinstance(args[0], Const):
        return None
    try:
        return Const(inspect.signature(args[0].value), "signature")  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _binder(*, partial: bool) -> Handler:
    def handler(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
        """signature.bind(*args, **kwargs): what each parameter gets."""
        cells = Cells.of(lowering)
        own, *given = args
        if not isinstance(own, Const):
            return None
        signature: Any = own.value
        bind = signature.bind_partial if partial else signature.bind
        try:
            bound = bind(*given, **dict(kwargs))
        except TypeError as error:
            Position.of(lowering).refuse_call(
                f"the arguments do not fit: {error}", "Correct the call."
            )
        items: dict[Any, Value] = {}
        for name, value in bound.arguments.items():
            kind = signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                items[name] = TupleValue(value)
            elif kind is inspect.Parameter.VAR_KEYWORD:
                items[name] = cells.new_cell(Cell("dict", dict(value), dict))
            else:
                items[name] = value
        arguments = cells.new_cell(Cell("dict", items, dict))
        fields: dict[str, Any] = {
            "arguments": arguments, "signature": own, "_signature": own
        }  # fmt: skip
        return cells.new_cell(Cell("object", fields, inspect.BoundArguments))

    return handler


def _bound_items(lowering: Component, bound: Value) -> tuple[Any, dict[Any, Value]]:
    assert isinstance(bound, Ref)
    cell = Cells.of(lowering).heap[bound.cell]
    arguments = cell.items["arguments"]
    signature: Any = cell.items["signature"]
    return signature.value, KnownItems.of(lowering).known_mapping(
        arguments, Position.of(lowering).node
    )


def _bound_args(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """bound.args."""
    signature, items = _bound_items(lowering, args[0])
    found: list[Value] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY):
            break
        if name not in items:
            break
        if parameter.kind is parameter.VAR_POSITIONAL:
            found += KnownItems.of(lowering).known_items(
                items[name], Position.of(lowering).node
            )
        else:
            found.append(items[name])
    return TupleValue(tuple(found))


def _bound_kwargs(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """bound.kwargs."""
    signature, items = _bound_items(lowering, args[0])
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
                found |= KnownItems.of(lowering).known_mapping(
                    items[name], Position.of(lowering).node
                )
            else:
                found[name] = items[name]
    return Cells.of(lowering).new_cell(Cell("dict", found, dict))


def _apply_defaults(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """bound.apply_defaults()."""
    cells = Cells.of(lowering)
    signature, items = _bound_items(lowering, args[0])
    assert isinstance(args[0], Ref)
    filled: dict[Any, Value] = {}
    for name, parameter in signature.parameters.items():
        if name in items:
            filled[name] = items[name]
        elif parameter.default is not parameter.empty:
            filled[name] = UserCalls.of(lowering).default_of(parameter.default, name)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            filled[name] = TupleValue(())
        elif parameter.kind is parameter.VAR_KEYWORD:
            filled[name] = cells.new_cell(Cell("dict", {}, dict))
    arguments = cells.new_cell(Cell("dict", filled, dict))
    cells.put(args[0].cell, "arguments", arguments)
    return NULL


# ---------------------------------------------------------------- others


def _quantifier(*, decisive: bool) -> Handler:
    def handler(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
        """np.any and np.all of a list of literals."""
        items = (
            BuiltinReductions.of(lowering).virtual_items(args[0])
            if len(args) == 1 and not kwargs
            else None
        )
        if items is None:
            return None
        known = [ValueAssumptions.of(lowering).known_value(v) for v in items]
        if any(k is None or not isinstance(k.value, bool) for k in known):
            return None
        found = any if decisive else all
        return Const(found(k.value for k in known if k is not None))

    return handler


def _logging(name: str) -> Handler:
    def handler(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
        """logger.info(...) of a logger outside the function: once, in its place."""
        owner = args[0]
        logger = sys.modules["logging"].Logger
        if not isinstance(owner, Const) or not isinstance(owner.value, logger):
            return None
        method = getattr(type(owner.value), name)
        return _logged(lowering, method, name, args, kwargs, form="method")

    return handler


def _log_function(name: str) -> Handler:
    def handler(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
        """logging.info(...)."""
        fn = getattr(sys.modules["logging"], name)
        return _logged(lowering, fn, name, args, kwargs)

    return handler


def logging_models(logging: ModuleType) -> dict[Any, Handler]:
    """What stands for the functions of `logging`, and for the methods of loggers."""
    of_loggers = {getattr(logging.Logger, name): _logging(name) for name in LEVELS}
    return of_loggers | {getattr(logging, n): _log_function(n) for n in LEVELS}


def _logged(
    lowering: Component,
    fn: Any,
    text: str,
    args: Args,
    kwargs: Kwargs,
    form: Form = "call",
) -> Value:
    language = Language.of(lowering)
    atoms = [language.atom(a) for a in args]
    named = [(k, language.atom(v)) for k, v in kwargs]
    return Operations.of(lowering).apply(
        fn, atoms, named, form=form, spelling=text, fact=NONE, effect=True
    )


def _warned(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """warnings.warn(message), which may tell of numbers."""
    return _logged(lowering, warnings.warn, "warnings.warn", args, kwargs)


def _namespace(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """SimpleNamespace(a=x): an object of these fields."""
    if args:
        return None
    return Cells.of(lowering).new_cell(
        Cell("object", dict(kwargs), types.SimpleNamespace)
    )


def _ordered(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """OrderedDict(...): every dict is one."""
    return _dict_of(lowering, collections.OrderedDict, args, kwargs)


def _dict_of(lowering: Component, cls: type, args: Args, kwargs: Kwargs) -> Ref:
    """A dict of another class."""
    cells = Cells.of(lowering)
    made = Builtins.of(lowering).builtin_dict(args, kwargs)
    assert isinstance(made, Ref)
    if cells.heap[made.cell].kind == "object":
        cls = KEYED[cls]
    cells.heap[made.cell] = dataclasses.replace(cells.heap[made.cell], cls=cls)
    return made


def _of_keys(cls: type) -> Handler:
    def handler(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
        """dict.fromkeys(keys, value): the same value at every key."""
        if kwargs or not 1 <= len(args) <= 2:
            return None
        value = args[1] if len(args) == 2 else NULL
        known = KnownItems.of(lowering)
        items = known.items_apart(args[0]), known.items_of_table(args[0])
        if cls is dict and items == (None, None):
            model = Const(function_models.keyed, "keyed")
            return Language.of(lowering).call(model, (args[0], value))
        keys = known.known_items(args[0], Position.of(lowering).node)
        pairs = TupleValue(tuple(TupleValue((key, value)) for key in keys))
        return _dict_of(lowering, cls, (pairs,), ())

    return handler


def _defaulting(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """defaultdict(factory): what a missing key gets is made where it is read."""
    made = _dict_of(lowering, collections.defaultdict, args[1:], kwargs)
    if not args or args[0] == NULL:
        return made
    if Cells.of(lowering).heap[made.cell].kind == "object":
        Cells.of(lowering).put(made.cell, "default_factory", args[0])
    else:
        KeyedItems.of(lowering).factories[made.cell] = args[0]
    return made


def _itemgetter(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """itemgetter(key)."""
    return Partial(Const(_got_item), tuple(args), ())


def _attrgetter(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """attrgetter(name)."""
    return Partial(Const(_got_attribute), tuple(args), ())


def _got_attribute(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """attrgetter(*names)(owner)."""
    *names, owner = args
    items: list[Value] = []
    for name in names:
        if not isinstance(name, Const) or not isinstance(name.value, str):
            return None
        item = owner
        for part in name.value.split("."):
            item = Language.of(lowering).attribute(item, part)
        items.append(item)
    return items[0] if len(items) == 1 else TupleValue(tuple(items))


def _methodcaller(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """methodcaller(name, *args)."""
    return Partial(Const(_called_method), tuple(args), tuple(kwargs))


def _called_method(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """methodcaller(name, *args)(owner)."""
    language = Language.of(lowering)
    name, *given, owner = args
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return None
    return language.call(language.attribute(owner, name.value), tuple(given), kwargs)


def _got_item(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """itemgetter(*keys)(owner)."""
    *keys, owner = args
    items = tuple(Language.of(lowering).subscript(owner, key) for key in keys)
    return items[0] if len(items) == 1 else TupleValue(items)


def _argument_names(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
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


def _named_tuple(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """namedtuple("Point", ["x", "y"]): a class, if its words are known."""
    names = ("typename", "field_names")
    given: dict[str, Value] = dict(zip(names, args, strict=False)) | dict(kwargs)
    words = [_words(lowering, given[name]) for name in names if name in given]
    if len(given) != len(names) or len(words) != len(names) or None in words:
        Position.of(lowering).refuse_call(
            "the class that `namedtuple` makes here is unknown",
            "Give its name and fields alone, as literals, or make it in the module.",
        )
    cls = _class_of_tuples(*words)
    return Const(cls, cls.__name__)


def _words(lowering: Component, value: Value) -> Any:
    """A string, or a tuple of such; None where one is unknown."""
    items = ItemsAndTruth.of(lowering).sequence_items(value)
    if items is not None:
        words = tuple(_words(lowering, item) for item in items)
        return None if None in words else words
    known = value.value if isinstance(value, Const) else None
    return known if isinstance(known, str) else None


@functools.cache
def _class_of_tuples(name: str, fields: str | tuple[str, ...]) -> type:
    return collections.namedtuple(name, fields)  # noqa: PYI024  as the function does


def _import_module(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """importlib.import_module("a.b"): as `import a.b` within the function."""
    assumptions = ValueAssumptions.of(lowering)
    known = assumptions.known_value(assumptions.as_given(args[0]))
    if len(args) > 1 or kwargs or known is None:
        Position.of(lowering).refuse_call(
            "the name of the module is unknown",
            "Write the name as a literal, or bind it with functools.partial.",
        )
    module = Statements.of(lowering).imported(str(known.value))
    if Blocks.of(lowering).ended:  # in a `try`, where it is not there
        return NULL
    return Const(module, module.__name__.rpartition(".")[2], module.__name__)


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
    warnings.warn: _warned,
    types.SimpleNamespace: _namespace,
    collections.OrderedDict: _ordered,
    collections.defaultdict: _defaulting,
    **PLACES,
    collections.namedtuple: _named_tuple,  # noqa: PYI024
    **{cls.fromkeys: _of_keys(cls) for cls in (dict, *_DICTS)},
    operator.itemgetter: _itemgetter,
    operator.attrgetter: _attrgetter,
    operator.methodcaller: _methodcaller,
    importlib.import_module: _import_module,
    _got_item: _got_item,
    _got_attribute: _got_attribute,
    _called_method: _called_method,
    np.any: _quantifier(decisive=True),
    np.all: _quantifier(decisive=False),
}
"""What is done in place of a call of a function."""
