"""Programs -> the text that `show-grad` prints and that `emit` writes below its header.

The functions alone are those that `grad` runs; what differs is how they are bound to
the world: by imports, with the user's annotations and docstring.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.codegen.printers.module_source import Module, Piece, Printer, module
from yota_ast.codegen.text_form import READABLE, TextForm
from yota_ast.files.gradient_annotations import annotations_of
from yota_ast.files.module_constants import fixed_constants
from yota_ast.ir.abstract_values import Fact, same_dtype
from yota_ast.ir.tape import Program, Tape
from yota_ast.nesting.call_inference import infer


@dataclass(frozen=True, slots=True)
class Made:
    """A gradient: its function, the tape of that, the program, the form of its text."""

    fn: Callable[..., Any]
    tape: Tape
    program: Program
    form: TextForm = READABLE


def module_of(made: Sequence[Made]) -> Module:
    """Return the module of some gradients; raises YotaError where names clash."""
    return module([_piece(m) for m in made], own_packages(made))


def tangent_module(made: Made) -> Module:
    """Return the module of a tangent, without annotations."""
    fixed = fixed_constants(made.tape, shaped=made.program.granted.shaped)
    return module([Piece(made.program, fixed=fixed)], own_packages([made]))


def _piece(made: Made) -> Piece:
    notes = annotations_of(made.fn, made.program)
    users = "" if made.tape.recorded else made.tape.doc
    doc = "\n\n".join(part for part in (made.program.doc, users) if part)
    program = replace(made.program, doc=doc)
    fixed = fixed_constants(made.tape, shaped=made.program.granted.shaped)
    return Piece(program, notes.typed, notes.imports, fixed, _printer(made.form))


def _printer(form: TextForm) -> Printer | None:
    """Return what prints a program for another back end than NumPy."""
    if form.backend == "numpy":
        return None
    if form.backend == "jax":
        from yota_ast.codegen.jax_source.emit_jax import file_printer as of_jax

        return of_jax()
    from yota_ast.codegen.numba_source.emit_loops import file_printer

    return file_printer(infer, form.options)


def own_packages(made: Sequence[Made]) -> frozenset[str]:
    """The user's packages: of the functions themselves and of all that is inlined."""
    functions = [fn for m in made for fn in (m.fn, *m.tape.used)]
    modules = {
        str(fn.__module__).partition(".")[0]
        for fn in functions
        if isinstance(fn, (types.FunctionType, type)) and fn.__module__
    }
    libraries = {"__main__", "numpy", "scipy", "yota_ast", *sys.stdlib_module_names}
    return frozenset(modules) - libraries


def serves(known: Fact, given: Fact) -> bool:
    """Whether a text for arguments of which one thing is known serves those given.

    >>> from yota_ast.ir.abstract_values import FLOAT, array_fact, real_fact
    >>> serves(real_fact("x"), FLOAT), serves(array_fact("f8", (None,)), FLOAT)
    (True, False)
    """
    if known.kind == "unknown" or known == given:
        return True
    if known.kind == "real":
        return given.kind in ("float", "scalar", "array") and given.holds_floats
    if known.kind != given.kind or known.cls not in (None, given.cls):
        return False
    if known.dtype is not None and not same_dtype(known.dtype, given.dtype):
        return False
    if known.kind != "array" or not isinstance(known.shape, tuple):
        return known.kind in ("array", "object")
    others = given.shape if isinstance(given.shape, tuple) else ()
    lengths = zip(known.shape, others, strict=False)
    return known.rank == given.rank and all(
        k is None or g is None or k.is_unit == g.is_unit for k, g in lengths
    )
