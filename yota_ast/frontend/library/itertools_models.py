"""`itertools` over items that are known: what is combined is known then too.

Over others the models of tables/iterator_models.py loop. Where these are refused the
text is made for the lengths of arrays; what is endless stays as it is called.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, Final

from yota_ast.frontend.calls.opaque_calls import OpaqueCalls
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.value_kinds import is_endless
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Cell,
    Generator,
    TupleValue,
    Value,
)
from yota_ast.frontend.library.builtin_functions import Builtins, Handler
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.tables import iterator_models
from yota_ast.ir.abstract_values import INT, UNKNOWN, Fact
from yota_ast.ir.atoms import Const
from yota_ast.ir.facts.joined_facts import join

MOST: Final = 512
"""So many combinations are gone through one by one at most."""
Rows = list[tuple[Value, ...]]


def _columns(lowering: Component, args: Args) -> Rows | None:
    """The items of each argument, if they are known or may be taken as known."""
    language = Language.of(lowering)
    known_items = KnownItems.of(lowering)
    found: Rows = []
    for arg in args:
        items = language.items_of(language.run_through(arg))
        if items is None and ValueAssumptions.of(lowering).fixed is not None:
            items = known_items.rows_of(arg)
        if items is None:
            items = known_items.items_of_table(arg)
        if items is None:
            return None
        found.append(items)
    return found


def _iterator(lowering: Component, items: Any) -> Value:
    """An iterator over known items."""
    listed = list(itertools.islice(items, MOST + 1))
    if len(listed) > MOST:
        Position.of(lowering).refuse_call(
            "there are too many items to go through one by one",
            "Loop over `range`, or over an array.",
        )
    values = [TupleValue(i) if isinstance(i, tuple) else i for i in listed]
    cell = Cell("list", dict(enumerate(values)), Iterator)
    return Cells.of(lowering).new_cell(cell)


def _combining(fn: Callable[..., Any], columns: int = 1) -> Handler:
    """combinations(xs, n) and the like: further arguments are literal integers."""

    def handler(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
        many = _columns(lowering, args[:columns] if columns else args)
        known = ValueAssumptions.of(lowering).known_value
        more = [known(a) for a in args[columns:]] if columns else []
        named = {k: known(v) for k, v in kwargs}
        if None in more or None in named.values():
            return None
        if many is None:
            counts = [m.value for m in more if m is not None]
            pools = args[:columns] if columns else args
            return None if kwargs else _looping(lowering, fn, pools, counts)
        rest = (m.value for m in more if m is not None)
        options = {k: v.value for k, v in named.items() if v is not None}
        return _iterator(lowering, _called(lowering, fn, *many, *rest, **options))

    return handler


def _looping(
    lowering: Component, fn: object, given: Args, counts: list[Any]
) -> Value | None:
    """What a model gives that loops over as many items as there are."""
    if fn is itertools.pairwise:
        return modelled(lowering, iterator_models.neighbours, pool(lowering, given[0]))
    many = counts[0] if len(counts) == 1 else len(given)
    model = iterator_models.OF_MANY.get((fn, many)) if type(many) is int else None
    if model is None:
        return None
    pools = tuple(pool(lowering, arg) for arg in given)
    made = modelled(lowering, model, *pools)
    # Python copies the items when it is called: what is read must stay as it is.
    Builtins.of(lowering).note_taken(TupleValue(pools), made)
    return made


def modelled(
    lowering: Component, model: Callable[..., Any], *args: Value, kwargs: Kwargs = ()
) -> Value:
    """The call of a model."""
    called = Const(model, model.__name__)
    found: Value = Language.of(lowering).call(called, args, kwargs)
    return found


def pool(lowering: Component, value: Value) -> Value:
    """What is read by its places when an item is wanted: an array as it is, of others a
    list of the items."""
    if Operations.of(lowering).fact(value).is_numeric:
        return value
    made: Value = Language.of(lowering).call(Const(list, "list"), (value,))
    return made


def _called(
    lowering: Component, fn: Callable[..., Any], *args: Any, **options: Any
) -> Any:
    """What a function of `itertools` gives."""
    try:
        return fn(*args, **options)
    except (TypeError, ValueError) as error:
        name, kind = OpaqueCalls.of(lowering).called_name(), type(error).__name__
        Position.of(lowering).refuse_call(
            f"`{name}` raises {kind}: {error}", "Correct the call."
        )


def _islice(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """islice(xs, stop), islice(xs, start, stop, step)."""
    many = None if is_endless(args[0]) else _columns(lowering, args[:1])
    known: list[Any] = [
        a if a == NULL else ValueAssumptions.of(lowering).known_value(a)
        for a in args[1:]
    ]
    if None in known:
        return None
    bounds: list[Any] = [k.value for k in known]
    if isinstance(args[0], Generator) and many is None:
        plain = len(bounds) == 1 and type(bounds[0]) is int and bounds[0] >= 0
        return modelled(lowering, iterator_models.first_of, *args) if plain else None
    if many is None:
        return None
    return _iterator(lowering, _called(lowering, itertools.islice, many[0], *bounds))


def _from_iterable(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """chain.from_iterable(xss)."""
    outer = _columns(lowering, args)
    inner = None if outer is None else _columns(lowering, outer[0])
    return None if inner is None else _iterator(lowering, itertools.chain(*inner))


def _accumulate(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """accumulate(xs, f, initial=e)."""
    language = Language.of(lowering)
    many, named = _columns(lowering, args[:1]), dict(kwargs)
    if set(named) - {"func", "initial"}:
        return None
    function = args[1] if len(args) > 1 else named.get("func", NULL)
    initial = named.get("initial", NULL)
    if many is None:
        function = Const(operator.add, "operator.add") if function == NULL else function
        items_of, start = pool(lowering, args[0]), () if initial == NULL else (initial,)
        models = iterator_models.accumulated, iterator_models.accumulated_from
        return modelled(lowering, models[len(start)], items_of, function, *start)
    items = list(many[0])
    items = items if initial == NULL else [initial, *items]

    def joined(a: Value, b: Value) -> Value:
        made: Value
        if function == NULL:
            made = language.operate(operator.add, a, b)
        else:
            made = language.call(function, (a, b))
        return made

    return _iterator(lowering, itertools.accumulate(items, joined))


def _starmap(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """starmap(f, rows)."""
    rows = _columns(lowering, args[1:])
    inner = None if rows is None else _columns(lowering, rows[0])
    if inner is None:
        return modelled(lowering, iterator_models.starmapped, *args)
    return _iterator(
        lowering, (Language.of(lowering).call(args[0], row) for row in inner)
    )


def _groupby(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """groupby(xs, key)."""
    language, named = Language.of(lowering), dict(kwargs)
    function = args[1] if len(args) > 1 else named.pop("key", NULL)
    if named or len(args) > 2:
        return None
    many = _columns(lowering, args[:1])
    of_itself = function in (NULL, Const(None))
    keys = [
        x if of_itself else language.call(function, (x,))
        for x in (many[0] if many else ())
    ]
    if many is None or not all(isinstance(key, Const) for key in keys):
        key_of = Const(_same, "same") if of_itself else function
        return modelled(
            lowering, iterator_models.groups, pool(lowering, args[0]), key_of
        )
    rows = zip(keys, many[0], strict=True)
    return _iterator(
        lowering,
        (
            (key, _iterator(lowering, [x for _, x in group]))
            for key, group in itertools.groupby(rows, operator.itemgetter(0))
        ),
    )


def _tee(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """tee(xs, n)."""
    many = _columns(lowering, args[:1])
    n = ValueAssumptions.of(lowering).known_value(args[1] if args[1:] else Const(2))
    if many is None or n is None or type(n.value) is not int or kwargs:
        return None
    made = tuple(_iterator(lowering, many[0]) for _ in range(n.value))
    for each in made:
        Builtins.of(lowering).note_taken(args[0], each)
    return TupleValue(made)


def _same(value: Any) -> Any:
    return value


def _zip_longest(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """zip_longest(xs, ys, fillvalue=e)."""
    many = _columns(lowering, args)
    fill = dict(kwargs).get("fillvalue", NULL)
    if many is None:
        return None
    return _iterator(lowering, itertools.zip_longest(*many, fillvalue=fill))


def _repeat(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """repeat(x, n)."""
    count = (
        ValueAssumptions.of(lowering).known_value(args[1]) if len(args) == 2 else None
    )
    if count is None or kwargs:
        return None
    return _iterator(
        lowering, _called(lowering, itertools.repeat, args[0], count.value)
    )


def _count(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """count(start, step): numbers on and on."""
    facts = [Operations.of(lowering).fact(v) for v in (*args, *(v for _, v in kwargs))]
    whole = all(fact.kind == "int" for fact in facts)
    return _endless(lowering, itertools.count, args, kwargs, INT if whole else UNKNOWN)


def _cycle(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """cycle(xs): the same items again and again."""
    items = Language.of(lowering).items_of(args[0]) if len(args) == 1 else None
    facts = [Operations.of(lowering).fact(v) for v in items or ()]
    return _endless(
        lowering,
        itertools.cycle,
        args,
        kwargs,
        reduce(join, facts) if facts else UNKNOWN,
    )


def _endless(
    lowering: Component, fn: Any, args: Args, kwargs: Kwargs, item: Fact
) -> Value | None:
    """An iterator of which the run alone knows how far it is; None where a float that
    depends on the arguments is in it. item: what is known of all that it gives."""
    language = Language.of(lowering)
    if not all(map(language.floatless, (*args, *(v for _, v in kwargs)))):
        return None
    atoms = [language.atom(v) for v in args]
    named = [(k, language.atom(v)) for k, v in kwargs]
    known = Fact("other", cls=fn, items=(item,))
    return Operations.of(lowering).apply(fn, atoms, named, fact=known)


ITERATORS: Final[dict[Any, Handler]] = {
    itertools.count: _count,
    itertools.cycle: _cycle,
    itertools.chain: _combining(itertools.chain, 0),
    itertools.chain.from_iterable: _from_iterable,
    itertools.product: _combining(itertools.product, 0),
    itertools.combinations: _combining(itertools.combinations),
    itertools.permutations: _combining(itertools.permutations),
    itertools.combinations_with_replacement: _combining(
        itertools.combinations_with_replacement
    ),
    itertools.pairwise: _combining(itertools.pairwise),
    itertools.islice: _islice,
    itertools.accumulate: _accumulate,
    itertools.starmap: _starmap,
    itertools.groupby: _groupby,
    itertools.tee: _tee,
    itertools.zip_longest: _zip_longest,
    itertools.repeat: _repeat,
}
"""What is done in place of a call of a function."""
