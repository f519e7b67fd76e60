"""Transforms called inside a function that is itself differentiated.

`value_and_grad(f)(x)` is lowered where it is called, when the arguments are known: the
body of f becomes a tape of its own, whose variables are the floats of the arguments in
question and what f reads of its surroundings; gradient code is made of that tape, with
all that is known of the variables, and lowered like a helper of the user's. So f may be
any function: of the module, made inside, a method, a partial, a transform.

The other transforms are written in terms of the gradient and the tangent, by the
functions at the end, which are lowered like the user's.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .adjoint.activity import activity
from .adjoint.flows import flows_through
from .asked import (
    names_among,
    names_or_first,
    one_or_first,
    refuse_floatless,
    refuse_meant_for,
)
from .errors import UnsupportedCall, UnsupportedSyntax
from .facts import Fact, anonymous
from .frontend.lower import replace_calls
from .frontend.moulds import (
    Mould,
    facts_of,
    filled,
    floats_apart,
    leaves,
    named,
)
from .frontend.solving import Own
from .frontend.values import Cell, Heap, Partial, TupleValue, Value
from .names import unused
from .nested_arguments import (
    Arguments,
    Keywords,
    bind,
    bound_by,
    is_plain,
    known_options,
    placed,
    quoted,
    signature_of,
    takes_no_more,
    title_of,
)
from .nested_choices import with_each
from .nested_facts import renamed
from .nested_functions import (
    Gradients,
    changed,
    columns,
    pulled,
    rows,
    second,
    slope,
    transformed,
)
from .nested_structures import (
    gradient_like,
    leaf_tangents,
    own,
    refuse_constant,
    states,
)
from .records import dataclass, replace
from .seeds import missing, refuse_unlike
from .signatures import by_parameter, halves, with_seed
from .tape import Const, Parameter, Tape, Var, fact_of_atom

NONE: Final = Const(None)
_PULLED: Final = inspect.signature(pulled)
Signature = inspect.Signature
Fn = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Makers:
    """How code is made of a tape: gradient gives the function of the value and of the
    gradients in the variables named, and what it calls the cotangent (`unit`: it is 1);
    tangent that of the value and its tangent, whose parameters end with the
    tangents."""

    gradient: Callable[[Tape, tuple[str, ...], bool], tuple[Fn, str]]
    tangent: Callable[[Tape, tuple[str, ...]], Fn]


@dataclass(frozen=True, slots=True)
class Spec:
    """A transform and its options, as they were called. wrt: names and positions, None
    where nothing is said. general: nothing was said of the arguments either, of which
    `simplegrad` then decides by the function alone which have gradients."""

    transform: str
    wrt: object = None
    general: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """Gradient code, and what it is called with.

    given: the floats in question, then what the function reads of its surroundings.
    moulds: the structure of each argument in question, by name. writes: the function
    writes into its arguments, and the code into copies. value: what is known of what it
    gives.
    """

    fn: Const
    seed: str
    given: tuple[Value, ...]
    moulds: Mapping[str, Mould]
    writes: bool
    value: Fact


@dataclass(frozen=True, slots=True)
class _Held:
    """What a pullback needs but the variables that it is called with. seen: the states
    of the memory that those may share, where `vjp` was called."""

    made: Made
    title: str
    seen: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Body:
    """A call as a tape of its own, whose first `count` parameters are the floats in
    question, and the first `own` of the call; the rest as in `Made`."""

    tape: Tape
    given: tuple[Value, ...]
    moulds: Mapping[str, Mould]
    count: int
    own: int
    writes: bool

    @property
    def wrt(self) -> tuple[str, ...]:
        """The names of the floats in question."""
        return tuple(p.var.name for p in self.tape.params[: self.count])


def follow(transforms: Mapping[str, Fn], makers: Makers) -> None:
    """Lower calls of transforms, by their names, and of what they give."""
    nested = Nested(makers)
    for name, transform in transforms.items():
        signature = inspect.signature(transform)
        handler = nested.grad if name == "grad" else nested.transform
        replace_calls(transform, functools.partial(handler, name, signature))
    replace_calls(transformed, nested.transformed)
    replace_calls(pulled, nested.pulled)


@dataclass(frozen=True, slots=True)
class Nested:
    """What each transform is lowered to. The handlers are given the interpreter, the
    arguments and the keywords of the call."""

    makers: Makers

    # ------------------------------------------------------------ calls of transforms

    def grad(
        self, name: str, signature: Signature, lowering: Any, args: Any,
        kwargs: Keywords,
    ) -> Value:  # fmt: skip
        """The value, and the gradients by position and by name."""
        given = bound_by(lowering, signature, f"`{name}`", args, kwargs)
        return with_each(
            lowering, given["f"], lambda f: self._grad(lowering, {**given, "f": f})
        )

    def _grad(self, lowering: Any, given: Mapping[str, Any]) -> Value:
        f, options = given["f"], [k for k in ("wrt", "seed", "dynamic") if k in given]
        taken = signature_of(lowering, f)
        with placed(lowering):
            refuse_meant_for(taken.parameters, options, "grad")
        named = tuple(given.get("kwargs", {}).items())
        bound = bind(lowering, taken, quoted(f), given.get("args", ()), named)
        spec = Spec("grad", known_options(lowering, given.get("wrt", NONE)))
        names = self._floats(lowering, spec, bound)
        value, found = self._run(lowering, f, bound, names, given.get("seed", NONE))
        result = self._by_argument(
            lowering, bound, dict(zip(names, found, strict=True))
        )
        return TupleValue((value, result))

    def _by_argument(
        self, lowering: Any, bound: Arguments, found: Mapping[str, Value]
    ) -> Value:
        """What `grad` gives beside the value."""
        count = len(bound.parameters)
        items: dict[object, Value] = {None: Const(count)}
        for place, name in enumerate(bound.parameters):
            if name in found:
                keys = (name, place, place - count)
                items |= dict.fromkeys(keys, found[name])
        result: Value = lowering.new_cell(Cell("dict", items, Gradients))
        return result

    def transform(
        self, name: str, signature: Signature, lowering: Any, args: Any,
        kwargs: Keywords,
    ) -> Value:  # fmt: skip
        """What a transform gives: it is followed where it is called."""
        given = bound_by(lowering, signature, f"`{name}`", args, kwargs)
        spec = Spec(name, known_options(lowering, given.get("wrt", NONE)))
        if name == "simplegrad":
            spec = self._of_examples(lowering, spec, given)
        return Partial(Const(transformed), (Const(spec), given["f"]), ())

    def _of_examples(self, lowering: Any, spec: Spec, given: Mapping[str, Any]) -> Spec:
        """What examples say of the options of `simplegrad`."""
        for option, plain in (("fast", False), ("backend", "numpy")):
            if given.get(option, Const(plain)) != Const(plain):
                lowering.refuse_call(
                    f"`simplegrad` is called inside with the option `{option}=`",
                    "Leave it out.",
                )
        args, named = given.get("args", ()), tuple(given.get("kwargs", {}).items())
        if spec.wrt is not None or not (args or named):
            return replace(spec, general=spec.wrt is None)
        f = given["f"]
        bound = bind(lowering, signature_of(lowering, f), quoted(f), args, named)
        return replace(spec, wrt=list(self._floats(lowering, spec, bound)))

    # ------------------------------------------------------------ what they give

    def transformed(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A call of the function that a transform has given."""
        spec, f, *given = args
        call = getattr(self, f"_{spec.value.transform}")
        with placed(lowering):
            return with_each(
                lowering, f, lambda one: call(lowering, spec.value, one, given, kwargs)
            )

    def _value_and_grad(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        bound = self._bound(lowering, f, args, kwargs)
        names = self._named(lowering, spec, bound)
        value, found = self._run(lowering, f, bound, names)
        return TupleValue((value, bare(found)))

    def _simplegrad(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        own_signature = signature_of(lowering, f)
        whole = with_seed(own_signature, NONE)
        bound = bind(lowering, whole, quoted(f), args, kwargs)
        values = dict(bound.values)
        (seed,) = (
            values.pop(k)
            for k in whole.parameters.keys() - own_signature.parameters.keys()
        )
        bound = Arguments(own_signature, values)
        names = self._floats(lowering, spec, bound)
        if spec.general:
            self._refuse_doubtful(lowering, f, bound, names)
        value, found = self._run(lowering, f, bound, names, seed)
        return TupleValue((value, *found))

    def _refuse_doubtful(
        self, lowering: Any, f: Value, bound: Arguments, names: tuple[str, ...]
    ) -> None:
        """Refuse `simplegrad(f)` of a function of which it is not told by the floats of
        a call what has a gradient: what it is given is not known where it is made."""
        if is_plain(f) and takes_no_more(bound, names, _facts(lowering, bound)):
            body = self._body(lowering, f, bound, names)
            floats = [p.var for p in body.tape.params[: body.count]]
            active = activity(body.tape, floats, flows_through)
            if all(v in active for v in floats):
                return
        lowering.refuse_call(
            "which arguments `simplegrad` gives gradients of is not known here",
            f"Name them: simplegrad({title_of(f)}, wrt=[...]).",
        )

    def _vjp(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        bound = self._bound(lowering, f, args, kwargs)
        names = self._named(lowering, spec, bound)
        made = self._made(lowering, f, bound, names, unit=False, pure=True)
        value = bound.call(lowering, f, bound.values)
        held = _Held(made, title_of(f), states(lowering, made.given))
        values = (Const(held), TupleValue(made.given))
        return TupleValue((value, Partial(Const(pulled), values, ())))

    def pulled(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A call of a pullback."""
        bound = bound_by(lowering, _PULLED, "the pullback", args, kwargs)
        held, seed = bound["made"].value, bound["seed"]
        if not lowering.are_current(held.seen):
            lowering.refuse_call(
                "an array or list that the pullback reads was written since `vjp` was"
                " called",
                "Give `vjp` a copy, np.array(x), or call the pullback before.",
            )
        made = replace(held.made, given=bound["given"].items)
        with placed(lowering):
            _, found = self._called(lowering, made, held.title, seed)
        return bare(found)

    def _jvp(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        with placed(lowering):
            primals, tangents = halves(args)
        bound = self._bound(lowering, f, primals, kwargs)
        found = by_parameter(bound.signature, tangents)
        given = {
            k: TupleValue(d) if isinstance(d, tuple) else d for k, d in found.items()
        }
        return self._along(
            lowering, f, bound, {k: d for k, d in given.items() if not _is_none(d)}
        )

    def _along(
        self, lowering: Any, f: Value, bound: Arguments, given: Mapping[str, Value]
    ) -> Value:
        """The value and its tangent along those of some arguments."""
        made = self._tangent_made(lowering, f, bound, tuple(given))
        parts: list[Value] = []
        with placed(lowering):
            for name, d in given.items():
                refuse_constant(lowering, name, bound.values[name])
                x = lowering.opened(bound.values[name])
                parts += leaf_tangents(lowering, name, made.moulds[name], x, d)
        both: Value = lowering.call(made.fn, (*made.given, *parts))
        if lowering.ended:
            return both
        value, change = (lowering.subscript(both, Const(k)) for k in range(2))
        if made.writes:
            value = bound.call(lowering, f, bound.values)
        others = TupleValue((value, *made.given, *parts))
        return TupleValue((value, own(lowering, change, others)))

    def _hvp(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        if len(args) < 2 or args[1] == NONE:
            lowering.refuse_call(
                "`hvp` is given no direction", "Call `hvp(f)(x, v, *rest)`."
            )
        x, v, *rest = args
        bound = self._bound(lowering, f, (x, *rest), kwargs)
        name = self._one(lowering, spec, bound)
        both = self._along(lowering, _derivative(f, name), bound, {name: v})
        changed: Value = lowering.subscript(both, Const(1))
        return changed

    def _hessian(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        bound = self._bound(lowering, f, args, kwargs)
        name = self._one(lowering, spec, bound)
        with placed(lowering):
            refuse_constant(lowering, name, bound.values[name])
        made = self._tangent_made(lowering, _derivative(f, name), bound, (name,))
        x, *held = made.given
        function = Partial(Const(changed), (made.fn, TupleValue(tuple(held))), ())
        found: Value = lowering.call(Const(columns), (function, x))
        if made.writes:
            bound.call(lowering, f, bound.values)
        return found

    def _jacobian(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        bound = self._bound(lowering, f, args, kwargs)
        every = []
        for name in self._named(lowering, spec, bound):
            self._refuse_container(lowering, spec, bound, name)
            every.append(self._made(lowering, f, bound, (name,), unit=False, pure=True))
        value, found = bound.call(lowering, f, bound.values), list[Value]()
        for made in every:
            x, *held = made.given
            function = Partial(
                Const(slope), (made.fn, TupleValue((x, *held)), Const(made.seed)), ()
            )
            row: Value = lowering.call(Const(rows), (function, value, x))
            found.append(row)
        return bare(found)

    # ------------------------------------------------------------ gradient code

    def _run(
        self, lowering: Any, f: Value, bound: Arguments, names: tuple[str, ...],
        seed: Value = NONE,
    ) -> tuple[Value, list[Value]]:  # fmt: skip
        """The value, and the gradients of the arguments named."""
        made = self._made(lowering, f, bound, names, unit=seed == NONE)
        with placed(lowering):
            value, found = self._called(lowering, made, title_of(f), seed)
        if made.writes:
            value = bound.call(lowering, f, bound.values)
        return value, found

    def _called(
        self, lowering: Any, made: Made, title: str, seed: Value
    ) -> tuple[Value, list[Value]]:
        """What gradient code gives: the value, and the gradients built like the
        arguments."""
        if seed != NONE:
            refuse_unlike(lowering.fact(seed), title, made.value)
        elif made.value.items is not None or made.value.rank:
            raise missing(title, made.value)
        more = [] if seed == NONE else [(made.seed, seed)]
        whole = lowering.call(made.fn, made.given, more)
        value, *found = lowering.known_items(whole, lowering.node)
        return value, self._structured(lowering, list(made.moulds.values()), found)

    def _made(
        self, lowering: Any, f: Value, bound: Arguments, names: tuple[str, ...],
        *, unit: bool, pure: bool = False,
    ) -> Made:  # fmt: skip
        """The gradient code of a call."""
        body = self._body(lowering, f, bound, names, pure=pure)
        one = unit and lowering.fact(body.tape.result).is_scalar
        fn, seed = lowering.nested_code.get(
            (body.tape, body.wrt, one),
            lambda: self.makers.gradient(body.tape, body.wrt, one),
        )
        if pure and body.writes:
            lowering.refuse_call(
                f"`{title_of(f)}` writes into its arguments, and the pullback calls it"
                " again",
                "Work on a copy: np.array(x).",
            )
        return _made_of(body, fn, seed)

    def _tangent_made(
        self, lowering: Any, f: Value, bound: Arguments, names: tuple[str, ...]
    ) -> Made:
        """The code of the tangent of a call."""
        body = self._body(lowering, f, bound, names)
        fn = lowering.nested_code.get(
            (body.tape, body.wrt), lambda: self.makers.tangent(body.tape, body.wrt)
        )
        return _made_of(body, fn, "")

    def _body(
        self, lowering: Any, f: Value, bound: Arguments, names: tuple[str, ...],
        *, pure: bool = False,
    ) -> Body:  # fmt: skip
        """A call as a tape of its own. Of a function that writes into its arguments it
        is that of copies, which must be all that it knows them by."""
        mark = lowering.mark()
        try:
            return self._tape(lowering, f, bound, names, pure=pure)
        except (UnsupportedSyntax, UnsupportedCall) as refusal:
            lowering.back_to(mark)
            try:
                body = self._tape(lowering, f, bound, names, pure=True, copied=True)
                shared = _share_memory(lowering, body)
            except (UnsupportedSyntax, UnsupportedCall):
                shared = True
            if shared:
                raise refusal from None
            return body

    def _tape(
        self, lowering: Any, f: Value, bound: Arguments, names: tuple[str, ...],
        *, pure: bool, copied: bool = False,
    ) -> Body:  # fmt: skip
        moulds, floats = dict[str, Mould](), list[Value]()
        own_names, facts = list[str](), list[Fact]()
        others = _other_arrays(bound, names) if copied else ()
        for name in (*names, *others):
            value = lowering.opened(bound.values[name])
            mould = floats_apart(value, lowering.heap)
            moulds[name] = mould
            floats += leaves(mould, value, lowering.heap)
            for hint, fact in named(mould, name):
                own_names.append(unused(hint, own_names))
                facts.append(replace(anonymous(fact), length=None))

        def body(variables: Sequence[Var]) -> Value:
            made = iter(variables)
            given, before = dict(bound.values), lowering.snapshot().heap
            for name, mould in moulds.items():
                given[name] = filled(mould, made, lowering.new_cell)
            filled_in = {k: v for k, v in lowering.heap.items() if k not in before}
            if copied:
                given = {k: _copied(lowering, v) for k, v in given.items()}
            value = bound.call(lowering, f, given)
            _refuse_changed(lowering, title, filled_in)
            return value

        known, title = set(lowering.functions), title_of(f)
        function, held = lowering.function_of(
            body, Own(tuple(own_names), tuple(facts)), title, "a transform", pure=pure
        )
        if function.name not in known:
            del lowering.functions[function.name]
        block, params, result = renamed(
            function.block, function.params, function.result
        )
        tape = Tape(
            function.title, tuple(map(Parameter, params)), block, result,
            module=lowering.frame.scope.module,
            functions=lowering.functions_of(function.block),
        )  # fmt: skip
        around = tuple(lowering.fresh(v) for v in held)
        asked = {name: moulds[name] for name in names}
        count = sum(len(list(facts_of(mould))) for mould in asked.values())
        return Body(tape, (*floats, *around), asked, count, len(facts), writes=copied)

    # ------------------------------------------------------------ structures

    def _structured(
        self, lowering: Any, moulds: Sequence[Mould], found: Sequence[Value]
    ) -> list[Value]:
        """Gradients of leaves -> those of the arguments."""
        rest = iter(found)
        return [gradient_like(lowering, mould, rest) for mould in moulds]

    def _refuse_container(
        self, lowering: Any, spec: Spec, bound: Arguments, name: str
    ) -> None:
        if not lowering.fact(bound.values[name]).is_numeric:
            lowering.refuse_call(
                f"`{spec.transform}` is called inside, of `{name}`, which is no array"
                " or float",
                "Differentiate with respect to arrays and floats there.",
            )

    # ------------------------------------------------------------ arguments

    def _one(self, lowering: Any, spec: Spec, bound: Arguments) -> str:
        """The one argument that a transform is about."""
        with placed(lowering):
            name = one_or_first(spec.transform, bound.parameters, spec.wrt)
        self._refuse_container(lowering, spec, bound, name)
        return name

    def _named(self, lowering: Any, spec: Spec, bound: Arguments) -> tuple[str, ...]:
        """The arguments that `wrt` names; of a transform the first, if it says none."""
        with placed(lowering):
            names = names_or_first(bound.parameters, spec.wrt)
            refuse_floatless(names, _facts(lowering, bound))
        return names

    def _floats(self, lowering: Any, spec: Spec, bound: Arguments) -> tuple[str, ...]:
        """The arguments that `wrt` names; if it says none, those that hold floats."""
        facts = _facts(lowering, bound)
        if spec.wrt is None:
            return tuple(name for name, fact in facts.items() if fact.holds_floats)
        with placed(lowering):
            names = names_among(bound.parameters, spec.wrt)
            refuse_floatless(names, facts)
        return names

    def _bound(self, lowering: Any, f: Value, args: Any, kwargs: Keywords) -> Arguments:
        """The arguments of a call by the parameters of the function."""
        return bind(lowering, signature_of(lowering, f), quoted(f), args, kwargs)


def _made_of(body: Body, fn: Fn, seed: str) -> Made:
    value = fact_of_atom(body.tape.result)
    return Made(
        Const(fn, fn.__name__), seed, body.given, body.moulds, body.writes, value
    )


def bare(found: Sequence[Value]) -> Value:
    """One gradient, or a tuple of several."""
    return found[0] if len(found) == 1 else TupleValue(tuple(found))


def _derivative(f: Value, name: str) -> Value:
    """The bare derivative of f in one argument, as a function of the arguments."""
    inner = Partial(Const(transformed), (Const(Spec("value_and_grad", name)), f), ())
    return Partial(Const(second), (inner,), ())


def _facts(lowering: Any, bound: Arguments) -> dict[str, Fact]:
    """What is known of the arguments."""
    return {name: lowering.fact(value) for name, value in bound.values.items()}


def _is_none(d: Value) -> bool:
    """Whether a tangent holds its argument fixed: of `*args`, whether all do."""
    if isinstance(d, TupleValue) and d.items and all(map(_is_none, d.items)):
        return True
    return d == NONE


def _copied(lowering: Any, value: Value) -> Value:
    """A copy of an array; all else as it is."""
    if not isinstance(value, Var) or value.fact.kind != "array":
        return value
    made: Value = lowering.numpy_function("array", value)
    return made


def _refuse_changed(lowering: Any, title: str, cells: Heap) -> None:
    """Refuse a function that changes a container or an object that it is given: its
    code is that of another one, of the same items."""
    if any(lowering.heap.get(number) != cell for number, cell in cells.items()):
        lowering.refuse_call(
            f"`{title}`, which a transform is given, changes a container that it is"
            " given",
            "Let it make a new one: [*items], {**items}.",
        )


def _other_arrays(bound: Arguments, names: Sequence[str]) -> tuple[str, ...]:
    """The other arguments that are arrays."""
    others = ((k, v) for k, v in bound.values.items() if k not in names)
    return tuple(k for k, v in others if isinstance(v, Var) and v.fact.kind == "array")


def _share_memory(lowering: Any, body: Body) -> bool:
    """Whether two of the arrays that a call is given, or reads around it, may be in one
    piece of memory: what is written into a copy of one the other does not show."""
    seen = set[str]()
    for value in body.given:
        roots = set(lowering.memory_of(value).roots)
        if roots & seen:
            return True
        seen |= roots
    return False
