"""The docstrings of the public names -> the page of the docs that lists them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import yota_ast as ya
from yota_ast.api.decorator import Differentiable
from yota_ast.codegen.compile import GeneratedFunction
from yota_ast.ir.tape import Tape

HEAD = """\
# The Python interface

The public names, with their docstrings. The examples run in the tests: there the names
are imported from `yota_ast`, and `np` is NumPy. The [conventions](conventions.md) hold
for all of them.
"""
# Names of `ya`, or objects that they give, with the names of those.
CHAPTERS: dict[str, tuple[str, ...]] = {
    "Gradients": ("grad", "GradientResult", "simplegrad", "GeneratedFunction"),
    "Derivatives of other forms": (
        "value_and_grad", "vjp", "jacobian", "jvp", "hvp", "hessian", "vmap",
    ),
    "Checks": ("gradcheck", "explain"),
    "Decorator": ("differentiable", "Differentiable"),
    "Steps and devices": ("update", "ravel", "to_device", "to_cuda"),
    "Rules": (
        "diffrule", "diffrule_kw", "nodiff", "primitive", "broadcast", "stop_gradient",
        "replace_grad", "PRIMITIVES", "DIFF_PHS",
    ),
    "Tapes": ("trace", "play", "compile", "Tape"),
    "Functions made from text": ("from_source",),
    "Long loops": ("checkpoint",),
    "Errors": (
        "YotaError", "UnsupportedSyntax", "UnsupportedCall", "NoRule",
        "SourceUnavailable", "RuleError", "ShapeError", "AmbiguousType",
        "InternalError", "DerivativeWarning",
    ),
}  # fmt: skip
GIVEN: dict[str, Any] = {
    "GeneratedFunction": GeneratedFunction,
    "Differentiable": Differentiable,
    "Tape": Tape,
}
VALUES = {
    "PRIMITIVES": "The functions that stay one operation of the tape: those with rules,"
    " and those added with `primitive`. It is a set that you may change: `add`,"
    " `discard`, `in`.",
    "DIFF_PHS": "The set of names that are placeholders in rules given as strings."
    " Every name that begins with `_` is one too.",
}
MEMBERS: dict[str, tuple[str, ...]] = {
    "GeneratedFunction": ("save",),
    "Differentiable": ("grad", "grad_source", "tape"),
    "Tape": ("play",),
    "YotaError": ("filename", "lineno", "col_offset", "excerpt", "chain"),
}


def document() -> str:
    """The page."""
    parts = [HEAD]
    for chapter, names in CHAPTERS.items():
        parts.append(f"## {chapter}\n")
        parts += [entry(name) for name in names]
    return "\n".join(parts)


def entry(name: str) -> str:
    """What the page says of a name."""
    if name in VALUES:
        return f"### `ya.{name}`\n\n{VALUES[name]}\n"
    thing = GIVEN.get(name) or getattr(ya, name)
    head = name if name in GIVEN else f"ya.{name}"
    lines = [f"### `{head}`\n"]
    if not inspect.isclass(thing):
        lines.append(f"```text\n{signature(head, thing)}\n```\n")
    lines.append(text_of(inspect.getdoc(thing) or ""))
    for member in MEMBERS.get(name, ()):
        found = inspect.getattr_static(thing, member)
        call = "" if isinstance(found, property) else "(...)"
        doc = inspect.getdoc(found) or ""
        lines.append(f"**`.{member}{call}`** {text_of(doc)}")
    return "\n".join(lines)


def signature(name: str, fn: Callable[..., object]) -> str:
    """The call, without annotations: on one line, or a line for each parameter."""
    found = inspect.signature(fn)
    plain = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    text = f"{name}{found.replace(parameters=plain, return_annotation=found.empty)}"
    return text.replace("(self, ", "(").replace("/, ", "")


def text_of(docstring: str) -> str:
    """A docstring as Markdown: parameters as a list, examples as code."""
    return "\n".join(f"{part}\n" for part in paragraphs(docstring))


def paragraphs(docstring: str) -> Iterator[str]:
    for part in docstring.strip().split("\n\n"):
        if part.startswith(">>>"):
            yield f"```python\n{part}\n```"
        elif re.match(r"[a-z_, ]+: ", part):
            listed = re.sub(
                r"^([a-z_]+(?:, [a-z_]+)*): ", r"- `\1`: ", part, flags=re.MULTILINE
            )
            yield re.sub(r"\n(?!- )", "\n  ", listed)
        else:
            yield part
