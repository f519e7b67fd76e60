"""A text that guessed wrong what shares memory -> all guesses that a call proves wrong.

The text stops at the first of them. Where each becomes a note, it goes on and tells of
the others too: another text is made once, not once for each.

>>> from yota_ast.codegen.compile import compile_text
>>> text = '''
... import numpy as np
... def f(x, y):
...     if not np.shares_memory(x, y):
...         raise ValueError('made for `x` a view of `y`')
...     if np.shares_memory(x, x):
...         raise ValueError('made for a copy of `x`, not a view')
... '''
>>> f = compile_text(text, "f", {})
>>> guesses = {"made for `x` a view of `y`": 1, "made for a copy of `x`, not a view": 2}
>>> wrong_guesses(f, guesses, (np.ones(1), np.ones(1)), {})
[1, 2]
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from .codegen.compile import GeneratedFunction

_NOTE: Final = "_note_wrong_guess"
T = TypeVar("T")


def wrong_guesses(
    function: GeneratedFunction,
    guesses: Mapping[str, T],
    args: Sequence[object],
    kwargs: Mapping[str, object],
) -> list[T]:
    """What the guesses are about that this call proves wrong, in the order of the text.

    guesses: by the message with which the text ends where one is wrong. The function
    must be one that may run again. What follows a wrong guess computes other numbers
    than it should, so that more may seem wrong than are; a text with a `while`, which
    need not end then, tells nothing.
    """
    tree = ast.parse(function.source)
    if any(isinstance(node, ast.While) for node in ast.walk(tree)):
        return []
    noting, found = _Noting(guesses), dict[str, None]()
    code = compile(
        ast.fix_missing_locations(noting.visit(tree)), "<guesses>", "exec",
        dont_inherit=True,
    )  # fmt: skip
    names: dict[str, Any] = {**function.namespace, _NOTE: found.setdefault}
    try:
        with np.errstate(all="ignore"):
            exec(code, names)
            names[function.__name__](*args, **kwargs)
    except Exception:  # noqa: BLE001, S110  of numbers that are wrong, anything may come
        pass
    return [guesses[message] for message in found]


class _Noting(ast.NodeTransformer):
    """`raise ValueError(message)` of a guess -> a note of the message."""

    def __init__(self, guesses: Mapping[str, object]) -> None:
        self.guesses = guesses

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        """The statement, or the note."""
        match node.exc:
            case ast.Call(args=[ast.Constant(value=message)]):
                if message in self.guesses:
                    note = ast.Name(_NOTE, ast.Load())
                    return ast.Expr(ast.Call(note, [ast.Constant(message)], []))
        return node
