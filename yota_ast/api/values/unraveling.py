"""Parameters in a structure -> one flat vector, and the function that goes back.

SciPy and samplers want one vector. The function that goes back is plain Python, which
the compiler differentiates like the user's own.

>>> flat, unravel = ravel({"w": np.array([[1.0, 2.0]]), "b": 3.0})
>>> flat
array([1., 2., 3.])
>>> print(unravel.source, end="")
import numpy as np
<BLANKLINE>
<BLANKLINE>
def unravel(flat):
    if np.shape(flat) != (3,):
        raise ValueError("unravel: made for a vector of 3 numbers")
    return {"w": flat[0:2].reshape(1, 2).copy(), "b": float(flat[2])}
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.api.values.raveling import (
    Array,
    Branch,
    Layout,
    Leaf,
    is_shaped,
    layout_of,
)
from yota_ast.codegen.compile import GeneratedFunction, compile_text
from yota_ast.errors import YotaError
from yota_ast.support.tracebacks import public
from yota_ast.syntax import Node, nodes
from yota_ast.syntax.names import identifier, unused

_HEAD: Final = """\
import numpy as np


def unravel(flat):
    if np.shape(flat) != SHAPE:
        raise ValueError(MESSAGE)
    return VALUE
"""
_PLAIN: Final = (bool, int, float, complex, str, type(None))


@public
def ravel(params: Any) -> tuple[Array, GeneratedFunction]:
    """Return the floats of `params` as one vector, and the function that reverses this.

    params: arrays and numbers, in tuples, lists, dicts and NamedTuples. Integers,
    strings and other values without floats are not in the vector. `unravel` returns
    them unchanged.

    `unravel(flat)` returns new arrays, with the shapes and dtypes of those in `params`.
    A function that is differentiated may call it. Its `.source` is its generated code.

    Raises YotaError for objects, complex numbers, and parameters without floats.

    >>> flat, unravel = ravel({"w": np.array([1.0, 2.0]), "b": 3.0})
    >>> flat, unravel(2 * flat)
    (array([1., 2., 3.]), {'w': array([2., 4.]), 'b': 6.0})
    """
    layout = layout_of(params)
    if not layout.size:
        raise YotaError(
            "ravel: there are no floats in the parameters",
            remedy="Write integers that should vary as floats: 1.0.",
        )
    if any(leaf.dtype.kind == "c" for leaf in layout.leaves()):
        raise YotaError(
            "ravel: the parameters are complex",
            remedy="Give their real and imaginary parts.",
        )
    return np.array(layout.flat(params), float), _Unravel().function(layout)


@dataclass(slots=True)
class _Unravel:
    """Makes the function that goes back; namespace: what its text reads."""

    namespace: dict[str, object] = field(default_factory=dict)
    at: int = 0

    def function(self, layout: Layout) -> GeneratedFunction:
        """The function of a layout."""
        message = f"unravel: made for a vector of {layout.size} numbers"
        holes = {
            "SHAPE": syntax.literal((layout.size,)),
            "MESSAGE": syntax.literal(message),
            "VALUE": self.value(layout.root),
        }
        tree = syntax.parse(_HEAD)
        body = [syntax.substitute(statement, holes) for statement in tree.body]
        text = syntax.print_stmts(body)
        return compile_text(text, "unravel", self.namespace)

    def value(self, part: Any) -> Node:
        """The expression of a part."""
        if isinstance(part, Leaf):
            return self.leaf(part)
        if isinstance(part, Branch):
            return self.branch(part)
        return self.constant(part.value, "fixed")

    def leaf(self, leaf: Leaf) -> Node:
        """The expression of an array or a number."""
        start, self.at = self.at, self.at + leaf.size
        if not leaf.shape:
            number = syntax.quote_expr("flat[k]", k=syntax.literal(start))
            return self.number(leaf, number)
        found = syntax.quote_expr(
            "flat[a:b]", a=syntax.literal(start), b=syntax.literal(self.at)
        )
        if len(leaf.shape) > 1:
            found = syntax.quote_expr("x.reshape(s)", x=found, s=syntax.literal(0))
            found.args = [syntax.literal(n) for n in leaf.shape]
        if issubclass(leaf.type, list):
            return syntax.quote_expr("x.tolist()", x=found)
        return self.of_dtype(leaf, found, "x.copy()")

    def number(self, leaf: Leaf, number: Node) -> Node:
        """The expression of a number, or of an array without axes."""
        if is_shaped(leaf):
            array = syntax.quote_expr("np.array(x)", x=number)
            return self.of_dtype(leaf, array, "x")
        if leaf.type is float:
            return syntax.quote_expr("float(x)", x=number)
        return self.of_dtype(leaf, number, "x")

    def of_dtype(self, leaf: Leaf, found: Node, plain: str) -> Node:
        """The expression of the leaf's dtype: `plain` where it is that of the vector,
        of floats."""
        if leaf.dtype == np.float64:
            return syntax.quote_expr(plain, x=found)
        kind = syntax.parse_expr("np.float32")
        kind.attr = leaf.dtype.name
        if is_shaped(leaf):
            return syntax.quote_expr("x.astype(t)", x=found, t=kind)
        return syntax.quote_expr("t(x)", x=found, t=kind)

    def branch(self, branch: Branch) -> Node:
        """The expression of a tuple, list or dict."""
        parts = [self.value(part.root) for part in branch.parts]
        if issubclass(branch.type, dict):
            keys = [self.constant(key, "key") for key in branch.keys]
            return nodes.Dict(keys, parts)
        if hasattr(branch.type, "_fields"):
            made = syntax.quote_expr("t()", t=self.named(branch.type, "record"))
            made.args = parts
            return made
        kind = nodes.Tuple if issubclass(branch.type, tuple) else nodes.List
        return kind(parts, nodes.Load())

    def constant(self, value: object, hint: str) -> Node:
        """A value that the vector does not hold: a literal, or a name for it."""
        return (
            syntax.literal(value) if type(value) in _PLAIN else self.named(value, hint)
        )

    def named(self, value: object, hint: str) -> Node:
        """A name of the text for a value."""
        own = identifier(getattr(value, "__name__", hint)) or hint
        name = unused(own, ("np", "flat", "unravel", "float", *self.namespace))
        self.namespace[name] = value
        return syntax.parse_expr(name)


__all__ = ("ravel",)
