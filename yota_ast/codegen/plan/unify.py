"""Ops -> the variables that are one from the start, whatever moves stand between them.

A loop's variable is one inside and after the loop. The flag of a return inside a loop
is one with what stops the loop. Merges of a branch that take the same from each arm are
one.
"""

from __future__ import annotations

from collections.abc import Iterable

from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.nodes import Apply, Block, Carry, If, Merge, Op, only, walk
from yota_ast.ir.tape import Guard
from yota_ast.syntax.names import is_weak


class Same:
    """Which variable stands for others, and what it would like to be called."""

    def __init__(self, ops: Iterable[Op | Guard]) -> None:
        self.same: dict[str, str] = {}
        self.hints: dict[str, str] = {}
        every = list(_all_ops(ops))
        self.merges: dict[str, tuple[If, Merge]] = {
            m.out.name: (op, m) for op in only(every, If) for m in op.merges
        }
        for op in every:
            if is_loop(op):
                for c in op.carries:
                    self._be_one(c.out, c.inside)
                    if c.init == Const(value=False) and op.stop is not None:
                        self._unify_flag(c, op.stop)
        for branch in only(reversed(every), If):  # inner ones before outer ones
            self._unify_twins(branch.merges)
        self.same = {name: self._find(name) for name in self.same}

    def _find(self, name: str) -> str:
        while name in self.same:
            name = self.same[name]
        return name

    def key(self, atom: object) -> object:
        """Return the name of the variable that stands for one; other atoms as is."""
        return self._find(atom.name) if isinstance(atom, Var) else atom

    def hint(self, var: Var) -> str | None:
        """Return what a variable would like to be called."""
        return self.hints.get(self._find(var.name)) or var.hint

    def is_flag(self, c: Carry, stop: Atom | None) -> bool:
        """Say whether a carry is true exactly where the loop was left by a break."""
        if stop is None or not isinstance(c.next, Var):
            return False
        return c.init == Const(value=False) and self.key(c.next) == self.key(stop)

    def _unify_flag(self, carry: Carry, stop: Atom) -> None:
        """Make a flag one with the loop's stop, if it is true where the loop stops.

        On entering an iteration the flag is False, or the loop would have ended.
        """
        pairs: list[tuple[Var, Var]] = []
        if self._same(carry.next, stop, carry.inside, pairs):
            for flag, var in pairs:
                self._be_one(flag, var)

    def _same(
        self,
        flag: Atom | Undefined,
        stop: Atom | Undefined,
        false: Var,
        pairs: list[tuple[Var, Var]],
    ) -> bool:
        """Say whether two atoms are equal as `false` is False; collect their merges."""
        if flag == false:
            flag = Const(value=False)
        if flag == stop:
            return True
        if not isinstance(flag, Var) or not isinstance(stop, Var):
            return False
        one, other = self.merges.get(flag.name), self.merges.get(stop.name)
        if one is None or other is None or one[0] is not other[0]:
            return False
        mine, theirs = one[1], other[1]
        arms = ((mine.then, theirs.then), (mine.orelse, theirs.orelse))
        pairs.append((flag, stop))
        return all(self._same(a, b, false, pairs) for a, b in arms)

    def _unify_twins(self, merges: Iterable[Merge]) -> None:
        seen: dict[tuple[object, object], list[Merge]] = {}
        for m in merges:
            alike = seen.setdefault((self.key(m.then), self.key(m.orelse)), [])
            twin = next((s for s in alike if self._are_twins(s, m)), None)
            if twin is None:
                alike.append(m)
            else:
                self._be_one(m.out, twin.out)

    def _are_twins(self, one: Merge, other: Merge) -> bool:
        """Say whether two merges of the same may have one name."""
        hints = self.hint(one.out), self.hint(other.out)
        return hints[0] == hints[1] or any(map(is_weak, hints))

    def _be_one(self, var: Var, other: Var) -> None:
        name, key = self._find(var.name), self._find(other.name)
        hints = (self.hints.get(key), other.hint, self.hints.get(name), var.hint)
        if name != key:
            self.same[name] = key
        strong = [h for h in hints if not is_weak(h)] + [h for h in hints if h]
        if strong and strong[0] is not None:
            self.hints[key] = strong[0]


def _all_ops(ops: Iterable[Op | Guard]) -> Iterable[Op]:
    for op in ops:
        if isinstance(op, Apply):
            yield op
            continue
        yield from walk(op.block if isinstance(op, Guard) else Block((op,)))
