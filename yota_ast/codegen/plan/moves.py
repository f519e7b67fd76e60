"""Parallel copies -> the assignments that make them.

>>> from dataclasses import replace
>>> layout([Copy("a", "b", frozenset({"b"})), Copy("b", "a", frozenset({"a"}))], 80)
['a, b = b, a']
>>> zero = Copy("da", "0.0", frozenset(), "literal")
>>> layout([zero, replace(zero, name="db")], 80)
['da = db = 0.0']
>>> layout([zero, replace(zero, name="db")], 10)
['da = 0.0', 'db = 0.0']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from yota_ast._speed.fast_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Copy:
    """`name = text`, and the names that `text` reads.

    kind: what the text is: a literal, a variable, or an expression, which evaluated
    twice gives two values that must not be one.
    """

    name: str
    text: str
    reads: frozenset[str]
    kind: Literal["literal", "variable", "expression"] = "variable"


def layout(copies: Sequence[Copy], width: int) -> list[str]:
    """Return assignments that are equal to making all copies at once.

    Equal values share a line (`da = db = 0.0`), different ones of one kind too if they
    fit (`total, decay = 0.0, 1.0`), and all that must be read before one of them is
    overwritten.
    """
    groups: dict[str, list[Copy]] = {}
    for copy in copies:
        key = f"{copy.text} {copy.name}" if copy.kind == "expression" else copy.text
        groups.setdefault(key, []).append(copy)
    ordered = _in_sequence(list(groups.values()))
    alone = all(len(group) == 1 for group in groups.values())
    alike = len({c.kind for c in copies}) == 1
    if ordered is not None and not (alone and alike and len(groups) > 1):
        return [line for group in ordered for line in _chains(group, width)]
    names = ", ".join(c.name for c in copies)
    together = f"{names} = {', '.join(c.text for c in copies)}"
    if ordered is not None and len(together) > width:
        return [line for group in ordered for line in _chains(group, width)]
    return [together]


def _chains(group: Sequence[Copy], width: int) -> list[str]:
    """Return `a = b = value`, over several lines where it is too long for one."""
    lines: list[str] = []
    names: list[str] = []
    for copy in group:
        longer = " = ".join([*names, copy.name, copy.text])
        if names and len(longer) > width:
            lines.append(" = ".join([*names, copy.text]))
            names = []
        names.append(copy.name)
    return [*lines, " = ".join([*names, group[0].text])]


def _in_sequence(groups: list[list[Copy]]) -> list[list[Copy]] | None:
    """Return the groups in an order in which none overwrites what a later one reads."""
    done: list[list[Copy]] = []
    while groups:
        free = next(
            (
                group
                for group in groups
                if not any(
                    c.name in other[0].reads
                    for c in group
                    for other in groups
                    if other is not group
                )
            ),
            None,
        )
        if free is None:
            return None
        groups = [group for group in groups if group is not free]
        done.append(free)
    return done
