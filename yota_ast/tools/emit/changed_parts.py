"""The parts of a file as they were, the parts as they are -> why the file is stale.

What the user has changed is told from what another version of a library brings.

>>> from yota_ast._speed.fast_dataclasses import replace
>>> from yota_ast.files.header import Header, finished, parse
>>> was = Part("rule", "np.sum", "dx = dy", owner="yota-ast")
>>> head = Header("0.1.0", ("m:f",), "yota-ast emit m:f")
>>> found = parse(finished(head, "", [was], "0"))
>>> print(*reasons(found, [replace(was, text="dx = 2 * dy")], "0.2.0"))
yota-ast 0.1.0 wrote it, and 0.2.0 writes other code: your functions have not changed
>>> reasons(found, [replace(was, text="dx = 2 * dy", owner="")], "0.2.0")
['the rule of np.sum has changed', 'yota-ast 0.1.0 wrote it, this is 0.2.0']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.files.hashed_parts import Part, owner_of
from yota_ast.files.header import KINDS, Found

How = Literal["changed", "used", "live"]


@dataclass(frozen=True, slots=True)
class Change:
    """A part that is not what it was. owner: whose it is, "" for the user's."""

    how: How
    text: str
    owner: str


def reasons(found: Found, parts: Iterable[Part], version: str) -> list[str]:
    """Why a file that this version would write otherwise is stale, in words; empty
    where no part and no version tells it."""
    packages = {t.partition(":")[0].partition(".")[0] for t in found.header.targets}
    changes = list(_changes(found, parts))
    own = _first([c for c in changes if c.owner in ("", *packages)])
    written = found.header.version
    if written == version:
        return [c.text for c in own] or [_of_library(c) for c in _first(changes)]
    if any(c.how != "live" for c in own):
        return [
            *(c.text for c in own),
            f"yota-ast {written} wrote it, this is {version}",
        ]
    maker = "the newer yota-ast" if _number(written) > _number(version) else "yota-ast"
    same = "your functions have not changed"
    return [f"{maker} {written} wrote it, and {version} writes other code: {same}"]


def _first(changes: list[Change]) -> list[Change]:
    """The changes that are reasons: what is used by what has changed is none, and what
    is read live may change as it likes, unless there is no other."""
    for how in ("changed", "used", "live"):
        if chosen := [c for c in changes if c.how == how]:
            return chosen
    return []


def _of_library(change: Change) -> str:
    other = f", in another version of {change.owner}"
    return change.text + ("" if change.owner == "yota-ast" else other)


def _changes(found: Found, parts: Iterable[Part]) -> Iterator[Change]:
    now = {f"{KINDS[p.kind]}{p.name}".replace(" ", ""): p for p in parts}
    for name in dict.fromkeys((*now, *found.parts)):
        kind, own = without_prefix(name)
        part = now.get(name)
        owner = _owner_of_name(kind, own) if part is None else part.owner
        words = {"rule": "the rule of ", "function": ""}
        subject = words.get(kind, "the constant ") + own
        if name not in found.parts:
            yield Change("used", f"{subject} is used now", owner)
        elif part is None:
            yield Change("used", f"{subject} is no longer used", owner)
        elif part.short != found.parts[name]:
            how: How = "live" if kind == "live" else "changed"
            yield Change(how, f"{subject} has changed", owner)


def without_prefix(name: str) -> tuple[str, str]:
    """The name of a part as the file has it -> its kind and its name.

    >>> without_prefix("rule:np.sum"), without_prefix("mypkg.model:loss")
    (('rule', 'np.sum'), ('function', 'mypkg.model:loss'))
    """
    for kind in ("rule", "constant", "live"):
        if name.startswith(f"{kind}:"):
            return kind, name.removeprefix(f"{kind}:")
    return "function", name


def _owner_of_name(kind: str, name: str) -> str:
    """Whose a part was that is there no more, by its name."""
    if kind == "rule":
        from yota_ast.tools.cli.coverage import found

        return "yota-ast" if found(name) else ""
    return owner_of(name.partition(":")[0])


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))
