"""What a transform gives -> a plain function with source that calls it.

The compiler reads sources, and `value_and_grad(f)` has none. The function has its
parameters, and its call is lowered like any call of a transform.

>>> from yota_ast.support.transform import Transform
>>> def double(x, k=2.0):
...     return k * x
>>> made = Transform(map, double, {}, double, inspect.signature(double))
>>> plain = plain_function(made)
>>> print(inspect.getsource(plain), end="")
def double_map(x, k=k_default):
    return transformed(x, k)
>>> plain(1.5)
3.0
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Final
from weakref import WeakKeyDictionary

from yota_ast import syntax
from yota_ast.codegen.compile import compile_text
from yota_ast.support.transform import Transform
from yota_ast.syntax import Node, nodes
from yota_ast.syntax.names import identifier

_MADE: Final[WeakKeyDictionary[Transform, FunctionType]] = WeakKeyDictionary()
_CALLED: Final = "transformed"


def plain_function(made: Transform) -> FunctionType:
    """The function that calls what a transform gives."""
    if made not in _MADE:
        _MADE[made] = _plain_function(made)
    return _MADE[made]


def _plain_function(made: Transform) -> FunctionType:
    name = identifier(made.__name__) or "function"
    namespace: dict[str, object] = {_CALLED: made}
    (definition,) = syntax.parse("def f():\n    return transformed()\n").body
    definition.name = name
    call = definition.body[0].value
    for slot in inspect.signature(made).parameters.values():
        _add(definition.args, call, slot, namespace)
    text = syntax.print_stmts([definition])
    fn = compile_text(text, name, namespace).fn
    assert isinstance(fn, FunctionType)
    return fn


def _add(
    args: Node, call: Node, slot: inspect.Parameter, namespace: dict[str, object]
) -> None:
    """Add a parameter, and hand it on."""
    given = _name(slot.name, nodes.Load())
    own = _name(slot.name, nodes.Param())
    default = None
    if slot.default is not slot.empty:
        default = _name(f"{slot.name}_default", nodes.Load())
        namespace[default.id] = slot.default
    if slot.kind is slot.VAR_POSITIONAL:
        args.vararg = own
        call.args.append(nodes.Starred(given, nodes.Load()))
    elif slot.kind is slot.VAR_KEYWORD:
        args.kwarg = own
        call.keywords.append(nodes.keyword(None, given))
    elif slot.kind is slot.KEYWORD_ONLY:
        args.kwonlyargs.append(own)
        args.kw_defaults.append(default)
        call.keywords.append(nodes.keyword(slot.name, given))
    else:
        where = slot.kind is slot.POSITIONAL_ONLY
        (args.posonlyargs if where else args.args).append(own)
        args.defaults += [default] if default is not None else []
        call.args.append(given)


def _name(name: str, context: Node) -> Node:
    return nodes.Name(name, context, None, None)
