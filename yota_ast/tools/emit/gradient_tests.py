"""A file's gradient, example arguments -> a pytest file that needs NumPy alone.

It checks that the value is that of the function, that value and gradients are the
numbers that they were when it was written, and central differences along random
directions. What it holds is the user's to change: it is written once.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final

import numpy as np

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.compile import compile_text
from yota_ast.codegen.printers.module_source import in_sections
from yota_ast.codegen.printers.templates import render
from yota_ast.errors import YotaError
from yota_ast.files.file_source import Made
from yota_ast.ir.abstract_values import Fact
from yota_ast.tools.cli.targets import Target as Function
from yota_ast.tools.cli.targets import imported_from
from yota_ast.tools.emit.freshness import State
from yota_ast.tools.emit.target_files import found

WIDE: Final = 'jax.config.update("jax_enable_x64", True)'
"""What a test of code for JAX does first: its numbers have 64 bits."""
_NEEDS: Final = {
    "numpy": "NumPy",
    "numba": "NumPy and Numba",
    "jax": "NumPy and JAX",
}
_SIZE: Final = 3
"""How long an axis is of which nothing is said."""


@dataclass(frozen=True, slots=True)
class Test:
    """The file of a test, and what is to stand in it."""

    path: Path
    text: str


def test_of(state: State, args: str, *, force: bool) -> Test:
    """The test beside a file; nothing is written.

    Raises YotaError where it is there already, or no arguments can be made.
    """
    path = state.job.path.with_name(f"test_{state.job.path.name}")
    if path.exists() and not force:
        raise YotaError(
            f"{state.job.project.shown(path)} is there already, and is left as it is",
            remedy=f"To overwrite it: {state.job.command} --with-test --force",
        )
    return Test(path, _text(state, args))


def _text(state: State, args: str) -> str:
    if len(state.new.made) != 1:
        raise YotaError("--with-test needs a file of one function")
    [made], [target] = state.new.made, state.job.targets
    function = found(state.job.project, target.function)
    expression = _arguments(made, args)
    value, gradients = _numbers(state, made, function, expression)
    names = list(made.fn.__code__.co_varnames)
    primal, _, method = function.name.partition(".")
    scope = vars(function.module)
    read = [n for n in _names(expression) if n in scope and n not in ("np", "rng")]
    called = _called([primal, *read], made.program.name)
    _, home = imported_from(state.job.path.absolute())
    form = made.form
    imports = [
        *(["import jax"] if form.backend == "jax" else []),
        "import numpy as np",
        f"from {home} import {made.program.name}",
        *(
            f"from {function.module.__name__} import {name}"
            + ("" if own == name else f" as {own}")
            for name, own in called.items()
        ),
    ]
    text = render(
        "test.py",
        output=state.job.output,
        imports="\n".join(in_sections(imports, [home.split(".")[0]])),
        needs=_NEEDS[form.backend],
        setup=WIDE if form.backend == "jax" else "",
        compared="assert_array_equal" if form.backend == "numpy" else "assert_allclose",
        positions=str(tuple(names.index(name) for name in made.program.wrt)),
        value=str(value),
        gradients=str(gradients),
        random="rng = np.random.default_rng(0)" if "rng" in _names(expression) else "",
        arguments=_renamed(expression, called),
        primal=f"{called[primal]}.{method}" if method else called[primal],
        gradient=made.program.name,
    )
    with syntax.width(state.job.project.style.line_length):
        return _formatted(text)


def _called(names: Iterable[str], gradient: str) -> dict[str, str]:
    """What the test calls names of the function's module: not what it uses itself."""
    holes = ("output", "imports", "random", "primal", "needs", "setup")
    values = ("positions", "value", "gradients", "arguments")
    blank = {**dict.fromkeys(holes, ""), **dict.fromkeys(values, "0")}
    tree = ast.parse(
        render(
            "test.py", **{**blank, "primal": "_", "compared": "_"}, gradient=gradient
        )
    )
    taken = {"np", "rng", gradient}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            taken.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.arg)):
            taken.add(node.name if isinstance(node, ast.FunctionDef) else node.arg)
    return {name: f"{name}_2" if name in taken else name for name in names}


def _renamed(expression: str, called: Mapping[str, str]) -> str:
    changed = {n: called[n] for n in _names(expression) if called.get(n, n) != n}
    node = syntax.quote_expr(f"({expression})", **changed)
    return ", ".join(map(syntax.print_expr, node.elts)) + ","


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
    if not args:
        slots = [p for p in made.tape.params if p.default is None]
        return ", ".join(_drawn(p.var.name, p.var.fact) for p in slots) + ","
    try:
        call = syntax.parse_expr(f"_({args})")
        given = {k.arg: k.value for k in call.keywords}
        bound = inspect.signature(made.fn).bind(*call.args, **given)
    except SyntaxError:
        raise YotaError(f"--args: expected arguments, got {args!r}") from None
    except TypeError as error:
        raise YotaError(
            f"--args do not fit {made.tape.name}: {error}",
            remedy="Write them as in a call.",
        ) from None
    if bound.kwargs:
        raise YotaError(f"--with-test: {next(iter(bound.kwargs))!r} is keyword-only")
    return ", ".join(map(syntax.print_expr, bound.args)) + ","


def _names(expression: str) -> dict[str, None]:
    """The names that an expression reads, in their order."""
    nodes = syntax.nodes.walk(syntax.parse_expr(f"({expression})"))
    return {n.id: None for n in nodes if isinstance(n, syntax.nodes.Name)}


def _drawn(name: str, fact: Fact) -> str:
    if fact.kind == "float":
        return "rng.uniform(0.5, 1.5)"
    if fact.kind == "int":
        return str(_SIZE)
    if fact.kind != "array" or not isinstance(fact.shape, tuple):
        raise YotaError(
            f"--with-test: the type of {name!r} is unknown",
            remedy='Give the arguments: --args "np.ones(3), 0.5".',
        )
    known = (None if d is None else d.example for d in fact.shape)
    sizes = tuple(_SIZE if n is None else n for n in known)
    dtype = "" if fact.dtype in (None, np.dtype(float)) else f".astype({fact.dtype!s})"
    return f"rng.uniform(0.5, 1.5, {sizes}){dtype}"


def _numbers(
    state: State, made: Made, function: Function, expression: str
) -> tuple[list[float], list[list[float]]]:
    """Two numbers for the value and two for each gradient."""
    name = made.program.name
    run = compile_text(state.new.text, name, {}).fn

    def args() -> tuple[Any, ...]:
        rng = np.random.default_rng(0)
        names = {**vars(function.module), "np": np, "rng": rng}
        return tuple(eval(f"({expression})", names))  # noqa: S307  the user's own text

    try:
        given = {made.program.seed: np.ones(np.shape(function.fn(*args())))[()]}
        with _bits(made):
            value, *gradients = run(
                *args(), **(given if made.program.takes_seed else {})
            )
        return _summary(value), [_summary(g) for g in gradients]
    except Exception as error:
        raise YotaError(
            f"--with-test: the function does not run: {type(error).__name__}: {error}",
            remedy='Give the arguments: --args "np.ones(3), 0.5".',
        ) from error


def _bits(made: Made) -> AbstractContextManager[None]:
    """Let JAX compute with 64 bits, as the test does."""
    if made.form.backend != "jax":
        return nullcontext()
    from yota_ast.codegen.jax_source.wide_numbers import wide  # JAX is an extra

    return wide()


def _summary(array: Any) -> list[float]:
    flat = np.ravel(np.asarray(array, float))
    return [float(np.sum(flat)), float(np.cos(np.arange(flat.size)) @ flat)]
