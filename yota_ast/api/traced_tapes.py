"""A function -> its tape, the text of its gradient, and what a tape computes.

In: a function with arguments, or with the facts of its parameters.  Out: tapes, and
texts of gradients that no call has asked for.

>>> def square(x: float) -> float:
...     return x * x
>>> print(gradient_source(square).splitlines()[-1].strip())
return val, dx
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: F401  in the examples

from yota_ast.api import pickling  # noqa: F401  says how transforms are pickled
from yota_ast.api.cache.fixed_parameters import checked
from yota_ast.api.call_target import callee_of
from yota_ast.api.derivative_warnings import note, telling
from yota_ast.api.recorded_traces import is_of_values, tape_of_values
from yota_ast.api.requests import for_text, general_request
from yota_ast.api.seeds import (
    refuse_value,
)
from yota_ast.api.wrt import (
    names_of,
    refuse_floatless,
)
from yota_ast.codegen.compile import GeneratedFunction
from yota_ast.codegen.text_form import READABLE, TextForm
from yota_ast.errors import (
    UnsupportedSyntax,
)
from yota_ast.files.file_source import Made, module_of
from yota_ast.ir.abstract_values import Fact, fact_of
from yota_ast.ir.interpreter import play as _play
from yota_ast.ir.tape import Tape
from yota_ast.pipeline import (
    Request,
    compiled,
    differentiated,
    lowered,
    primal_program,
)
from yota_ast.rules.notation.rule import BOOK
from yota_ast.support.tracebacks import public

if TYPE_CHECKING:
    from yota_ast.tools.report.view import View

Fn = Callable[..., Any]


@public
def trace(
    f: Fn,
    /,
    *args: object,
    primitives: Iterable[Hashable] = (),
    unroll: bool = False,
    tracer: str = "source",
    **kwargs: object,
) -> tuple[Any, Tape]:
    """Return the value of `f(*args, **kwargs)` and the tape that computed it.

    primitives: functions that stay one operation, in addition to those with rules.
    tracer: "source", or "values" for a function that has no source. It is then called
    twice with copies of the arguments, once with values that record what is done with
    them. The tape serves arguments of the same shapes, dtypes and branches.

    `print(tape)` lists the operations. `tape.play(*args)` gives the value for other
    arguments of the same types and ranks. f runs once.

    Raises UnsupportedSyntax for `unroll=True`, which does not exist yet. Raises the
    errors of this package if the compiler cannot turn f into a tape.

    >>> value, tape = trace(lambda x: np.sum(x * x), np.array([1.0, 2.0]))
    >>> print(tape)
    Tape
      inp %1::ndarray[float64, 1]
      %2 = mul(%1, %1)::ndarray[float64, 1]
      %3 = sum(%2)::float64
      result %3
    """
    if unroll:
        raise UnsupportedSyntax(
            "unroll=True is not available yet",
            remedy="Leave it out: one tape serves every number of iterations.",
        )
    kept = tuple(callee_of(p).fn for p in primitives)  # type: ignore[arg-type]
    if is_of_values(tracer):
        tape = tape_of_values(f, args, kwargs, kept)
        return _play(tape, *args, **kwargs), tape
    callee = callee_of(f)
    call = callee.bind(args, kwargs)
    facts = {name: fact_of(value, name) for name, value in call.values.items()}
    tape = lowered(
        Request(callee.fn, facts, call.values, primitives=kept, signature=call.own)
    )
    tape = checked(tape, call.values)
    return _play(tape, *call.args, **call.kwargs), tape


@public
def play(tape: Tape, /, *args: object, **kwargs: object) -> Any:
    """Return the value of a tape. If the tape was compiled, the compiled function runs.

    args, kwargs: the arguments of the function that was traced, of the same types and
    ranks.

    Raises TypeError if they do not fit the parameters of the function. Raises
    ValueError if they have another structure than the tape was made for. Errors that
    the function itself raises pass through.
    """
    return tape.play(*args, **kwargs)


@public
def compile_tape(tape: Tape) -> GeneratedFunction:
    """Compile a tape and return the function. The tape keeps it for `play`.

    It computes the value, without gradients. Its `.source` is its generated code.
    """
    function = compiled(primal_program(tape))
    tape.compiled.append(function)
    return function


def tape_of(fn: Fn, *, facts: Mapping[str, Fact] | None = None) -> Tape:
    """The tape of a function, from its annotations and the facts given."""
    return lowered(general_request(fn, facts))


def gradient_source(
    fn: Fn, *, wrt: object = None, facts: Mapping[str, Fact] | None = None
) -> str:
    """The text of the gradient of a function: what `show-grad` prints."""
    return module_of([general_gradient(fn, wrt=wrt, facts=facts)]).text


def general_gradient(
    fn: Fn,
    *,
    wrt: object = None,
    facts: Mapping[str, Fact] | None = None,
    form: TextForm = READABLE,
    checkpoint: Mapping[int, object] | None = None,
) -> Made:
    """The gradient of a function, from its annotations and the facts given."""
    names = names_of(callee_of(fn), wrt)
    request = for_text(general_request(fn, facts), form, checkpoint)
    with telling():
        tape, program = differentiated(request, names)
        note(program)
    if names is not None:
        refuse_floatless(names, {p.var.name: p.var.fact for p in tape.params})
    refuse_value(program)
    return Made(callee_of(fn).fn, tape, program, form)


def gradient_view(
    fn: Fn, *, wrt: object = None, facts: Mapping[str, Fact] | None = None
) -> View:
    """What `show-grad` prints, with all that it stems from: what reports show."""
    from yota_ast.tools.report.view import View

    made = general_gradient(fn, wrt=wrt, facts=facts)
    return View(made.tape, made.program, module_of([made]))


def all_rules() -> tuple[Any, ...]:
    """The rules of the book, built-in ones and the user's."""
    return tuple(BOOK)
