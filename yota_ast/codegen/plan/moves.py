"""Parallel copies -> the assignments that make them.

>>> from dataclasses import replace
>>> layout([Copy("a", "b", frozenset({"b"})), Copy("b", "a", frozenset({"a"}))], 80)
['a, b = b, a']
>>> zero = Copy("da", "0.0", frozenset(), "literal")
>>> layout([zero, replace(zero, name="db")], 80)
['da = db = 0.0']
>>> layout([zero, replace(zero, name="db")], 10)
['da = 0.0', 'db = 0.0']
>>> last = Copy("a", "x[n]", frozenset({"x", "n"}), "expression")
>>> layout([zero, Copy("b", "a", frozenset({"a"})), last], 80)
['da = 0.0', 'b, a = a, x[n]']
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
    overwritten. So do variables one after another, and what one is overwritten by
    after it has been copied.
    """
    groups: dict[str, list[Copy]] = {}
    for copy in copies:
        key = f"{copy.text} {copy.name}" if copy.kind == "expression" else copy.text
        groups.setdefault(key, []).append(copy)
    ordered = _in_sequence(list(groups.values()))
    alone = all(len(group) == 1 for group in groups.values())
    alike = len({c.kind for c in copies}) == 1
    together = _together(copies)
    if ordered is None or (
        alone and alike and len(groups) > 1 and len(together) <= width
    ):
        return [together]
    return [line for part in _parts(ordered, width) for line in _lines(part, width)]


def _together(copies: Sequence[Copy]) -> str:
    """Return `a, b = x, y`."""
    names = ", ".join(c.name for c in copies)
    return f"{names} = {', '.join(c.text for c in copies)}"


def _parts(groups: Sequence[list[Copy]], width: int) -> list[list[list[Copy]]]:
    """Return groups in sequence, those together that share a line."""
    parts: list[list[list[Copy]]] = []
    for group in groups:
        last = parts[-1] if parts else []
        firsts = [each[0] for each in last]
        joins = bool(last) and all(len(each) == 1 for each in (*last, group))
        if joins and _belong(firsts, group[0]):
            if len(_together([*firsts, group[0]])) <= width:
                last.append(group)
                continue
        parts.append([group])
    return parts


def _belong(copies: Sequence[Copy], copy: Copy) -> bool:
    """Say whether a copy stands beside others: it overwrites what they read, or all are
    variables."""
    variables = {c.kind for c in (*copies, copy)} == {"variable"}
    return variables or any(copy.name in c.reads for c in copies)


def _lines(part: Sequence[list[Copy]], width: int) -> list[str]:
    if len(part) > 1:
        return [_together([group[0] for group in part])]
    return _chains(part[0], width)


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
