"""A function for Numba, example arguments -> the function, compiled for their types."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from yota_ast.codegen.compile import GeneratedFunction
from yota_ast.codegen.loops.draft import REMEDY
from yota_ast.errors import UnsupportedCall


class _CompiledError(Exception):
    """Leaves the function of Python when its loops are compiled."""


def compile_for(
    function: GeneratedFunction, args: Sequence[object], kwargs: Mapping[str, object]
) -> None:
    """Compile the loops of a function for the types of arguments.

    The function of Python is called, with the compiler in the place of its loops.
    Raises UnsupportedCall, with what Numba says, where it cannot compile them.
    """
    import numba

    names = function.fn.__globals__
    own = f"_{function.__name__}"
    own = f"{own}_loops" if f"{own}_loops" in names else own
    kernel: Any = names[own]
    slots = inspect.signature(function.fn).parameters
    interpreted = not hasattr(kernel, "compile")  # Numba is switched off
    if interpreted or slots["seed"].default is inspect.Parameter.empty:
        return  # what the cotangent is, is known when it is called

    def compiled(*given: object) -> NoReturn:
        kernel.compile(tuple(map(numba.typeof, given)))
        raise _CompiledError  # there are no results to build something of

    names[own] = compiled
    try:
        with suppress(_CompiledError):
            function.fn(*args, **kwargs)
    except (numba.core.errors.NumbaError, NotImplementedError) as error:
        raise UnsupportedCall(
            f"Numba cannot compile the loops: {told_by(error)}", remedy=REMEDY
        ) from None
    finally:
        names[own] = kernel


def told_by(error: Exception) -> str:
    r"""Return the first line in which Numba says something of its own.

    >>> told_by(ValueError("Failed in nopython mode pipeline\nNo implementation of f"))
    'No implementation of f'
    """
    text = re.sub(r"\x1b\[\d*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith("Failed in")]
    return (told or lines or [""])[0]
