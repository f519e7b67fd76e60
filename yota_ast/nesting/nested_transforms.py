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

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.reverse.differentiable_arguments import flows_through
from yota_ast.analysis.activity import activity
from yota_ast.api.seeds import missing, refuse_unlike, taking_no_seed
from yota_ast.api.transform_signatures import (
    arguments_and_tangents,
    by_parameter,
    is_needed,
    with_seed,
)
from yota_ast.api.wrt import (
    names_among,
    names_or_first,
    one_or_first,
    refuse_both,
    refuse_floatless,
    refuse_left_out,
    refuse_meant_for,
)
from yota_ast.frontend.arrays.current_arrays import CurrentArrays
from yota_ast.frontend.calls.call_signatures import (
    Mould,
)
from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.heap.lowered_values import Cell, Partial, TupleValue, Value
from yota_ast.frontend.interpret.lower import replace_calls
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const
from yota_ast.nesting.nested_arguments import (
    Arguments,
    Keywords,
    as_given,
    bind,
    bound_by,
    bound_call,
    is_plain,
    known_options,
    placed,
    quoted,
    signature_of,
    takes_no_more,
    title_of,
)
from yota_ast.nesting.nested_batches import batch
from yota_ast.nesting.nested_choices import with_each
from yota_ast.nesting.nested_functions import (
    Gradients,
    changed,
    columns,
    pulled,
    rows,
    slope,
    stacked,
    transformed,
)
from yota_ast.nesting.nested_options import (
    NONE,
    Spec,
    along_names,
    bare,
    derivative,
    facts_given,
    is_none,
    shown_names,
    spec_of,
)
from yota_ast.nesting.nested_structures import (
    gradient_like,
    leaf_tangents,
    own,
    refuse_constant,
    states,
)
from yota_ast.nesting.nested_tapes import Made, Makers, body_of, is_lost

_PULLED: Final = inspect.signature(pulled)
Signature = inspect.Signature
Fn = Callable[..., Any]


def _refuse_forms(
    lowering: Component, signature: Signature, given: Mapping[str, Any]
) -> None:
    """Refuse what `simplegrad` may be asked for of its text, which is lowered here."""
    for name, slot in signature.parameters.items():
        if slot.kind is not slot.KEYWORD_ONLY or name == "wrt":
            continue
        if given.get(name, Const(slot.default)) != Const(slot.default):
            Position.of(lowering).refuse_call(
                f"the inner `simplegrad` has the option `{name}=`", "Leave it out."
            )


@dataclass(frozen=True, slots=True)
class _Held:
    """What a pullback needs but the variables that it is called with. names: what those
    are where `vjp` was called, where one that is written has another name after it;
    seen: the states of the memory that they may share there."""

    made: Made
    title: str
    names: tuple[str, ...]
    seen: tuple[tuple[str, str], ...]

    def has_changed(self, lowering: Component, given: Sequence[Value]) -> bool:
        """Whether something was written that the pullback reads."""
        later = shown_names(given) != self.names or any(
            name in ArrayStates.of(lowering).successors for name in self.names
        )
        return later or not CurrentArrays.of(lowering).are_current(self.seen)


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
        self, name: str, signature: Signature, lowering: Component, args: Any,
        kwargs: Keywords,
    ) -> Value:  # fmt: skip
        """The value, and the gradients by position and by name."""
        given = bound_by(lowering, signature, f"`{name}`", args, kwargs)
        return with_each(
            lowering,
            given["f"],
            lambda f: self._grad_or_call(lowering, {**given, "f": f}),
        )

    def _grad_or_call(self, lowering: Component, given: Mapping[str, Any]) -> Value:
        """The derivative as a function, where `grad` is given no arguments of a
        function that needs some; else that of the call."""
        taken = signature_of(lowering, given["f"])
        needed = any(map(is_needed, taken.parameters.values()))
        if not needed or given.get("args") or given.get("kwargs"):
            return self._grad_of_call(lowering, given, taken)
        if given.get("seed", NONE) != NONE:
            Position.of(lowering).refuse_call(
                "`grad` is given a seed, but no arguments",
                "Write `value, pullback = vjp(f)(*args)`, then `pullback(seed)`.",
            )
        spec = spec_of(lowering, "grad", given)
        return Partial(Const(transformed), (Const(spec), given["f"]), ())

    def _grad(
        self, lowering: Component, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        """The bare derivative, and beside it what f gives beside its value."""
        bound = self._bound(lowering, f, args, kwargs)
        names = self._named(lowering, spec, bound)
        with taking_no_seed():
            value, found = self._run(lowering, f, bound, names, aux=spec.has_aux)
        if not spec.has_aux:
            return bare(found)
        return TupleValue(
            (bare(found), Language.of(lowering).subscript(value, Const(1)))
        )

    def _grad_of_call(
        self, lowering: Component, given: Mapping[str, Any], taken: Signature
    ) -> Value:
        own = ("wrt", "seed", "dynamic", "has_aux")
        f, options = given["f"], [k for k in own if k in given]
        with placed(lowering):
            refuse_meant_for(taken.parameters, options, "grad")
        named = tuple(given.get("kwargs", {}).items())
        spec = spec_of(lowering, "grad", given)
        bound = bound_call(lowering, f, given.get("args", ()), named)
        bound = replace(bound, whole=spec.wrt is not None)
        names = self._floats(lowering, spec, bound)
        if spec.wrt is None:  # the others are refused where they are asked for
            lost = {k for k, v in bound.values.items() if is_lost(lowering, v)}
            names = tuple(name for name in names if name not in lost)
        value, found = self._run(
            lowering, f, bound, names, given.get("seed", NONE), aux=spec.has_aux
        )
        result = self._by_argument(
            lowering, bound, dict(zip(names, found, strict=True))
        )
        return TupleValue((value, result))

    def _by_argument(
        self, lowering: Component, bound: Arguments, found: Mapping[str, Value]
    ) -> Value:
        """What `grad` gives beside the value."""
        count, items = len(bound.parameters), dict[object, Value]()
        if not any(is_lost(lowering, v) for v in bound.values.values()):
            items[None] = Const(count)
        for place, name in enumerate(bound.parameters):
            if name in found:
                keys = (name, place, place - count)
                items |= dict.fromkeys(keys, found[name])
        return Cells.of(lowering).new_cell(Cell("dict", items, Gradients))

    def transform(
        self, name: str, signature: Signature, lowering: Component, args: Any,
        kwargs: Keywords,
    ) -> Value:  # fmt: skip
        """What a transform gives: it is followed where it is called."""
        given = bound_by(lowering, signature, f"`{name}`", args, kwargs)
        spec, each = spec_of(lowering, name, given), given.get("each", NONE)
        if each != NONE:
            return self._of_each(lowering, spec, given["f"], each)
        if name == "simplegrad":
            _refuse_forms(lowering, signature, given)
            spec = self._of_examples(lowering, spec, given)
        return Partial(Const(transformed), (Const(spec), given["f"]), ())

    def _of_each(self, lowering: Component, spec: Spec, f: Value, each: Value) -> Value:
        """The gradients of each example: a batch of the gradient."""
        with placed(lowering):
            refuse_both(spec.wrt)
        shared = known_options(lowering, each)
        names = tuple(shared) if isinstance(shared, (list, tuple)) else (shared,)
        inner = Partial(
            Const(transformed), (Const(replace(spec, wrt=list(names))), f), ()
        )
        return Partial(
            Const(transformed), (Const(Spec("vmap", shared=names)), inner), ()
        )

    def _vmap(
        self, lowering: Component, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        """The values of many examples."""
        bound = self._bound(lowering, f, args, kwargs)
        return batch(lowering, self.makers.batch, spec, f, bound)

    def _of_examples(
        self, lowering: Component, spec: Spec, given: Mapping[str, Any]
    ) -> Spec:
        """What examples say of the options of `simplegrad`."""
        args, named = given.get("args", ()), tuple(given.get("kwargs", {}).items())
        if spec.wrt is not None or not (args or named):
            told = spec.wrt is not None
            return replace(spec, general=not told, whole=told)
        f = given["f"]
        bound = bound_call(lowering, f, args, named)
        return replace(spec, wrt=list(self._floats(lowering, spec, bound)))

    # ------------------------------------------------------------ what they give

    def transformed(self, lowering: Component, args: Any, kwargs: Keywords) -> Value:
        """A call of the function that a transform has given."""
        spec, f, *given = args
        call = getattr(self, f"_{spec.value.transform}")
        with placed(lowering):
            return with_each(
                lowering, f, lambda one: call(lowering, spec.value, one, given, kwargs)
            )

    def _value_and_grad(
        self, lowering: Component, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        bound = self._bound(lowering, f, args, kwargs)
        names = self._named(lowering, spec, bound)
        with taking_no_seed():
            value, found = self._run(lowering, f, bound, names, aux=spec.has_aux)
        return TupleValue((value, bare(found)))

    def _simplegrad(
        self, lowering: Component, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        told = signature_of(lowering, f)
        own_signature = as_given(f, told, len(args), dict(kwargs))
        whole = with_seed(own_signature, NONE)
        bound = bind(lowering, whole, quoted(f), args, kwargs)
        values = dict(bound.values)
        (seed,) = (
            values.pop(k)
            for k in whole.parameters.keys() - own_signature.parameters.keys()
        )
        bound = Arguments(own_signature, values, told, whole=spec.whole)
        names = self._floats(lowering, spec, bound)
        if spec.general:
            self._refuse_doubtful(lowering, f, bound, names)
        value, found = self._run(lowering, f, bound, names, seed)
        return TupleValue((value, *found))

    def _refuse_doubtful(
        self, lowering: Component, f: Value, bound: Arguments, names: tuple[str, ...]
    ) -> None:
        """Refuse `simplegrad(f)` of a function of which it is not told by the floats of
        a call what has a gradient: what it is given is not known where it is made."""
        if is_plain(f) and takes_no_more(bound, names, facts_given(lowering, bound)):
            body = body_of(lowering, f, bound, names)
            floats = [p.var for p in body.tape.params[: body.count]]
            active = activity(body.tape, floats, flows_through)
            if all(v in active for v in floats):
                return
        Position.of(lowering).refuse_call(
            "the arguments that `simplegrad` differentiates are unknown",
            f"Name them: simplegrad({title_of(f)}, wrt=[...]).",
        )

    def _vjp(
        self, lowering: Component, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        bound = self._bound(lowering, f, args, kwargs)
        names = self._named(lowering, spec, bound)
        made = self.makers.gradient_of(lowering, f, bound, names, unit=False, pure=True)
        value = bound.call(lowering, f, bound.values)
        names, seen = shown_names(made.given), states(lowering, made.given)
        held = _Held(made, title_of(f), names, seen)
        values = (Const(held), TupleValue(made.given))
        return TupleValue((value, Partial(Const(pulled), values, ())))

    def pulled(self, lowering: Component, args: Any, kwargs: Keywords) -> Value:
        """A call of a pullback."""
        bound = bound_by(lowering, _PULLED, "the pullback", args, kwargs)
        held, seed = bound["made"].value, bound["seed"]
        given = bound["given"].items
        if held.has_changed(lowering, given):
            Position.of(lowering).refuse_call(
                "an array or list that the pullback reads has changed since "
                "the call of `vjp`",
                "Give `vjp` a copy, np.array(x), or call the pullback first.",
            )
        made = replace(held.made, given=given)
        with placed(lowering):
            _, found = self._called(lowering, made, held.title, seed)
        return bare(found)

    def _jvp(
        self, lowering: Component, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        with placed(lowering):
            names = along_names(lowering, spec, f)
            primals, tangents = arguments_and_tangents(args, names)
        bound = self._bound(lowering, f, primals, kwargs)
        if names is None:
            found = by_parameter(bound.signature, tangents)
        else:
            found = dict(zip(names, tangents, strict=True))
        given = {
            k: TupleValue(d) if isinstance(d, tuple) else d for k, d in found.items()
        }
        return self._along(
            lowering, f, bound, {k: d for k, d in given.items() if not is_none(d)}
        )

    def _along(
        self,
        lowering: Component,
        f: Value,
        bound: Arguments,
        given: Mapping[str, Value],
    ) -> Value:
        """The value and its tangent along those of some arguments."""
        language = Language.of(lowering)
        made = self.makers.tangent_of(lowering, f, bound, tuple(given))
        parts: list[Value] = []
        with placed(lowering):
            for name, d in given.items():
                refuse_constant(lowering, name, bound.values[name])
                x = ArgumentParts.of(lowering).opened(bound.values[name])
                parts += leaf_tangents(lowering, name, made.moulds[name], x, d)
        both: Value = language.call(made.fn, (*made.given, *parts))
        if Blocks.of(lowering).ended:
            return both
        value, change = (language.subscript(both, Const(k)) for k in range(2))
        if made.again:
            value = bound.call(lowering, f, bound.values)
        others = TupleValue((value, *made.given, *parts))
        return TupleValue((value, own(lowering, change, others)))

    def _hvp(
        self, lowering: Component, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        if len(args) < 2 or args[1] == NONE:
            Position.of(lowering).refuse_call(
                "`hvp` is given no direction", "Call `hvp(f)(x, v, *rest)`."
            )
        x, v, *rest = args
        bound = self._bound(lowering, f, (x, *rest), kwargs)
        name = self._one(lowering, spec, bound)
        both = self._along(lowering, derivative(f, name), bound, {name: v})
        return Language.of(lowering).subscript(both, Const(1))

    def _hessian(
        self, lowering: Component, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        bound = self._bound(lowering, f, args, kwargs)
        name = self._one(lowering, spec, bound)
        with placed(lowering):
            refuse_constant(lowering, name, bound.values[name])
        self._refuse_complex(lowering, spec, bound.values[name])
        made = self.makers.tangent_of(lowering, derivative(f, name), bound, (name,))
        x, *held = made.given
        function = Partial(Const(changed), (made.fn, TupleValue(tuple(held))), ())
        found: Value = Language.of(lowering).call(Const(columns), (function, x))
        if made.again:
            bound.call(lowering, f, bound.values)
        return found

    def _jacobian(
        self, lowering: Component, spec: Spec, f: Value, args: Any, kwargs: Keywords
    ) -> Value:
        language = Language.of(lowering)
        bound = self._bound(lowering, f, args, kwargs)
        every = []
        for name in self._named(lowering, spec, bound):
            self._refuse_container(lowering, spec, bound, name)
            every.append(
                self.makers.gradient_of(
                    lowering, f, bound, (name,), unit=False, pure=True
                )
            )
        value, found = bound.call(lowering, f, bound.values), list[Value]()
        for made in every:
            x, *held = made.given
            single = Operations.of(lowering).fact(value).is_scalar
            self._refuse_complex(lowering, spec, value, *([] if single else [x]))
            function = Partial(
                Const(slope), (made.fn, TupleValue((x, *held)), Const(made.seed)), ()
            )
            row: Value = language.call(Const(rows), (function, value, x))
            found.append(row)
        if spec.stack:
            return language.call(Const(stacked), (TupleValue(tuple(found)),))
        return bare(found)

    # ------------------------------------------------------------ gradient code

    def _run(
        self, lowering: Component, f: Value, bound: Arguments, names: tuple[str, ...],
        seed: Value = NONE, *, aux: bool = False,
    ) -> tuple[Value, list[Value]]:  # fmt: skip
        """The value, and the gradients of the arguments named."""
        with placed(lowering):
            made = self.makers.gradient_of(
                lowering, f, bound, names, unit=seed == NONE, aux=aux
            )
            value, found = self._called(lowering, made, title_of(f), seed, aux=aux)
        if made.again:
            value = bound.call(lowering, f, bound.values)
        return value, found

    def _called(
        self,
        lowering: Component,
        made: Made,
        title: str,
        seed: Value,
        *,
        aux: bool = False,
    ) -> tuple[Value, list[Value]]:
        """What gradient code gives: the value, and the gradients built like the
        arguments."""
        if seed != NONE:
            of = made.value.items[0] if aux and made.value.items else made.value
            refuse_unlike(Operations.of(lowering).fact(seed), title, of)
        elif aux:
            pass
        elif made.value.items is not None or made.value.rank:
            raise missing(title, made.value)
        more = [] if seed == NONE else [(made.seed, seed)]
        whole = Language.of(lowering).call(made.fn, made.given, more)
        value, *found = KnownItems.of(lowering).known_items(
            whole, Position.of(lowering).node
        )
        return value, self._structured(lowering, list(made.moulds.values()), found)

    # ------------------------------------------------------------ structures

    def _structured(
        self, lowering: Component, moulds: Sequence[Mould], found: Sequence[Value]
    ) -> list[Value]:
        """Gradients of leaves -> those of the arguments."""
        rest = iter(found)
        return [gradient_like(lowering, mould, rest) for mould in moulds]

    def _refuse_container(
        self, lowering: Component, spec: Spec, bound: Arguments, name: str
    ) -> None:
        if not Operations.of(lowering).fact(bound.values[name]).is_numeric:
            Position.of(lowering).refuse_call(
                f"the inner `{spec.transform}` differentiates `{name}`, which "
                "is not an array or a float",
                "Give the inner transform an array or a float as its argument.",
            )

    def _refuse_complex(self, lowering: Component, spec: Spec, *values: Value) -> None:
        """Refuse complex numbers, of which one matrix does not tell the derivative."""
        if any(Operations.of(lowering).fact(v).is_complex for v in values):
            Position.of(lowering).refuse_call(
                f"the inner `{spec.transform}` is of complex numbers, whose derivative "
                "is no matrix",
                "Call `vjp` or `jvp`, or give the real and imaginary parts.",
            )

    # ------------------------------------------------------------ arguments

    def _one(self, lowering: Component, spec: Spec, bound: Arguments) -> str:
        """The one argument that a transform is about."""
        with placed(lowering):
            name = one_or_first(spec.transform, bound.parameters, spec.wrt)
            refuse_left_out((name,), bound.values)
        self._refuse_container(lowering, spec, bound, name)
        return name

    def _named(
        self, lowering: Component, spec: Spec, bound: Arguments
    ) -> tuple[str, ...]:
        """The arguments that `wrt` names; of a transform the first, if it says none."""
        with placed(lowering):
            names = names_or_first(bound.parameters, spec.wrt)
            refuse_left_out(names, bound.values)
            refuse_floatless(names, facts_given(lowering, bound))
        return names

    def _floats(
        self, lowering: Component, spec: Spec, bound: Arguments
    ) -> tuple[str, ...]:
        """The arguments that `wrt` names; if it says none, those that hold floats."""
        facts = facts_given(lowering, bound)
        if spec.wrt is None:
            return tuple(name for name, fact in facts.items() if fact.holds_floats)
        with placed(lowering):
            names = names_among(bound.parameters, spec.wrt)
            refuse_left_out(names, bound.values)
            refuse_floatless(names, facts)
        return names

    def _bound(
        self, lowering: Component, f: Value, args: Any, kwargs: Keywords
    ) -> Arguments:
        """The arguments of a call by the parameters of the function."""
        return replace(bound_call(lowering, f, args, kwargs), whole=True)
