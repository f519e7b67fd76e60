"""A file's gradient, example arguments -> a pytest file that needs NumPy alone.

It checks that the value is that of the function, that value and gradients are the
numbers that they were when it was written, and central differences along random
directions. What it holds is the user's to change: it is written once.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .. import syntax
from ..codegen.compile import compile_text
from ..codegen.module import in_sections
from ..codegen.templates import render
from ..errors import YotaError
from ..facts import Fact
from .checking import State
from .files import found
from .standing import module_name
from .text import Made
from .writing import write

_SIZE: Final = 3
"""How long an axis is of which nothing is said."""


def write_test(state: State, args: str, *, force: bool) -> str:
    """Write the test beside the file; return its path from the root of the project.

    Raises YotaError where it is there already, or no arguments can be made.
    """
    path = state.job.path.with_name(f"test_{state.job.path.name}")
    shown = state.job.project.shown(path)
    if path.exists() and not force:
        raise YotaError(
            f"{shown} is there already, and is left as it is",
            remedy=f"To overwrite it: {state.job.command} --with-test --force",
        )
    write(path, test_text(state, args))
    return shown


def test_text(state: State, args: str) -> str:
    """The text of the test."""
    if len(state.new.made) != 1:
        raise YotaError("--with-test is for a file of one function")
    [made], [target] = state.new.made, state.job.targets
    function = found(state.job.project, target.function)
    expression = _arguments(made, args)
    value, gradients = _numbers(state, made, function.fn, expression)
    names = list(made.fn.__code__.co_varnames)
    primal, _, method = function.name.partition(".")
    imports = [
        "import numpy as np",
        f"from {module_name(state.job.path)} import {made.program.name}",
        f"from {function.module.__name__} import {primal}",
    ]
    text = render(
        "test.py",
        output=state.job.output,
        imports="\n".join(
            in_sections(imports, [module_name(state.job.path).split(".")[0]])
        ),
        positions=str(tuple(names.index(name) for name in made.program.wrt)),
        value=str(value),
        gradients=str(gradients),
        random="rng = np.random.default_rng(0)" if _draws(expression) else "",
        arguments=expression,
        primal=f"{primal}.{method}" if method else primal,
        gradient=made.program.name,
    )
    with syntax.width(state.job.project.style.line_length):
        return _formatted(text)


def _formatted(text: str) -> str:
    """The same, the lines that hold numbers laid out."""
    lines = text.split("\n")
    for k, line in enumerate(lines):
        start = line.lstrip()
        if start.startswith(("VALUE =", "GRADIENTS =", "return (")):
            depth = (len(line) - len(start)) // 4
            tree = syntax.parse(start if depth == 0 else f"def f():\n    {start}").body
            body = tree if depth == 0 else tree[0].body
            lines[k] = syntax.print_stmts(body, depth).rstrip("\n")
    return "\n".join(lines)


def _arguments(made: Made, args: str) -> str:
    """The arguments as the items of a tuple."""
    if args:
        try:
            node = syntax.parse_expr(f"({args.rstrip().rstrip(',')},)")
        except SyntaxError:
            raise YotaError(f"--args: expected arguments, got {args!r}") from None
        return ", ".join(map(syntax.print_expr, node.elts)) + ","
    slots = [p for p in made.tape.params if p.default is None]
    return ", ".join(_drawn(p.var.name, p.var.fact) for p in slots) + ","


def _draws(expression: str) -> bool:
    names = syntax.nodes.walk(syntax.parse_expr(f"({expression})"))
    return any(isinstance(n, syntax.nodes.Name) and n.id == "rng" for n in names)


def _drawn(name: str, fact: Fact) -> str:
    if fact.kind == "float":
        return "rng.uniform(0.5, 1.5)"
    if fact.kind == "int":
        return str(_SIZE)
    if fact.kind != "array" or not isinstance(fact.shape, tuple):
        raise YotaError(
            f"--with-test: of what kind {name!r} is cannot be told",
            remedy='Give the arguments: --args "np.ones(3), 0.5".',
        )
    sizes = tuple(_SIZE if d is None or d.size is None else d.size for d in fact.shape)
    dtype = "" if fact.dtype in (None, np.dtype(float)) else f".astype({fact.dtype!s})"
    return f"rng.uniform(0.5, 1.5, {sizes}){dtype}"


def _numbers(
    state: State, made: Made, primal: Any, expression: str
) -> tuple[list[float], list[list[float]]]:
    """Two numbers for the value and two for each gradient."""
    name = made.program.name
    run = compile_text(state.new.text, name, {}).fn

    def args() -> tuple[Any, ...]:
        names = {"np": np, "rng": np.random.default_rng(0)}
        return tuple(eval(f"({expression})", names))  # noqa: S307  the user's own text

    try:
        seed = np.ones(np.shape(primal(*args())))[()]
        value, *gradients = run(*args(), seed=seed)
        return _summary(value), [_summary(g) for g in gradients]
    except Exception as error:
        raise YotaError(
            f"--with-test: the function does not run: {type(error).__name__}: {error}",
            remedy='Give the arguments: --args "np.ones(3), 0.5".',
        ) from error


def _summary(array: Any) -> list[float]:
    flat = np.ravel(np.asarray(array, float))
    return [float(np.sum(flat)), float(np.cos(np.arange(flat.size)) @ flat)]
