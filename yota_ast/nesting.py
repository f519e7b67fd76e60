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

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

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
from .frontend.values import Cell, Partial, TupleValue, Value
from .nested_arguments import (
    Arguments,
    bare,
    known_options,
    parameters_of,
    title_of,
    unused,
)
from .nested_facts import renamed
from .nested_functions import (
    changed,
    columns,
    pulled,
    rows,
    second,
    slope,
    transformed,
)
from .nested_structures import gradient_like, leaf_tangents
from .records import dataclass, replace
from .tape import Const, Parameter, Tape, Var

NONE: Final = Const(None)
Fn = Callable[..., Any]
Keywords = Sequence[tuple[str, Value]]


@dataclass(frozen=True, slots=True)
class Makers:
    """How code is made of a tape: gradient gives the function of the value and of the
    gradients in the variables named, and what it calls the cotangent (`unit`: it is 1);
    tangent that of the value and its tangent, whose parameters end with the tangents.
    parameters: the names of those of a function that is no closure."""

    gradient: Callable[[Tape, tuple[str, ...], bool], tuple[Fn, str]]
    tangent: Callable[[Tape, tuple[str, ...]], Fn]
    parameters: Callable[[Fn], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Spec:
    """A transform and its options, as they were called. wrt: names and positions, None
    where nothing is said."""

    transform: str
    wrt: object = None


@dataclass(frozen=True, slots=True)
class Made:
    """Gradient code, and what it is called with.

    given: the floats in question, then what the function reads of its surroundings.
    moulds: the structure of each argument in question, by name. writes: the function
    writes into its arguments, and the code into copies.
    """

    fn: Const
    seed: str
    given: tuple[Value, ...]
    moulds: Mapping[str, Mould]
    writes: bool


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
        replace_calls(transform, getattr(nested, name))
    replace_calls(transformed, nested.transformed)
    replace_calls(pulled, nested.pulled)


@dataclass(frozen=True, slots=True)
class Nested:
    """What each transform is lowered to. The handlers are given the interpreter, the
    arguments and the keywords of the call."""

    makers: Makers

    # ------------------------------------------------------------ calls of transforms

    def value_and_grad(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A function of the arguments: `value_and_grad(f)`."""
        return self._transform(lowering, "value_and_grad", args, kwargs)

    def simplegrad(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A function of the arguments; examples say nothing here."""
        return self._transform(lowering, "simplegrad", args[:1], kwargs)

    def vjp(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A function giving the value and the pullback."""
        return self._transform(lowering, "vjp", args, kwargs)

    def jvp(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A function of the arguments and their tangents."""
        return self._transform(lowering, "jvp", args, kwargs)

    def hvp(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A function giving the product of the Hessian and a direction."""
        return self._transform(lowering, "hvp", args, kwargs)

    def hessian(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A function giving the Hessian."""
        return self._transform(lowering, "hessian", args, kwargs)

    def jacobian(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A function giving the Jacobian."""
        return self._transform(lowering, "jacobian", args, kwargs)

    def grad(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """The value, and the gradients by position and by name."""
        if not args:
            lowering.refuse_call("`grad` is called without a function", "Give it one.")
        f, *given = args
        own = {k: v for k, v in kwargs if k in ("wrt", "seed", "dynamic")}
        rest = [(k, v) for k, v in kwargs if k not in own]
        spec = Spec("grad", known_options(lowering, own.get("wrt", Const(None))))
        bound = self._bound(lowering, f, given, rest)
        seed = own.get("seed", Const(None))
        names = self._floats(lowering, spec, bound)
        value, found = self._run(lowering, f, bound, names, seed)
        at = list(bound.values)
        items: dict[object, Value] = {}
        for name, d in zip(names, found, strict=True):
            items |= {at.index(name): d, name: d}
        return TupleValue((value, lowering.new_cell(Cell("dict", items, dict))))

    def _transform(
        self, lowering: Any, name: str, args: Any, kwargs: Keywords
    ) -> Value:
        """What a transform gives: it is followed where it is called."""
        given = dict(zip(("f", "wrt"), args, strict=False)) | dict(kwargs)
        f = given.pop("f", None)
        wrt = known_options(lowering, given.pop("wrt", Const(None)))
        if f is None or given:
            odd = f"the option `{next(iter(given))}=`" if given else "no function"
            lowering.refuse_call(
                f"`{name}` is called inside with {odd}", "Give it a function and `wrt`."
            )
        return Partial(Const(transformed), (Const(Spec(name, wrt)), f), ())

    # ------------------------------------------------------------ what they give

    def transformed(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A call of the function that a transform has given."""
        spec, f, *given = args
        call = getattr(self, f"_{spec.value.transform}")
        result: Value = call(lowering, spec.value, f, given, kwargs)
        return result

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
        seed = dict(kwargs).get("seed", Const(None))
        rest = [(k, v) for k, v in kwargs if k != "seed"]
        bound = self._bound(lowering, f, args, rest)
        value, found = self._run(
            lowering, f, bound, self._floats(lowering, spec, bound), seed
        )
        return TupleValue((value, *found))

    def _vjp(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        bound = self._bound(lowering, f, args, kwargs)
        names = self._named(lowering, spec, bound)
        made = self._made(lowering, f, bound, names, unit=False, pure=True)
        value = lowering.call(f, args, kwargs)
        shapes = tuple(Const(mould) for mould in made.moulds.values())
        held = (made.fn, Const(made.seed), TupleValue(made.given), TupleValue(shapes))
        return TupleValue((value, Partial(Const(pulled), held, ())))

    def pulled(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A call of a pullback."""
        fn, name, given, moulds, *seeds = args
        seed = [*seeds, *(v for _, v in kwargs)][0]
        whole = lowering.call(fn, given.items, [(name.value, seed)])
        _, *found = lowering.known_items(whole, lowering.node)
        shapes = [m.value for m in moulds.items]
        return bare(self._structured(lowering, shapes, found))

    def _jvp(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        count = len(args) // 2 if spec.wrt is None else len(args)
        if spec.wrt is None and len(args) % 2:
            lowering.refuse_call(
                "`jvp` is given a tangent for some of the arguments only",
                "Give each argument its tangent, None to hold it fixed.",
            )
        primals, tangents = args[:count], args[count:]
        bound = self._bound(lowering, f, primals, kwargs)
        along = {
            name: d
            for name, d in zip(bound.values, tangents, strict=False)
            if d != Const(None)
        }
        made = self._tangent_made(lowering, f, bound, tuple(along))
        parts: list[Value] = []
        for mould, d in zip(made.moulds.values(), along.values(), strict=True):
            parts += leaf_tangents(lowering, mould, d, (), d)
        both: Value = lowering.call(made.fn, (*made.given, *parts))
        if not made.writes:
            return both
        change = lowering.subscript(both, Const(1))
        return TupleValue((bound.call(lowering, f, bound.values), change))

    def _hvp(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        x, v, *rest = args
        change = self._derivative(f, 0)
        along = [x, *rest, v, *[Const(None)] * len(rest)]
        both = self._jvp(lowering, Spec("jvp"), change, along, kwargs)
        changed: Value = lowering.subscript(both, Const(1))
        return changed

    def _hessian(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        bound = self._bound(lowering, f, args, kwargs)
        (name,) = self._one(lowering, spec, bound)
        change = self._derivative(f, list(bound.values).index(name))
        made = self._tangent_made(lowering, change, bound, (name,))
        x, *held = made.given
        function = Partial(Const(changed), (made.fn, TupleValue(tuple(held))), ())
        found: Value = lowering.call(Const(columns), (function, x))
        return found

    def _jacobian(
        self, lowering: Any, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        bound = self._bound(lowering, f, args, kwargs)
        every = []
        for name in self._named(lowering, spec, bound):
            self._refuse_container(lowering, spec, bound, name)
            every.append(self._made(lowering, f, bound, (name,), unit=False, pure=True))
        value, found = lowering.call(f, args, kwargs), list[Value]()
        for made in every:
            x, *held = made.given
            function = Partial(
                Const(slope), (made.fn, TupleValue((x, *held)), Const(made.seed)), ()
            )
            row: Value = lowering.call(Const(rows), (function, value, x))
            found.append(row)
        return bare(found)

    def _derivative(self, f: Value, at: int) -> Value:
        """The bare derivative of f in one argument, as a function of the arguments."""
        inner = Partial(Const(transformed), (Const(Spec("value_and_grad", at)), f), ())
        return Partial(Const(second), (inner,), ())

    # ------------------------------------------------------------ gradient code

    def _run(
        self, lowering: Any, f: Value, bound: Arguments, names: tuple[str, ...],
        seed: Value = NONE,
    ) -> tuple[Value, list[Value]]:  # fmt: skip
        """The value, and the gradients of the arguments named."""
        made = self._made(lowering, f, bound, names, unit=seed == NONE)
        more = [] if seed == NONE else [(made.seed, seed)]
        whole = lowering.call(made.fn, made.given, more)
        value, *found = lowering.known_items(whole, lowering.node)
        if made.writes:
            value = bound.call(lowering, f, bound.values)
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
        return Made(Const(fn, fn.__name__), seed, body.given, body.moulds, body.writes)

    def _tangent_made(
        self, lowering: Any, f: Value, bound: Arguments, names: tuple[str, ...]
    ) -> Made:
        """The code of the tangent of a call."""
        body = self._body(lowering, f, bound, names)
        fn = lowering.nested_code.get(
            (body.tape, body.wrt), lambda: self.makers.tangent(body.tape, body.wrt)
        )
        return Made(Const(fn, fn.__name__), "", body.given, body.moulds, body.writes)

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
            given = dict(bound.values)
            for name, mould in moulds.items():
                given[name] = filled(mould, made, lowering.new_cell)
            if copied:
                given = {k: _copied(lowering, v) for k, v in given.items()}
            return bound.call(lowering, f, given)

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

    def _one(self, lowering: Any, spec: Spec, bound: Arguments) -> tuple[str]:
        """The one argument that a transform is about."""
        names = self._named(lowering, spec, bound)
        if len(names) != 1:
            lowering.refuse_call(
                f"`{spec.transform}` is called inside, in several arguments",
                "Name one in `wrt`, and call it for each.",
            )
        self._refuse_container(lowering, spec, bound, names[0])
        return (names[0],)

    def _named(self, lowering: Any, spec: Spec, bound: Arguments) -> tuple[str, ...]:
        """The arguments that `wrt` names; of a transform the first, if it says none."""
        wrt = 0 if spec.wrt is None else spec.wrt
        return self._names(lowering, bound, wrt)

    def _floats(self, lowering: Any, spec: Spec, bound: Arguments) -> tuple[str, ...]:
        """The arguments that `wrt` names; if it says none, those that hold floats."""
        if spec.wrt is not None:
            return self._names(lowering, bound, spec.wrt)
        return tuple(
            name for name, v in bound.values.items() if lowering.fact(v).holds_floats
        )

    def _names(self, lowering: Any, bound: Arguments, wrt: object) -> tuple[str, ...]:
        """The arguments that `wrt` names."""
        names = bound.named(wrt)
        if names is not None:
            return names
        given = ", ".join(bound.values)
        raise lowering.refuse_call(
            f"`wrt` names {wrt!r}, and the call gives {given}",
            "Name an argument of the call.",
        )

    def _bound(self, lowering: Any, f: Value, args: Any, kwargs: Keywords) -> Arguments:
        """The arguments of a call by the names of the parameters."""
        names = parameters_of(f, self.makers.parameters)
        values = dict(zip(names, args, strict=False))
        for name, value in kwargs:
            if name in values:
                lowering.refuse_call(
                    f"the call gives `{name}` twice", "Give each argument once."
                )
            values[name] = value
        return Arguments(values, len(args[: len(names)]), tuple(args[len(names) :]))


def _copied(lowering: Any, value: Value) -> Value:
    """A copy of an array; all else as it is."""
    if not isinstance(value, Var) or value.fact.kind != "array":
        return value
    made: Value = lowering.numpy_function("array", value)
    return made


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
