"""A text that guessed wrong what shares memory -> the guesses for another text, and all
guesses that a call proves wrong.

The text stops at the first of them. Where each becomes a note, it goes on and tells of
the others too: another text is made once, not once for each.

>>> from yota_ast.codegen.compile import compile_text
>>> text = '''
... import numpy as np
... def f(x, y):
...     if not np.shares_memory(x, y):
...         raise ValueError('made for `x` as a view of `y`')
...     if np.shares_memory(x, x):
...         raise ValueError('made for a copy of `x`, not a view')
... '''
>>> f = compile_text(text, "f", {})
>>> guesses = {
...     "made for `x` as a view of `y`": 1,
...     "made for a copy of `x`, not a view": 2,
... }
>>> wrong_guesses(f, guesses, (np.ones(1), np.ones(1)), {})
[1, 2]
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.api.cache.compiled_gradients import Entry
from yota_ast.codegen.compile import GeneratedFunction
from yota_ast.ir.tape import Tape

_NOTE: Final = "_note_wrong_guess"
_MOST: Final = 12
T = TypeVar("T")
R = TypeVar("R")


class WrongGuess(Exception):  # noqa: N818  caught where another text can be made
    """A text guessed wrong what shares memory, at a spot; the refusal, if no other is
    to be made."""

    def __init__(self, spot: object, refusal: Exception) -> None:
        super().__init__()
        self.spot, self.refusal = spot, refusal


def told_by(tape: Tape, error: Exception) -> Exception | None:
    """What an error of the text of a tape tells: a wrong guess, or why the way that the
    call takes is refused; None where it is an error of the function itself."""
    message = str(error)
    refusal = dict(tape.given_up).get(message)
    if type(error) is not ValueError or refusal is None:
        return None
    guesses = dict(tape.guesses)
    return WrongGuess(guesses[message], refusal) if message in guesses else refusal


@dataclass(slots=True)
class Guesses:
    """The texts that guessed wrong so far, and where the next guesses otherwise."""

    failed: list[Entry] = field(default_factory=list)
    copied: frozenset[Any] = frozenset()

    def were_wrong(
        self, entry: Entry, guess: WrongGuess, others: Iterable[object] = ()
    ) -> None:
        """Note what a text guessed wrong; raises the refusal after many."""
        self.failed.append(entry)
        if len(self.failed) > _MOST:
            raise guess.refusal from None
        self.copied ^= {guess.spot, *others}

    def met(self, entry: Entry, error: Exception) -> None:
        """Note the wrong guess that an error of a text tells of; raises the refusal, or
        the error, where it tells of another thing."""
        told = told_by(entry.tape, error)
        if told is None:
            raise error
        if not isinstance(told, WrongGuess):
            raise told from None
        self.were_wrong(entry, told)


def until_right(make: Callable[[Guesses], Entry], run: Callable[[Entry], R]) -> R:
    """What is made with a text: with another where that guessed wrong what shares
    memory. make: gives the text that guesses so."""
    guesses = Guesses()
    while True:
        entry = make(guesses)
        try:
            return run(entry)
        except WrongGuess as guess:
            guesses.were_wrong(entry, guess)
        except ValueError as error:
            guesses.met(entry, error)


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
