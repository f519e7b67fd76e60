"""Gradients of structured arguments: how they are shaped, looked up and applied.

In: a parameter's value and the gradients of its leaves by path.  Out: what `grad`
returns for it (`structure_like`), and all of a call's gradients (`GradientResult`).
`update` and the moving between devices stand beside it, and are here by name.

A path is a tuple of attribute names and of keys of containers, from the value to the
leaf: `("layers", 0, "W")` for `m.layers[0].W`, `()` for the value itself.

>>> import numpy as np
>>> layer = {"W": np.ones(2), "name": "first"}
>>> structure_like(layer, {("W",): np.array([1.0, 2.0])})
{'W': array([1., 2.]), 'name': None}
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.api.values.devices import to_cuda, to_device
from yota_ast.api.values.leaves import is_leaf, is_named_tuple, is_object
from yota_ast.api.values.updating import Path, update
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.tape import Tape
from yota_ast.support.array_classes import is_array
from yota_ast.support.tracebacks import public
from yota_ast.syntax.value_literals import shown_key

__all__ = [
    "GradientResult",
    "Path",
    "structure_like",
    "to_cuda",
    "to_device",
    "update",
]

_SHOWN: Final = 12
"""Up to how many numbers of an array are all shown."""

# ---------------------------------------------------------------- one argument


def structure_like(value: object, leaves: Mapping[Path, object]) -> object:
    """Return the gradient of `value` as `grad` gives it, from those of its leaves.

    An array or a number: its gradient. A tuple, list or dict: the same structure, with
    None where there are no floats, and zeros where floats do not matter. An object:
    its leaves by path, in their order.
    """
    if is_leaf(value):
        return leaves[()] if () in leaves else _no_gradient(value)
    if isinstance(value, (tuple, list)):
        below = _by_first_step(leaves)
        parts = [structure_like(v, below.get(k, {})) for k, v in enumerate(value)]
        return _sequence_like(value, parts)
    if isinstance(value, dict):
        below = _by_first_step(leaves)
        return {k: structure_like(v, below.get(k, {})) for k, v in value.items()}
    if leaves or is_object(value):
        return dict(leaves)
    return None


def _by_first_step(leaves: Mapping[Path, object]) -> dict[object, dict[Path, object]]:
    found: dict[object, dict[Path, object]] = {}
    for path, gradient in leaves.items():
        if path:
            found.setdefault(path[0], {})[path[1:]] = gradient
    return found


def _no_gradient(value: object) -> object:
    """Zeros of the kind of a leaf that holds floats; None for another."""
    if not fact_of(value).holds_floats:
        return None
    if isinstance(value, (float, complex)) and not isinstance(value, np.generic):
        return type(value)(0)
    if isinstance(value, np.generic):
        return value.dtype.type(0)
    return np.zeros_like(value)


def _sequence_like(value: Sequence[object], parts: list[object]) -> object:
    if is_named_tuple(value):
        return type(value)(*parts)
    return tuple(parts) if isinstance(value, tuple) else parts


# ---------------------------------------------------------------- a whole call


class GradientResult:
    """The gradients of one call, by position or by name of the argument.

    `len` and iteration run over all arguments of the call. An argument outside `wrt`
    has None there, and `g[i]` raises KeyError with the reason.

    >>> g = GradientResult(("x", "n"), {"x": 2.0}, {"n": "an int"})
    >>> g[0], g["x"], len(g), list(g), g
    (2.0, 2.0, 2, [2.0, None], GradientResult(x=2.0))
    >>> g[1]
    Traceback (most recent call last):
    KeyError: "no gradient with respect to 'n': an int"
    """

    __slots__ = ("_gradients", "_reasons", "names", "source", "tape")

    def __init__(
        self,
        names: Sequence[str],
        gradients: Mapping[str, object],
        reasons: Mapping[str, str] | None = None,
        *,
        tape: Tape | None = None,
        source: str = "",
    ) -> None:
        self.names: Final = tuple(names)
        self._gradients: Final = gradients
        self._reasons: Final = reasons or {}
        self.tape: Final = tape
        self.source: Final = source

    @public
    def __getitem__(self, argument: int | str) -> Any:
        name = self._name(argument)
        if name in self._gradients:
            return self._gradients[name]
        reason = self._reasons.get(name, "it is not among wrt")
        raise KeyError(f"no gradient with respect to {name!r}: {reason}")

    def _name(self, argument: int | str) -> str:
        known = f"the arguments are {', '.join(self.names)}"
        if isinstance(argument, str):
            if argument not in self.names:
                raise KeyError(f"no argument {argument!r}: {known}")
            return argument
        try:
            return self.names[operator.index(argument)]
        except IndexError:
            raise IndexError(f"no argument {argument}: {known}") from None

    def __contains__(self, argument: object) -> bool:
        if isinstance(argument, int) and -len(self) <= argument < len(self):
            argument = self.names[argument]
        return argument in self._gradients

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Any]:
        return (self._gradients.get(name) for name in self.names)

    def __repr__(self) -> str:
        known = (n for n in self.names if n in self._gradients)
        inside = ", ".join(f"{n}={_summary(self._gradients[n])}" for n in known)
        return f"GradientResult({inside})"


def _summary(value: object) -> str:
    """Show structure and numbers; of a long array its type and shape as well."""
    if is_array(value):
        return _summary_of_array(value)
    if isinstance(value, dict):
        inside = ", ".join(f"{shown_key(k)}: {_summary(v)}" for k, v in value.items())
        return f"{{{inside}}}"
    if is_named_tuple(value):
        fields: Any = value._asdict()  # type: ignore[attr-defined]
        inside = ", ".join(f"{k}={_summary(v)}" for k, v in fields.items())
        return f"{type(value).__name__}({inside})"
    if isinstance(value, tuple):
        items = ", ".join(map(_summary, value))
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, list):
        return f"[{', '.join(map(_summary, value))}]"
    return repr(value)


def _summary_of_array(array: Any) -> str:
    """The numbers of an array on one line; of a long one those at its ends, and its
    type and shape."""
    if not isinstance(array, np.ndarray):  # another library's, which may be elsewhere
        return f"{array.dtype}[{', '.join(map(str, array.shape))}]"
    short = array.size <= _SHOWN
    with np.printoptions(threshold=_SHOWN, edgeitems=2, linewidth=sys.maxsize):
        numbers = np.array2string(array if short else array.ravel(), separator=", ")
    if short:
        return " ".join(numbers.split())
    return f"{array.dtype}[{', '.join(map(str, array.shape))}] {numbers}"
