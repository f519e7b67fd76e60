"""A function and what is known of its arguments -> tape, gradient program, text.

The whole compiler on one screen: read -> lower -> activity -> reverse -> tidy -> keep
-> emit -> compile. `grad`, `simplegrad`, the decorator and the command line all come
through here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from . import rules as _rules  # noqa: F401  the built-in rules enter the book
from .adjoint.gradient import gradient
from .codegen.compile import GeneratedFunction, compile_text
from .codegen.emit import emit
from .facts import Fact
from .frontend.lower import lower
from .rules.rule import BOOK
from .tape import Block, Program, Tape

Fn = Callable[..., object]
_EMPTY = Block()


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: a function, what is known of its arguments, and wrt.

    examples: argument values, of which fields and callables are read, never run.
    primitives: functions to keep as one op, beside those that have rules.
    """

    fn: Fn
    facts: Mapping[str, Fact]
    examples: Mapping[str, object] | None = None
    wrt: tuple[str, ...] | None = None
    primitives: tuple[object, ...] = ()


def lowered(request: Request) -> Tape:
    """The tape of the function."""

    def is_primitive(fn: object) -> bool:
        if any(fn is p for p in request.primitives):
            return True
        return callable(fn) and BOOK.is_primitive(fn)

    return lower(
        request.fn, request.facts, examples=request.examples,
        is_primitive=is_primitive, infer=BOOK.infer,
    )  # fmt: skip


def gradient_program(tape: Tape, wrt: Sequence[str] | None) -> Program:
    """The gradient of a tape, as a program."""
    return gradient(tape, wrt, BOOK.infer)


def primal_program(tape: Tape) -> Program:
    """The function itself, as a program."""
    return Program(
        name=tape.name, params=tape.params, forward=tape.block, reverse=_EMPTY,
        value=tape.result, doc=tape.doc, module=tape.module, fn=tape.fn, used=tape.used,
    )  # fmt: skip


def compiled(program: Program) -> GeneratedFunction:
    """The program as a function, with its text."""
    text = emit(program)
    return compile_text(text.module, text.name, text.namespace)
