"""A function and a name -> what Python finds under that name in that function.

>>> from math import pi
>>> def area(r):
...     return pi * abs(r) ** 2
>>> resolve(area, "pi").value, resolve(area, "abs").kind, resolve(area, "r").kind
(3.141592653589793, 'builtin', 'local')
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Literal

from yota_ast.errors import Location, UnsupportedSyntax
from yota_ast.syntax import Node, nodes

Kind = Literal["local", "cell", "global", "builtin"]


@dataclass(frozen=True, slots=True)
class Binding:
    """What a name stands for; a local has no value yet.

    `module_name` is the module in which the name is bound.
    """

    kind: Kind
    name: str
    module_name: str
    value: object = None


def resolve(fn: FunctionType, name: str, at: Location | None = None) -> Binding:
    """Look `name` up as the code of `fn` does: locals, cells, globals, builtins.

    Raises:
        UnsupportedSyntax: nothing has that name, or its cell is still empty.

    """
    code = fn.__code__
    module = str(fn.__globals__.get("__name__", "?"))
    if name in code.co_varnames or name in code.co_cellvars:
        return Binding("local", name, module)
    if name in code.co_freevars:
        return Binding("cell", name, module, _cell(fn, name, at))
    if name in fn.__globals__:
        return Binding("global", name, module, fn.__globals__[name])
    builtins: dict[str, object] = getattr(fn, "__builtins__")  # noqa: B009  no stub has it
    if name in builtins:
        return Binding("builtin", name, "builtins", builtins[name])
    raise UnsupportedSyntax(
        f"`{name}` is not defined in `{fn.__qualname__}`, in module `{module}` "
        "or among the builtins",
        at=at,
        remedy="Define or import it before the gradient is taken.",
    )


def _cell(fn: FunctionType, name: str, at: Location | None) -> object:
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    try:
        return cells[name].cell_contents
    except ValueError:
        raise UnsupportedSyntax(
            f"`{name}`, which `{fn.__qualname__}` takes from the function around it, "
            "has no value yet",
            at=at,
            remedy=f"Assign `{name}` before the gradient is taken.",
        ) from None


def attribute(owner: object, name: str, at: Location | None = None) -> object:
    """Return ``owner.name`` of a module or a class.

    Raises:
        UnsupportedSyntax: there is no such attribute.

    """
    try:
        return getattr(owner, name)
    except AttributeError:
        kind = "module" if isinstance(owner, ModuleType) else "class"
        called = getattr(owner, "__name__", "?")
        raise UnsupportedSyntax(
            f"{kind} `{called}` has no attribute `{name}`",
            at=at,
            remedy="Correct the name, or import the submodule that defines it.",
        ) from None


def has_static_attributes(value: object) -> bool:
    """Say whether the attributes of `value` are known when the function is read."""
    return isinstance(value, ModuleType | type)


def names_of(node: Node) -> tuple[str, ...] | None:
    """Return the names of a chain of attributes, ``("np", "linalg", "norm")``."""
    names: list[str] = []
    while isinstance(node, nodes.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, nodes.Name):
        return None
    return (node.id, *reversed(names))


def resolve_path(
    fn: FunctionType, names: Sequence[str], at: Location | None = None
) -> tuple[Binding, object, tuple[str, ...]]:
    """Follow ``a.b.c`` through modules and classes as far as they go.

    Return the binding of the first name, the value reached, and the names that are
    left: those that begin with an attribute of neither a module nor a class.

    >>> import numpy as np
    >>> def f(x):
    ...     return np.linalg.norm(x)
    >>> resolve_path(f, ("np", "linalg", "norm"))[1] is np.linalg.norm
    True
    """
    first, *rest = names
    binding = resolve(fn, first, at)
    value = binding.value
    while rest and binding.kind != "local" and has_static_attributes(value):
        value = attribute(value, rest.pop(0), at)
    return binding, value, tuple(rest)
