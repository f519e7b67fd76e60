"""A reverse sweep and its adjoints -> which may be returned as views.

`ddisp = np.reshape(dpos, np.shape(disp))` may be returned as it is, if nothing else
that is returned lies in the memory of `dpos`.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import array_fact
>>> x, y, z = (Var(n, array_fact("f8", (None, None))) for n in "xyz")
>>> made = Apply(y, abs, (x,)), Apply(z, np.transpose, (y,))
>>> makers = {op.out.name: op for op in made}
>>> z in OwnViews(Block(made), makers, frozenset("y"), [z])
True
>>> z in OwnViews(Block(made), makers, frozenset("y"), [y, z])
False
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.analysis.points_to import PointsTo
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import Apply, Block
from yota_ast.ops import info, sharing


@dataclass(frozen=True)
class OwnViews:
    """The adjoints that are writable views of what the sweep owns and returns in no
    other way.

    owned: the variables whose memory nothing else has. adjoints: all that are returned.
    """

    back: Block
    makers: Mapping[str, Apply]
    owned: frozenset[str]
    adjoints: Iterable[Atom]

    def __contains__(self, d: object) -> bool:
        if not isinstance(d, Var):
            return False
        whole = self._whole(d)
        if whole == d or not isinstance(whole, Var) or whole.name not in self.owned:
            return False
        return all(self._returned[root] < 2 for root in self._points.memory(d))

    def _whole(self, d: Atom) -> Atom:
        """What an array is a view of, in another shape or order, or a part of."""
        made = self.makers.get(d.name) if isinstance(d, Var) else None
        while made is not None and made.args and _is_writable_view(made):
            d = made.args[0]
            made = self.makers.get(d.name) if isinstance(d, Var) else None
        return d

    @cached_property
    def _points(self) -> PointsTo:
        return PointsTo(self.back)

    @cached_property
    def _returned(self) -> Counter[str]:
        """How many adjoints lie in each piece of memory."""
        return Counter(root for d in self.adjoints for root in self._points.memory(d))


def _is_writable_view(op: Apply) -> bool:
    """Whether an op shows elements of an array where they are, and may be written."""
    if op.fn is operator.getitem:
        return sharing(op) == "view"
    return info(op.fn).items == "moved" and op.out.fact.kind == "array"
