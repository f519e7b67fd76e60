"""A callable and example arguments, or none -> what is asked of the compiler.

>>> from yota_ast.api.call_target import callee_of
>>> def area(w: float, h: float, n: int) -> float:
...     return n * w * h
>>> request, names = request_for(callee_of(area), (2.0, 3.0, 1), {}, None)
>>> names, request.facts["w"].kind
(('w', 'h'), 'float')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.api.cache.fixed_parameters import refuse_nameless
from yota_ast.api.call_target import Callee, callee_of
from yota_ast.api.wrt import (
    bound_call,
    names_of,
    refuse_floatless,
    refuse_left_out,
)
from yota_ast.codegen.text_form import TextForm
from yota_ast.ir.abstract_values import Fact, fact_of
from yota_ast.ir.facts.annotations import facts_of_signature
from yota_ast.pipeline import Request
from yota_ast.syntax.loop_schedules import schedules

Fn = Callable[..., Any]
OPTIONS: Final = ("wrt", "fast", "backend", "checkpoint", "options")
"""The keywords of `simplegrad`: a function that has one is given it otherwise."""


def request_for(
    callee: Callee,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    wrt: object,
) -> tuple[Request, tuple[str, ...] | None]:
    """What is asked of the compiler for example arguments, or without any; and of which
    parameters."""
    names = names_of(callee, wrt)
    examples: Mapping[str, object] | None = None
    signature = callee.general
    if args or kwargs:
        call = bound_call("simplegrad", callee, args, kwargs, OPTIONS)
        refuse_left_out(names or (), call.arguments)
        examples, signature = call.values, call.own
        facts = {name: fact_of(value, name) for name, value in examples.items()}
        refuse_nameless({name: examples[name] for name in call.arguments})
        if names is None:
            names = tuple(name for name in call.arguments if facts[name].holds_floats)
    else:
        facts, examples = _general(callee)
    if names is not None:
        refuse_floatless(names, facts)
    request = Request(
        callee.fn, facts, examples, signature=signature, bound=callee.bound
    )
    return request, names


def _general(callee: Callee) -> tuple[dict[str, Fact], dict[str, object]]:
    """What is known where no call is given: annotations, defaults, what is bound."""
    facts = facts_of_signature(callee.fn)
    bound = callee.bound
    facts.update((name, fact_of(value, name)) for name, value in bound.items())
    return facts, dict(bound)


def general_request(fn: Fn, facts: Mapping[str, Fact] | None) -> Request:
    """What is asked where no call is given: by annotations and the facts given."""
    callee = callee_of(fn)
    known, examples = _general(callee)
    known.update(facts or {})
    return Request(
        callee.fn, known, examples, signature=callee.general, bound=callee.bound
    )


def for_text(
    request: Request, form: TextForm, checkpoint: Mapping[int, object] | None
) -> Request:
    """What is asked for a text of a form. Numba and JAX take no rows of numbers."""
    request = replace(request, checkpoint=schedules(checkpoint), fast=form.fast)
    return replace(request, rows=form.backend == "numpy")
