"""Lengths that are known to be equal, so that no statement tests them again.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import Fact
>>> x, y = (Var(name, Fact("array", np.dtype(float), (None,))) for name in "xy")
>>> n, m = Var("n"), Var("m")
>>> lengths = EqualLengths({"n": Apply(n, len, (x,)), "m": Apply(m, len, (y,))})
>>> with lengths.scope():
...     lengths.unite(n, m)
...     print(lengths.same(n, m))
True
>>> lengths.same(n, m)
False
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from yota_ast.codegen.plan.statement_plan import Plan, Stmt, targets_of, walk
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.nodes import Apply, If
from yota_ast.ops.algebra import COUNTING, operated

Key = Hashable
Ends = Sequence[Atom]


class EqualLengths:
    """Knows which lengths are equal, from here on.

    nested: the expressions of variables. A length known in a loop or branch is known
    in it alone: it may not run. What is known of a variable that is assigned at several
    places ends where one of them is reached.
    """

    def __init__(
        self, nested: Mapping[str, Apply | If], plan: Plan | None = None
    ) -> None:
        self.nested = nested
        self.key_of: Callable[[Var], str] = lambda var: var.name
        self.assigned: Counter[str] = Counter()
        self.versions: Counter[str] = Counter()
        self.parents: dict[Key, Key] = {}
        if plan is not None:
            targets = (v for stmt in walk(plan.body) for v in targets_of(stmt))
            self.key_of = plan.key
            self.assigned = Counter(map(plan.key, (*targets, *plan.params)))

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Forget at the end what becomes known here."""
        before = dict(self.parents)
        try:
            yield
        finally:
            self.parents = before

    def forget(self, stmts: Iterable[Stmt]) -> None:
        """Forget the lengths of what statements assign, if others assign it too."""
        for stmt in walk(stmts):
            names = set(map(self.key_of, targets_of(stmt)))
            self.versions.update(name for name in names if self.assigned[name] > 1)

    def keys(self, atom: Atom) -> list[Key | None]:
        """Return what an integer, or each length of an array, is by its computation."""
        fact = fact_of_atom(atom)
        if fact.kind == "int":
            return [self.key(atom)]
        return [self._axis(atom, k) for k in range(fact.rank or 0)]

    def unite_all(self, var: Var, keys: Sequence[Key | None]) -> None:
        """Note what the lengths of an array, or an integer, are."""
        for one, other in zip(self.keys(var), keys, strict=False):
            if one is not None and other is not None:
                self._unite(one, other)

    def same(self, one: Atom, other: Atom) -> bool:
        """Say whether two lengths are known to be equal."""
        keys = self.key(one), self.key(other)
        return None not in keys and self._root(keys[0]) == self._root(keys[1])

    def unite(self, one: Atom, other: Atom) -> None:
        """Note that two lengths are equal from here on."""
        first, second = self.key(one), self.key(other)
        if first is None or second is None:
            return
        self._unite(first, second)

    def _unite(self, first: Key, second: Key) -> None:
        roots = self._root(first), self._root(second)
        if roots[0] != roots[1]:
            self.parents[roots[0]] = roots[1]

    def unite_views(self, view: Var, owner: Var, ends: Sequence[Ends | None]) -> None:
        """Note the lengths of a view. ends: what slices are made of, for each axis of
        the owner; None for a number, which takes an axis away."""
        axis = 0
        for k, given in enumerate(ends):
            if given is None:
                continue
            keys = [None if a == Const(None) else self.key(a) for a in given]
            known = all(key is not None for key, a in zip(keys, given, strict=True)
                        if a != Const(None))  # fmt: skip
            own, part = self._axis(owner, k), self._axis(view, axis)
            axis += 1
            if own is None or part is None or not known:
                continue
            root = self._root(own)
            roots = (None if key is None else self._root(key) for key in keys)
            made: Key = root if not any(keys) else ("slice", root, *roots)
            self._unite(part, made)

    def _root(self, key: Key) -> Key:
        while key in self.parents:
            key = self.parents[key]
        return key

    def key(self, atom: Atom) -> Key | None:
        """Return what a length is by what it is computed from, None if that changes."""
        if isinstance(atom, Const):
            return atom.value if type(atom.value) is int else None
        op = self.nested.get(atom.name)
        if op is None:
            name = self.key_of(atom)
            known = self.assigned[name] > 0
            return ("name", name, self.versions[name]) if known else None
        return self._computed(op) if isinstance(op, Apply) else None

    def _computed(self, op: Apply) -> Key | None:
        if op.fn is len:
            return self._axis(op.args[0], 0)
        if op.fn is operator.getitem and isinstance(op.args[0], Var):
            shape, place = self.nested.get(op.args[0].name), op.args[1]
            if not isinstance(shape, Apply) or shape.fn is not np.shape:
                return None
            return self._axis(shape.args[0], place)
        known = operated(op.fn) in COUNTING or op.fn in (max, min)
        if not known or op.kwargs:
            return None
        keys = [self.key(a) for a in op.args]
        if None in keys:
            return None
        return (op.fn, *map(self._root, keys))

    def _axis(self, owner: Atom, place: Any) -> Key | None:
        """Return an axis of an array that has a name."""
        axis = place.value if isinstance(place, Const) else place
        if not isinstance(owner, Var) or owner.name in self.nested:
            return None
        if owner.fact.kind not in ("array", "real") or type(axis) is not int:
            return None
        name = self.key_of(owner)
        return ("axis", name, self.versions[name], axis)
