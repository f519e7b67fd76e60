"""Runtime helpers -> their source text as it stands at the bottom of generated text.

Without annotations and with one line of docstring; helpers that a helper calls follow
it. What a helper raises begins with the name of the generated function.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from yota_ast import syntax
from yota_ast.codegen.printers.global_names import Globals
from yota_ast.support.helper_functions import is_helper


def helper_texts(
    helpers: Sequence[Callable[..., object]],
    world: Globals,
    title: str,
    typed: str = "",
) -> list[str]:
    """Return the texts of helpers and of those that they call, each once.

    title: the functions that call them, named by what the helpers raise. typed: the
    annotation of all that they take and return.
    """
    done = with_called(helpers, world)
    names = {helper.__name__: world.helper_name(helper) for helper in done}
    width = syntax.line_width()
    return [_text_in(helper, names, title, typed, width) for helper in done]


def with_called(
    helpers: Sequence[Callable[..., object]], world: Globals
) -> list[Callable[..., object]]:
    """Return helpers and those that they call, each once."""
    pending, done = list(helpers), list[Callable[..., object]]()
    while pending:
        helper = pending.pop(0)
        if helper not in done:
            done.append(helper)
            pending += _called(helper, world)
    return done


def _text_in(
    helper: Callable[..., object], names: Mapping[str, str], title: str, typed: str,
    width: int,
) -> str:  # fmt: skip
    """Return the text of one helper beside others. It is printed once for all texts
    that have the same names for what it mentions."""
    words = _words(helper)
    called = tuple((name, names[name]) for name in sorted(words & names.keys()))
    return _helper_text(helper, called, title if "raise" in words else "", typed, width)


@cache
def _source(helper: Callable[..., object]) -> str:
    return inspect.getsource(helper)


@cache
def _words(helper: Callable[..., object]) -> frozenset[str]:
    """Return the names and keywords of a helper, and other words of its source."""
    return frozenset(re.findall(r"\w+", _source(helper)))


@cache
def _helper_text(
    helper: Callable[..., object],
    names: tuple[tuple[str, str], ...],
    title: str,
    typed: str,
    _width: int,
) -> str:
    """Return the text of one helper; names: what helpers are called in the text."""
    node = syntax.parse(_source(helper)).body[0]
    _strip(node, typed)
    called = dict(names)
    for part in syntax.nodes.walk(node):
        if isinstance(part, syntax.nodes.Name):
            part.id = called.get(part.id, part.id)
        if isinstance(part, syntax.nodes.Raise):
            _name_function(part, title)
    node.name = called.get(node.name, node.name)
    return syntax.print_stmts([node]).rstrip("\n")


def _name_function(raised: syntax.Node, title: str) -> None:
    """Let the message that a helper raises begin with the generated function's name."""
    message = raised.exc.args[0]
    if isinstance(message, syntax.nodes.Constant):
        message.value = f"{title}: {message.value}"


def _called(helper: Callable[..., Any], world: Globals) -> Iterator[Callable[..., Any]]:
    """Yield the helpers that a helper calls; note the modules that it uses."""
    names = helper.__globals__
    for name in _names(helper.__code__):
        value = names.get(name)
        if inspect.isfunction(value) and is_helper(value):
            yield value
        elif inspect.ismodule(value):
            world.note(value)


def _names(code: Any) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if inspect.iscode(inner):
            yield from _names(inner)


def _strip_statements(body: list[syntax.Node]) -> None:
    """Take the annotations out of assignments."""
    for k, stmt in enumerate(body):
        if isinstance(stmt, syntax.nodes.AnnAssign):
            [body[k]] = syntax.quote("d = e", d=stmt.target, e=stmt.value)
        for name in ("body", "orelse"):
            _strip_statements(getattr(stmt, name, []))


def _strip(node: syntax.Node, typed: str) -> None:
    """Take out annotations, decorators and all but the first line of the docstring."""
    annotation = syntax.parse_expr(typed) if typed else None
    node.returns, node.decorator_list = annotation, []
    _strip_statements(node.body)
    args = node.args
    for arg in (
        *args.posonlyargs,
        *args.args,
        *args.kwonlyargs,
        args.vararg,
        args.kwarg,
    ):
        if arg is not None:
            arg.annotation = annotation
    first = node.body[0]
    if isinstance(first, syntax.nodes.Expr) and isinstance(
        first.value, syntax.nodes.Constant
    ):
        first.value.value = inspect.cleandoc(str(first.value.value)).split("\n\n")[0]
