"""Draws of Python's `random` -> ops that happen once, and items at drawn places.

`random.uniform` and its like are followed to `random.random()`. Whole numbers are made
of bits there, and stay calls. `random.choice(items)` is `items[randrange(len(items))]`,
which draws the same, and `random.sample(items, k)` draws places first.

>>> import random
>>> one, other = random.Random(3), random.Random(3)
>>> one.choice("abc") == "abc"[other.randrange(3)]
True
"""

from __future__ import annotations

import random
from typing import Any, Final

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.heap.lowered_values import Cell, Lazy, Value
from yota_ast.frontend.library.builtin_functions import Handler
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import FLOAT, INT, NONE, Fact
from yota_ast.ir.atoms import Const

_CALLED: Final = {"randint": INT, "randrange": INT, "getrandbits": INT, "seed": NONE}


def _called(name: str, known: Fact, *, owned: bool) -> Handler:
    def handler(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
        """random.randint(a, b), rng.randint(a, b)."""
        language = Language.of(lowering)
        values = (*args, *(v for _, v in kwargs))
        if not all(map(language.floatless, values)):
            return None
        return Operations.of(lowering).apply(
            getattr(random.Random if owned else random, name),
            [language.atom(a) for a in args],
            [(k, language.atom(v)) for k, v in kwargs],
            form="method" if owned else "call", spelling=name, fact=known, effect=True,
        )  # fmt: skip

    return handler


def _made(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """random.Random(seed): what it draws happens when the text runs."""
    language = Language.of(lowering)
    if kwargs or not all(map(language.floatless, args)):
        return None
    atoms = [language.atom(a) for a in args]
    known = Fact("other", cls=random.Random)
    return Operations.of(lowering).apply(random.Random, atoms, fact=known)


def fact_of_draw(lowering: Component, name: str) -> Fact:
    """What is known of the result of a method of a generator that is made here."""
    if name not in METHODS:
        Position.of(lowering).refuse_call(
            f"`{name}` of a random.Random that is made in the function is not followed",
            "Draw numbers or positions: items[rng.randrange(len(items))].",
        )
    return METHODS[name]


def _choice(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """random.choice(items) of items that are known one by one."""
    known = KnownItems.of(lowering)
    if len(args) != 1 or kwargs:
        return None
    items = known.items_apart(args[0]) or known.items_of_table(args[0])
    if not items:
        return None
    language = Language.of(lowering)
    draw = Const(random.randrange, "randrange", "random")
    place = language.call(draw, (Const(len(items)),))
    return language.subscript(args[0], place)


def _sample(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """random.sample(range(n), k), and of items that are known one by one those at
    places that are drawn so."""
    language = Language.of(lowering)
    given = dict(zip(("population", "k"), args, strict=False)) | dict(kwargs)
    if set(given) != {"population", "k"}:
        return None
    whole = given["population"]
    count = ValueAssumptions.of(lowering).known_value(given["k"])
    if count is None or type(count.value) is not int or count.value < 0:
        return None
    if isinstance(whole, Lazy) and whole.fn is range:
        return _places(lowering, whole, count)
    items = KnownItems.of(lowering).items_apart(whole)
    if not items or count.value > len(items):
        return None
    numbers = Const(range, "range", "builtins")
    places = _places(lowering, language.call(numbers, (Const(len(items)),)), count)
    drawn = (language.subscript(places, Const(k)) for k in range(count.value))
    found = [language.subscript(whole, place) for place in drawn]
    return Cells.of(lowering).new_cell(Cell("list", dict(enumerate(found)), list))


def _places(lowering: Component, numbers: Value, count: Const) -> Value:
    """random.sample(range(n), k)."""
    known = Fact("list", items=(INT,) * count.value, cls=list)  # type: ignore[operator]
    return Operations.of(lowering).apply(
        random.sample, (Language.of(lowering).atom(numbers), count),
        spelling="sample", fact=known, effect=True,
    )  # fmt: skip


METHODS: Final = _CALLED | dict.fromkeys(
    ("random", "uniform", "triangular", "gauss", "normalvariate", "lognormvariate",
     "expovariate", "betavariate", "gammavariate", "vonmisesvariate", "paretovariate",
     "weibullvariate"),
    FLOAT,
)  # fmt: skip
"""The methods of a generator that is made in the function, and what they give."""
DRAWN: Final[dict[Any, Handler]] = {
    random.Random: _made,
    **{getattr(random, k): _called(k, v, owned=False) for k, v in _CALLED.items()},
    **{
        getattr(random.Random, k): _called(k, v, owned=True) for k, v in _CALLED.items()
    },
    random.choice: _choice,
    random.sample: _sample,
}
