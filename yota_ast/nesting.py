"""Transforms called inside a function that is itself differentiated.

`value_and_grad(f)(x)` is lowered as a call of the text that `simplegrad` makes of f,
`jvp(f)(x, dx)` as one of the text of its tangent; the others are written in terms of
these two, by the functions at the end, which are lowered like the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from .frontend.lower import replace_calls
from .frontend.values import Cell, Partial, TupleValue, Value
from .records import dataclass
from .tape import Const

Fn = Callable[..., Any]
Keywords = Sequence[tuple[str, Value]]


@dataclass(frozen=True, slots=True)
class Makers:
    """How texts are made: names gives those that a `wrt` stands for, gradient the text
    of the value and gradients, tangent that of the value and tangent and the names of
    its tangents. parameters: those of a function."""

    names: Callable[[Fn, object], tuple[str, ...]]
    gradient: Callable[[Fn, tuple[str, ...]], Fn]
    parameters: Callable[[Fn], tuple[str, ...]]
    tangent: Callable[[Fn, tuple[str, ...]], tuple[Fn, tuple[str, ...]]] | None = None


def follow(transforms: Mapping[str, Fn], makers: Makers) -> None:
    """Lower calls of transforms, by their names."""
    nested = Nested(makers)
    for name, transform in transforms.items():
        replace_calls(transform, getattr(nested, name))
    for marker in _MARKERS:
        if makers.tangent is not None or marker is _vjp:
            replace_calls(marker, getattr(nested, marker.__name__))


@dataclass(frozen=True, slots=True)
class Nested:
    """What each transform is lowered to. The handlers are given the interpreter, the
    arguments and the keywords of the call."""

    makers: Makers

    def simplegrad(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """The text itself."""
        f, names = self._asked(lowering, "simplegrad", args[:1], kwargs, every=True)
        return _called(self.makers.gradient(f, names))

    def value_and_grad(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A function of the arguments."""
        f, names = self._asked(lowering, "value_and_grad", args, kwargs)
        made = self.makers.gradient(f, names)
        if len(names) == 1:
            return _called(made)
        return Partial(Const(grouped), (_called(made),), ())

    def grad(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """The value, and the gradients by position and by name."""
        own = {k: v for k, v in kwargs if k in ("wrt", "seed", "dynamic")}
        rest = [(k, v) for k, v in kwargs if k not in own]
        if rest or not args:
            lowering.refuse_call(
                "`grad` is called with keywords inside the function that is"
                " differentiated",
                "Give the arguments by position.",
            )
        f = self._function(lowering, "grad", args[0])
        parameters = self.makers.parameters(f)
        given = dict(zip(parameters, args[1:], strict=False))
        asked = _known(lowering, own.get("wrt", Const(None)))
        names = tuple(
            name for name, v in given.items() if lowering.fact(v).holds_floats
        )  # fmt: skip
        if asked is not None:
            names = self.makers.names(f, asked)
        for name in names:
            if not lowering.fact(given[name]).is_numeric:
                lowering.refuse_call(
                    f"`grad` is called inside, of {name!r}, which is no array or float",
                    "Differentiate with respect to arrays and floats there.",
                )
        seed = own.get("seed", Const(None))
        named = [] if seed == Const(None) else [("seed", seed)]
        whole = lowering.call(_called(self.makers.gradient(f, names)), args[1:], named)
        value, *gradients = lowering.known_items(whole, lowering.node)
        items: dict[object, Value] = {}
        for name, d in zip(names, gradients, strict=True):
            items |= {parameters.index(name): d, name: d}
        return TupleValue((value, lowering.new_cell(Cell("dict", items, dict))))

    def vjp(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A function giving the value and the pullback."""
        f, names = self._asked(lowering, "vjp", args, kwargs)
        made = _called(self.makers.gradient(f, names))
        return Partial(Const(_vjp), (Const(f, f.__name__), made, Const(len(names))), ())

    def _vjp(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        f, made, count, *given = args
        value = lowering.call(f, given, kwargs)
        pullback = Partial(Const(pulled), (made, count, TupleValue(tuple(given))), ())
        return TupleValue((value, pullback))

    def jvp(self, lowering: Any, args: Any, _kwargs: Keywords) -> Value:
        """A function of the arguments and their tangents."""
        f = self._function(lowering, "jvp", args[0])
        return Partial(Const(_jvp), (Const(f, f.__name__),), ())

    def _jvp(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        f, *both = args
        count = len(both) // 2
        primals, tangents = both[:count], both[count:]
        names = self.makers.parameters(f.value)[:count]
        along = {
            name: d
            for name, d in zip(names, tangents, strict=True)
            if d != Const(None)
        }  # fmt: skip
        assert self.makers.tangent is not None
        made, called = self.makers.tangent(f.value, tuple(along))
        more = [*kwargs, *zip(called, along.values(), strict=True)]
        found: Value = lowering.call(_called(made), primals, more)
        return found

    def hvp(self, lowering: Any, args: Any, _kwargs: Keywords) -> Value:
        """A function giving the product of the Hessian and a direction."""
        f = self._function(lowering, "hvp", args[0])
        made, called = self._change(f, self.makers.parameters(f)[0])
        return Partial(Const(_along), (made, Const(called), Const(0)), ())

    def _change(self, f: Fn, name: str) -> tuple[Value, str]:
        """The tangent of the gradient in one parameter, and what it calls the
        direction."""
        slope = self.makers.gradient(f, (name,))
        assert self.makers.tangent is not None
        made, called = self.makers.tangent(slope, (name,))
        return _called(made), called[0]

    def _along(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """hvp(f)(x, v, *rest)."""
        made, called, at, x, v, *rest = args
        given = [*rest[: at.value], x, *rest[at.value :]]
        both = lowering.call(made, given, [*kwargs, (called.value, v)])
        tangents = lowering.subscript(both, Const(1))
        changed: Value = lowering.subscript(tangents, Const(1))
        return changed

    def hessian(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A function giving the Hessian in one argument."""
        f, (name, *more) = self._asked(lowering, "hessian", args, kwargs)
        if more:
            lowering.refuse_call(
                "`hessian` is in one argument", "Name one in `wrt`."
            )  # fmt: skip
        at = self.makers.parameters(f).index(name)
        made, called = self._change(f, name)
        change = Partial(Const(_along), (made, Const(called), Const(at)), ())
        return Partial(Const(columns), (change, Const(at)), ())

    def jacobian(self, lowering: Any, args: Any, kwargs: Keywords) -> Value:
        """A function giving the Jacobian in one argument."""
        f, (name, *more) = self._asked(lowering, "jacobian", args, kwargs)
        if more:
            lowering.refuse_call(
                "`jacobian` is called inside, in several arguments",
                "Name one in `wrt`, and call it for each.",
            )
        at = self.makers.parameters(f).index(name)
        made = _called(self.makers.gradient(f, (name,)))
        return Partial(Const(rows), (Const(f, f.__name__), made, Const(at)), ())

    # ------------------------------------------------------------ what is asked

    def _asked(
        self, lowering: Any, transform: str, args: Any, kwargs: Keywords,
        *, every: bool = False,
    ) -> tuple[Fn, tuple[str, ...]]:  # fmt: skip
        """The function that a transform is given, and the parameters it is about."""
        given = dict(zip(("f", "wrt"), args, strict=False)) | dict(kwargs)
        f = self._function(lowering, transform, given.get("f", Const(None)))
        wrt = _known(lowering, given.get("wrt", Const(None)))
        if wrt is None and every:
            return f, ()
        return f, self.makers.names(f, wrt)

    def _function(self, lowering: Any, transform: str, f: Value) -> Fn:
        if isinstance(f, Const) and callable(f.value):
            found: Fn = f.value
            return found
        lowering.refuse_call(
            f"`{transform}` is given a function that is made inside the"
            " differentiated one",
            "Give it a function of the module, which gets what varies as arguments.",
        )
        raise AssertionError


def _called(made: Fn) -> Const:
    return Const(made, made.__name__)


def _known(lowering: Any, wrt: Any) -> object:
    """The names and positions that are written for `wrt`."""
    if isinstance(wrt, Const):
        return wrt.value
    items = lowering.known_items(wrt, lowering.node)
    return [_known(lowering, item) for item in items]


# ---------------------------------------------------------------- lowered themselves


def grouped(made: Fn, *args: Any, **kwargs: Any) -> Any:
    """The value, and the gradients as a tuple."""
    value, *gradients = made(*args, **kwargs)
    return value, tuple(gradients)


def pulled(made: Fn, count: int, args: Any, seed: Any) -> Any:
    """The gradients for a cotangent."""
    _, *gradients = made(*args, seed=seed)
    return gradients[0] if count == 1 else tuple(gradients)


def unit(k: int, x: Any) -> Any:
    """Zeros of the shape of x, and 1 in one place."""
    return np.reshape((np.arange(np.size(x)) == k) * 1.0, np.shape(x))


def rows(f: Fn, made: Fn, at: int, *args: Any) -> Any:
    """The Jacobian in one argument, a row for each element of the value."""
    value, x = f(*args), args[at]
    if np.ndim(value) == 0:
        return pulled(made, 1, args, 1.0)
    found = np.zeros((np.size(value), np.size(x)))
    for k in range(np.size(value)):
        found[k] = np.ravel(pulled(made, 1, args, unit(k, value)))
    return np.reshape(found, np.shape(value) + np.shape(x))


def columns(change: Fn, at: int, *args: Any) -> Any:
    """The Hessian in one argument, a column for each element of it."""
    x, rest = args[at], (*args[:at], *args[at + 1 :])
    if np.ndim(x) == 0:
        return change(x, 1.0, *rest)
    found = np.zeros((np.size(x), np.size(x)))
    for k in range(np.size(x)):
        found[:, k] = np.ravel(change(x, unit(k, x), *rest))
    return np.reshape(found, np.shape(x) + np.shape(x))


def _vjp(f: Fn, made: Fn, count: int, *args: Any) -> Any:
    """vjp(f)(*args): see `Nested`."""


def _jvp(f: Fn, *both: Any) -> Any:
    """jvp(f)(*primals, *tangents): see `Nested`."""


def _along(made: Fn, called: str, at: int, x: Any, v: Any, *rest: Any) -> Any:
    """hvp(f)(x, v, *rest): see `Nested`."""


_MARKERS: Final = (_vjp, _jvp, _along)
"""What stands for functions that transforms give, until they are called."""
