r"""Python and NumPy scalars -> the nodes and the text that stand for them.

>>> constant_text(1e-5), constant_text(2j), constant_text("it's")
('1e-5', '2j', '"it\'s"')
"""

import copy
import math

import gast

from yota_ast.errors import InternalError
from yota_ast.syntax.grammar import Node, kind
from yota_ast.syntax.node_fields import children
from yota_ast.syntax.string_literals import string_text
from yota_ast.syntax.value_literals import literal_text


def literal(value: object) -> Node:
    """Return the node of a scalar, a string, None, or a tuple of such.

    A negative number is a unary minus; nan and infinity are NumPy's.
    """
    value = _of_python(value)
    if type(value) is tuple:
        return gast.Tuple([literal(element) for element in value], gast.Load())
    if isinstance(value, complex):
        return _complex(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        if literal_text(value) is None:
            raise InternalError(f"a {type(value).__name__} has no literal")
        return gast.Constant(value, None)
    if math.isnan(value):
        return _of_numpy("nan")
    if math.copysign(1, value) < 0:
        return gast.UnaryOp(gast.USub(), literal(-value))
    return _of_numpy("inf") if math.isinf(value) else gast.Constant(value, None)


def canonical(tree: Node) -> Node:
    """Return `tree`, its constants that have no literal replaced in a copy.

    >>> tree = gast.parse("x ** 2").body[0].value
    >>> tree.right.value = -2
    >>> gast.unparse(canonical(tree)), tree.right.value
    ('x ** (-2)', -2)
    """
    pending = [tree]
    while pending:
        node = pending.pop()
        if _is_odd(node):
            return _Canonical().visit(copy.deepcopy(tree))
        pending += children(node)
    return tree


class _Canonical(gast.NodeTransformer):  # type: ignore[misc]
    def visit_Constant(self, node: Node) -> Node:
        return literal(node.value) if _is_odd(node) else node


def _is_odd(node: Node) -> bool:
    if kind(node) != "Constant":
        return False
    value = _of_python(node.value)
    return value is not node.value or _needs_sign(value)


def constant_text(value: object) -> str:
    """Return the literal of a constant that has one."""
    if type(value) in (str, bytes):
        return string_text(value)  # type: ignore[arg-type]
    text = literal_text(value)
    if text is None:
        raise InternalError(f"a {type(value).__name__} has no literal")
    return text


def _of_python(value: object) -> object:
    if hasattr(value, "dtype") and getattr(value, "shape", None) == ():
        return value.item()  # type: ignore[attr-defined]
    return value


def _needs_sign(value: object) -> bool:
    if isinstance(value, complex):
        return not _is_imaginary(value)
    if isinstance(value, float):
        return not math.isfinite(value) or math.copysign(1.0, value) < 0
    return isinstance(value, tuple) or (isinstance(value, int) and value < 0)


def _is_imaginary(value: complex) -> bool:
    return math.isfinite(value.imag) and not _signed(value.real, value.imag)


def _signed(real: float, imaginary: float) -> bool:
    return real != 0 or math.copysign(1, real) < 0 or math.copysign(1, imaginary) < 0


def _complex(value: complex) -> Node:
    if _is_imaginary(value):
        return gast.Constant(value, None)
    # A sum of two literals would lose the signs of zeros.
    function = gast.Name("complex", gast.Load(), None, None)
    return gast.Call(function, [literal(value.real), literal(value.imag)], [])


def _of_numpy(name: str) -> Node:
    module = gast.Name("np", gast.Load(), None, None)
    return gast.Attribute(module, name, gast.Load())
