"""The structure of an argument, and what nested code gives for its floats -> the
gradient, or from the tangent of the argument those of its floats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from yota_ast.api.seeds import is_real
from yota_ast.frontend.arrays.array_writes import ArrayWrites
from yota_ast.frontend.arrays.view_writes import ViewWrites
from yota_ast.frontend.calls.call_signatures import Leaf, Mould, Parts, facts_of
from yota_ast.frontend.components import Component
from yota_ast.frontend.desugar.applied_functions import AppliedFunctions
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Cell,
    CellKind,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.library.copying import shallow
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.support.tangent_refusals import (
    does_not_vary,
    of_other_numbers,
    of_other_shape,
    of_other_structure,
)
from yota_ast.syntax.value_paths import item_text

_NO_NUMBERS: Final = ("tuple", "list", "dict", "str", "object", "callable", "none")


def gradient_like(lowering: Component, mould: Mould, found: Iterator[Value]) -> Value:
    """The gradient of an argument of a structure, from those of its leaves."""
    cells = Cells.of(lowering)
    if not isinstance(mould, Parts):
        return next(found) if list(facts_of(mould)) else Const(None)
    if mould.kind == "object":
        items = dict(_by_path(mould, (), found))
        return cells.new_cell(Cell("dict", items, dict))
    parts = [gradient_like(lowering, part, found) for part in mould.parts]
    if mould.kind == "tuple":
        return TupleValue(tuple(parts), mould.cls or tuple)
    if mould.keys is None:  # a container that is one variable
        return parts[0]
    kind: CellKind = mould.kind  # type: ignore[assignment]
    items = dict(zip(mould.keys, parts, strict=True))
    return cells.new_cell(Cell(kind, items, mould.cls))


def _by_path(
    mould: Parts, path: tuple[Any, ...], found: Iterator[Value]
) -> Iterator[tuple[Any, Value]]:
    """The gradients of the leaves of an object, by their paths."""
    keys = mould.keys or range(len(mould.parts))
    for key, part in zip(keys, mould.parts, strict=True):
        below = (*path, key)
        if isinstance(part, Parts):
            yield from _by_path(part, below, found)
        elif list(facts_of(part)):
            yield below, next(found)


# ---------------------------------------------------------------- tangents


def leaf_tangents(
    lowering: Component, name: str, mould: Mould, x: Value, d: Value
) -> Iterator[Value]:
    """The tangents of the leaves of an argument, from that of all of it; None within it
    holds an item fixed."""
    if not isinstance(mould, Parts):
        yield from [_fitting(lowering, name, x, d)] if isinstance(mould, Leaf) else ()
    elif mould.keys is None:  # a container that is one variable
        if d == NULL:
            Position.of(lowering).refuse_call(
                f"`jvp` is given None for {name!r}, whose length is unknown",
                "Give zeros.",
            )
        yield d
    elif mould.kind == "object":
        yield from _by_paths(lowering, name, mould, x, d, ())
    else:
        yield from _of_items(lowering, name, mould, x, d)


def _of_items(
    lowering: Component, name: str, mould: Parts, x: Value, d: Value
) -> Iterator[Value]:
    """Those of a tuple, list or dict, by its items."""
    keys = mould.keys or range(len(mould.parts))
    given = _items(lowering, name, mould, d)
    for key, part in zip(keys, mould.parts, strict=True):
        if list(facts_of(part)):
            inner = Language.of(lowering).subscript(x, Const(key))
            one = given.get(key, NULL)
            yield from leaf_tangents(lowering, item_text(name, key), part, inner, one)


def _items(lowering: Component, name: str, mould: Parts, d: Value) -> dict[Any, Value]:
    """The items of a tangent, by their keys."""
    if d == NULL:
        return {}
    d = ArgumentParts.of(lowering).opened(d)
    if mould.kind == "dict":
        cell = Cells.of(lowering).heap.get(d.cell) if isinstance(d, Ref) else None
        if cell is None or cell.kind != "dict" or cell.var is not None:
            raise of_other_structure(name, "dict", len(mould.parts))
        return dict(cell.items)
    kind = "tuple" if mould.kind == "tuple" else "list"
    listed = Operations.of(lowering).fact(d).kind in ("tuple", "list")
    items = Language.of(lowering).items_of(d) if listed else None
    if items is None or len(items) != len(mould.parts):
        raise of_other_structure(name, kind, len(mould.parts))
    return dict(enumerate(items))


def _by_paths(
    lowering: Component,
    name: str,
    mould: Parts,
    x: Value,
    d: Value,
    path: tuple[Any, ...],
) -> Iterator[Value]:
    """Those of an object, of which the tangent is a dict by paths."""
    language = Language.of(lowering)
    keys = mould.keys or range(len(mould.parts))
    for key, part in zip(keys, mould.parts, strict=True):
        below = (*path, key)
        if not list(facts_of(part)):
            continue
        if mould.kind == "object":
            inner = language.attribute(x, key)
        else:
            inner = language.subscript(x, Const(key))
        if isinstance(part, Parts):
            yield from _by_paths(lowering, name, part, inner, d, below)
        else:
            one = language.subscript(d, Const(below))
            yield _fitting(lowering, f"{name}{list(below)}", inner, one)


def _fitting(lowering: Component, name: str, x: Value, d: Value) -> Value:
    """The tangent of a number or an array, of its shape as far as that is known here;
    the code asks for the rest."""
    operations = Operations.of(lowering)
    own, given = operations.fact(x), operations.fact(d)
    if d == NULL:
        return Const(0.0) if own.kind in ("float", "int") else _zeros_like(lowering, x)
    if own.is_scalar and not given.is_scalar and given.rank is None:
        Position.of(lowering).refuse_call(
            f"the tangent of the number {name!r} may be an array",
            "Give a number: float(v).",
        )
    if given.kind in _NO_NUMBERS or _surely_differ(own, given):
        raise of_other_shape(name, _shape_text(given), _shape_text(own))
    if given.is_complex and is_real(own):
        raise of_other_numbers(name, "complex")
    return d


def _zeros_like(lowering: Component, x: Value) -> Value:
    return AppliedFunctions.of(lowering).numpy_call("zeros_like", x)


def refuse_constant(lowering: Component, name: str, x: Value) -> None:
    """Refuse a tangent of what does not vary."""
    kind = Operations.of(lowering).fact(x).kind
    if kind in ("int", "bool", "str", "none", "callable"):
        raise does_not_vary(name, {"none": "NoneType"}.get(kind, kind))


def _surely_differ(one: Fact, other: Fact) -> bool:
    """Whether two shapes differ by what is known of them."""
    if one.rank is None or other.rank is None:
        return False
    if one.rank != other.rank:
        return True
    pairs = zip(_lengths(one), _lengths(other), strict=True)
    known = [(a, b) for a, b in pairs if a and b and not (a.base or b.base)]
    return any(a != b for a, b in known)


def _lengths(fact: Fact) -> tuple[Any, ...]:
    return () if fact.is_scalar or isinstance(fact.shape, str) else fact.shape or ()


def _shape_text(fact: Fact) -> str:
    """A shape as far as it is known, as Python writes it."""
    if fact.kind in _NO_NUMBERS:
        return f"of a {fact}"
    lengths = [str(dim or "?") for dim in _lengths(fact)]
    return f"({', '.join(lengths)}{',' if len(lengths) == 1 else ''})"


# ---------------------------------------------------------------- memory


def own(lowering: Component, value: Value, others: Value) -> Value:
    """A tangent in memory of its own, which neither another part of it shares, nor what
    `jvp` was given, nor the value."""
    taken = {
        r
        for v in _arrays(lowering, others)
        for r in Language.of(lowering).memory_of(v).roots
    }
    return _own(lowering, value, taken)


def _own(lowering: Component, value: Value, taken: set[str]) -> Value:
    cells = Cells.of(lowering)
    if isinstance(value, TupleValue):
        items = tuple(_own(lowering, v, taken) for v in value.items)
        return TupleValue(items, value.cls)
    cell = cells.heap.get(value.cell) if isinstance(value, Ref) else None
    if cell is not None and cell.var is None:
        kept = {key: _own(lowering, v, taken) for key, v in cell.items.items()}
        return cells.new_cell(Cell(cell.kind, kept, cell.cls))
    if Operations.of(lowering).fact(value).is_immutable:
        return value
    atom = value if cell is None else cell.var
    roots = set(Language.of(lowering).memory_of(atom).roots)
    if (
        isinstance(atom, Var)
        and ArrayWrites.of(lowering).is_temporary(atom)
        and not roots & taken
    ):
        taken |= roots
        return value
    copy: Value | None = shallow(lowering, (value,), ())
    if copy is None:
        Position.of(lowering).refuse_call(
            "the tangent that `jvp` returns may share memory with an argument",
            "Let the function return an array, or a tuple of arrays.",
        )
    assert copy is not None
    return copy


def _arrays(lowering: Component, value: Value) -> Iterator[Value]:
    """The variables of a value."""
    if isinstance(value, TupleValue):
        for item in value.items:
            yield from _arrays(lowering, item)
    elif isinstance(value, Ref):
        cell = Cells.of(lowering).heap[value.cell]
        for item in cell.items.values() if cell.var is None else (cell.var,):
            yield from _arrays(lowering, item)
    elif isinstance(value, Var):
        yield value


def states(lowering: Component, values: Sequence[Value]) -> tuple[tuple[str, str], ...]:
    """The memory that values may share, and the states in which it is now."""
    roots = (r for v in values for r in Language.of(lowering).memory_of(v).roots)
    return tuple(
        (root, ViewWrites.of(lowering).state_of(root)) for root in dict.fromkeys(roots)
    )
