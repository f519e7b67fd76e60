"""The parts of lowering, which are classes with one namespace."""

import ast
import inspect
import itertools
import textwrap

from yota_ast.frontend.interpret.lower import Lowering


def body_of(function):
    """The statements of a function, its docstring left out."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    return [s for s in tree.body if not is_text(s)]


def is_text(stmt):
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def is_declared_only(function):
    """Whether a method says only what another class will do."""
    body = body_of(function)
    return not body or ast.unparse(body[0]) == "raise NotImplementedError"


def test_no_part_of_lowering_hides_a_method_of_another():
    """A method of one name in two parts must be declared only in the one, or pass on
    what it does not do itself."""
    methods = {}
    for cls in Lowering.__mro__:
        for name, value in vars(cls).items():
            if inspect.isfunction(value) and cls.__module__.startswith("yota_ast"):
                methods.setdefault(name, []).append((cls.__name__, value))
    hidden = [
        f"{first}.{name} hides {second}.{name}"
        for name, found in methods.items()
        for (first, one), (second, other) in itertools.combinations(found, 2)
        if f"super().{name}(" not in inspect.getsource(one)
        and not is_declared_only(other)
    ]
    assert not hidden
