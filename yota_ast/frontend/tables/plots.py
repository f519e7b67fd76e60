"""Calls of matplotlib and the like: they stay as written, once and in their place.

What such a library is given goes no further, and what it gives, a figure or a line, is
not looked into: labelled_tables.py takes it apart as it does a table. Where a
differentiated value comes out of it, adjoint/results/untracked_values.py refuses.

>>> is_plotting(print), is_plotting(1.0)
(False, False)
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Sequence
from typing import Any, Final

from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.components import Component, extends, uses
from yota_ast.frontend.heap.lowered_values import MethodOf, Value
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.library.builtin_functions import Builtins
from yota_ast.frontend.library.value_methods import Method
from yota_ast.frontend.source.function_spelling import own_path
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Form
from yota_ast.support.shown_values import Shown, is_of_plots

Named = Sequence[tuple[str, Value]]
SHOWN: Final = Fact("other", cls=Shown)


def is_plotting(value: object) -> bool:
    """Whether a value is a function, a class or an object of such a library."""
    own = (types.FunctionType, types.MethodType, type)
    made_by = value if isinstance(value, own) else type(value)
    return is_of_plots(getattr(made_by, "__module__", ""))


class Plots(Component):
    """Calls of libraries that show numbers to people."""

    language = uses(Language)
    operations = uses(Operations)

    def is_shown(self, value: Value) -> bool:
        """Whether a value is one that such a library has given, or a part of it."""
        if isinstance(value, MethodOf):
            return self.is_shown(value.owner)
        return isinstance(value, Var) and value.fact == SHOWN

    def act(
        self,
        fn: Any,
        args: Sequence[Value],
        kwargs: Named,
        spelling: str,
        form: Form = "call",
    ) -> Var:
        """A call that happens once, in its place."""
        atoms = [self.language.atom(a) for a in args]
        named = [(k, self.language.atom(v)) for k, v in kwargs]
        return self.operations.append(
            fn, atoms, named, form=form, spelling=spelling, fact=SHOWN, effect=True
        )

    @extends(UserCalls.call_with_labels)
    def call_with_labels(
        self,
        rest: Callable[..., Value | None],
        function: Const,
        args: Sequence[Value],
        kwargs: Named,
    ) -> Value | None:
        """plt.plot(x, y), Rectangle((0, 0), w, h)."""
        if is_plotting(function.value):
            return self.act(function.value, args, kwargs, own_path(function))
        return rest(function, args, kwargs)

    @extends(Builtins.call_method)
    def call_method(
        self,
        rest: Callable[..., Value],
        method: MethodOf,
        args: Sequence[Value],
        kwargs: Named,
    ) -> Value:
        """ax.plot(x, y)."""
        if not self.is_shown(method.owner):
            return rest(method, args, kwargs)
        given, name = (method.owner, *args), method.name
        return self.act(Method(name), given, kwargs, name, "method")

    @extends(Operations.apply)
    def apply(
        self,
        rest: Callable[..., Var],
        fn: Callable[..., object],
        args: Sequence[Atom],
        kwargs: Sequence[tuple[str, Atom]] = (),
        *,
        fact: Fact | None = None,
        **how: Any,
    ) -> Var:
        """fig.canvas, axes[0, 1], and the parts of `fig, ax = plt.subplots()`."""
        part = fn is getattr or fn is operator.getitem
        if fact is None and part and self.is_shown(args[0]):
            return self.operations.append(fn, args, kwargs, fact=SHOWN, **how)
        return rest(fn, args, kwargs, fact=fact, **how)

    @extends(Loops.element_fact)
    def element_fact(self, rest: Callable[..., Fact], iterable: Value) -> Fact:
        """for ax in axes."""
        return SHOWN if self.is_shown(iterable) else rest(iterable)
