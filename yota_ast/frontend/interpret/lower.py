"""A function and the facts of its arguments -> its tape.

Lowering is interpretation: names stand for variables of the tape, for constants, or for
virtual values, and each operation on variables appends an op.  Calls of anything but
primitives are lowered in place.  No code of the user's is run.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import (
    InternalError,
    Location,
    NoRule,
    UnsupportedSyntax,
    YotaError,
)
from yota_ast.frontend.calls.explain_hooks import Watch
from yota_ast.frontend.calls.explained_lowering import Watched
from yota_ast.frontend.calls.frame_calls import FRAMES
from yota_ast.frontend.calls.helper_ranks import Helping
from yota_ast.frontend.calls.large_functions import Foresight, foresight
from yota_ast.frontend.calls.outlining import CallsItself
from yota_ast.frontend.calls.solver_calls import Slope
from yota_ast.frontend.calls.value_assumptions import Place
from yota_ast.frontend.desugar.applied_functions import APPLIED, Applied
from yota_ast.frontend.desugar.match_statements import Matches
from yota_ast.frontend.desugar.numpy_calls import Numpys
from yota_ast.frontend.expressions.attributes import fact_of_annotation
from yota_ast.frontend.heap.aliased_stores import seen_elsewhere
from yota_ast.frontend.heap.argument_mutation import Owning
from yota_ast.frontend.heap.argument_structures import called, told
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Cell,
    Frame,
    Node,
    Ref,
    Scope,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.object_fields import Fields
from yota_ast.frontend.heap.outside_writes import OUTSIDE
from yota_ast.frontend.interpret.finished_blocks import (
    Renamer,
    pruned,
    read_by,
    without_idle,
)
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.interpret.try_statements import Trials
from yota_ast.frontend.library.builtin_functions import HANDLERS
from yota_ast.frontend.library.endless_iterators import Endless
from yota_ast.frontend.library.iterators import Passing
from yota_ast.frontend.library.itertools_models import ITERATORS
from yota_ast.frontend.library.sorted_items import ORDERING
from yota_ast.frontend.library.standard_library import STANDARD
from yota_ast.frontend.source.bound_names import own_nodes, without_docstring
from yota_ast.frontend.source.context_decorators import own_signature
from yota_ast.frontend.source.decorator_refusals import object_or, refused_at_user
from yota_ast.frontend.source.default_constants import (
    default_constant,
    written_defaults,
)
from yota_ast.frontend.source.definitions import locate
from yota_ast.frontend.source.name_flow import (
    RESULT,
    always_leaves,
    ends_in_endless_loop,
    is_none,
)
from yota_ast.frontend.source.numba_functions import python_of, superseded
from yota_ast.frontend.source.wrappers import Filling, Given, filled, written
from yota_ast.frontend.state.lowering_records import (
    Call,
    Infer,
    IsPrimitive,
    MuchCalled,
    Owned,
    SeldomCalled,
    Sliced,
    Spot,
)
from yota_ast.frontend.state.settings import Settings, no_effect, no_slope
from yota_ast.frontend.tables.labelled_tables import LabelledValues
from yota_ast.ir.abstract_values import UNKNOWN, Fact, real_fact
from yota_ast.ir.annotations import plain_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.functions import Function, Parameter
from yota_ast.ir.nodes import Apply, Block, Read, walk
from yota_ast.ir.tape import Tape
from yota_ast.support.captured_data import captured_in, with_captured
from yota_ast.support.kept_functions import marked_form
from yota_ast.syntax import nodes, print_expr
from yota_ast.syntax.names import identifier, is_plain
from yota_ast.syntax.value_paths import path_text

SHARED: Final = ("array", "real")
"""Of what kind an argument is that can be tested for shared memory."""
KINDS: Final = {
    inspect.Parameter.POSITIONAL_ONLY: "positional-only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
    inspect.Parameter.VAR_POSITIONAL: "args",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "kwargs",
}


IMPORTED: Final = ("np", "math")
"""What the text imports by a fixed name."""


class Lowering(
    LabelledValues,
    Helping,
    Passing,
    Endless,
    Watched,
    Numpys,
    Owning,
    Fields,
    Matches,
    Applied,
    Trials,
    Loops,
):
    """The whole interpreter; see the classes it is made of."""

    replacements = HANDLERS | APPLIED | ITERATORS | STANDARD | ORDERING | FRAMES

    def definition(self, fn: types.FunctionType) -> Any:
        """The source of a function, read once."""
        if fn not in self.settings.sources:
            source = locate(fn)
            if type(source.tree).__name__ == "AsyncFunctionDef":
                raise UnsupportedSyntax(
                    f"`{fn.__name__}` is a coroutine: its call computes nothing",
                    at=self.place() or source.location(source.tree),
                    remedy="Write a plain function.",
                )
            self.settings.sources[fn] = source
        return self.settings.sources[fn]

    def place(self) -> Location | None:
        """Where lowering stands, if it has begun."""
        return self.location() if hasattr(self, "frame") else None

    def lower(
        self,
        fn: types.FunctionType,
        facts: Mapping[str, Fact],
        examples: Mapping[str, object],
        name: str,
        told: inspect.Signature | None = None,
    ) -> Tape:
        """The tape of a function."""
        self.take_examples(examples)
        own_cells, source = frozenset(captured_in(told)), self.definition(fn)
        self.use(fn)
        scope = self.scope_of(fn, source).capturing(own_cells)
        frame = Frame(self.new_cell(Cell("frame", {})).cell, scope)
        self.begin(name, frame, source.tree, own_cells)
        params, variables = self.parameters(fn, facts, examples, told)
        for given in params:
            if given.var.hint in IMPORTED:
                self.refuse(
                    f"the parameter `{given.var.hint}` has the name of a "
                    "module that generated code imports",
                    "Give it another name.",
                )
        for parameter, value in variables.items():
            self.put(self.frame.cell, parameter, value)
        self.calls.append(Call(fn.__code__))
        self.take_apart(variables, params)
        variables = dict(self.heap[self.frame.cell].items)
        try:
            result = self.body_or_call(fn, source.tree, scope, variables)
        finally:
            self.calls.pop()
        self.avoid_copies()
        self.check_foreseen()
        self.check_superseded()
        if not self.ended:
            self.write_back()
        for (_, left), (_, where) in self.rebound.items():
            self.refuse_global(left, where)
        checked = self.global_checks()
        self.type_checks((p.var.name, p.var.fact) for p in params)
        self.type_checks((_path(r), r.out.fact) for r in self.reads.values())
        things = {p.var.name: p.var for p in params}
        things |= {_path(r): r.out for r in self.reads.values()}
        self.mask_checks(things)
        called = self.functions_of(Block(tuple(self.ops)))
        self.change_checks(things, _result_names(result), called)
        self.number_checks(things)
        self.unlike_checks(things)
        self.none_checks(things)
        needed = _result_names(result)
        block = without_idle(Block(tuple(self.ops)), self.seen_through, needed)
        apart = self.class_checks(things)
        apart += self.outside_checks(things, block, result)
        reads: list[Any] = list(self.reads.values())
        block = pruned(Block((*checked, *reads, *apart, *block)), needed)
        roots = [p.var for p in params]
        distinct = self.distinct(params, block, result)
        renamer = Renamer(roots, self.frame.cell, self.hints)
        block = renamer.block(block)
        functions = self.functions_of(block)
        split = frozenset(v.name for n, v in renamer.made.items() if n in self.split)
        self.check_lists((block, renamer.atom(result)), functions, split)
        doc = inspect.getdoc(fn) or ""
        return Tape(
            name,
            tuple(params),
            block,
            renamer.atom(result),
            doc,
            fn.__module__ or "",
            fn,
            tuple(self.used.values()),
            distinct,
            functions,
            tuple(self.checks.values()),
            tuple(self.given_up.items()),
            () if self.written or _acts(block) else tuple(self.guesses.items()),
            tuple((*place, value) for place, value in self.constants.items()),
            self.ranked,
            tuple(self.equal),
            tuple((text, *held) for text, held in self.held_unknown(block).items()),
            self.kept_loops,
        )

    def check_lists(
        self,
        own: tuple[Block, object],
        functions: Iterable[Function],
        split: frozenset[str],
    ) -> None:
        """Refuse to write a list that is read as what it was by another name."""
        for block, result in (own, *((f.block, f.result) for f in functions)):
            store = seen_elsewhere(block, result, split)
            if store is not None:
                raise UnsupportedSyntax(
                    "the function changes a list that it may read later by "
                    "another name or in another list",
                    at=store.origin.place,
                    remedy="Put a copy into the other list: list(row).",
                )

    def body_or_call(
        self,
        fn: types.FunctionType,
        node: Node,
        scope: Scope,
        variables: Mapping[str, Value],
    ) -> Any:
        """The result of the body; of one that calls itself, that of a call of it."""
        mark = self.mark()
        try:
            return self.body_of(node)
        except CallsItself:
            self.back_to(mark)
        if scope.own_cells:  # then they are taken for constants
            raise InternalError("a function that calls itself has no cells of its own")
        self.recursive[fn.__code__] = None
        value = self.invoke(node, scope, None, variables, fn.__code__)
        with self.at(node):
            return self.atom(value)

    def distinct(
        self, params: Sequence[Parameter], block: Block, result: object
    ) -> tuple[tuple[str, str], ...]:
        """The pairs of arguments that must share no memory: one of them is written."""
        if not self.written:
            return ()
        read = {a.name for op in walk(block) for a in read_by(op) if isinstance(a, Var)}
        read |= _result_names(result)
        others = {
            r[4:]: var
            for var in (*(p.var for p in params), *(r.out for r in self.reads.values()))
            if var.name in read
            for r in self.memory_of(var).roots
        }
        for text, var in others.items():
            if var.fact.kind not in SHARED and text not in self.written:
                first, brought = next(iter(self.written)), self.brought_texts
                copied = f"Work on a copy: {first} = np.array({first})."
                mine, other = called(first, brought), told(text, brought)
                why = f"the function writes into {mine}, which may be in `{other}`"
                self.refuse(why, OUTSIDE if first in brought else copied)
        names = [*self.written, *(t for t in others if t not in self.written)]
        return tuple(
            (a, b) for k, a in enumerate(names) if a in self.written
            for b in names[k + 1 :]
        )  # fmt: skip

    def body_of(self, node: Node) -> Any:
        """Run the function; its result as an atom."""
        if hasattr(node, "decorator_list"):
            body = self.with_values(node)
            self.execute(body, self.frame.scope.captured)
            self.finish()
            value = self.get((self.frame.cell, RESULT)) or NULL
        else:
            with self.statement(node):
                left_out = self.reaches(node.body)
                what = self.made_of if left_out else self.evaluate
                value = what(node.body)
        if self.ended:
            return Const(None)
        self.stand_at_return()
        try:
            with self.at(node):
                return self.atom(value)
        except YotaError as error:
            error.at = self.last_return.location or error.at
            raise

    def with_values(self, node: Node) -> list[Node]:
        """The body of the function; where it gives a value on some ways and None on
        others, which has no gradient, None is an error."""
        body: list[Node] = without_docstring(node.body)
        own = own_nodes(node)
        returns = [n.value for n in own if isinstance(n, nodes.Return)]
        if not any(v is not None and not is_none(v) for v in returns):
            return body
        tried = any(isinstance(n, nodes.Try) for n in own)  # it may catch the error
        self.give_values(None if tried else self.frame.cell)
        if always_leaves(body) or ends_in_endless_loop(body):
            return body
        end = nodes.copy_location(nodes.Return(None), node)
        end.falls_off = True
        return [*body, end]

    def parameters(
        self,
        fn: types.FunctionType,
        facts: Mapping[str, Fact],
        examples: Mapping[str, object],
        told: inspect.Signature | None,
    ) -> tuple[list[Parameter], dict[str, Value]]:
        """The parameters, and what the names of the function stand for at first."""
        own = own_signature(fn)
        captured = captured_in(told)
        if captured:
            return self.described(with_captured(own, captured), fn, facts, examples)
        if told is None or told.parameters.keys() == own.parameters.keys():
            return self.described(own, fn, facts, examples)
        params, given = self.described(told, written(fn), facts, examples)
        return params, self.filled(fn, filled(own, told), given)

    def described(
        self,
        signature: inspect.Signature,
        fn: types.FunctionType,
        facts: Mapping[str, Fact],
        examples: Mapping[str, object],
    ) -> tuple[list[Parameter], dict[str, Value]]:
        """The parameters of a signature, and what stands for them; fn: the function in
        whose text they are written."""
        node = self.definition(fn).tree
        defaults = written_defaults(node.args)
        annotations = {
            p.id: print_expr(p.annotation)
            for p in _parameter_nodes(node.args)
            if getattr(p, "annotation", None) is not None
        }
        params: list[Parameter] = []
        variables: dict[str, Value] = {}
        for name, slot in signature.parameters.items():
            fact = facts.get(name) or self.assumed(slot, fn)
            if slot.kind is slot.VAR_POSITIONAL and name not in facts:
                fact = Fact("tuple")
            if slot.kind is slot.VAR_KEYWORD and name not in facts:
                fact = Fact("dict")
            default = None
            if slot.default is not slot.empty:
                default = default_constant(slot, defaults.get(name), fn)
            var = Var(name, fact, name)
            self.paths[name] = (var, ())
            self.remember_argument(var, name)
            kind = KINDS[slot.kind]
            params.append(Parameter(var, kind, default, annotations.get(name, "")))
            example = examples.get(name)
            if name not in examples and slot.default is not slot.empty:
                self.sample(var, (), fact, slot.default)
            value = self.argument(var, (), fact, example)
            if slot.kind is slot.VAR_KEYWORD and isinstance(value, Argument):
                # The dict is made by the call: changing it changes nothing outside.
                items = {k: self.item_of_argument(value, k) for k in fact.keys or ()}
                made = self.new_cell(Cell("dict", items, dict))
                self.opened_from[made.cell] = value
                value = made
            variables[name] = value
        return params, variables

    def filled(
        self,
        fn: types.FunctionType,
        filling: Mapping[str, Filling],
        given: Mapping[str, Value],
    ) -> dict[str, Value]:
        """What the parameters of a wrapper are, by what it is given."""
        found: dict[str, Value] = {}
        for name, slot in own_signature(fn).parameters.items():
            part = filling.get(name)
            if part is None:
                found[name] = self.default_of(slot.default, name)
            elif isinstance(part, Given):
                found[name] = given[part.name]
            elif isinstance(part, tuple):
                found[name] = self.gathered(part, given)
            else:
                found[name] = self.gathered_by_name(part, given)
        return found

    def gathered(self, parts: Sequence[Given], given: Mapping[str, Value]) -> Value:
        """The tuple that `*args` of a wrapper is."""
        if len(parts) == 1 and parts[0].spread:
            return given[parts[0].name]
        items: list[Value] = []
        for part in parts:
            value = given[part.name]
            items += self.known_items(value, self.node) if part.spread else [value]
        return TupleValue(tuple(items))

    def gathered_by_name(
        self, parts: Mapping[str, Given], given: Mapping[str, Value]
    ) -> Value:
        """The dict that `**kwargs` of a wrapper is."""
        items: dict[Any, Value] = {}
        for name, part in parts.items():
            value = given[part.name]
            if not part.spread:
                items[name] = value
            elif len(parts) == 1 or not isinstance(value, Ref):
                return value
            else:
                items |= self.heap[value.cell].items
        return self.new_cell(Cell("dict", items, dict))

    def assumed(self, slot: inspect.Parameter, fn: Callable[..., object]) -> Fact:
        """The fact of a parameter of which nothing is said but in the signature."""
        if slot.annotation is not slot.empty:
            annotation = slot.annotation
            if isinstance(annotation, str):
                annotation = fn.__globals__.get(annotation, annotation)
            fact = fact_of_annotation(annotation, slot.name)
            if fact.kind != "real":
                return fact
        if slot.default is None:
            return UNKNOWN
        plain = plain_fact(type(slot.default))
        member = plain is None and isinstance(slot.default, (str, int))  # of an enum
        return UNKNOWN if member else plain or real_fact(slot.name)


def _plain(fn: Any) -> tuple[Callable[..., object], frozenset[object]]:
    """The function under a method, or under what Numba compiles; and the code that is
    compiled."""
    while isinstance(fn, types.MethodType):
        fn = fn.__func__
    inner = python_of(fn)
    if inner is None:
        return fn, frozenset()
    changed = superseded(fn)
    if changed is not None:
        raise UnsupportedSyntax(changed[0], remedy=changed[1])
    return inner, frozenset({inner.__code__})


def lower(  # noqa: PLR0913  options
    fn: Callable[..., object],
    facts: Mapping[str, Fact],
    *,
    examples: Mapping[str, object] | None = None,
    is_primitive: IsPrimitive,
    infer: Infer,
    name: str | None = None,
    fixed: frozenset[str] | None = None,
    avoided: Mapping[Place, NoRule] | None = None,
    copied: frozenset[Spot] = frozenset(),
    has_effect: IsPrimitive | None = None,
    outlining: bool = True,
    looping: bool = False,
    assuming: bool = False,
    slope_of: Slope | None = None,
    watch: Watch | None = None,
    told: inspect.Signature | None = None,
) -> Tape:
    """The tape of `fn`.

    facts: by parameter; of one that is missing the annotation and the default tell,
    else
    it is a float or a real array. examples: values of parameters: the fields of objects
    are read from them, functions among them are constants. is_primitive: which
    functions stay one op. infer: the fact of a primitive's result. fixed: parameters of
    which strings, booleans and integers are taken as they are in the example; then
    lengths are too. has_effect: which primitives must happen once, in their place.
    avoided: calls that have no derivative; what cannot be lowered, such calls
    included, then raises in the text where a branch leads to it. outlining: large
    functions that are called often become functions of the tape, where that works.
    looping: loops over many known items stay loops, where that works.
    assuming: lengths of what loops hand on may be taken for equal, as in the example.
    slope_of: makes the gradient of a tape, of what is minimised.
    watch: who is told of each statement, call and constant.
    told: the signature that a wrapper tells; the tape has its parameters.

    Raises UnsupportedSyntax, UnsupportedCall, SourceUnavailable, each with its place.
    """
    fn, compiled = _plain(marked_form(fn))
    lowering: Lowering | None = None
    try:
        if not isinstance(fn, types.FunctionType):
            locate(fn)
            raise InternalError("no function")  # noqa: TRY301
        ahead = foresight(fn, is_primitive) if outlining else Foresight()
        settings = Settings(
            is_primitive, infer, fixed=fixed, lenient=avoided is not None,
            avoided=avoided or {}, copied=copied, assuming=assuming,
            has_effect=has_effect or no_effect, slope_of=slope_of or no_slope,
            watch=watch, outlining=outlining, looping=looping, compiled=compiled,
            foresight=ahead, foreseen=ahead.large,
        )  # fmt: skip
        while True:
            lowering = Lowering(settings)
            if watch is not None:
                watch.begin()
            try:
                title, called = name or title_of(fn), object_or(fn, examples)
                lowering.wrappers.append((called, None))
                with refused_at_user(called):
                    return lowering.lower(fn, facts, examples or {}, title, told)
            except Owned as found:
                *written, at = found.args
                owned = {**settings.owned, tuple(written): at}
                settings = replace(settings, owned=owned)
            except Sliced as found:
                settings = replace(settings, sliced=settings.sliced | {*found.args})
            except MuchCalled as found:
                much_called = settings.much_called | {*found.args}
                settings = replace(
                    settings, much_called=much_called, foreseen=lowering.foreseen
                )
            except SeldomCalled as found:
                unforeseen = settings.unforeseen | {*found.args}
                large = lowering.foreseen - unforeseen
                settings = replace(settings, unforeseen=unforeseen, foreseen=large)
            except YotaError:
                if not lowering.large and not lowering.kept_loops:
                    raise
                # Loops are written out first, and then the functions.
                outlining = settings.outlining and lowering.kept_loops
                settings = replace(settings, outlining=outlining, looping=False)
    except RecursionError:
        reason = "the code is nested too deeply"
        raise UnsupportedSyntax(
            reason, at=_place(lowering), remedy="Split the function."
        ) from None
    except YotaError:
        raise
    except Exception as error:
        reason = f"lowering failed: {type(error).__name__}: {error}"
        raise InternalError(reason, at=_place(lowering)) from error


def _place(lowering: Lowering | None) -> Location | None:
    return None if lowering is None else lowering.place()


def replace_calls(fn: Callable[..., object], handler: Any) -> None:
    """Let a handler give the value of calls of a function, wherever it is called."""
    Lowering.replacements = {**Lowering.replacements, fn: handler}


def title_of(fn: Callable[..., object]) -> str:
    """What the text calls a function: `loss`, `Linear_loss`, `lambda` as it is.

    >>> title_of(lambda x: x)
    'lambda'
    """
    last = fn.__qualname__.rpartition("<locals>.")[2]
    title = last.replace("<", "").replace(">", "").replace(".", "_")
    return title if is_plain(title) else identifier(title)


def _parameter_nodes(args: Node) -> list[Node]:
    found = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [p for p in found if p is not None]


def _path(read: Read) -> str:
    return path_text(read.root.name, read.path)


def _acts(block: Block) -> bool:
    """Whether something is done that must not be done twice."""
    return any(isinstance(op, Apply) and op.effect for op in walk(block))


def _result_names(result: object) -> frozenset[str]:
    return frozenset({result.name} if isinstance(result, Var) else ())
