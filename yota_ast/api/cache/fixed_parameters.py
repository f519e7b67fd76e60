"""Parameters that a text has taken as they were in the example -> checks at its entry.

None, functions and the make-up of containers are part of the text, unlike the numbers
that they hold; a call with others must not get the gradient of these.

>>> from yota_ast.ir.abstract_values import NONE
>>> from yota_ast.ir.atoms import Var
>>> axis = Parameter(Var("axis", NONE, "axis"))
>>> pair = Parameter(Var("p", fact_of([1.0, 2.0], "p"), "p"))
>>> [c.test for c in kind_checks((axis, pair), {})]
['axis is not None', 'not isinstance(p, (list, tuple)) or len(p) != 2']
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import CONTAINERS, Fact, fact_of, keys_of_items
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import Block, Read
from yota_ast.ir.tape import Tape
from yota_ast.support.public_names import is_importable
from yota_ast.support.value_classes import is_record
from yota_ast.syntax.value_paths import follow, item_text, path_text

_EMPTY = Block()


def kind_checks(
    params: tuple[Parameter, ...],
    examples: Mapping[str, object],
    block: Block = _EMPTY,
    wrt: Container[str] = (),
) -> tuple[Check, ...]:
    """The checks of a text that was made for such parameters, of which `block` reads
    fields; wrt: those whose gradients are made up alike."""
    checks = [
        c
        for p in params
        for c in _checks(p, examples.get(p.var.name), asked=p.var.name in wrt)
    ]
    for p in params:
        if p.var.name in wrt:
            checks += _within(p.var.name, p.var.fact, 1)
    classes: dict[str, tuple[type, int]] = {}
    for op in block:
        if isinstance(op, Read) and op.root.name in examples:
            classes |= _classes(op, examples[op.root.name])
    nested = [Check.of_class(t, *found) for t, found in classes.items()]
    return (*checks, *nested)


def checked(tape: Tape, examples: Mapping[str, object]) -> Tape:
    """A tape that checks, when it is played, what it takes for granted of how its
    arguments are made up: functions by their identity where they have no name, and
    classes."""
    made_for = kind_checks(tape.params, examples, tape.block)
    called = [p.var.name for p in tape.params if p.var.fact.kind == "callable"]
    held = {name: examples[name] for name in called if name in examples}
    held |= {text: fn for text, _, fn in tape.held}
    same = [Check.same(at, fn) for at, fn in held.items() if not is_importable(fn)]
    of_ranks = _rank_checks(tape) if tape.ranked else ()
    every = Check.ordered((*made_for, *tape.checks, *of_ranks, *same))
    return replace(tape, checks=tuple(c.by_identity for c in every))


def _rank_checks(tape: Tape) -> Iterator[Check]:
    """That the arrays have the ranks that the facts say."""
    things = {p.var.name: p.var.fact for p in tape.params}
    reads = [op for op in tape.block if isinstance(op, Read)]
    things |= {path_text(op.root.name, op.path): op.out.fact for op in reads}
    for text, fact in things.items():
        if fact.kind == "array" and fact.rank is not None:
            axes = "axis" if fact.rank == 1 else "axes"
            test = f'getattr({text}, "ndim", 0) != {fact.rank}'
            yield Check(test, f"made for {text} of {fact.rank} {axes}")


def _classes(op: Read, example: object) -> dict[str, tuple[type, int]]:
    """The objects on the way to a field, and their classes, whose methods are part of
    the text; and how deep they are."""
    found, text, value = {}, op.root.name, example
    for depth, (kind, step) in enumerate(op.path[:-1], 1):
        text = path_text(text, [(kind, step)])
        try:
            value = follow(value, [(kind, step)])
        except (AttributeError, LookupError, TypeError):
            break
        if fact_of(value).kind == "object":
            found[text] = type(value), depth
    return found


def _within(text: str, fact: Fact, depth: int) -> Iterator[Check]:
    """That the containers in one are made up alike. Fields of objects are not items:
    those that are read are checked where they are read.

    >>> fact = fact_of({"in": [1.0, 2.0], "out": 0.5})
    >>> [c.test for c in _within("p", fact, 1)]
    ["not isinstance(p['in'], (list, tuple)) or len(p['in']) != 2"]
    """
    if fact.kind not in CONTAINERS:
        return
    items = fact.items or ()
    for key, item in zip(keys_of_items(fact), items, strict=True):
        if item.kind in CONTAINERS and item.items is not None:
            one = item_text(text, key)
            yield _made_up(one, item, depth, item.kind)
            yield from _within(one, item, depth + 1)


def _made_up(text: str, fact: Fact, depth: int, kind: str) -> Check:
    """That a container with a gradient is made up alike; one of a NamedTuple has its
    type, and reads its fields."""
    if is_record(fact.cls):
        return Check.of_class(text, fact.cls, depth)
    return Check.length(text, len(fact.items or ()), depth, kind)


def _checks(param: Parameter, example: object, *, asked: bool) -> Iterator[Check]:
    name, fact = param.var.name, param.var.fact
    if fact.kind == "none":
        yield Check(f"{name} is not None", f"made for {name}=None", 0)
    elif fact.kind in ("tuple", "list", "dict") and fact.items is not None:
        if param.outside is not None:  # its parts are checked where they are read
            return
        given = param.kind in ("args", "kwargs")  # a tuple, a dict
        kind = "" if given else fact.kind
        if asked:
            yield _made_up(name, fact, 0, kind)
        else:
            yield Check.length(name, len(fact.items), kind=kind)
    elif fact.kind == "object" and fact.cls is not None:
        # Its methods are part of the text.
        yield Check.of_class(name, fact.cls)
    elif fact.kind == "callable" and example is not None:
        yield from Check.function(name, example)


def refuse_nameless(arguments: Mapping[str, object]) -> None:
    """Refuse functions that a text could not tell from others: it checks the name, and
    lambdas, local functions, methods of one object and partials share theirs."""
    for name, value in arguments.items():
        if fact_of(value).kind == "callable" and not is_importable(value):
            raise UnsupportedCall(
                f"`{name}` is a function without an importable name: generated "
                "code cannot tell it from other functions",
                remedy="Bind it with functools.partial, or call `grad`.",
            )
