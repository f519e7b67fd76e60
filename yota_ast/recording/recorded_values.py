"""A value and what records it -> a value to compute with, of which all is recorded.

It answers `isinstance` as the value itself does. What would take the number out, so
that nothing more of it could be seen, is refused.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, cast

import numpy as np

from yota_ast.errors import UnsupportedCall
from yota_ast.ops.spellings import BINARY, COMPARING, UNARY, Operator

_OWN: Final = frozenset(["yota_recorder", "yota_value", "yota_name"])
_FACTS: Final = ("shape", "ndim", "size", "dtype", "itemsize", "nbytes")
_UNSEEN: Final = frozenset(
    "tobytes tofile dump dumps data ctypes base flags strides setflags flat resize"
    " hex as_integer_ratio __reduce__ __reduce_ex__ __getstate__ __buffer__".split()
)
"""What gives the numbers, or the memory, to what does not record."""
_NUMBERS: Final = (bool, int, float, complex, np.generic)


class Recording(Protocol):
    """What records; ended: and does so no more."""

    ended: bool

    def apply(
        self, fn: Any, args: Sequence[Any], kwargs: Mapping[str, Any], how: str = ""
    ) -> Any:
        """Do `fn(*args, **kwargs)` and record it; how: as a method of this name, as
        "operator", "subscript" or "attribute name"."""

    def update(self, owner: Any, sign: Operator, value: Any) -> None:
        """Do and record `owner += value`, of an array."""

    def put(self, owner: Any, index: Any, value: Any) -> None:
        """Do and record `owner[index] = value`."""

    def settle(self, value: Any) -> None:
        """Let shape and dtype of a value be those of the record in every call."""

    def decide(self, value: Any, fn: Callable[[Any], Any]) -> Any:
        """Let `fn(value)` be what it is in the record in every call; return it."""

    def refuse(self, reason: str, remedy: str) -> UnsupportedCall:
        """The error of what cannot be recorded, which is noted."""


class Recorded:
    """A number, of which is recorded what is done with it."""

    __slots__ = ("yota_name", "yota_recorder", "yota_value")
    yota_recorder: Recording
    yota_value: Any
    yota_name: str
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, recorder: Recording, value: Any, name: str) -> None:
        object.__setattr__(self, "yota_recorder", recorder)
        object.__setattr__(self, "yota_value", value)
        object.__setattr__(self, "yota_name", name)

    def __getattribute__(self, name: str) -> Any:
        if name in _OWN:
            return object.__getattribute__(self, name)
        return _attribute(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        raise _refused(self, f"`.{name} =` of a recorded value is not recorded", "")

    def __bool__(self) -> bool:
        return cast("bool", self.yota_recorder.decide(self, bool))

    def __int__(self) -> int:
        return cast("int", self.yota_recorder.decide(self, int))

    def __index__(self) -> int:
        return cast("int", self.yota_recorder.decide(self, operator.index))

    def __float__(self) -> float:
        raise _refused(
            self,
            "`float` or a function of `math` takes the number out of a recorded value",
            "Use the functions of NumPy: `np.exp` for `math.exp`.",
        )

    def __complex__(self) -> complex:
        raise _refused(self, "`complex` takes the number out of a recorded value", "")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise _refused(
            self,
            "an array is made of a recorded value, of which nothing could be recorded",
            "Leave `np.asarray` and `np.array` out, or use `np.stack([x, y])`,"
            " `np.zeros_like(x)`.",
        )

    def __repr__(self) -> str:
        if self.yota_recorder.ended:
            return "<recorded value>"
        raise _refused(
            self,
            "the text of a recorded value is not recorded",
            "Leave out what prints and formats it.",
        )

    def __format__(self, spec: str) -> str:
        return str(self)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: Any) -> Any:
        return self

    def __abs__(self) -> Any:
        return self.yota_recorder.apply(abs, [self], {})

    def __round__(self, digits: Any = None) -> Any:
        more = [] if digits is None else [digits]
        return self.yota_recorder.apply(round, [self, *more], {})

    def __floor__(self) -> Any:
        return self.yota_recorder.apply(math.floor, [self], {})

    def __ceil__(self) -> Any:
        return self.yota_recorder.apply(math.ceil, [self], {})

    def __trunc__(self) -> Any:
        return self.yota_recorder.apply(math.trunc, [self], {})

    def __divmod__(self, other: Any) -> Any:
        return self.yota_recorder.apply(divmod, [self, other], {})

    def __rdivmod__(self, other: Any) -> Any:
        return self.yota_recorder.apply(divmod, [other, self], {})

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        fn = ufunc if method == "__call__" else getattr(ufunc, method)
        out = kwargs.get("out")
        if isinstance(out, tuple) and len(out) == 1:
            kwargs["out"] = out[0]
        return self.yota_recorder.apply(fn, inputs, kwargs)

    def __array_function__(self, func: Any, _: Any, args: Any, kwargs: Any) -> Any:
        return self.yota_recorder.apply(func, args, kwargs)


class RecordedNumber(Recorded):
    """A number of Python, which may be the key of a dict if it is a whole one."""

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]
        if not isinstance(self.yota_value, int):
            raise _refused(self, "the hash of a recorded value is not recorded", "")
        return hash(self.yota_recorder.decide(self, operator.index))


class RecordedArray(Recorded):
    """An array, or a number of NumPy's."""

    __slots__ = ()
    __hash__ = None

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, _: Any) -> Any:
        return self.copy()

    def __len__(self) -> int:
        self.yota_recorder.settle(self)
        return len(self.yota_value)

    def __iter__(self) -> Iterator[Any]:
        self.yota_recorder.settle(self)
        iter(self.yota_value)  # which raises of a number
        return (self[k] for k in range(len(self.yota_value)))

    def __contains__(self, item: Any) -> bool:
        return bool(np.any(self == item))

    def __getitem__(self, index: Any) -> Any:
        return self.yota_recorder.apply(
            operator.getitem, [self, index], {}, "subscript"
        )

    def __setitem__(self, index: Any, value: Any) -> None:
        self.yota_recorder.put(self, index, value)


def is_recorded(value: object) -> bool:
    """Whether a value is a recorded one, which is not asked for its class."""
    return issubclass(type(value), Recorded)


def _attribute(owner: Recorded, name: str) -> Any:
    """An attribute that the value has, too."""
    recorder, value = owner.yota_recorder, owner.yota_value
    if name == "__class__":
        recorder.settle(owner)
        return type(value)
    if name in ("__array_struct__", "__array_interface__"):
        raise AttributeError(name)  # NumPy asks for them before `__array__`
    if name == "__array__":  # of numbers in a list, too
        return object.__getattribute__(owner, name)
    found = getattr(value, name)
    if name in _FACTS:
        recorder.settle(owner)
        return found
    if name == "__array_namespace__":
        return found
    if name in _UNSEEN:
        raise _refused(owner, f"`.{name}` of a recorded value is not recorded", "")
    if name.startswith("__"):
        return object.__getattribute__(owner, name)
    if callable(found):
        return lambda *args, **kwargs: recorder.apply(
            getattr(type(value), name), [owner, *args], kwargs, name
        )
    return recorder.apply(getattr, [owner, name], {}, "attribute")


def _refused(value: Recorded, reason: str, remedy: str) -> UnsupportedCall:
    return value.yota_recorder.refuse(reason, remedy)


def is_operand(value: object) -> bool:
    """Whether an operator of a recorded value computes with it."""
    plain = (*_NUMBERS, np.ndarray, list, tuple)
    return is_recorded(value) or isinstance(value, plain) or value is None


def _operator(sign: Operator, *, reflected: bool) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if not is_operand(other) or _repeats(self, sign, other):
            return NotImplemented
        pair = [other, self] if reflected else [self, other]
        return self.yota_recorder.apply(sign.fn, pair, {}, "operator")

    return method


def _repeats(number: Any, sign: Operator, other: Any) -> bool:
    """Whether it is `[0] * n`, which asks for the number itself."""
    if is_recorded(other) or not isinstance(other, (list, tuple)):
        return False
    return sign.fn is operator.mul and type(number) is RecordedNumber


def _in_place(sign: Operator) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if not is_operand(other) or not isinstance(self.yota_value, np.ndarray):
            return NotImplemented
        self.yota_recorder.update(self, sign, other)
        return self

    return method


def _unary(sign: Operator) -> Callable[[Any], Any]:
    def method(self: Any) -> Any:
        return self.yota_recorder.apply(sign.fn, [self], {}, "operator")

    return method


for _sign in (*BINARY, *COMPARING):
    setattr(Recorded, _sign.method, _operator(_sign, reflected=False))
for _sign in BINARY:
    setattr(Recorded, _sign.reflected, _operator(_sign, reflected=True))
    assert _sign.in_place is not None
    setattr(RecordedArray, f"__{_sign.in_place.__name__}__", _in_place(_sign))
for _sign in UNARY:
    setattr(Recorded, _sign.method, _unary(_sign))
