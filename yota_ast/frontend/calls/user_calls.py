"""Calls: a primitive becomes an op, a function of the user's is lowered in place."""

from __future__ import annotations

import contextlib
import enum
import functools
import inspect
import sys
import types
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import (
    UnsupportedCall,
    UnsupportedSyntax,
)
from yota_ast.frontend.calls.argument_binding import by_position, finds_stack_level
from yota_ast.frontend.calls.each_element import Named, called_for_each, python_of_call
from yota_ast.frontend.calls.generalisation import Generalisation
from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.calls.opaque_calls import OpaqueCalls
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.expressions.expressions import EXPRESSIONS
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Bound,
    Cell,
    Closure,
    Either,
    Generator,
    MethodOf,
    Node,
    OneOf,
    Partial,
    Ref,
    Value,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.library.builtin_functions import Builtins
from yota_ast.frontend.library.cached_functions import cached_call
from yota_ast.frontend.library.value_methods import ValueMethods
from yota_ast.frontend.source.context_decorators import undecorated, with_settings
from yota_ast.frontend.source.numba_functions import (
    is_parallel_range,
    superseded,
)
from yota_ast.frontend.source.source_refusals import not_a_function
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.ir.abstract_values import UNKNOWN
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import (
    Apply,
    Raise,
)
from yota_ast.support.kept_functions import Kept
from yota_ast.support.proxies import poses_as_another
from yota_ast.support.public_names import may_be_followed
from yota_ast.support.transform import Transform, name_of
from yota_ast.support.value_classes import plain_number
from yota_ast.syntax import nodes
from yota_ast.syntax.value_paths import attribute_text, class_text, item_text

DISPATCH: Final = functools.singledispatch(lambda x: x).dispatch.__code__
"""The code of `dispatch` of all functions that functools.singledispatch makes."""


CONTEXT_MANAGER: Final = contextlib.contextmanager(lambda: iter(())).__code__
"""The code of what contextlib.contextmanager makes of any function."""


class UserCalls(Component):
    """What a call does."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    kinds = uses(ValueKinds)
    object_attributes = uses(ObjectAttributes)
    builtins = uses(Builtins)
    value_methods = uses(ValueMethods)
    generalisation = uses(Generalisation)
    opaque_calls = uses(OpaqueCalls)
    inlining = uses(Inlining)

    @EXPRESSIONS.handles("Call")
    @extensible
    def eval_Call(self, node: Node) -> Value:
        """f(a, *b, k=c, **d)."""
        whole = self.position.take_whole(node)
        before, made = self.blocks.ended, self.cells.cells_made
        if isinstance(node.func, nodes.Attribute):
            changed = self.call_of_chosen_container(node)
            if changed is not None:
                return changed
        function = self.language.evaluate(node.func)
        if self.blocks.ended and not before:  # there is no such attribute
            return NULL
        if isinstance(function, Const) and function.value is super:
            return self.super_of(node)
        turned = self.turned(function, node)
        if turned is not None:
            return turned
        args, kwargs = self.given(function, node)
        self.generalisation.begin_call(made)
        try:
            with self.position.lock(locked=whole):
                return self.language.call(function, args, kwargs)
        finally:
            self.generalisation.begin_call()

    @extensible
    def call_of_chosen_container(self, node: Node) -> Value | None:
        """groups[k].append(x); see chosen_receivers.py."""
        raise NotImplementedError

    def given(
        self, function: Value, node: Node
    ) -> tuple[Sequence[Value], list[tuple[str, Value]]]:
        """The arguments of a call, by position and by name."""
        args = self.arguments(function, node)
        kwargs: list[tuple[str, Value]] = []
        for keyword in node.keywords:
            if finds_stack_level(function, keyword, self.language.evaluate):
                continue
            value = self.language.evaluate(keyword.value)
            if keyword.arg is None:
                known = self.known_items.known_mapping(value, keyword.value)
                kwargs += [(str(k), v) for k, v in known.items()]
            else:
                kwargs.append((keyword.arg, value))
        return args, kwargs

    @extensible
    def turned(self, function: Value, node: Node) -> Value | None:
        """The columns of rows, `zip(*rows)`; see applied_functions.py."""
        raise NotImplementedError

    @extensible
    def arguments(self, function: Value, node: Node) -> Sequence[Value]:
        """The arguments of a call; see effectful_iterators.py."""
        raise NotImplementedError

    @provides(Language.call)
    def call(
        self,
        function: Value,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]] = (),
    ) -> Value:
        """Call a value."""
        if isinstance(function, Const) and not self.opaque_calls.is_fitted(
            function.value
        ):
            self.opaque_calls.check_number_given(function, args)
            own = self.call_of(function)
            if own is not None:
                with self.assumptions.told_of_wrapper(function.value):
                    return self.language.call(own, (function, *args), kwargs)
            labelled = self.call_with_labels(function, args, kwargs)
            if labelled is not None:
                return labelled
            return self.call_constant(function, args, kwargs)
        if isinstance(function, Bound):
            if isinstance(function.owner, (Either, OneOf)):
                return self.call_of_chosen(function, args, kwargs)
            return self.language.call(
                function.function, (function.owner, *args), kwargs
            )
        if isinstance(function, Partial):
            named = dict(function.kwargs) | dict(kwargs)
            return self.language.call(
                function.function, (*function.args, *args), tuple(named.items())
            )
        if isinstance(function, Closure):
            return self.inlining.call_closure(function, args, kwargs)
        if isinstance(function, MethodOf):
            if not self.operations.fact(function.owner).is_numeric:
                self.language.noted("built in", f".{function.name}")
            return self.builtins.call_method(function, args, kwargs)
        if isinstance(function, (Either, OneOf)):
            return self.call_either(function, args, kwargs)
        if (
            isinstance(function, Const)
            or self.operations.fact(function).kind == "model"
        ):
            return self.builtins.call_method(
                MethodOf(function, "__call__"), args, kwargs
            )
        method = self.kinds.special_method(function, "__call__")
        if method is not None:
            return self.language.call(method, (function, *args), kwargs)
        settings = self.settings_held(function)
        if settings is not None and len(args) == 1 and not kwargs:
            wrap = Const(with_settings, "with_settings", with_settings.__module__)
            return self.language.call(wrap, (args[0], settings))
        return self.opaque_calls.refuse_unknown(function)

    def settings_held(self, context: Value) -> Ref | None:
        """The settings of an np.errstate that is made here, as a dict."""
        for op in reversed(self.blocks.ops if isinstance(context, Var) else ()):
            if isinstance(op, Apply) and op.out == context:
                made = op.fn is np.errstate and not op.args
                cell = Cell("dict", dict(op.kwargs), dict)
                return self.cells.new_cell(cell) if made else None
        return None

    def call_either(
        self,
        function: Either | OneOf,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """Call the function that a branch has chosen."""
        if self.choice.is_chosen(function):
            one = self.choice.surely_chosen(function)
            return self.choice.with_each(
                one, lambda arm: self.call_arm(arm, args, kwargs)
            )
        assert isinstance(function, Either)
        arms = [
            functools.partial(self.call_arm, arm, args, kwargs)
            for arm in (function.then, function.orelse)
        ]
        return self.choice.choose(function.test, *arms, form="ifexp")

    def call_of_chosen(
        self,
        method: Bound,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """Call a method of one of several objects: once, as far as it reads and writes
        their attributes; else in the branch of each."""
        mark, given_up = self.snapshots.mark(), dict(self.assumptions.given_up)
        try:
            return self.language.call(method.function, (method.owner, *args), kwargs)
        except (UnsupportedCall, UnsupportedSyntax) as refusal:
            if not self.choice.is_chosen(method.owner):
                raise
            self.snapshots.back_to(mark, renumber=True)
            self.assumptions.restore_given_up(given_up)
            try:
                return self.choice.with_each(
                    method.owner,
                    lambda one: self.language.call(
                        method.function, (one, *args), kwargs
                    ),
                )
            except (UnsupportedCall, UnsupportedSyntax):
                raise refusal from None

    def call_arm(
        self,
        function: Value,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """Call one of two; what is None there cannot be called."""
        if function != NULL:
            return self.language.call(function, args, kwargs)
        message = Const("'NoneType' object is not callable")
        error = self.operations.apply(TypeError, (message,), fact=UNKNOWN)
        self.blocks.emit(Raise(error, self.position.origin))
        self.blocks.end_block()
        return NULL

    @extensible
    def call_in_other_words(
        self, fn: Any, args: Sequence[Value], kwargs: Sequence[tuple[str, Value]]
    ) -> Value | None:
        """A call of NumPy that is put in other words; see numpy_calls.py."""
        raise NotImplementedError

    @extensible
    def call_with_labels(
        self, function: Const, args: Sequence[Value], kwargs: Named
    ) -> Value | None:
        """A call on tables or quantities, or of their library."""
        raise NotImplementedError

    # ------------------------------------------------------------ constants

    def call_of(self, function: Const) -> Value | None:
        """The `__call__` of an object whose class says what equals it: it might say
        that it is any of the functions that are looked for. A proxy, which may equal
        one too, is refused."""
        if poses_as_another(function.value):
            refusal = not_a_function(function.value, self.opaque_calls.called_name())
            self.position.refuse_call(refusal.reason, refusal.remedy)
        if not _compares_itself(function.value):
            return None
        method = self.kinds.special_method(function, "__call__")
        return None if self.settings.is_primitive(function.value) else method

    def call_constant(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """Call a function, class or object that exists already."""
        function = self.without_context(function, args, kwargs)
        fn: Any = function.value
        args, kwargs = by_position(fn, args, kwargs)
        if isinstance(getattr(fn, "__self__", None), np.ufunc):
            written = self.value_methods.writing_call(function, args, kwargs)
            if written is not None:
                return written
        if not isinstance(fn, types.FunctionType) or self.settings.is_primitive(fn):
            whole = self.builtins.only_list(fn, args)
            if whole is not None:
                return whole
            args = self.builtins.taken_items(fn, args)
        worded = self.call_in_other_words(fn, args, kwargs)
        if worded is not None:
            self.language.noted("built in", function.text or "", fn)
            return worded
        made = called_for_each(self, fn, args, kwargs)
        if made is not None:
            return made
        virtual = self.builtins.call_builtin(fn, args, kwargs)
        if virtual is not None:
            self.language.noted("built in", function.text or "", fn)
            return virtual
        if callable(fn) and self.settings.is_primitive(fn):
            return self.opaque_calls.primitive(function, args, kwargs)
        if may_be_followed(fn):
            return self.inlining.call_of_numpy(function, fn, args, kwargs)
        if isinstance(fn, type):
            return self.call_class(function, args, kwargs)
        if isinstance(fn, types.FunctionType):
            if fn.__code__ in (CONTEXT_MANAGER, DISPATCH):
                return self.call_of_library(function, fn, args, kwargs)
            with self.assumptions.told_of_wrapper(fn):
                return self.inlining.call_function(function, fn, args, kwargs)
        if isinstance(fn, types.MethodType):
            return self.call_bound(function, fn, args, kwargs)
        if isinstance(fn, functools.partial):
            return self.call_partial(function, fn, args, kwargs)
        if isinstance(fn, (Kept, Transform, functools._lru_cache_wrapper)):
            return self.call_inside(function, args, kwargs)
        method = self.kinds.special_method(function, "__call__")
        if method is None:
            return self.opaque_calls.opaque(function, args, kwargs)
        with self.assumptions.told_of_wrapper(fn):
            return self.language.call(method, (function, *args), kwargs)

    def transform_again(self, made: Transform) -> Value:
        """What a transform has given outside, as if it were called here."""
        given = (Const(made.f, name_of(made.f)),)
        said = tuple((name, Const(value)) for name, value in made.options.items())
        return self.language.call(
            Const(made.transform, made.transform.__name__), given, said
        )

    def call_inside(
        self, function: Const, args: Sequence[Value], kwargs: Named
    ) -> Value:
        """Call the function of a generated one, of a transform, or under lru_cache."""
        fn: Any = function.value
        if isinstance(fn, Transform):
            return self.language.call(self.transform_again(fn), args, kwargs)
        inside = fn.kept() if isinstance(fn, Kept) else fn.__wrapped__
        wrapped = replace(function, value=inside)
        compute = functools.partial(self.language.call, wrapped, args, kwargs)
        if isinstance(fn, Kept):
            return compute()
        return cached_call(self, fn, args, kwargs, compute)

    def without_context(
        self, function: Const, args: Sequence[Value], kwargs: Named
    ) -> Const:
        """A function that a context decorates, or that Numba compiles, as a plain one;
        see context_decorators.py and compiled.py."""
        if is_parallel_range(function.value):
            return Const(range, "range", "builtins")
        inner = python_of_call(self, function.value, args, kwargs)
        if inner is not None and not self.settings.is_primitive(function.value):
            self.inlining.compiled.add(inner.__code__)
            changed = superseded(function.value)
            if changed is not None:
                self.position.refuse(*changed)
            function = replace(function, value=inner)
        fn = function.value
        if not isinstance(fn, types.FunctionType) or self.settings.is_primitive(fn):
            return function
        made = undecorated(fn)
        return function if made is fn else replace(function, value=made)

    def call_class(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """A call of a class: an object that lowering knows, or an op."""
        cls: Any = function.value
        if isinstance(cls, enum.EnumMeta):
            member = self.member_of(function, args)
            if member is not None:
                return member
        made = self.instantiate(function, cls, args, kwargs)
        if made is None:
            return self.opaque_calls.opaque(function, args, kwargs)
        self.language.noted("object", function.text or "", cls)
        return made

    def member_of(self, function: Const, args: Sequence[Value]) -> Const | None:
        """The member of an enumeration that has a value."""
        cls: Any = function.value
        known = self.assumptions.known_value(args[0]) if len(args) == 1 else None
        value = cls if known is None else known.value  # no member has itself
        for name, member in cls.__members__.items():
            if type(member.value) is type(value) and member.value == value:
                text = attribute_text(function.text or class_text(cls), name)
                return Const(member, text, function.home or cls.__module__)
        numbers = issubclass(cls, (int, float)) and bool(cls.__members__)
        if numbers and plain_number(next(iter(cls.__members__.values()))) is None:
            self.position.refuse_call(
                f"the member of `{cls.__name__}` is unknown",
                "Name the member.",
            )
        return None

    def call_bound(
        self,
        function: Const,
        fn: types.MethodType,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """A call of a method that was bound outside."""
        home, text = function.home, function.text or ""
        path = _path_of_owner(fn, text, home) or ""
        by = (None if text else fn, "__self__")
        owner = self.object_attributes.brought_along(fn.__self__, path, home, by)
        return self.language.call(
            Const(fn.__func__, text, home), (owner, *args), kwargs
        )

    def call_partial(
        self,
        function: Const,
        fn: functools.partial[Any],
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """A call of a partial that was made outside."""
        opened = self.opened_partial(function, fn)
        named = dict(opened.kwargs) | dict(kwargs)
        return self.language.call(
            opened.function, (*opened.args, *args), tuple(named.items())
        )

    def opened_partial(self, function: Const, fn: functools.partial[Any]) -> Partial:
        """A partial that was made outside, as one that is made here."""
        by = None if function.text else fn
        inner = Const(fn.func)  # an object, or of what an argument holds
        if by is None or not isinstance(fn.func, types.MethodType):
            if hasattr(fn.func, "__name__"):
                inner = Const(fn.func, fn.func.__name__, fn.func.__module__)
        first = tuple(
            self.object_attributes.brought_along(a, "", by=(by, item_text("args", k)))
            for k, a in enumerate(fn.args)
        )
        named = tuple(
            (
                k,
                self.object_attributes.brought_along(
                    v, k, by=(by, item_text("keywords", k))
                ),
            )
            for k, v in fn.keywords.items()
        )
        return Partial(inner, first, named)

    def default_of(self, value: object, name: str) -> Value:
        """The default of a parameter."""
        return self.object_attributes.brought_along(value, name)

    def context_manager(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """A call of a function under contextlib.contextmanager."""
        fn: Any = function.value
        inner = Const(fn.__wrapped__, function.text, function.home)
        made = self.language.call(inner, args, kwargs)
        return replace(made, managed=True) if isinstance(made, Generator) else made

    # ------------------------------------------------------------ inlining

    def call_of_library(
        self,
        function: Const,
        fn: types.FunctionType,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """A call of what contextlib makes, or the function that singledispatch has for
        a class."""
        if fn.__code__ is CONTEXT_MANAGER:
            return self.context_manager(function, args, kwargs)
        cls = args[0]
        if not isinstance(cls, Const):
            return self.opaque_calls.refuse_unknown(cls)
        found = fn(cls.value)
        self.operations.use(found)
        return Const(found, found.__qualname__, found.__module__)

    @extensible
    def super_of(self, node: Node) -> Value:
        """super() or super(Class, self)."""
        raise NotImplementedError

    @extensible
    def instantiate(
        self,
        function: Const,
        cls: type,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value | None:
        """Class(...)."""
        raise NotImplementedError


def _path_of_owner(method: types.MethodType, text: str, home: str) -> str | None:
    """How the object of a method is spelled, which is `text`: `step.__self__`
    where that is another name of `model.step`."""
    path = text.rpartition(".")[0]
    found: Any = sys.modules.get(home)
    for name in path.split(".") if path else ():
        found = getattr(found, name, None)
    if path and found is method.__self__:
        return path
    return f"{text}.__self__" if text else None


def _compares_itself(fn: object) -> bool:
    """Whether a class of the user's says which objects equal its own."""
    if isinstance(fn, (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
        return False
    if type(fn).__module__.partition(".")[0] in ("numpy", "scipy"):
        return False
    equals = inspect.getattr_static(type(fn), "__eq__", None)
    return isinstance(equals, types.FunctionType)
