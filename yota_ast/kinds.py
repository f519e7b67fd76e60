"""Parameters that a text has taken as they were in the example -> checks at its entry.

None, functions and the make-up of containers are part of the text, unlike the numbers
that they hold; a call with others must not get the gradient of these.

>>> from .facts import NONE
>>> axis = Parameter(Var("axis", NONE, "axis"))
>>> pair = Parameter(Var("p", fact_of([1.0, 2.0], "p"), "p"))
>>> [c.test for c in kind_checks((axis, pair), {})]
['axis is not None', 'len(p) != 2']
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import ModuleType

import numpy as np

from .errors import UnsupportedCall
from .facts import fact_of
from .tape import Block, Check, Parameter, Read, Var

_EMPTY = Block()


def kind_checks(
    params: tuple[Parameter, ...], examples: Mapping[str, object], block: Block = _EMPTY
) -> tuple[Check, ...]:
    """The checks of a text that was made for such parameters, of which `block` reads
    fields."""
    checks = [c for p in params for c in _checks(p.var, examples.get(p.var.name))]
    classes: dict[str, tuple[type, int]] = {}
    for op in block:
        if isinstance(op, Read) and op.root.name in examples:
            classes |= _classes(op, examples[op.root.name])
    nested = [Check.of_class(t, *found) for t, found in classes.items()]
    return (*checks, *nested)


def _classes(op: Read, example: object) -> dict[str, tuple[type, int]]:
    """The objects on the way to a field, and their classes, whose methods are part of
    the text; and how deep they are."""
    found, text, value = {}, op.root.name, example
    for depth, (kind, step) in enumerate(op.path[:-1], 1):
        text += f".{step}" if kind == "attr" else f"[{step!r}]"
        try:
            value = getattr(value, str(step)) if kind == "attr" else value[step]  # type: ignore[index]
        except (AttributeError, LookupError, TypeError):
            break
        if fact_of(value).kind == "object":
            found[text] = type(value), depth
    return found


def _checks(var: Var, example: object) -> Iterator[Check]:
    name, fact = var.name, var.fact
    if fact.kind == "none":
        yield Check(f"{name} is not None", f"made for {name}=None", 0)
    elif fact.kind in ("tuple", "list", "dict") and fact.items is not None:
        yield Check.length(name, len(fact.items))
    elif fact.kind == "object" and fact.cls is not None:
        # Its methods are part of the text.
        yield Check.of_class(name, fact.cls)
    elif fact.kind == "callable" and example is not None:
        yield from Check.function(name, example)


def refuse_nameless(arguments: Mapping[str, object]) -> None:
    """Refuse functions that a text could not tell from others: it checks the name, and
    lambdas, local functions, methods of one object and partials share theirs."""
    for name, value in arguments.items():
        if fact_of(value).kind == "callable" and not _is_importable(value):
            raise UnsupportedCall(
                f"`{name}` is a function without an importable name, which the text"
                " could not tell from another",
                remedy="Bind it: functools.partial; or call `grad`, which looks anew.",
            )


def _is_importable(value: object) -> bool:
    """Whether a function is found again under its module and name."""
    if isinstance(value, ModuleType):
        return True
    module = getattr(value, "__module__", None)
    if module is None and isinstance(value, np.ufunc):
        module = "numpy"
    found: object = sys.modules.get(str(module))
    for step in str(getattr(value, "__qualname__", "")).split("."):
        found = getattr(found, step, None)
    return found is value
