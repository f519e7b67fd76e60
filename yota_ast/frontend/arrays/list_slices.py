"""`xs[i:j] = ys`: a slice of a list that is assigned, of which the text alone knows how
long it is, or where it stands.

In go the list, the slice and what is assigned; from then on the list holds what stood
before the slice, the items, and what stood behind it, as by
`xs[:] = [*xs[:i], *ys, *xs[max(i, j):]]`. Python puts the items at i where j is before.
"""

from __future__ import annotations

from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import NULL, Cell, Ref, SliceValue, Value
from yota_ast.frontend.library.builtin_functions import Builtins
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import INT
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import is_natural, total
from yota_ast.ir.facts.joined_facts import element_of, is_plain


def may_be_slice(lowering: Component, index: Value) -> bool:
    """Whether an index is a slice, or may be one."""
    if isinstance(index, SliceValue):
        return True
    fact = Operations.of(lowering).fact(index)
    fact = fact.present or fact  # None is no index
    return fact.cls is slice or fact.kind == "unknown"


def has_no_step(part: SliceValue | Const) -> bool:
    """Whether a slice takes each item from its start on."""
    return _ends(part)[2] in (NULL, Const(1))


def assign_slice(lowering: Component, ref: Ref, part: Value, value: Value) -> None:
    """Assign a slice of a list of numbers."""
    lists, position = ListMethods.of(lowering), Position.of(lowering)
    if not isinstance(part, (SliceValue, Const)):
        position.refuse(
            "an item of a list is assigned at what may be a slice",
            "Write the slice itself, xs[i:j] = ys, or an integer.",
        )
    start, stop, _ = _ends(part)
    if not has_no_step(part):
        position.refuse(
            "the function assigns a slice with a step, of a list whose length is "
            "unknown",
            "Assign the items one by one.",
        )
    items = _list_of(lowering, value)
    if Cells.of(lowering).heap[ref.cell].var is None:
        lists.hold_numbers(ref)
    start, behind = _places(lowering, ref, start, stop)
    parts: list[Value] = [] if start == NULL else [lists.stretch(ref, None, start)]
    parts.append(items)
    if behind != NULL:
        parts.append(lists.stretch(ref, behind, None))
    lists.replace_list(ref, lists.chained(*parts))


def _ends(part: SliceValue | Const) -> tuple[Value, Value, Value]:
    """Where a slice starts and stops, and its step."""
    if isinstance(part, SliceValue):
        return part.start, part.stop, part.step
    given = part.value
    assert isinstance(given, slice)
    return Const(given.start), Const(given.stop), Const(given.step)


def _list_of(lowering: Component, value: Value) -> Value:
    """The items that are assigned, in a list of their own."""
    given = Language.of(lowering).run_through(value)
    items = Language.of(lowering).items_of(given)
    made: Value | None = None
    if items is None:
        made = Builtins.of(lowering).builtin_list((given,), ())
    else:
        listed = Cell("list", dict(enumerate(items)), list)
        made = Cells.of(lowering).new_cell(listed)
    fact = None if made is None else Operations.of(lowering).fact(made)
    if made is None or fact is None or not is_plain(element_of(fact)):
        Position.of(lowering).refuse(
            "a slice of a list is assigned items that may not be numbers, and its "
            "length is unknown",
            "Give an example argument, or assign the items one by one.",
        )
    return made


def _places(
    lowering: Component, ref: Ref, start: Value, stop: Value
) -> tuple[Value, Value]:
    """Where the items are put, and where what stands behind them begins; None for
    either end of the list."""
    language = Language.of(lowering)
    start = NULL if start == Const(0) else start
    if NULL in (start, stop) or _in_order(lowering, start, stop):
        return start, stop
    whole = Operations.of(lowering).apply(len, (language.atom(ref),), fact=INT)
    places = Operations.of(lowering).apply(range, (whole,))
    ends = SliceValue(language.atom(start), language.atom(stop), NULL)
    stretch = language.subscript(places, ends)
    first, last = (_end(lowering, stretch, name) for name in ("start", "stop"))
    largest = Const(max, "max", "builtins")
    return first, language.call(largest, (first, last))


def _end(lowering: Component, stretch: Value, name: str) -> Var:
    """`stretch.start` or `stretch.stop` of a range."""
    args = (Language.of(lowering).atom(stretch), Const(name))
    return Operations.of(lowering).apply(
        getattr, args, form="attribute", spelling=name, fact=INT
    )


def _in_order(lowering: Component, start: Value, stop: Value) -> bool:
    """Whether a slice surely stops where it starts, or behind that."""
    one, two = (Operations.of(lowering).fact(end).length for end in (start, stop))
    values = [end.value for end in (start, stop) if isinstance(end, Const)]
    numbers = [v for v in values if isinstance(v, int)]
    if len(numbers) == 2:
        return (numbers[0] < 0) == (numbers[1] < 0) and numbers[0] <= numbers[1]
    if one is None or two is None:
        return False
    return is_natural(one) and is_natural(total([(two, 1), (one, -1)]))
