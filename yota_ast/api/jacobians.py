"""Matrices of derivatives: `jacobian`, `hessian`, by one sweep for all rows or columns.

>>> import yota_ast as ya
>>> def both(x):
...     return np.sum(x**2), 3 * x
>>> of_sum, of_rest = ya.jacobian(both)(np.array([1.0, 2.0]))
>>> of_sum, of_rest
(array([2., 4.]), array([[3., 0.],
       [0., 3.]]))
>>> h = ya.hessian(lambda p: p["w"] * p["b"] ** 2)({"w": 2.0, "b": 3.0})
>>> h["b"]
{'w': 6.0, 'b': 4.0}
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.results.repeated_effects import refuse_effects
from yota_ast.api.cache.alias_speculation import until_right
from yota_ast.api.cache.compiled_gradients import Entry
from yota_ast.api.call_target import Call, Callee, callee_of
from yota_ast.api.direction_sweeps import Sweeps, copies, copy_of
from yota_ast.api.directional import (
    OF_ARGUMENT,
    Turned,
    is_of_part,
    with_slope,
    with_tangent,
)
from yota_ast.api.grad import gradient_entry, nested_makers
from yota_ast.api.other_names import transform
from yota_ast.api.seeds import refuse_complex
from yota_ast.api.values.raveling import (
    Branch,
    Fixed,
    Layout,
    Leaf,
    holds_whole,
    layout_of,
)
from yota_ast.api.wrt import names_or_first, one_or_first, refuse_labelled
from yota_ast.errors import (
    AmbiguousType,
    NoRule,
    UnsupportedCall,
    UnsupportedSyntax,
    YotaError,
)
from yota_ast.ir.tape import Tape
from yota_ast.nesting import nested_transforms
from yota_ast.support.transform import OfLatestCall

Fn = Callable[..., Any]
Array = np.ndarray[Any, Any]
_ONCE_A_SWEEP: Final = (
    "`jacobian` runs the function once for each sweep",
    "Draw numbers and print outside of the function.",
)
_ONCE_A_COLUMN: Final = (
    "`hessian` runs the gradient once for each column",
    "Draw numbers, print and count outside of the function.",
)
MODES: Final = ("auto", "forward", "reverse")


@transform
def jacobian(
    f: Fn, wrt: object = None, mode: str = "auto", *, stack: bool = False
) -> Fn:
    """A function that gives the Jacobian, of shape `val.shape + x.shape`.

    wrt: as for `value_and_grad`.
    mode: "forward" runs one sweep for each number of the argument, "reverse" one for
    each number of the value. "auto" takes forward mode if the argument has fewer
    numbers than the value.
    stack: the derivatives in several scalar arguments stand on one last axis, as
    SciPy's `curve_fit` wants them.

    If the value is a tuple or dict, the Jacobian has the same structure, and each part
    has the structure of the argument. A list of numbers counts as a vector. f is called
    once, and then runs again: all sweeps at once, as code for a batch of directions, or
    one after the other where that has no batched form. `source` is the code of the
    latest call.

    Raises YotaError if the value or the argument is an object. Raises the errors of
    `vjp` and `jvp`.

    >>> print(jacobian(lambda x: x * x)(np.array([1.0, 2.0])))
    [[2. 0.]
     [0. 4.]]
    """
    callee = callee_of(f)
    names = names_or_first(callee.parameters, wrt)
    if mode not in MODES:
        raise YotaError(
            f"jacobian: there is no mode {mode!r}",
            remedy='Give "forward", "reverse" or "auto".',
        )

    latest: list[str] = []

    def matrix(*args: object, **kwargs: object) -> Any:
        now = callee_of(f)  # its defaults may have been replaced
        bound = now.bind(args, kwargs)
        refuse_labelled(names, bound.values)
        call = _with_float_lists(bound, names)
        kept = copy_of(call)
        value = now.fn(*call.args, **call.kwargs)
        task = _Task.of(now, kept, names, value)
        found, latest[:] = task.matrices(mode)
        return _stacked(task, found) if stack else _nested(task, found)

    matrix.latest = latest  # type: ignore[attr-defined]
    options = {"wrt": wrt, "mode": mode, "stack": stack}
    return OfLatestCall(jacobian, f, options, matrix, callee.signature)


@transform
def hessian(f: Fn, wrt: object = None) -> Fn:
    """A function that gives the Hessian in one argument: `x.shape + x.shape`.

    wrt: a name or a position. None means the first argument.

    f returns a real number. All columns are computed at once, by code for a batch of
    directions; one after the other where that has no batched form. `source` is the code
    of the latest call.

    If the argument is a dict, tuple or list, the Hessian has the same structure, and so
    has each part of it: `h["w"]["b"]`. A list of numbers counts as a vector.

    Raises YotaError if several arguments are named, and the errors of `hvp`.

    >>> print(hessian(lambda x: x[0] * x[1] ** 2)(np.array([1.0, 2.0])))
    [[0. 4.]
     [4. 2.]]
    """
    callee = callee_of(f)
    name = one_or_first("hessian", callee.parameters, wrt)

    latest: list[str] = []

    def columns(*args: object, **kwargs: object) -> Any:
        now = callee_of(f)
        call = _with_float_lists(now.bind(args, kwargs), (name,))
        _refuse_complex_argument(name, call.values[name])
        turned = Turned(f, name, call.args, call.kwargs)

        def run(tape: Tape, slope: Fn, whole: Call) -> tuple[Any, list[str]]:
            return turned.unless(
                tape,
                slope,
                lambda: _hessian(slope, whole, name),
                lambda: _turned(turned, whole.values[name]),
            )

        found, latest[:] = with_slope(now, call, name, run)
        return found

    columns.latest = latest  # type: ignore[attr-defined]
    return OfLatestCall(hessian, f, {"wrt": wrt}, columns, callee.signature)


def _hessian(slope: Fn, call: Call, name: str) -> tuple[Any, list[str]]:
    """The Hessian from the compiled gradient in one argument, and the code."""
    callee, x = callee_of(slope), call.values[name]
    layout = _layout_of_argument(x)
    whole = callee.bind(call.args, call.kwargs)  # with the seed, its default

    def run(entry: Entry) -> tuple[Array, str]:
        refuse_effects(entry.tape, *_ONCE_A_COLUMN)
        calls = itertools.chain([whole], copies(entry, copy_of(whole)))
        part = None if is_of_part(entry) else OF_ARGUMENT
        return Sweeps(entry, calls, whole.values, layout).columns(name, layout, part)

    found, source = with_tangent(callee, whole, (name,), run, OF_ARGUMENT)
    refuse_complex(slope.__name__, name, x, found)
    return _blocks(layout, [layout], [found]), [source]


def _turned(turned: Turned, x: Any) -> tuple[Any, list[str]]:
    """The same, by reverse mode of the tangent."""
    layout = _layout_of_argument(x)
    found, source = turned.columns(
        layout, lambda tape: refuse_effects(tape, *_ONCE_A_COLUMN)
    )
    return _blocks(layout, [layout], [found]), [source]


# ---------------------------------------------------------------- sweeps


Swept = tuple[list[Array], list[str]]
"""Matrices, and the code that has computed them."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A call of which the Jacobian is asked, in some arguments. columns: where the
    numbers of these stand; rows: where those of the value do."""

    callee: Callee
    call: Call
    names: tuple[str, ...]
    columns: list[Layout]
    rows: Layout

    @staticmethod
    def of(callee: Callee, call: Call, names: tuple[str, ...], value: Any) -> _Task:
        """The task of a call that has given a value."""
        columns = [_layout_of_argument(call.values[name]) for name in names]
        rows = layout_of(value, whole=True)
        if isinstance(rows.root, Fixed):
            kind = type(value).__name__
            raise YotaError(
                f"jacobian: f returns {kind}, which has no derivative",
                remedy="Return numbers or arrays, or a tuple, list or dict of them.",
            )
        return _Task(callee, call, names, columns, rows)

    def matrices(self, mode: str) -> Swept:
        """The derivatives of the numbers of the value, by rows, in those of each
        argument, and the code."""
        self.refuse_unlike_modes(mode)
        if mode != "auto":
            return self._swept(mode)
        first, other = MODES[1:] if self.is_tall else reversed(MODES[1:])
        try:
            return self._swept(first)
        except _REFUSALS as refusal:
            if not self.varies:
                raise
            try:
                return self._swept(other)
            except YotaError:
                raise refusal from None

    @property
    def varies(self) -> bool:
        """Whether the arguments have tangents: real floats, and whole numbers within
        containers."""
        kinds = (
            ("fiu" if isinstance(layout.root, Branch) else "f", leaf.dtype.kind)
            for layout in self.columns
            for leaf in layout.leaves()
        )
        return all(kind in varying for varying, kind in kinds)

    @property
    def is_tall(self) -> bool:
        """Whether forward mode is cheaper."""
        fewer = sum(layout.size for layout in self.columns) < self.rows.size
        return fewer and self.varies

    def refuse_unlike_modes(self, mode: str) -> None:
        """Refuse complex arguments where one matrix does not tell the derivative, and
        forward mode of what has no tangent."""
        kinds = {leaf.dtype.kind for layout in self.columns for leaf in layout.leaves()}
        if "c" in kinds and (mode == "forward" or self.is_complex):
            raise YotaError(
                "jacobian: the derivative with respect to a complex argument is a "
                "matrix only if f is holomorphic",
                remedy="Call `vjp` or `jvp`, or give the real and imaginary parts.",
            )
        if mode == "forward" and not self.varies:
            raise YotaError(
                "jacobian: integers have no tangent",
                remedy='Give floats, or use mode="reverse".',
            )

    @property
    def is_complex(self) -> bool:
        """Whether the value holds complex numbers."""
        return any(leaf.dtype.kind == "c" for leaf in self.rows.leaves())

    def _swept(self, mode: str) -> Swept:
        return self._forward() if mode == "forward" else self._reverse()

    def _forward(self) -> Swept:
        """By a tangent for each number of the arguments."""
        found, sources = list[Array](), list[str]()
        for name, layout in zip(self.names, self.columns, strict=True):

            def run(
                entry: Entry, name: str = name, layout: Layout = layout
            ) -> tuple[Array, str]:
                refuse_effects(entry.tape, *_ONCE_A_SWEEP)
                return self._sweeps(entry, layout).columns(name, self.rows)

            matrix, source = with_tangent(self.callee, self.call, (name,), run)
            found.append(matrix)
            sources.append(source)
        return found, sources

    def _reverse(self) -> Swept:
        """By a gradient for each number of the value; two where that is complex."""
        units: list[Any] = [1.0, 1j] if self.is_complex else [1.0]

        def run(entry: Entry) -> Swept:
            refuse_effects(entry.tape, *_ONCE_A_SWEEP)
            sweeps = self._sweeps(entry, self.rows)
            swept = [sweeps.rows(self.columns, unit) for unit in units]
            scaled = [
                [part * unit for part in found]
                for (found, _), unit in zip(swept, units, strict=True)
            ]
            total = [sum(each[1:], each[0]) for each in zip(*scaled, strict=True)]
            return total, [swept[0][1]]

        if not self.rows.size:
            return [np.zeros((0, layout.size)) for layout in self.columns], []
        return until_right(
            lambda g: gradient_entry(self.callee, self.call, self.names, g), run
        )

    def _sweeps(self, entry: Entry, along: Layout) -> Sweeps:
        calls = copies(entry, self.call)
        return Sweeps(entry, calls, self.call.values, along)


_REFUSALS: Final = (UnsupportedSyntax, UnsupportedCall, NoRule, AmbiguousType)


# ---------------------------------------------------------------- structures


def _layout_of_argument(x: Any) -> Layout:
    """Where the numbers of an argument stand, whole ones too, but truth values where it
    is nothing else."""
    return layout_of(x, whole=True, truths=not isinstance(x, (tuple, list, dict)))


def _refuse_complex_argument(name: str, x: Any) -> None:
    """Refuse the Hessian in complex numbers: the gradient of a real number moves one
    way along the real part, and another along the imaginary part."""
    if any(leaf.dtype.kind == "c" for leaf in _layout_of_argument(x).leaves()):
        raise YotaError(
            f"hessian: {name!r} is complex, and second derivatives in complex numbers "
            "are no matrix",
            remedy="Call `hvp`, or give the real and imaginary parts.",
        )


def _with_float_lists(call: Call, names: Sequence[str]) -> Call:
    """The call with floats in the lists of numbers among some arguments."""
    lists = {
        name: x
        for name in names
        if isinstance(x := call.values[name], list)
        and isinstance(layout_of(x, whole=True).root, Leaf)
        and holds_whole(x)
    }
    if not lists:
        return call
    return call.with_values({k: np.array(x, float).tolist() for k, x in lists.items()})


def _nested(task: _Task, found: Sequence[Array]) -> Any:
    """The matrices in the structure of the value, and in that of the arguments."""
    return _blocks(task.rows, task.columns, found)


def _blocks(rows: Layout, columns: Sequence[Layout], found: Sequence[Array]) -> Any:
    """Matrices as a structure of blocks."""

    def row(one: Leaf, top: int) -> Any:
        def block(matrix: Array, other: Leaf, left: int) -> Any:
            part = matrix[top : top + one.size, left : left + other.size]
            return _as_number(part.reshape(one.shape + other.shape), other)

        parts = [
            layout.mapped(partial(block, matrix))
            for layout, matrix in zip(columns, found, strict=True)
        ]
        return parts[0] if len(parts) == 1 else tuple(parts)

    return rows.mapped(row)


def _as_number(block: Array, leaf: Leaf) -> Any:
    """A block of the dtype of the argument, where that holds floats; a float of one
    number in another."""
    if leaf.dtype.kind == "f" and block.dtype.kind == "f":
        block = block.astype(leaf.dtype)
    if block.ndim:
        return np.array(block)
    return block.item() if issubclass(leaf.type, (int, float)) else block[()]


def _stacked(task: _Task, found: Sequence[Array]) -> Any:
    """The derivatives in scalar arguments on one last axis."""
    for name, layout in zip(task.names, task.columns, strict=True):
        if not isinstance(layout.root, Leaf) or layout.root.shape:
            raise YotaError(
                f"jacobian: stack=True needs scalar arguments, but {name!r} is not one",
                remedy="Leave `stack` out.",
            )
    matrix = np.concatenate(found, axis=1)

    def row(leaf: Leaf, top: int) -> Array:
        part = matrix[top : top + leaf.size]
        return np.array(part.reshape(*leaf.shape, len(found)))

    return task.rows.mapped(row)


__all__: Sequence[str] = ("hessian", "jacobian")


nested_transforms.follow({"jacobian": jacobian, "hessian": hessian}, nested_makers())
