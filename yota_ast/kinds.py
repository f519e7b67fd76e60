"""Parameters that a text has taken as they were in the example -> checks at its entry.

None, functions and the make-up of containers are part of the text, unlike the numbers
that they hold; a call with others must not get the gradient of these.

>>> from .facts import NONE, fact_of
>>> axis = Parameter(Var("axis", NONE, "axis"))
>>> pair = Parameter(Var("p", fact_of([1.0, 2.0], "p"), "p"))
>>> [c.test for c in kind_checks((axis, pair), {})]
['axis is not None', 'len(p) != 2']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .tape import Check, Parameter, Var


def kind_checks(
    params: tuple[Parameter, ...], examples: Mapping[str, object]
) -> tuple[Check, ...]:
    """The checks of a text that was made for such parameters."""
    return tuple(c for p in params for c in _checks(p.var, examples.get(p.var.name)))


def _checks(var: Var, example: object) -> Iterator[Check]:
    name, fact = var.name, var.fact
    if fact.kind == "none":
        yield Check(f"{name} is not None", f"made for {name}=None")
    elif fact.kind in ("tuple", "list", "dict") and fact.items is not None:
        count = len(fact.items)
        items = "item" if count == 1 else "items"
        yield Check(f"len({name}) != {count}", f"made for {name} of {count} {items}")
    elif fact.kind == "callable" and example is not None:
        known = getattr(example, "__qualname__", None)
        if isinstance(known, str):
            test = f'getattr({name}, "__qualname__", None) != {known!r}'
            yield Check(test, f"made for {name} = {known}")
