"""Calls of one function that is not inlined -> what they have in common.

One function of the tape is to do for all calls that differ in numbers and variables
alone, objects that hold such included. What the calls have in common is known only when
they have been met: lowering then begins again, and the first of them gets the function
that does for all.

In: what a call gives.  Out: a `Mould` for each parameter.
"""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from yota_ast.frontend.methods import Methods
from yota_ast.frontend.moulds import (
    Mould,
    Unlike,
    are_apart,
    is_lasting,
    likened,
    opened_up,
)
from yota_ast.frontend.state import MuchCalled
from yota_ast.frontend.values import Value
from yota_ast.tape import Block, Function
from yota_ast.walking import outlined_in, slopes_in

Key = tuple[object, int | None, tuple[int, ...]]
"""The code, the frame in which a closure was made, and the identities of the globals
and cells that a function sees: those of one factory have one code, and so have
functions in two files that are alike."""


class InCommon(Methods):
    """What several calls of a function say of its parameters."""

    def moulds_in_common(
        self,
        key: Key,
        code: object,
        given: Mapping[str, Value],
        plain: Mapping[str, Mould],
    ) -> Mapping[str, Mould]:
        """What the arguments of this call and of others have in common, those of an
        earlier lowering included; where they are unlike, what this call's say."""
        before = self.in_common.get(code, {})
        if before is None:
            return plain
        outlines = (*self.outlines.get(key, ()), *self.capturing.get(key, ()))
        seen = self.given_before.get(code, {})
        found: dict[str, Mould] = dict(plain)
        for others in (seen, *(o.known.given for o in outlines), before):
            for name, mould in others.items():
                with suppress(Unlike):
                    found[name] = likened(mould, given[name], self.heap)
        opened = {n: opened_up(m, self.heap) for n, m in plain.items()}
        self.given_before[code] = {n: m for n, m in opened.items() if is_lasting(m)}
        if not are_apart(found, given, self.heap):
            return plain
        kept = {n: m for n, m in found.items() if m != plain[n] and is_lasting(m)}
        if kept.keys() - before.keys():
            self.generalised[code] = None
        self.in_common[code] = {**before, **kept}
        return found

    def check_superseded(self) -> None:
        """Lower once more if the tape has two functions where one does for both.

        Raises MuchCalled.
        """
        called = self.functions_of(Block(tuple(self.ops)))
        times = Counter(self.code_of.get(f.name) for f in called)
        if any(times[code] > 1 for code in self.generalised):
            raise MuchCalled

    def functions_of(self, block: Block) -> tuple[Function, ...]:
        """The functions that a block calls, and those that they call."""
        found: dict[str, Function] = {}
        pending = [*outlined_in(block), *slopes_in(block)]
        while pending:
            name = pending.pop(0)
            if name not in found:
                found[name] = self.functions[name]
                inner = found[name].block
                pending += [*outlined_in(inner), *slopes_in(inner)]
        return tuple(found.values())


def lasting(code: Any, filename: str) -> object:
    """What tells a function apart in every lowering of one function: the trees of
    functions defined inside are read anew in each."""
    if isinstance(code, types.CodeType):
        return code
    return filename, code.lineno, code.col_offset
