"""Calls: a primitive becomes an op, a function of the user's is lowered in place."""

from __future__ import annotations

import contextlib
import dis
import enum
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import (
    SourceUnavailable,
    UnsupportedCall,
    UnsupportedSyntax,
)
from yota_ast.frontend.calls.argument_binding import CallMismatch, bind, miscounted
from yota_ast.frontend.calls.generalisation import lasting
from yota_ast.frontend.calls.large_functions import SMALLEST, is_too_much
from yota_ast.frontend.calls.outlining import MAX_UNROLLED, CallsItself, Outlines
from yota_ast.frontend.calls.unknown_fields import refuse_called
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.heap.extents import shrinks
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Bound,
    Cell,
    Closure,
    Either,
    Frame,
    Generator,
    Lazy,
    MethodOf,
    Node,
    OneOf,
    Partial,
    Ref,
    Scope,
    TupleValue,
    Value,
    is_user_class,
)
from yota_ast.frontend.library.cached_functions import cached_call
from yota_ast.frontend.source.bound_names import bound_names, is_generator, only_return
from yota_ast.frontend.source.context_decorators import undecorated, with_settings
from yota_ast.frontend.source.decorator_refusals import is_of_library, refused_at_user
from yota_ast.frontend.source.function_spelling import own_path
from yota_ast.frontend.source.functions_inside import refuse_without_source
from yota_ast.frontend.source.name_flow import RESULT
from yota_ast.frontend.source.numba_functions import (
    is_parallel_range,
    kept_whole,
    python_of,
    superseded,
)
from yota_ast.frontend.source.source_refusals import not_a_function
from yota_ast.frontend.state.lowering_records import Call, MuchCalled
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import (
    UNKNOWN,
    Fact,
    plain_number,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import (
    Apply,
    Raise,
)
from yota_ast.support.file_owners import is_users
from yota_ast.support.kept_functions import Kept, marked_form
from yota_ast.support.proxies import poses_as_another
from yota_ast.support.public_names import public_path
from yota_ast.support.transform import Transform, name_of
from yota_ast.syntax import nodes, print_expr
from yota_ast.syntax.value_paths import attribute_text, class_text, item_text

DISPATCH: Final = functools.singledispatch(lambda x: x).dispatch.__code__
"""The code of `dispatch` of all functions that functools.singledispatch makes."""
CONTEXT_MANAGER: Final = contextlib.contextmanager(lambda: iter(())).__code__
"""The code of what contextlib.contextmanager makes of any function."""
# The numbers of the instructions; each instruction is two bytes, its number the first.
REBINDING: Final = {dis.opmap[name] for name in ("STORE_GLOBAL", "DELETE_GLOBAL")}
OF_NO_NUMBERS: Final = frozenset(
    "re json os posixpath genericpath textwrap string traceback warnings".split()
)
"""Modules of Python's own whose functions are called rather than followed."""
MAX_DEPTH: Final = 60
MAX_SAME: Final = 3
TOO_MANY: Final = 1000  # ops of copies with which it is quicker to begin again
Named = Sequence[tuple[str, Value]]
Copied = tuple[object, tuple[object, ...]]
"""The code of a function, with the functions that it is given."""
FLOATLESS: Final = frozenset({"int", "bool", "str", "none", "callable", "other"})


class Calls(Outlines):
    """What a call does."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.unfollowed: dict[object, None] = {}  # called as they are
        self.large: dict[object, None] = {}  # large code that is outlined
        self.inlinable: dict[object, None] = {}  # large code that cannot be outlined
        self.compiled = set(self.settings.compiled)

    def eval_Call(self, node: Node) -> Value:
        """f(a, *b, k=c, **d)."""
        whole = self.take_whole(node)
        before, made = self.ended, self.cells_made
        function = self.evaluate(node.func)
        if self.ended and not before:  # there is no such attribute
            return NULL
        if isinstance(function, Const) and function.value is super:
            return self.super_of(node)
        turned = self.turned(function, node)
        if turned is not None:
            return turned
        args = self.arguments(function, node)
        kwargs: list[tuple[str, Value]] = []
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            if keyword.arg is None:
                known = self.known_mapping(value, keyword.value)
                kwargs += [(str(k), v) for k, v in known.items()]
            else:
                kwargs.append((keyword.arg, value))
        self.begin_call(made)
        try:
            with self.lock(locked=whole):
                return self.call(function, args, kwargs)
        finally:
            self.begin_call()

    def turned(self, function: Value, node: Node) -> Value | None:
        """The columns of rows, `zip(*rows)`; see applied.py."""
        raise NotImplementedError

    def arguments(self, function: Value, node: Node) -> Sequence[Value]:
        """The arguments of a call; see piecemeal.py."""
        raise NotImplementedError

    def call(
        self,
        function: Value,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]] = (),
    ) -> Value:
        """Call a value."""
        if isinstance(function, Const) and not self.is_fitted(function.value):
            self.check_number_given(function, args)
            own = self.call_of(function)
            if own is not None:
                with self.told_of_wrapper(function.value):
                    return self.call(own, (function, *args), kwargs)
            labelled = self.call_with_labels(function, args, kwargs)
            if labelled is not None:
                return labelled
            return self.call_constant(function, args, kwargs)
        if isinstance(function, Bound):
            if isinstance(function.owner, (Either, OneOf)):
                return self.call_of_chosen(function, args, kwargs)
            return self.call(function.function, (function.owner, *args), kwargs)
        if isinstance(function, Partial):
            named = dict(function.kwargs) | dict(kwargs)
            return self.call(
                function.function, (*function.args, *args), tuple(named.items())
            )
        if isinstance(function, Closure):
            return self.call_closure(function, args, kwargs)
        if isinstance(function, MethodOf):
            if not self.fact(function.owner).is_numeric:
                self.noted("built in", f".{function.name}")
            return self.call_method(function, args, kwargs)
        if isinstance(function, (Either, OneOf)):
            return self.call_either(function, args, kwargs)
        if isinstance(function, Const) or self.fact(function).kind == "model":
            return self.call_method(MethodOf(function, "__call__"), args, kwargs)
        method = self.special_method(function, "__call__")
        if method is not None:
            return self.call(method, (function, *args), kwargs)
        settings = self.settings_held(function)
        if settings is not None and len(args) == 1 and not kwargs:
            wrap = Const(with_settings, "with_settings", with_settings.__module__)
            return self.call(wrap, (args[0], settings))
        return self.refuse_unknown(function)

    def settings_held(self, context: Value) -> Ref | None:
        """The settings of an np.errstate that is made here, as a dict."""
        for op in reversed(self.ops if isinstance(context, Var) else ()):
            if isinstance(op, Apply) and op.out == context:
                made = op.fn is np.errstate and not op.args
                cell = Cell("dict", dict(op.kwargs), dict)
                return self.new_cell(cell) if made else None
        return None

    def call_either(
        self,
        function: Either | OneOf,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """Call the function that a branch has chosen."""
        if self.is_chosen(function):
            one = self.surely_chosen(function)
            return self.with_each(one, lambda arm: self.call_arm(arm, args, kwargs))
        assert isinstance(function, Either)
        arms = [
            functools.partial(self.call_arm, arm, args, kwargs)
            for arm in (function.then, function.orelse)
        ]
        return self.choose(function.test, *arms, form="ifexp")

    def call_of_chosen(
        self,
        method: Bound,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """Call a method of one of several objects: once, as far as it reads and writes
        their attributes; else in the branch of each."""
        mark, given_up = self.mark(), dict(self.given_up)
        try:
            return self.call(method.function, (method.owner, *args), kwargs)
        except (UnsupportedCall, UnsupportedSyntax) as refusal:
            if not self.is_chosen(method.owner):
                raise
            self.back_to(mark, renumber=True)
            self.restore_given_up(given_up)
            try:
                return self.with_each(
                    method.owner,
                    lambda one: self.call(method.function, (one, *args), kwargs),
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
            return self.call(function, args, kwargs)
        message = Const("'NoneType' object is not callable")
        error = self.apply(TypeError, (message,), fact=UNKNOWN)
        self.emit(Raise(error, self.origin))
        self.end_block()
        return NULL

    def choose(
        self,
        test: Atom,
        then: Callable[[], Value],
        orelse: Callable[[], Value],
        *,
        form: Any,
    ) -> Value:
        """The value of one of two arms; see branches.py."""
        raise NotImplementedError

    def call_in_other_words(
        self, fn: Any, args: Sequence[Value], kwargs: Sequence[tuple[str, Value]]
    ) -> Value | None:
        """A call of NumPy that is put in other words; see numpys.py."""
        raise NotImplementedError

    def call_with_labels(
        self, function: Const, args: Sequence[Value], kwargs: Named
    ) -> Value | None:
        """A call on tables or quantities, or of their library; see labelled.py."""
        raise NotImplementedError

    def refuse_unknown(self, function: Value) -> Value:
        """Refuse the call of something of which nothing is known."""
        name = self.called_name()
        if isinstance(function, Var) and function.name in self.paths:
            refuse_called(self, name, *self.paths[function.name])
        self.refuse_call(
            f"the function that `{name}` calls is unknown",
            "Call a function by its name, or branch where it is called.",
        )

    def called_name(self) -> str:
        """How the current call spells its function."""
        func = getattr(self.node, "func", None)
        return "this" if func is None else print_expr(func)

    # ------------------------------------------------------------ constants

    def check_number_given(self, function: Const, args: Sequence[Value]) -> None:
        """Refuse what Python itself refuses, of what lowering itself calls."""
        if miscounted(function.value, args):
            self.refuse_call(
                f"`{self.called_name()}` is called with too few or too many arguments",
                "Correct the call.",
            )

    def call_of(self, function: Const) -> Value | None:
        """The `__call__` of an object whose class says what equals it: it might say
        that it is any of the functions that are looked for. A proxy, which may equal
        one too, is refused."""
        if poses_as_another(function.value):
            refusal = not_a_function(function.value, self.called_name())
            self.refuse_call(refusal.reason, refusal.remedy)
        if not _compares_itself(function.value):
            return None
        method = self.special_method(function, "__call__")
        return None if self.settings.is_primitive(function.value) else method

    def call_constant(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """Call a function, class or object that exists already."""
        function = self.without_context(function)
        fn: Any = function.value
        if isinstance(getattr(fn, "__self__", None), np.ufunc):
            written = self.writing_call(function, args, kwargs)
            if written is not None:
                return written
        if not isinstance(fn, types.FunctionType) or self.settings.is_primitive(fn):
            whole = self.only_list(fn, args)
            if whole is not None:
                return whole
            args = self.taken_items(fn, args)
        worded = self.call_in_other_words(fn, args, kwargs)
        if worded is not None:
            self.noted("built in", function.text or "", fn)
            return worded
        if isinstance(fn, np.vectorize) and not self.settings.is_primitive(fn.pyfunc):
            made = self.call_vectorize(fn, args, kwargs)
            if made is not None:
                return made
        virtual = self.call_builtin(fn, args, kwargs)
        if virtual is not None:
            self.noted("built in", function.text or "", fn)
            return virtual
        if callable(fn) and self.settings.is_primitive(fn):
            return self.primitive(function, args, kwargs)
        if isinstance(fn, type):
            return self.call_class(function, args, kwargs)
        if isinstance(fn, types.FunctionType):
            if fn.__code__ in (CONTEXT_MANAGER, DISPATCH):
                return self.call_of_library(function, fn, args, kwargs)
            with self.told_of_wrapper(fn):
                return self.call_function(function, fn, args, kwargs)
        if isinstance(fn, types.MethodType):
            return self.call_bound(function, fn, args, kwargs)
        if isinstance(fn, functools.partial):
            return self.call_partial(function, fn, args, kwargs)
        if isinstance(fn, (Kept, Transform, functools._lru_cache_wrapper)):
            return self.call_inside(function, args, kwargs)
        method = self.special_method(function, "__call__")
        if method is None:
            return self.opaque(function, args, kwargs)
        with self.told_of_wrapper(fn):
            return self.call(method, (function, *args), kwargs)

    def transform_again(self, made: Transform) -> Value:
        """What a transform has given outside, as if it were called here."""
        given = (Const(made.f, name_of(made.f)),)
        said = tuple((name, Const(value)) for name, value in made.options.items())
        return self.call(Const(made.transform, made.transform.__name__), given, said)

    def call_inside(
        self, function: Const, args: Sequence[Value], kwargs: Named
    ) -> Value:
        """Call the function of a generated one, of a transform, or under lru_cache."""
        fn: Any = function.value
        if isinstance(fn, Transform):
            return self.call(self.transform_again(fn), args, kwargs)
        inside = fn.kept() if isinstance(fn, Kept) else fn.__wrapped__
        wrapped = replace(function, value=inside)
        compute = functools.partial(self.call, wrapped, args, kwargs)
        if isinstance(fn, Kept):
            return compute()
        return cached_call(self, fn, args, kwargs, compute)

    def is_fitted(self, fn: object) -> bool:
        """Whether something that is called is no function of SciPy's, but made of data:
        a spline of a module, or of an object."""
        if isinstance(fn, (type, types.FunctionType, types.BuiltinFunctionType)):
            return False
        return public_path(fn) is None and self.makes_fitted(type(fn))

    def makes_fitted(self, cls: type) -> bool:
        """Whether the objects of a class of SciPy are made of data, and called."""
        if not cls.__module__.startswith("scipy."):
            return False
        called: Any = getattr(cls, "__call__", None)  # noqa: B004
        return isinstance(called, types.FunctionType) and self.settings.is_primitive(
            called
        )

    def without_context(self, function: Const) -> Const:
        """A function that a context decorates, or that Numba compiles, as a plain one;
        see decorated.py and compiled.py."""
        if is_parallel_range(function.value):
            return Const(range, "range", "builtins")
        inner = python_of(function.value)
        if inner is not None and not self.settings.is_primitive(function.value):
            self.compiled.add(inner.__code__)
            changed = superseded(function.value)
            if changed is not None:
                self.refuse(*changed)
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
            return self.opaque(function, args, kwargs)
        self.noted("object", function.text or "", cls)
        return made

    def member_of(self, function: Const, args: Sequence[Value]) -> Const | None:
        """The member of an enumeration that has a value."""
        cls: Any = function.value
        known = self.known_value(args[0]) if len(args) == 1 else None
        value = cls if known is None else known.value  # no member has itself
        for name, member in cls.__members__.items():
            if type(member.value) is type(value) and member.value == value:
                text = attribute_text(function.text or class_text(cls), name)
                return Const(member, text, function.home or cls.__module__)
        numbers = issubclass(cls, (int, float)) and bool(cls.__members__)
        if numbers and plain_number(next(iter(cls.__members__.values()))) is None:
            self.refuse_call(
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
        owner = self.brought_along(fn.__self__, path, home, by)
        return self.call(Const(fn.__func__, text, home), (owner, *args), kwargs)

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
        return self.call(opened.function, (*opened.args, *args), tuple(named.items()))

    def opened_partial(self, function: Const, fn: functools.partial[Any]) -> Partial:
        """A partial that was made outside, as one that is made here."""
        by = None if function.text else fn
        inner = Const(fn.func)  # an object, or of what an argument holds
        if by is None or not isinstance(fn.func, types.MethodType):
            if hasattr(fn.func, "__name__"):
                inner = Const(fn.func, fn.func.__name__, fn.func.__module__)
        first = tuple(
            self.brought_along(a, "", by=(by, item_text("args", k)))
            for k, a in enumerate(fn.args)
        )
        named = tuple(
            (k, self.brought_along(v, k, by=(by, item_text("keywords", k))))
            for k, v in fn.keywords.items()
        )
        return Partial(inner, first, named)

    def call_vectorize(
        self, fn: Any, args: Sequence[Value], kwargs: Sequence[tuple[str, Value]]
    ) -> Value | None:
        """A call of np.vectorize(f), of an f that has no rule."""
        if fn.excluded or fn.signature is not None or fn.otypes is not None:
            return None
        inner = Const(fn.pyfunc, fn.pyfunc.__name__, fn.pyfunc.__module__)
        made = self.call(Const(np.vectorize, "np.vectorize", "numpy"), (inner,))
        return self.call(made, args, kwargs)

    def default_of(self, value: object, name: str) -> Value:
        """The default of a parameter."""
        return self.brought_along(value, name)

    def context_manager(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """A call of a function under contextlib.contextmanager."""
        fn: Any = function.value
        inner = Const(fn.__wrapped__, function.text, function.home)
        made = self.call(inner, args, kwargs)
        return replace(made, managed=True) if isinstance(made, Generator) else made

    def primitive(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
        *,
        effect: bool = False,
    ) -> Value:
        """A call that stays one op."""
        args = [self.as_number(a) for a in args]
        fn: Any = function.value
        if type(fn).__hash__ is None:  # it can have no rule
            self.refuse_call(
                f"`{self.called_name()}` is a {type(fn).__name__}, which has no rule",
                "Call a function with its numbers, such as np.polyval(p.coef, x).",
            )
        self.check_not_avoided(fn)
        written = self.writing_call(function, args, kwargs)
        if written is not None:
            return written
        if self.is_method_of_fitted(fn, args):
            atoms = [self.atom(args[0]), *(self.argument_atom(fn, a) for a in args[1:])]
            named = [(k, self.argument_atom(fn, v)) for k, v in kwargs]
            return self.apply(fn, atoms, named, form="method", spelling=fn.__name__)
        atoms = [self.argument_atom(fn, a) for a in args]
        named = [(k, self.argument_atom(fn, v)) for k, v in kwargs]
        spelling = own_path(function)
        known = self.sparse_made(fn, (*args, *(v for _, v in kwargs)))
        if isinstance(fn, type) and self.makes_fitted(fn):
            if self.settings.infer(fn, atoms, tuple(named)).kind == "unknown":
                known = Fact("model", cls=fn)
        return self.apply(
            fn, atoms, named, spelling=spelling, effect=effect, fact=known
        )

    def is_method_of_fitted(self, fn: Any, args: Sequence[Value]) -> bool:
        """Whether a method is that of a spline which an argument holds."""
        if not args or not isinstance(args[0], Argument):
            return False
        owner = args[0].example
        name = getattr(fn, "__name__", "")
        if getattr(type(owner), name, None) is not fn or not self.is_fitted(owner):
            return False
        return not function_models.is_complex_spline(owner)

    def argument_atom(self, fn: object, value: Value) -> Atom:
        """An argument of a primitive as an atom."""
        if isinstance(value, (Closure, Bound, Partial)):
            self.refuse_call(
                f"`{self.called_name()}` is given a function that is defined "
                "inside the differentiated function",
                "Move that function to the module.",
            )
        if isinstance(value, Argument) and callable(value.example):
            self.refuse_call(
                f"`{self.called_name()}` is given an object that it may call",
                "Give it a function of the module that takes numbers and arrays.",
            )
        if isinstance(value, Lazy) and value.fn is range and _takes_arrays(fn):
            value = self.call(Const(np.array, "np.array", "numpy"), (value,))
        return self.atom(value)

    def opaque(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """A call that no float passes through may stay as it is."""
        values = [*args, *(v for _, v in kwargs)]
        if not isinstance(function.value, type):
            for value in values:
                if isinstance(value, Ref) and self.heap[value.cell].kind != "object":
                    name = function.text or getattr(function.value, "__name__", "?")
                    self.refuse_call(
                        f"`{name}` may change the container that it is given",
                        "Give it a tuple, or compute it outside.",
                    )
        if callable(function.value) and all(self.floatless(v) for v in values):
            atoms = [self.atom(a) for a in args]
            named = [(k, self.atom(v)) for k, v in kwargs]
            spelling = own_path(function)
            fn: Any = function.value
            acts = not isinstance(fn, type)
            known = Fact("other", cls=fn) if _holds_no_floats(fn) else UNKNOWN
            known = self.sparse_made(fn, values) or known
            out = self.apply(
                fn, atoms, named, spelling=spelling, fact=known, effect=acts
            )
            self.foreign.add(out.name)
            if not acts:
                self.classes_called[out.name] = fn
            self.noted("kept", function.text or "", fn)
            return out
        name = function.text or getattr(function.value, "__name__", "?")
        kept = kept_whole(function.value)
        if kept is not None:
            self.refuse_call(
                f"Numba keeps `{kept}` as it was when it compiled `{name}`: "
                "generated code would read its present value",
                f"Give it to `{name}` as an argument, or call `{name}.py_func`.",
            )
        if isinstance(function.value, type):
            self.refuse_clever(function.value)
        refuse_without_source(str(name), function.value, self.location())

    def refuse_clever(self, cls: type) -> None:
        """Refuse a class that says itself what its fields are; see instances.py."""
        raise NotImplementedError

    def floatless(self, value: Value) -> bool:
        """Whether no float that depends on the arguments is in a value."""
        if isinstance(value, Const):
            return True
        if isinstance(value, Var):
            return value.fact.kind in FLOATLESS or not value.fact.holds_floats
        if isinstance(value, TupleValue):
            return all(self.floatless(v) for v in value.items)
        if isinstance(value, Ref):
            cell = self.heap[value.cell]
            return cell.var is None and all(map(self.floatless, cell.items.values()))
        if isinstance(value, Lazy):
            return all(map(self.floatless, value.args))
        return isinstance(value, Argument) and not value.fact.holds_floats

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
            return self.refuse_unknown(cls)
        found = fn(cls.value)
        self.use(found)
        return Const(found, found.__qualname__, found.__module__)

    @contextlib.contextmanager
    def told_of_wrapper(self, fn: object) -> Iterator[None]:
        """While a wrapper is lowered: a refusal in it names the user's line."""
        if not is_of_library(fn) or not is_users((place := self.location()).filename):
            yield
            return
        self.wrappers.append((fn, lambda: place))
        try:
            with refused_at_user(fn, lambda: place):
                yield
        finally:
            self.wrappers.pop()

    def call_function(
        self,
        function: Const,
        fn: types.FunctionType,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """Lower the body of a function in place."""
        fn = marked_form(fn)  # type: ignore[assignment]
        floatless = all(map(self.floatless, [*args, *(v for _, v in kwargs)]))
        if floatless and fn.__module__ in OF_NO_NUMBERS and not self.rebound:
            return self.opaque(function, args, kwargs)
        try:
            definition = self.definition(fn)
        except SourceUnavailable as error:
            if floatless and self.may_stay(fn):
                return self.opaque(function, args, kwargs)
            raise error.located(self.location()) from None
        self.use(fn)
        defaults = tuple(self.brought_along(v, "") for v in fn.__defaults__ or ())
        named = tuple(
            (k, self.brought_along(v, k)) for k, v in (fn.__kwdefaults__ or {}).items()
        )
        scope = self.scope_of(fn, definition)
        if fn in self.unfollowed and not (args or kwargs or self.rebound):
            return self.opaque(function, args, kwargs)
        mark = self.mark()
        try:
            return self.inline(
                definition.tree,
                scope,
                None,
                (defaults, named),
                (args, kwargs),
                fn.__code__,
            )
        except UnsupportedSyntax as why:
            if not floatless:
                raise
            self.back_to(mark)
            if not self.may_stay(fn):
                raise
            self.unfollowed[fn] = None
            try:
                return self.opaque(function, args, kwargs)
            except UnsupportedSyntax as given:  # what has no name in the text
                raise (given if given.reason == why.reason else why) from None

    def may_stay(self, fn: types.FunctionType) -> bool:
        """Whether the text may call a function as it is: Numba computes other whole
        numbers than the Python function under it."""
        if fn.__code__ in self.compiled:
            return False
        return not self.rebound and not writes_globals(fn)

    def scope_of(self, fn: types.FunctionType, definition: Any) -> Scope:
        """The scope of a function that exists already."""
        names = bound_names(definition.tree)
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        return Scope(
            fn.__name__,
            definition.filename,
            definition.lines,
            fn.__globals__,
            cells,
            names.local,
            names.nonlocals,
            names.declared,
            names.captured,
            names.mixed,
            names.changed,
            definition.owner or "",
        )

    def call_closure(
        self,
        closure: Closure,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """Lower the body of a function defined while lowering."""
        names = bound_names(closure.node)
        around = closure.frame.scope
        scope = Scope(
            closure.name,
            around.filename,
            around.lines,
            around.globals,
            {},
            names.local,
            names.nonlocals,
            names.declared,
            names.captured,
            names.mixed,
            names.changed,
            around.owner,
        )
        own = (closure.defaults, closure.kwdefaults)
        return self.inline(
            closure.node, scope, closure.frame, own, (args, kwargs), closure.node
        )

    def inline(
        self,
        node: Node,
        scope: Scope,
        parent: Frame | None,
        own: tuple[Sequence[Value], Sequence[tuple[str, Value]]],
        given: tuple[Sequence[Value], Sequence[tuple[str, Value]]],
        code: object,
    ) -> Value:
        """Bind the arguments and run the body in a frame of its own."""
        made = self.made_before
        variables = self.activation(node, scope, own, given)
        self.noted("inlined", scope.name, (scope.filename, node.lineno))
        if is_generator(node):
            cell = self.new_cell(Cell("frame", variables)).cell
            return Generator(node, Frame(cell, scope, parent), code)
        if code in self.recursive:
            return self.invoke(node, scope, parent, variables, code)
        copied = lasting(code, scope.filename), functions_among(variables.values())
        if self.is_large(copied):
            called = code, copied
            value = self.outlined_for_size(node, scope, parent, variables, called)
            if value is not None:
                return value
        self.check_recursion(variables, code)
        mark, emitted = self.mark(), self.emitted
        hints = None if copied in self.inlined else dict(self.hints)
        frame = Frame(self.new_cell(Cell("frame", variables)).cell, scope, parent)
        try:
            value = self.run(node, frame, code)
        except CallsItself as found:
            if found.code is not code or any(c.code is code for c in self.calls):
                raise
        else:
            times, size = self.inlined.get(copied, (0, 0))
            size = max(size, self.emitted - emitted)
            if hints is None or not self.foresees(copied, size):
                self.inlined[copied] = times + 1, size
                return value
            self.back_to(mark)
            self.restore_hints(hints)
            self.foresee(code)
            self.begin_call(made)
            return self.inline(node, scope, parent, own, given, code)
        self.back_to(mark)
        self.recursive[code] = None
        return self.invoke(node, scope, parent, variables, code)

    def is_large(self, copied: Copied) -> bool:
        """Whether copies of a function are, or would be, too much of the text."""
        if not self.settings.outlining:
            return False
        times, size = self.inlined.get(copied, (0, 0))
        many = size >= SMALLEST and times * size >= TOO_MANY
        if many and copied not in self.settings.much_called:
            self.large[copied] = None
            self.avoid_copies()
        code, functions = copied
        foreseen = code in self.foreseen and not functions
        return (
            is_too_much(times, size) or foreseen or copied in self.settings.much_called
        )

    def foresees(self, copied: Copied, size: int) -> bool:
        """Whether a function that is met for the first time will be copied too often,
        now that its size is known."""
        code, functions = copied
        if functions or not self.settings.outlining or code in self.settings.unforeseen:
            return False
        if code in self.inlinable or code in self.foreseen:
            return False
        return self.settings.foresight.is_too_much(code, size, self.foreseen)

    def outlined_for_size(
        self,
        node: Node,
        scope: Scope,
        parent: Frame | None,
        variables: Mapping[str, Value],
        called: tuple[object, Copied],
    ) -> Value | None:
        """A call of a large function, if it can be a function of its own."""
        code, copied = called
        if code in self.inlinable:
            return None
        if any(call.code is code for call in self.calls):
            return None  # it is followed to its end: see `check_recursion`
        mark = self.mark()
        self.large[copied] = None
        try:
            return self.invoke(node, scope, parent, variables, code)
        except (CallsItself, UnsupportedSyntax, UnsupportedCall):
            self.inlinable[code] = None
            self.back_to(mark)
        return None

    def avoid_copies(self) -> None:
        """Lower once more if copies of large functions are in the tape.

        Raises MuchCalled.
        """
        copied = self.large.keys() & self.inlined.keys() - self.settings.much_called
        if copied:
            raise MuchCalled(*copied)

    def activation(
        self,
        node: Node,
        scope: Scope,
        own: tuple[Sequence[Value], Sequence[tuple[str, Value]]],
        given: tuple[Sequence[Value], Sequence[tuple[str, Value]]],
    ) -> dict[str, Value]:
        """The variables with which a call begins: its arguments."""
        try:
            bound = bind(node.args, *own, *given)
        except CallMismatch as error:
            self.refuse_call(f"the call of `{scope.name}` {error}", "Correct the call.")
        variables: dict[str, Value] = dict(bound.plain)
        if node.args.vararg is not None:
            variables[node.args.vararg.id] = TupleValue(bound.rest)
        if node.args.kwarg is not None:
            more: Mapping[Any, Value] = dict(bound.more)
            variables[node.args.kwarg.id] = self.new_cell(Cell("dict", more, dict))
        return variables

    def run(self, node: Node, frame: Frame, code: object) -> Value:
        """Run the body of a function in a frame; its value."""
        where = self.location()
        given = self.heap[frame.cell].items
        self.begin_call()
        try:
            with self.in_call(Call(code, given, where, frame.scope.name), frame):
                if isinstance(node, nodes.Lambda):
                    self.stand_within(node.body)
                    return self.evaluate(node.body)
                with self.lock(locked=only_return(node)):
                    self.execute(node.body, frozenset())
                    self.finish()
                self.check_open()
                return self.get((frame.cell, RESULT)) or NULL
        finally:
            if not frame.scope.captured:  # nothing reads its names any more
                self.heap.pop(frame.cell, None)

    def check_recursion(self, given: Mapping[str, Value], code: object) -> None:
        """Inline no function into itself for ever.

        A call that facts show to end soon is followed: f(x, None) by way of f(x, y),
        and a walk down a container or an object whose structure is known.
        """
        around = [call for call in self.calls if call.code is code]
        shrinking = bool(around) and shrinks(given, around[-1].given, self.heap)
        if len(around) >= (MAX_UNROLLED if shrinking else MAX_SAME):
            raise CallsItself(code)
        if len(self.calls) > MAX_DEPTH:
            self.refuse_call(
                f"calls are nested more than {MAX_DEPTH} deep",
                "Write the recursion as a loop.",
            )

    def super_of(self, node: Node) -> Value:
        """super() or super(Class, self)."""
        raise NotImplementedError

    def instantiate(
        self,
        function: Const,
        cls: type,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value | None:
        """Class(...)."""
        raise NotImplementedError

    def definition(self, fn: types.FunctionType) -> Any:
        """The source of a function."""
        raise NotImplementedError

    def finish(self) -> None:
        """Give None as the result where the end of a body is reached."""
        raise NotImplementedError


def _holds_no_floats(fn: object) -> bool:
    """Whether a call makes an object that is no number, array or container."""
    numbers = (np.ndarray, np.generic, int, float, complex)
    return (
        isinstance(fn, type)
        and not issubclass(fn, (*numbers, list, tuple, dict))
        and not hasattr(fn, "__array__")
    )


def writes_globals(fn: types.FunctionType) -> bool:
    """Whether a function, or a function that it calls by name, rebinds a global.

    >>> writes_globals(writes_globals)
    False
    """
    seen, pending = {fn.__code__}, [fn]
    while pending:
        found = pending.pop()
        code = found.__code__
        if not REBINDING.isdisjoint(code.co_code[::2]):
            return True
        for name in code.co_names:
            called = found.__globals__.get(name)
            if isinstance(called, types.FunctionType) and called.__code__ not in seen:
                seen.add(called.__code__)
                pending.append(called)
    return False


def _takes_arrays(fn: object) -> bool:
    """Whether a function of NumPy's makes arrays of what it is given, and is no name
    of that itself."""
    home = "numpy" if isinstance(fn, np.ufunc) else getattr(fn, "__module__", None)
    converting = (np.array, np.asarray, np.asanyarray)
    return (home or "").partition(".")[0] == "numpy" and fn not in converting


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


def _is_plain(value: object) -> bool:
    return isinstance(value, np.ndarray) or not is_user_class(type(value))


Callback = Callable[..., object]


def functions_among(values: Iterable[Value]) -> tuple[object, ...]:
    """What tells calls of one function apart that no outlined function serves: the
    functions that are given."""
    found: list[object] = []
    for value in values:
        if isinstance(value, Closure):
            found.append((value.name, value.node.lineno, value.node.col_offset))
        elif isinstance(value, (Bound, Partial)):
            found += functions_among([value.function])
        elif isinstance(value, Const) and callable(value.value):
            found.append(id(value.value))
    return tuple(found)


def _compares_itself(fn: object) -> bool:
    """Whether a class of the user's says which objects equal its own."""
    if isinstance(fn, (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
        return False
    if type(fn).__module__.partition(".")[0] in ("numpy", "scipy"):
        return False
    equals = inspect.getattr_static(type(fn), "__eq__", None)
    return isinstance(equals, types.FunctionType)
