"""A call of a function of the user -> its body, in place."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from yota_ast.errors import (
    SourceUnavailable,
    UnsupportedCall,
    UnsupportedSyntax,
)
from yota_ast.frontend.calls.argument_binding import CallMismatch, bind
from yota_ast.frontend.calls.generalisation import Generalisation, lasting
from yota_ast.frontend.calls.large_functions import SMALLEST, is_too_much
from yota_ast.frontend.calls.opaque_calls import OpaqueCalls
from yota_ast.frontend.calls.outline_records import CallsItself
from yota_ast.frontend.calls.outlining import MAX_UNROLLED, Outlining
from yota_ast.frontend.components import (
    Component,
    Components,
    extensible,
    provides,
    uses,
)
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.expressions.outside_names import OutsideNames
from yota_ast.frontend.heap.extents import shrinks
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Bound,
    Cell,
    Closure,
    Frame,
    Generator,
    Node,
    Partial,
    Scope,
    TupleValue,
    Value,
)
from yota_ast.frontend.source.bound_names import bound_names, is_generator, only_return
from yota_ast.frontend.source.decorator_refusals import is_of_library
from yota_ast.frontend.source.definitions import locate
from yota_ast.frontend.source.field_setters import is_made_by_dataclass
from yota_ast.frontend.source.name_flow import RESULT
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import Call, MuchCalled
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.ir.atoms import Const
from yota_ast.support.file_owners import is_of_helpers, is_ours
from yota_ast.support.kept_functions import marked_form
from yota_ast.syntax import nodes

# The numbers of the instructions; each instruction is two bytes, its number the first.
REBINDING: Final = {dis.opmap[name] for name in ("STORE_GLOBAL", "DELETE_GLOBAL")}


OF_NO_NUMBERS: Final = frozenset(
    "re json os posixpath genericpath textwrap string traceback warnings".split()
)
"""Modules of Python's own whose functions are called rather than followed."""


MAX_DEPTH: Final = 60


MAX_SAME: Final = 3


TOO_MANY: Final = 1000  # ops of copies with which it is quicker to begin again


Copied = tuple[object, tuple[object, ...]]
"""The code of a function, with the functions that it is given."""


def may_be_called(
    why: UnsupportedSyntax | UnsupportedCall, given: Sequence[object]
) -> bool:
    """Whether a function that is not followed may be called as it is, for what it says.
    given: its arguments. Of a function among them it may make another, which is
    unknown."""
    if isinstance(why, UnsupportedSyntax):
        return True
    values = [v[1] if isinstance(v, tuple) else v for v in given]
    functions = [v for v in values if isinstance(v, Const) and callable(v.value)]
    return not why.reads_frames and not functions


class Inlining(Component):
    """Inlines functions of the user."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    records = uses(InliningRecords)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    object_attributes = uses(ObjectAttributes)
    generalisation = uses(Generalisation)
    outlining = uses(Outlining)
    opaque_calls = uses(OpaqueCalls)
    outside_names = uses(OutsideNames)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.unfollowed: dict[object, None] = {}  # called as they are
        self.large: dict[object, None] = {}  # large code that is outlined
        self.inlinable: dict[object, None] = {}  # large code that cannot be outlined
        self.compiled = set(self.settings.compiled)

    # ------------------------------------------------------------ inlining

    def call_function(
        self,
        function: Const,
        fn: types.FunctionType,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """Lower the body of a function in place."""
        if fn.__name__ == "__init__" and is_made_by_dataclass(fn):
            filled = self.fill_object(fn, args, kwargs)
            if filled is not None:
                return filled
        fn = marked_form(fn)  # type: ignore[assignment]
        floatless = all(map(self.language.floatless, [*args, *(v for _, v in kwargs)]))
        if floatless and fn.__module__ in OF_NO_NUMBERS and not self.records.rebound:
            return self.opaque_calls.opaque(function, args, kwargs)
        try:
            definition = self.definition(fn)
        except SourceUnavailable as error:
            if floatless and self.may_stay(fn):
                return self.opaque_calls.opaque(function, args, kwargs)
            raise error.located(self.position.location()) from None
        self.operations.use(fn)
        defaults = tuple(
            self.object_attributes.brought_along(v, "") for v in fn.__defaults__ or ()
        )
        named = tuple(
            (k, self.object_attributes.brought_along(v, k))
            for k, v in (fn.__kwdefaults__ or {}).items()
        )
        scope = self.scope_of(fn, definition)
        if fn in self.unfollowed and not (args or kwargs or self.records.rebound):
            return self.opaque_calls.opaque(function, args, kwargs)
        mark = self.snapshots.mark()
        try:
            return self.inline(
                definition.tree,
                scope,
                None,
                (defaults, named),
                (args, kwargs),
                fn.__code__,
            )
        except (UnsupportedSyntax, UnsupportedCall) as why:
            if not floatless or not may_be_called(why, [*args, *kwargs]):
                raise
            self.snapshots.back_to(mark)
            for key in self.records.rebound:  # it may read them as they are
                self.outside_names.begin_again(key)
            if not self.may_stay(fn):
                raise
            self.unfollowed[fn] = None
            try:
                return self.opaque_calls.opaque(function, args, kwargs)
            except (UnsupportedSyntax, UnsupportedCall) as given:
                # of code of others: at the call
                raise (given if is_of_library(fn) else why) from None

    def call_of_numpy(
        self,
        function: Const,
        fn: types.FunctionType,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """A call of a function of NumPy that is followed if floats enter it; one op
        where it cannot be."""
        given = (*args, *(value for _, value in kwargs))
        if not all(map(self.language.floatless, given)):
            mark = self.snapshots.mark()
            try:
                return self.call_function(function, fn, args, kwargs)
            except (UnsupportedSyntax, UnsupportedCall):
                self.snapshots.back_to(mark)
        return self.opaque_calls.primitive(function, args, kwargs)

    @extensible
    def fill_object(
        self,
        init: object,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value | None:
        """The __init__ of a dataclass, of an object; see instances.py."""
        raise NotImplementedError

    def may_stay(self, fn: types.FunctionType) -> bool:
        """Whether the text may call a function as it is: Numba computes other whole
        numbers than the Python function under it."""
        if fn.__code__ in self.compiled:
            return False
        return not self.records.rebound and not writes_globals(fn)

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
        made = self.generalisation.made_before
        variables = self.activation(node, scope, own, given)
        self.language.noted("inlined", scope.name, (scope.filename, node.lineno))
        if is_generator(node):
            cell = self.cells.new_cell(Cell("frame", variables)).cell
            return Generator(node, Frame(cell, scope, parent), code)
        if code in self.generalisation.recursive:
            return self.outlining.invoke(node, scope, parent, variables, code)
        copied = lasting(code, scope.filename), functions_among(variables.values())
        if self.is_large(copied):
            called = code, copied
            value = self.outlined_for_size(node, scope, parent, variables, called)
            if value is not None:
                return value
        self.check_recursion(variables, code)
        mark, emitted = self.snapshots.mark(), self.blocks.emitted
        hints = None if copied in self.records.inlined else dict(self.notes.hints)
        frame = Frame(self.cells.new_cell(Cell("frame", variables)).cell, scope, parent)
        try:
            value = self.outlining.run(node, frame, code)
        except CallsItself as found:
            if found.code is not code or any(
                c.code is code for c in self.position.calls
            ):
                raise
        else:
            times, size = self.records.inlined.get(copied, (0, 0))
            size = max(size, self.blocks.emitted - emitted)
            if hints is None or not self.foresees(copied, size):
                self.records.inlined[copied] = times + 1, size
                return value
            self.snapshots.back_to(mark)
            self.notes.restore_hints(hints)
            self.generalisation.foresee(code)
            self.generalisation.begin_call(made)
            return self.inline(node, scope, parent, own, given, code)
        self.snapshots.back_to(mark)
        self.generalisation.recursive[code] = None
        return self.outlining.invoke(node, scope, parent, variables, code)

    def is_large(self, copied: Copied) -> bool:
        """Whether copies of a function are, or would be, too much of the text."""
        if not self.settings.outlining:
            return False
        times, size = self.records.inlined.get(copied, (0, 0))
        many = size >= SMALLEST and times * size >= TOO_MANY
        if many and copied not in self.settings.much_called:
            self.large[copied] = None
            self.avoid_copies()
        code, functions = copied
        foreseen = code in self.generalisation.foreseen and not functions
        return (
            is_too_much(times, size) or foreseen or copied in self.settings.much_called
        )

    def foresees(self, copied: Copied, size: int) -> bool:
        """Whether a function that is met for the first time will be copied too often,
        now that its size is known."""
        code, functions = copied
        if functions or not self.settings.outlining or code in self.settings.unforeseen:
            return False
        if code in self.inlinable or code in self.generalisation.foreseen:
            return False
        return self.settings.foresight.is_too_much(
            code, size, self.generalisation.foreseen
        )

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
        if any(call.code is code for call in self.position.calls):
            return None  # it is followed to its end: see `check_recursion`
        mark = self.snapshots.mark()
        self.large[copied] = None
        try:
            return self.outlining.invoke(node, scope, parent, variables, code)
        except (CallsItself, UnsupportedSyntax, UnsupportedCall):
            self.inlinable[code] = None
            self.snapshots.back_to(mark)
        return None

    def avoid_copies(self) -> None:
        """Lower once more if copies of large functions are in the tape.

        Raises MuchCalled.
        """
        copied = (
            self.large.keys() & self.records.inlined.keys() - self.settings.much_called
        )
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
            self.position.refuse_call(
                f"the call of `{scope.name}` {error}", "Correct the call."
            )
        variables: dict[str, Value] = dict(bound.plain)
        if node.args.vararg is not None:
            variables[node.args.vararg.id] = TupleValue(bound.rest)
        if node.args.kwarg is not None:
            more: Mapping[Any, Value] = dict(bound.more)
            variables[node.args.kwarg.id] = self.cells.new_cell(
                Cell("dict", more, dict)
            )
        return variables

    @provides(Outlining.run)
    def run(self, node: Node, frame: Frame, code: object) -> Value:
        """Run the body of a function in a frame; its value."""
        where = self.position.location()
        given = self.cells.heap[frame.cell].items
        self.generalisation.begin_call()
        try:
            with self.position.in_call(
                Call(code, given, where, frame.scope.name), frame
            ):
                if isinstance(node, nodes.Lambda):
                    self.position.stand_within(node.body)
                    return self.language.evaluate(node.body)
                file = frame.scope.filename
                ours = is_ours(file) and not is_of_helpers(file)
                whole = only_return(node) or ours
                with self.position.lock(locked=whole):
                    self.language.execute(node.body, frozenset())
                    self.finish()
                self.blocks.check_open()
                return self.cells.get((frame.cell, RESULT)) or NULL
        finally:
            if not frame.scope.captured:  # nothing reads its names any more
                self.cells.heap.pop(frame.cell, None)

    def check_recursion(self, given: Mapping[str, Value], code: object) -> None:
        """Inline no function into itself for ever.

        A call that facts show to end soon is followed: f(x, None) by way of f(x, y),
        and a walk down a container or an object whose structure is known.
        """
        around = [call for call in self.position.calls if call.code is code]
        shrinking = bool(around) and shrinks(given, around[-1].given, self.cells.heap)
        if len(around) >= (MAX_UNROLLED if shrinking else MAX_SAME):
            raise CallsItself(code)
        if len(self.position.calls) > MAX_DEPTH:
            self.position.refuse_call(
                f"calls are nested more than {MAX_DEPTH} deep",
                "Write the recursion as a loop.",
            )

    def definition(self, fn: types.FunctionType) -> Any:
        """The source of a function, read once."""
        if fn not in self.settings.sources:
            source = locate(fn)
            if type(source.tree).__name__ == "AsyncFunctionDef":
                raise UnsupportedSyntax(
                    f"`{fn.__name__}` is a coroutine: its call computes nothing",
                    at=self.position.place() or source.location(source.tree),
                    remedy="Write a plain function.",
                )
            self.settings.sources[fn] = source
        return self.settings.sources[fn]

    @extensible
    def finish(self) -> None:
        """Give None as the result where the end of a body is reached."""
        raise NotImplementedError


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
