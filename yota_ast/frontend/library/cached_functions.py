"""Cached properties, and cached methods and functions.

In: what is asked for, and how it is computed. Out: its value, which is the same where
it is asked for again in the same block or in one within. Where the first time is in a
branch or a loop that is over it is computed anew, which gives what was kept as long as
the objects hold the same, and nobody has changed it; else it is refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Closure,
    Frame,
    Heap,
    Partial,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import FirstRead, Reached
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import same_dtype
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply, Block, walk

Args = Sequence[Value]
Named = Iterable[tuple[str, Value]]


def cached_property(
    state: Component, owner: Value, name: str, compute: Callable[[], Value]
) -> Value:
    """What a cached property of an object is."""
    return _kept(state, (_key(owner), name), (owner,), compute)


def cached_call(
    state: Component,
    fn: functools._lru_cache_wrapper[Any],
    args: Iterable[Value],
    kwargs: Named,
    compute: Callable[[], Value],
) -> Value:
    """What a function under lru_cache gives."""
    given, named = tuple(args), tuple(kwargs)
    name = fn.__wrapped__.__name__
    keys = tuple(map(_key, given)), tuple((k, _key(v)) for k, v in named)
    for (made_by, known), read in Blocks.of(state).first_reads.items():
        if made_by == id(fn) and known != (name, keys) and has_changed(state, read):
            refuse_stale(state, name)  # it may be the same one
    owners, before = (*given, *(v for _, v in named)), len(Blocks.of(state).ops)
    value = _kept(state, (id(fn), (name, keys)), owners, compute)
    acts = _acts_since(state, before)
    if not acts:
        _check_outside(state, fn, given, named)
    if any(op.out.fact.is_numeric for op in acts):  # what it drew before is kept, too
        Position.of(state).refuse_call(
            f"`{name}` draws random numbers, and keeps them from one call to the next",
            "Draw without the cache.",
        )
    return value


def _acts_since(state: Component, before: int) -> list[Apply]:
    """The ops since there were so many that print or draw."""
    ops = walk(Block(tuple(Blocks.of(state).ops[before:])))
    return [op for op in ops if isinstance(op, Apply) and op.effect]


def _closure_called(state: Component, args: Args, kwargs: Named) -> Value:
    """What a function gives that was put under lru_cache where it is defined."""
    closure, *given = args
    assert isinstance(closure, Closure)
    named = tuple(kwargs)
    keys = tuple(map(_key, given)), tuple((k, _key(v)) for k, v in named)
    place = (closure.frame.cell, id(closure.node)), (closure.name, keys)
    owners = (*given, *(v for _, v in named), closure)
    return _kept(
        state, place, owners, lambda: Language.of(state).call(closure, given, named)
    )


def _cache_of(state: Component, args: Args, kwargs: Named) -> Value | None:
    """functools.cache(f), functools.lru_cache(f) of an f that is defined here, and
    lru_cache(maxsize=None)(f)."""
    if args and isinstance(args[0], Closure):
        return Partial(Const(_closure_called), (args[0],), ())
    return None


def _cache_of_size(state: Component, args: Args, kwargs: Named) -> Value | None:
    """functools.lru_cache(maxsize=None)."""
    if args and isinstance(args[0], Closure):
        return _cache_of(state, args, ())
    sizes = [*args, *(v for _, v in kwargs)]
    if not all(isinstance(v, Const) and not callable(v.value) for v in sizes):
        return None
    return Partial(Const(functools.cache), (), ())


def cleared(state: Component, fn: functools._lru_cache_wrapper[Any]) -> bool:
    """What a function under lru_cache has kept is forgotten; False where that depends
    on a branch or a loop that is around."""
    return _forgotten(
        state, [p for p in Blocks.of(state).first_reads if p[0] == id(fn)]
    )


def forgotten(state: Component, owner: Value, name: str) -> bool:
    """The same of a cached property of an object."""
    place = _key(owner), name
    return _forgotten(state, [place] if place in Blocks.of(state).first_reads else [])


def _forgotten(state: Component, places: list[Any]) -> bool:
    if places and (
        Position.of(state).arms_open
        or Position.of(state).turns
        or Position.of(state).tries
    ):
        return False
    for place in places:
        del Blocks.of(state).first_reads[place]
    return True


def _key(owner: Value) -> Hashable:
    """What tells objects apart."""
    if isinstance(owner, Ref):
        return owner.cell
    if isinstance(owner, Argument):
        return owner.root.name, owner.path
    if isinstance(owner, Const):
        unhashable: Any = getattr(type(owner.value), "__hash__", None) is None
        return id(owner.value) if unhashable else owner
    return owner


def _kept(
    state: Component,
    place: tuple[Hashable, Hashable],
    given: tuple[Value, ...],
    compute: Callable[[], Value],
) -> Value:
    owners = tuple(v for v in given if isinstance(v, (Ref, Closure)))
    now = _states(state, owners, Cells.of(state).heap, ArrayStates.of(state).current)
    found = Blocks.of(state).first_reads.get(place)
    if found is not None:
        if Blocks.of(state).is_open(found.ops):
            return found.value
        if found.acts:
            _refuse_acting(state, place, "after a branch", "Call it before the branch")
        if found.now != now or found.changed:
            refuse_stale(state, _name_of(place))
    before = len(Blocks.of(state).ops)
    value, position = compute(), Position.of(state)
    acts = bool(_acts_since(state, before))
    if acts and position.turns:
        _refuse_acting(state, place, "in a loop", "Call it before the loop")
    for known, read in Blocks.of(state).first_reads.items():
        if read.acts and known != place and _may_be_same(known, place):
            where = "for an argument that may be the same"
            _refuse_acting(state, place, where, "Call it once")
    if not Blocks.of(state).ended:
        held = reached(
            state, value, Cells.of(state).heap, ArrayStates.of(state).current
        )
        Blocks.of(state).first_reads[place] = FirstRead(
            now,
            owners,
            value,
            held,
            Blocks.of(state).ops,
            acts=acts,
        )
    return value


def _name_of(place: tuple[Hashable, Hashable]) -> str:
    return str(place[1][0] if isinstance(place[1], tuple) else place[1])


def check_loop(
    state: Component,
    known: Mapping[Any, FirstRead],
    entry: Heap,
    heap: Heap,
    current: Mapping[str, str],
) -> None:
    """Refuse a loop in which something cached is read of an object that is not as it is
    there at a place, its head or its end. known: what was read before the loop."""
    for place, read in Blocks.of(state).first_reads.items():
        if known.get(place) is read or any(
            _cell_of(v) not in entry for v in read.owners
        ):
            continue
        if read.changed or _states(state, read.owners, heap, current) != read.now:
            refuse_stale(state, _name_of(place))


def carried_over(state: Component, owner: Value) -> dict[str, Value]:
    """The cached properties that a copy of an object has as well, by name."""
    found: dict[str, Value] = {}
    for (key, name), read in Blocks.of(state).first_reads.items():
        if isinstance(name, str) and key == _key(owner):
            if not Blocks.of(state).is_open(read.ops):  # it may have them
                refuse_stale(state, name)
            found[name] = read.value
    return found


def _may_be_same(known: Any, place: Any) -> bool:
    """Whether two calls of one function may have the same arguments: no constant tells
    them apart. Of the places in which they are kept."""
    (fn, called), (other, calling) = known, place
    if fn != other or not isinstance(called, tuple):
        return False
    given, args = ((*keys[0], *keys[1]) for keys in (called[1], calling[1]))
    pairs = zip(given, args, strict=False)
    apart = (p != q for p, q in pairs if isinstance(p, Const) and isinstance(q, Const))
    return not any(apart)


def _refuse_acting(
    state: Component, place: tuple[Hashable, Hashable], where: str, remedy: str
) -> NoReturn:
    """Refuse a call that may print or draw once more, or not the first time."""
    Position.of(state).refuse_call(
        f"`{_name_of(place)}` prints or draws, and its cached value is read {where}",
        f"{remedy}, and use its value there.",
    )


def refuse_stale(state: Component, name: str) -> NoReturn:
    """What is cached is what it was when it was first asked for."""
    Position.of(state).refuse_call(
        f"the object changes after the value of `{name}` was cached",
        "Use a plain property, or assign the value to a name.",
    )


def note_changes(state: Component) -> None:
    """At the end of a block, note what has been cached in it, and was changed then."""
    for place, read in Blocks.of(state).first_reads.items():
        if read.ops is Blocks.of(state).ops and has_changed(state, read):
            Blocks.of(state).first_reads[place] = replace(read, changed=True)


def has_changed(state: Component, read: FirstRead) -> bool:
    """Whether a value that was cached has been changed, as far as is known here."""
    if read.changed or not Blocks.of(state).is_open(read.ops):
        return read.changed
    return (
        reached(state, read.value, Cells.of(state).heap, ArrayStates.of(state).current)
        != read.held
    )


def _states(
    state: Component,
    owners: tuple[Ref | Closure, ...],
    heap: Heap,
    current: Mapping[str, str],
) -> tuple[Reached, ...]:
    return tuple(reached(state, owner, heap, current) for owner in owners)


def _cell_of(owner: Ref | Closure) -> int:
    return owner.frame.cell if isinstance(owner, Closure) else owner.cell


def _frames(closure: Closure) -> Iterator[Frame]:
    """The frames of whose names a function may read those that are captured."""
    frame: Frame | None = closure.frame
    while frame is not None:
        yield frame
        frame = frame.parent


def reached(
    state: Component, owner: Value, heap: Heap, current: Mapping[str, str]
) -> Reached:
    """What an object holds: containers by number, arrays by their state."""
    cells: dict[int, dict[Any, Value]] = {}
    states: dict[str, str | None] = {}
    pending: list[Value] = [owner]
    while pending:
        value = pending.pop()
        if isinstance(value, Ref) and value.cell not in cells:
            cells[value.cell] = dict(heap[value.cell].items)
            pending += cells[value.cell].values()
        elif isinstance(value, TupleValue):
            pending += value.items
        elif isinstance(value, Closure):
            for frame in _frames(value):
                if frame.cell not in cells:
                    captured, names = frame.scope.captured, heap[frame.cell].items
                    cells[frame.cell] = {k: names[k] for k in names if k in captured}
                    pending += cells[frame.cell].values()
        elif isinstance(value, Var):
            for root in Language.of(state).memory_of(value).roots:
                states[root] = current.get(root)
    return cells, states


# ---------------------------------------------------------------- kept outside


def _check_outside(
    state: Component,
    fn: functools._lru_cache_wrapper[Any],
    args: tuple[Value, ...],
    kwargs: tuple[tuple[str, Value], ...],
) -> None:
    """Refuse what a function has kept from a call before that is not what it would give
    now: it was changed, or what it was made of. Of what prints nothing is asked."""
    if not fn.cache_info().currsize:
        return
    given = [v.value for v in args if isinstance(v, Const)]
    named = {k: v.value for k, v in kwargs if isinstance(v, Const)}
    if len(given) < len(args) or len(named) < len(kwargs):
        return
    try:
        kept, anew = fn(*given, **named), fn.__wrapped__(*given, **named)
    except Exception:  # noqa: BLE001  (the text raises it when it runs)
        return
    if not _are_alike(kept, anew):
        name = fn.__wrapped__.__name__
        Position.of(state).refuse_call(
            f"the cached value of `{name}` differs from the value that "
            f"`{name}` returns now",
            f"Call `{name}.cache_clear()`, or remove the cache.",
        )


def _are_alike(one: Any, other: Any) -> bool:
    """Whether two values hold the same numbers."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return same_dtype(one.dtype, other.dtype) and np.array_equal(one, other)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_are_alike, one, other))
    if isinstance(one, dict):
        same = list(one) == list(other)
        return same and _are_alike([*one.values()], [*other.values()])
    if hasattr(one, "__dict__") and not callable(one):
        return _are_alike(vars(one), vars(other))
    try:
        return bool(one == other) or repr(one) == repr(other) == "nan"
    except Exception:  # noqa: BLE001  (they do not tell)
        return False


CACHED: Final[dict[Any, Callable[..., Value | None]]] = {
    functools.cache: _cache_of,
    functools.lru_cache: _cache_of_size,
    _closure_called: _closure_called,
}
